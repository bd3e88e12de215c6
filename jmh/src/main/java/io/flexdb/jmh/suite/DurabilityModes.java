package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Puts by what has happened to them when they return. */
final class DurabilityModes implements KeyValueSuite {
    @Override
    public String name() {
        return "durability";
    }

    @Override
    public String title() {
        return "Puts by durability";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 17, 6000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        // As Table 4 has it, too.
        cells.addAll(KeyValueCells.of(plan, plan.stores(), "latency", KeyValueCells.UDB, "--parts=latency"));
        for (String mode : List.of("none", "sync")) {
            // A put that waits for the disk takes as long as some hundred others.
            String part = mode.equals("sync") ? "--parts=sync" : "--parts=latency";
            for (Cell cell : KeyValueCells.of(
                    plan, plan.stores(), "durability " + mode, KeyValueCells.UDB, part, "--durability=" + mode)) {
                cells.add(new Cell(cell.id(), cell.subject(), cell.program(), mode + ": ", cell.arguments()));
            }
        }
        return cells;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String mode : List.of("none", "os")) {
            for (String metric : List.of("", ", average", ", p99", ", longest")) {
                String prefix = mode.equals("os") ? "UDB" : mode;
                lines.add(new Panel.Line(mode + metric, prefix + ": PUT Zipfian, latency" + metric));
            }
        }
        lines.add(new Panel.Line("sync, 1 thread", "sync: PUT sync, 1 threads"));
        if (plan.threads() > 1) {
            lines.add(new Panel.Line(
                    "sync, " + plan.threads() + " threads", "sync: PUT sync, " + plan.threads() + " threads"));
        }
        return List.of(new Panel("Rates and latencies of puts", Panel.Shape.TABLE, lines));
    }
}
