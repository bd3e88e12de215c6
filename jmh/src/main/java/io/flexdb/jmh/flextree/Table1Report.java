package io.flexdb.jmh.flextree;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects rates and makes the tables of {@link Table1}, in Markdown. */
final class Table1Report {
    private static final List<String> NAMES = List.of("FlexTree", "B+-tree", "sorted array");
    private static final int FIGURES = 3; // significant ones, as most in the paper

    private record Cell(Experiment experiment, String index, long extents) {}

    private final Map<Cell, List<Double>> rates = new HashMap<>();

    /** Takes one measurement, in operations a second. */
    void add(Experiment experiment, String index, long extents, double rate) {
        rates.computeIfAbsent(new Cell(experiment, index, extents), cell -> new ArrayList<>())
                .add(rate);
    }

    /** The rates in million operations a second, the paper's beneath ours; "-" where there is none. */
    String table(Table1Settings settings) {
        List<String> header = new ArrayList<>(List.of("million operations/s"));
        List<List<String>> rows = new ArrayList<>();
        for (String name : NAMES) {
            rows.add(new ArrayList<>(List.of(name)));
            rows.add(new ArrayList<>(List.of(name + ", paper")));
        }
        for (Experiment experiment : Experiment.values()) {
            for (long extents : experiment.sizes(settings)) {
                header.add(experiment.label + " " + power(extents));
                for (int i = 0; i < NAMES.size(); i++) {
                    String index = Experiment.INDEXES.get(i);
                    rows.get(2 * i).add(median(rates.get(new Cell(experiment, index, extents))));
                    rows.get(2 * i + 1).add(experiment.paperFigure(index, extents));
                }
            }
        }
        return markdown(header, rows);
    }

    /**
     * Builds indexes and tells the bytes that an extent takes.
     *
     * @param appends extents appended
     * @param fewInsertions extents that insertions at random lead to, in each index
     * @param manyInsertions as many in FlexTree alone
     */
    String memoryTable(long appends, long fewInsertions, long manyInsertions) {
        List<String> header = List.of(
                "bytes/extent",
                "append " + power(appends),
                "insert " + power(fewInsertions),
                "insert " + power(manyInsertions));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            String index = Experiment.INDEXES.get(i);
            rows.add(List.of(
                    NAMES.get(i),
                    bytesPerExtent(Workload.appended(index, appends)),
                    bytesPerExtent(insertedOneByOne(index, fewInsertions)),
                    i == 0 ? bytesPerExtent(insertedOneByOne(index, manyInsertions)) : ""));
        }
        return markdown(header, rows);
    }

    private static Workload insertedOneByOne(String index, long extents) {
        Workload workload = Workload.empty(index);
        workload.insertUntil(extents);
        return workload;
    }

    private static String bytesPerExtent(Workload workload) {
        return String.format(Locale.ROOT, "%.1f", (double) workload.index.memoryBytes() / workload.index.extentCount());
    }

    private static String median(List<Double> measured) {
        if (measured == null) {
            return "";
        }
        double[] sorted =
                measured.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        BigDecimal rounded = new BigDecimal(median / 1e6).round(new MathContext(FIGURES));
        int beforePoint = rounded.precision() - rounded.scale();
        return rounded.setScale(Math.max(0, FIGURES - beforePoint)).toPlainString(); // 4.50, not 4.5
    }

    /** 10^7 for ten million; other numbers as they are. */
    private static String power(long extents) {
        int exponent = (int) Math.round(Math.log10(extents));
        return Math.pow(10, exponent) == extents ? "10^" + exponent : String.format(Locale.ROOT, "%,d", extents);
    }

    private static String markdown(List<String> header, List<List<String>> rows) {
        StringBuilder table = new StringBuilder();
        append(table, header);
        append(
                table,
                header.stream()
                        .map(cell -> cell.equals(header.get(0)) ? "---" : "---:")
                        .toList());
        rows.forEach(row -> append(table, row));
        return table.toString();
    }

    private static void append(StringBuilder table, List<String> cells) {
        table.append('|');
        for (String cell : cells) {
            table.append(' ').append(cell.isEmpty() ? "-" : cell).append(" |");
        }
        table.append(System.lineSeparator());
    }
}
