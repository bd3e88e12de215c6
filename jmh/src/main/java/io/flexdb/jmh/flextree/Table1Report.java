package io.flexdb.jmh.flextree;

import io.flexdb.jmh.Markdown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects rates and makes the tables of {@link Table1}, in Markdown. */
final class Table1Report {
    private static final List<String> NAMES = List.of("FlexTree", "B+-tree", "sorted array");

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
        for (Experiment experiment : settings.experiments) {
            for (long extents : experiment.sizes(settings)) {
                header.add(experiment.label + " " + Markdown.power(extents));
                for (int i = 0; i < NAMES.size(); i++) {
                    String index = Experiment.INDEXES.get(i);
                    rows.get(2 * i).add(median(rates.get(new Cell(experiment, index, extents))));
                    rows.get(2 * i + 1).add(experiment.paperFigure(index, extents));
                }
            }
        }
        return Markdown.table(header, rows);
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
                "append " + Markdown.power(appends),
                "insert " + Markdown.power(fewInsertions),
                "insert " + Markdown.power(manyInsertions));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            String index = Experiment.INDEXES.get(i);
            rows.add(List.of(
                    NAMES.get(i),
                    bytesPerExtent(Workload.appended(index, appends)),
                    bytesPerExtent(insertedOneByOne(index, fewInsertions)),
                    i == 0 ? bytesPerExtent(insertedOneByOne(index, manyInsertions)) : ""));
        }
        return Markdown.table(header, rows);
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
        return measured == null ? "" : Markdown.number(Markdown.median(measured) / 1e6);
    }
}
