package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexspace.PaperFigures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Table 2: writes and reads of FlexSpace and of plain files, by one thread. */
final class Table2Suite implements Suite {
    private static final List<String> PATTERNS = List.of("random insert", "random write", "sequential write");

    @Override
    public String name() {
        return "table2";
    }

    @Override
    public String title() {
        return "FlexSpace and plain files, one thread";
    }

    @Override
    public String paper() {
        return "Table 2";
    }

    private static List<Integer> blockSizes(Plan plan) {
        return plan.of(List.of(4096), List.of(4096, 65_536), List.of(4096, 65_536));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 40, 600);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long memoryBytes(Plan plan) {
        return plan.of(0L, 3L << 30, 16L << 30);
    }

    @Override
    public long diskBytes(Plan plan) {
        return blockSizes(plan).stream()
                .mapToLong(size -> 3L * FileSystemCells.blocks(plan, size) * size)
                .max()
                .orElseThrow();
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (int size : blockSizes(plan)) {
            cells.addAll(FileSystemCells.of(plan, "table2 " + size, "table2", size));
        }
        return cells;
    }

    /** The names of experiments by their labels, in the order of the paper. */
    private static Map<String, String> metrics() {
        Map<String, String> metrics = new LinkedHashMap<>();
        metrics.put("write", "write");
        metrics.put("insert, first tenth", "first tenth");
        metrics.put("insert, last tenth", "last tenth");
        metrics.put("written for each byte, by the disk", PaperFigures.WRITE_AMPLIFICATION);
        for (String temperature : List.of("cold", "warm")) {
            for (String order : List.of("sequential", "random")) {
                String metric = order + " read, " + temperature;
                metrics.put(metric, metric + ", threads 1");
            }
        }
        return metrics;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (int size : blockSizes(plan)) {
            for (String pattern : PATTERNS) {
                List<Panel.Line> lines = new ArrayList<>();
                metrics()
                        .forEach((label, metric) -> lines.add(new Panel.Line(
                                label, metric + ", " + pattern + ", " + size, paperFigures(metric, pattern, size))));
                String title = String.format(
                        Locale.ROOT,
                        "%s, blocks of %,d bytes, %,d of them (paper: 262,144)",
                        pattern,
                        size,
                        FileSystemCells.blocks(plan, size));
                panels.add(new Panel(title, Panel.Shape.TABLE, lines));
            }
        }
        return panels;
    }

    private static Map<String, String> paperFigures(String metric, String pattern, int size) {
        Map<String, String> figures = new HashMap<>();
        for (String system : PaperFigures.SYSTEMS) {
            String figure = PaperFigures.cell(metric, pattern, size, system);
            if (!figure.isEmpty()) {
                figures.put(system, figure);
            }
        }
        return figures;
    }
}
