package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The medians of all rounds, their spread, and how ours compare with the best of the rivals. */
final class Medians {
    private static final Set<String> OURS = Set.of("FlexDB", "FlexSpace", "FlexTree");
    /** Other ways to use ours, a store that keeps nothing, and what the disk gives. */
    private static final Set<String> NO_RIVALS =
            Set.of("flexdb-files", "skip list", BulkSuite.BESIDE, BulkSuite.PUTS, BulkSuite.PLAIN);

    /** Figures of the machine, not of a store. */
    private static final String OF_MACHINE = "longest hiccup";

    private static final double LEAST_DIFFERENCE = 0.02; // below it nobody is ahead

    private final Map<String, Map<String, Value>> values = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();

    /** All figures of one experiment and subject. */
    record Value(double median, double least, double most) {
        static Value of(List<Double> all) {
            return new Value(Markdown.median(all), Collections.min(all), Collections.max(all));
        }

        /** Half of the distance between the least and the most, for each unit of the median; "" for a single figure. */
        String spread() {
            if (least == most || median == 0) {
                return "";
            }
            return String.format(Locale.ROOT, "± %.0f %%", (most - least) / 2 / Math.abs(median) * 100);
        }

        boolean overlaps(Value other) {
            return least <= other.most && other.least <= most;
        }
    }

    /** Ours beside the best rival. */
    enum Verdict {
        AHEAD("▲"),
        EVEN("="),
        BEHIND("▼");

        final String mark;

        Verdict(String mark) {
            this.mark = mark;
        }
    }

    /**
     * Ours beside the best rival.
     *
     * @param ratio above 1 if ours is better, whatever the unit
     */
    record Ratio(String ours, String rival, double ratio, Verdict verdict) {
        String text() {
            return verdict.mark + " " + Markdown.number(ratio);
        }
    }

    Medians(Collection<CellResult> results) {
        Map<String, Map<String, List<Double>>> all = new LinkedHashMap<>();
        for (CellResult result : results) {
            for (Figure figure : result.figures()) {
                units.putIfAbsent(figure.experiment(), figure.unit());
                all.computeIfAbsent(figure.experiment(), absent -> new LinkedHashMap<>())
                        .computeIfAbsent(figure.subject(), absent -> new ArrayList<>())
                        .add(figure.value());
            }
        }
        all.forEach((experiment, bySubject) -> {
            Map<String, Value> medians = new LinkedHashMap<>();
            bySubject.forEach((subject, figures) -> medians.put(subject, Value.of(figures)));
            values.put(experiment, medians);
        });
    }

    /** The values by subject; empty if there are none. */
    Map<String, Value> of(String experiment) {
        return values.getOrDefault(experiment, Map.of());
    }

    String unit(String experiment) {
        return units.getOrDefault(experiment, "");
    }

    boolean moreIsBetter(String experiment) {
        return unit(experiment).endsWith("/s");
    }

    static boolean isOurs(String subject) {
        return OURS.contains(subject);
    }

    /** The comparison with the best rival, if there are both. */
    Optional<Ratio> ratio(String experiment) {
        Map<String, Value> all = of(experiment);
        Optional<String> ours = all.keySet().stream().filter(OURS::contains).findFirst();
        Optional<String> rival = all.keySet().stream()
                .filter(each -> !OURS.contains(each) && !NO_RIVALS.contains(each))
                .reduce((a, b) -> better(experiment, all.get(a), all.get(b)) ? a : b);
        if (ours.isEmpty() || rival.isEmpty() || experiment.endsWith(OF_MACHINE)) {
            return Optional.empty();
        }
        Value mine = all.get(ours.get());
        Value best = all.get(rival.get());
        double ratio = moreIsBetter(experiment) ? mine.median / best.median : best.median / mine.median;
        if (!Double.isFinite(ratio)) {
            return Optional.empty();
        }
        return Optional.of(new Ratio(ours.get(), rival.get(), ratio, verdict(ratio, mine.overlaps(best))));
    }

    private boolean better(String experiment, Value a, Value b) {
        return moreIsBetter(experiment) ? a.median >= b.median : a.median <= b.median;
    }

    private static Verdict verdict(double ratio, boolean overlap) {
        if (overlap || Math.abs(ratio - 1) < LEAST_DIFFERENCE) {
            return Verdict.EVEN;
        }
        return ratio > 1 ? Verdict.AHEAD : Verdict.BEHIND;
    }
}
