package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Use;
import java.util.ArrayList;
import java.util.List;

/** Bulk loads in key order, durable at the end, beside puts and plain writes of as many bytes. */
final class BulkSuite implements Suite {
    static final String BESIDE = "FlexDB, beside two writers";
    static final String PUTS = "FlexDB, puts";
    static final String PLAIN = "plain writes";

    @Override
    public String name() {
        return "bulk";
    }

    @Override
    public String title() {
        return "Bulk loads";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 12, 300);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return 2 * bytes(plan) + (1L << 30);
    }

    private static long bytes(Plan plan) {
        return plan.of(8L << 20, 512L << 20, 64L << 30);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> subjects = new ArrayList<>(plan.storesFor(Use.BULK));
        subjects.addAll(List.of("beside", "puts", "raw"));
        return subjects.stream().map(subject -> cell(plan, subject)).toList();
    }

    private static Cell cell(Plan plan, String subject) {
        List<String> arguments = List.of("--subjects=" + subject, "--bytes=" + bytes(plan), "--values=100,1000");
        return new Cell("bulk " + subject, label(subject), Program.BULK, "", arguments);
    }

    private static String label(String subject) {
        return switch (subject) {
            case "beside" -> BESIDE;
            case "puts" -> PUTS;
            case "raw" -> PLAIN;
            default -> KeyValueCells.label(subject);
        };
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> rates = new ArrayList<>();
        List<Panel.Line> costs = new ArrayList<>();
        for (int valueBytes : List.of(100, 1000)) {
            String name = ", values of " + valueBytes + " bytes";
            rates.add(new Panel.Line("load" + name, "load" + name));
            for (String metric : List.of(
                    "written for each byte",
                    "processor for each pair",
                    "commit",
                    "longest put beside",
                    "longest put among the keys")) {
                costs.add(new Panel.Line(metric + name, metric + name));
            }
        }
        return List.of(new Panel("Loads", Panel.Shape.BARS, rates), new Panel("Their costs", Panel.Shape.TABLE, costs));
    }
}
