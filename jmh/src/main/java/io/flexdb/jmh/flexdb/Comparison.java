package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.Markdown;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured of all stores: a table of the medians, and every figure for other programs. */
final class Comparison {
    private record Figure(int round, Subject subject, Results.Figure measured) {}

    private final List<Figure> all = new ArrayList<>();
    private final Map<String, Map<Subject, List<Double>>> rows = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();

    void add(int round, Subject subject, Results.Figure measured) {
        all.add(new Figure(round, subject, measured));
        units.put(measured.experiment(), measured.unit());
        rows.computeIfAbsent(measured.experiment(), absent -> new EnumMap<>(Subject.class))
                .computeIfAbsent(subject, absent -> new ArrayList<>())
                .add(measured.value());
    }

    /** A row for each experiment, a column for each store; and how FlexDB compares with the best of the others. */
    String table(List<Subject> stores) {
        List<String> header = new ArrayList<>(List.of("", "unit"));
        stores.forEach(store -> header.add(store.label()));
        header.add("FlexDB to the best rival");
        List<List<String>> cells = new ArrayList<>();
        rows.forEach((experiment, values) -> {
            List<String> row = new ArrayList<>(List.of(experiment, units.get(experiment)));
            for (Subject store : stores) {
                row.add(values.containsKey(store) ? Markdown.number(Markdown.median(values.get(store))) : "");
            }
            row.add(ratio(experiment, values));
            cells.add(row);
        });
        return Markdown.table(header, cells);
    }

    /** Above 1 is better for FlexDB, whatever the unit. The skip list keeps nothing and is no rival. */
    private String ratio(String experiment, Map<Subject, List<Double>> values) {
        if (!values.containsKey(Subject.FLEXDB)) {
            return "";
        }
        boolean moreIsBetter = units.get(experiment).endsWith("/s");
        double ours = Markdown.median(values.get(Subject.FLEXDB));
        double best = Double.NaN;
        for (Map.Entry<Subject, List<Double>> each : values.entrySet()) {
            if (each.getKey() != Subject.FLEXDB && each.getKey().keepsPairs()) {
                double value = Markdown.median(each.getValue());
                boolean better = Double.isNaN(best) || (moreIsBetter ? value > best : value < best);
                best = better ? value : best;
            }
        }
        double ratio = moreIsBetter ? ours / best : best / ours;
        return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f", ratio) : "";
    }

    /** All figures, in order. */
    String json() {
        StringBuilder json = new StringBuilder("[");
        for (Figure each : all) {
            json.append(json.length() == 1 ? "\n" : ",\n");
            json.append(String.format(
                    Locale.ROOT,
                    "{\"round\": %d, \"store\": \"%s\", \"experiment\": \"%s\", \"value\": %s, \"unit\": \"%s\"}",
                    each.round,
                    each.subject.label(),
                    each.measured.experiment(),
                    each.measured.value(),
                    each.measured.unit()));
        }
        return json.append("\n]\n").toString();
    }
}
