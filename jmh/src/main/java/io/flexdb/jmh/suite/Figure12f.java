package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Figure 12f: updates of twice the records, and what garbage collection costs them at two utilizations. */
final class Figure12f implements KeyValueSuite {
    private static final List<String> UPDATES = List.of("Zipfian", "Zipfian-Composite", "uniform");
    private static final List<String> UTILIZATIONS =
            List.of("", ", least utilization 0.50", ", least utilization 0.85");

    @Override
    public String name() {
        return "fig12f";
    }

    @Override
    public String title() {
        return "Overhead of garbage collection at 50 % and 85 % utilization";
    }

    @Override
    public String paper() {
        return "Figure 12f";
    }

    @Override
    public String paperSays() {
        return "A plot. Collecting at 85 % costs next to nothing with Zipfian updates, and more with Zipfian-Composite ones.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 50, 20_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return KeyValueCells.diskBytes(KeyValueCells.UDB, 2L * KeyValueCells.UDB.records(plan));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return KeyValueCells.of(
                plan, plan.stores(), "updates", KeyValueCells.UDB, "--parts=updates", "--utilizations=0.50,0.85");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return List.of(
                panel("Updates a second until the store is closed", ", until closed"),
                panel("Bytes written for each byte updated", ", written for each byte"),
                panel("Bytes on disk for each byte of the pairs", ", on disk for each byte"));
    }

    private static Panel panel(String title, String figure) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String update : UPDATES) {
            for (String utilization : UTILIZATIONS) {
                lines.add(new Panel.Line(update + utilization, "UDB: updates " + update + utilization + figure));
            }
        }
        return new Panel(title, Panel.Shape.BARS, lines);
    }
}
