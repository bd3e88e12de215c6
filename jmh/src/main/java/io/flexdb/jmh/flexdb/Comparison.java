package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.Markdown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** What was measured of all stores: tables of the medians, and every figure for other programs. */
final class Comparison {
    private static final List<String> DISTURBANCES = List.of(", steal", ", garbage collections");

    private final List<Figure> all = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final Map<String, Row> rows = new LinkedHashMap<>(); // by experiment

    private record Figure(int round, Subject subject, Results.Figure measured) {}

    private record Note(int round, Subject subject, String text) {}

    /** What was measured of one experiment. */
    private record Row(Part part, String experiment, String unit, Map<Subject, List<Double>> values) {
        OptionalDouble median(Subject store) {
            return values.containsKey(store)
                    ? OptionalDouble.of(Markdown.median(values.get(store)))
                    : OptionalDouble.empty();
        }

        /** Whether it is of a disturbance that there has not been. */
        boolean isNothing() {
            return DISTURBANCES.stream().anyMatch(experiment::endsWith)
                    && values.values().stream().flatMap(List::stream).allMatch(value -> value == 0);
        }
    }

    void add(int round, Subject subject, Results.Figure measured) {
        all.add(new Figure(round, subject, measured));
        rows.computeIfAbsent(
                        measured.experiment(),
                        name -> new Row(measured.part(), name, measured.unit(), new EnumMap<>(Subject.class)))
                .values()
                .computeIfAbsent(subject, absent -> new ArrayList<>())
                .add(measured.value());
    }

    /** What the reader of the figures must know: above all, what was not measured. */
    void note(int round, Subject subject, String text) {
        notes.add(new Note(round, subject, text));
    }

    /** The experiments so far, in the order of their first figures. */
    Set<String> experiments() {
        return Collections.unmodifiableSet(rows.keySet());
    }

    /** The median of the rounds, if there is one. */
    OptionalDouble median(String experiment, Subject subject) {
        return rows.containsKey(experiment) ? rows.get(experiment).median(subject) : OptionalDouble.empty();
    }

    /** The unit of an experiment's figures. */
    String unit(String experiment) {
        return rows.get(experiment).unit;
    }

    /**
     * A table for each part: a row for each experiment, a column for each store, and how FlexDB compares with the best
     * of the others. Then the notes.
     */
    String tables(List<Subject> stores) {
        List<String> header = new ArrayList<>(List.of("", "unit"));
        stores.forEach(store -> header.add(store.label()));
        header.add("FlexDB to the best rival");
        StringBuilder tables = new StringBuilder();
        for (Part part : Part.values()) {
            List<List<String>> cells = rows.values().stream()
                    .filter(row -> row.part == part && !row.isNothing())
                    .map(row -> cells(row, stores))
                    .toList();
            if (!cells.isEmpty()) {
                String table = Markdown.table(header, cells);
                tables.append(String.format(Locale.ROOT, "### %s%n%n%s%n", part.title(), table));
            }
        }
        for (Note note : notes) {
            String label = note.subject.label();
            tables.append(String.format(Locale.ROOT, "- %s, round %d: %s%n", label, note.round, note.text));
        }
        return tables.toString();
    }

    private static List<String> cells(Row row, List<Subject> stores) {
        List<String> cells = new ArrayList<>(List.of(row.experiment, row.unit));
        for (Subject store : stores) {
            OptionalDouble median = row.median(store);
            cells.add(median.isPresent() ? Markdown.number(median.getAsDouble()) : "");
        }
        cells.add(ratio(row));
        return cells;
    }

    /** Above 1 is better for FlexDB, whatever the unit. The skip list keeps nothing and is no rival. */
    private static String ratio(Row row) {
        if (row.median(Subject.FLEXDB).isEmpty()) {
            return "";
        }
        boolean moreIsBetter = row.unit.endsWith("/s");
        double ours = row.median(Subject.FLEXDB).getAsDouble();
        double best = Double.NaN;
        for (Subject rival : row.values.keySet()) {
            if (rival != Subject.FLEXDB && rival.keepsPairs()) {
                double value = row.median(rival).getAsDouble();
                boolean better = Double.isNaN(best) || (moreIsBetter ? value > best : value < best);
                best = better ? value : best;
            }
        }
        double ratio = moreIsBetter ? ours / best : best / ours;
        return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f", ratio) : "";
    }

    /** All figures, in order, then the notes. */
    String json() {
        List<String> entries = new ArrayList<>();
        for (Figure each : all) {
            entries.add(String.format(
                    Locale.ROOT,
                    "{\"round\": %d, \"store\": \"%s\", \"part\": \"%s\", \"experiment\": \"%s\", \"value\": %s, "
                            + "\"unit\": \"%s\"}",
                    each.round,
                    each.subject.label(),
                    each.measured.part().argument(),
                    each.measured.experiment(),
                    each.measured.value(),
                    each.measured.unit()));
        }
        for (Note each : notes) {
            entries.add(String.format(
                    Locale.ROOT,
                    "{\"round\": %d, \"store\": \"%s\", \"note\": \"%s\"}",
                    each.round,
                    each.subject.label(),
                    each.text.replace('"', '\'')));
        }
        return "[\n" + String.join(",\n", entries) + "\n]\n";
    }
}
