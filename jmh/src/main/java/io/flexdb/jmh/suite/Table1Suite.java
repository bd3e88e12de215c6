package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.flextree.Experiment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Table 1: rates of operations on indexes of extents. */
final class Table1Suite implements Suite {
    private static final Map<String, String> LABELS =
            Map.of("flextree", "FlexTree", "bplustree", "B+-tree", "array", "sorted array");

    @Override
    public String name() {
        return "table1";
    }

    @Override
    public String title() {
        return "Operations on the index of extents";
    }

    @Override
    public String paper() {
        return "Table 1";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 7, 1800);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long memoryBytes(Plan plan) {
        return plan.of(0L, 7L << 30, 48L << 30);
    }

    @Override
    public long diskBytes(Plan plan) {
        return 0;
    }

    /** Our number of extents, and that of the paper's figure beside it; 0 if it has none. */
    private record Size(Experiment experiment, long extents, long inPaper) {
        String label() {
            return experiment.label() + " " + Markdown.power(extents);
        }

        String columnLabel() {
            boolean other = inPaper > 0 && inPaper != extents;
            return label() + (other ? " (paper " + Markdown.power(inPaper) + ")" : "");
        }
    }

    private static List<Size> sizes(Plan plan) {
        List<Size> sizes = new ArrayList<>();
        List<Long> inserts =
                plan.of(List.of(1_000L, 3_000L), List.of(100_000L, 300_000L), List.of(100_000L, 1_000_000L));
        List<Long> reads = plan.of(
                List.of(10_000L, 30_000L), List.of(1_000_000L, 10_000_000L), List.of(100_000_000L, 1_000_000_000L));
        for (Experiment experiment : Experiment.values()) {
            switch (experiment) {
                case INSERT -> {
                    sizes.add(new Size(experiment, inserts.get(0), 100_000));
                    sizes.add(new Size(experiment, inserts.get(1), 1_000_000));
                }
                case APPEND, LOOKUP, RANGE -> {
                    sizes.add(new Size(experiment, reads.get(0), 100_000_000));
                    sizes.add(new Size(experiment, reads.get(1), 1_000_000_000));
                }
                case INSERT_AT, INSERT_BETWEEN ->
                    sizes.add(new Size(experiment, plan.of(1_000L, 1_000_000L, 10_000_000L), 0));
                default -> throw new AssertionError(experiment);
            }
        }
        return sizes;
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (Size size : sizes(plan)) {
            for (String index : Experiment.INDEXES) {
                List<String> arguments = new ArrayList<>();
                if (plan.scale() == Scale.SMOKE) {
                    arguments.add("--quick");
                }
                boolean inserts = size.experiment == Experiment.INSERT;
                boolean insertsAt =
                        size.experiment == Experiment.INSERT_AT || size.experiment == Experiment.INSERT_BETWEEN;
                arguments.add("--experiments=" + size.experiment.name().toLowerCase(java.util.Locale.ROOT));
                arguments.add("--indexes=" + index);
                arguments.add("--insert=" + (inserts ? size.extents : ""));
                arguments.add("--insert-at=" + (insertsAt ? size.extents : ""));
                arguments.add("--read=" + (inserts || insertsAt ? "" : size.extents));
                arguments.add("--no-memory");
                if (plan.scale() == Scale.LAPTOP) {
                    arguments.add("--seconds=3");
                }
                if (plan.scale() == Scale.PAPER) {
                    arguments.add("--jvm-args=-Xmx48g -XX:MaxDirectMemorySize=48g"); // 1,000,000,000 extents
                }
                cells.add(new Cell(
                        "table1 " + size.label() + " " + index,
                        LABELS.get(index),
                        Program.TABLE1,
                        size.label(),
                        arguments));
            }
        }
        return cells;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = sizes(plan).stream()
                .map(size -> new Panel.Line(size.columnLabel(), size.label(), paperFigures(size)))
                .toList();
        return List.of(new Panel(
                "Million operations a second, by the number of extents", Panel.Shape.TABLE_BY_SUBJECT, lines));
    }

    private static Map<String, String> paperFigures(Size size) {
        Map<String, String> figures = new HashMap<>();
        for (String index : Experiment.INDEXES) {
            String figure = size.experiment.paperFigure(index, size.inPaper);
            if (!figure.isEmpty()) {
                figures.put(LABELS.get(index), figure);
            }
        }
        return figures;
    }
}
