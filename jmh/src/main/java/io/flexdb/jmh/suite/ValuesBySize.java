package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Puts and gets of large values. */
final class ValuesBySize implements Suite {
    private static final List<String> DURABILITIES = List.of("OS", "SYNC");

    @Override
    public String name() {
        return "values";
    }

    @Override
    public String title() {
        return "Large values, by size and durability";
    }

    private static int mebibytes(Plan plan) {
        return plan.of(4, 256, 16_384);
    }

    private static List<Integer> kibibytes(Plan plan) {
        return plan.of(List.of(4, 64, 1024), List.of(1, 4, 16, 64, 1024, 16_384), List.of(1, 4, 16, 64, 1024, 16_384));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 20, 600);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return ((long) mebibytes(plan) << 22) + (1L << 28);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        String sizes = kibibytes(plan).stream().map(size -> size + "k").collect(Collectors.joining(","));
        for (String durability : DURABILITIES) {
            for (String store : plan.storesFor(Use.LARGE_VALUES)) {
                // A value of 1 KiB that waits for the disk takes as long as a large one.
                int share = durability.equals("SYNC") ? plan.of(4, 8, 64) : 1;
                List<String> arguments = List.of(
                        "--stores=" + store,
                        "--durabilities=" + durability,
                        "--mebibytes=" + mebibytes(plan) / share,
                        "--values=" + sizes);
                String id = "values " + durability + " " + store;
                cells.add(new Cell(id, KeyValueCells.label(store), Program.VALUES, "", arguments));
            }
        }
        return cells;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (String durability : DURABILITIES) {
            List<Panel.Line> lines = new ArrayList<>();
            for (String metric : List.of("put", "get", "written for each byte")) {
                for (int size : kibibytes(plan)) {
                    String kibibytes = KeyValueCells.thousands(size) + " KiB";
                    lines.add(new Panel.Line(metric + ", " + kibibytes, metric + ", " + kibibytes + ", " + durability));
                }
            }
            panels.add(new Panel("Durability " + durability, Panel.Shape.TABLE, lines));
        }
        return panels;
    }
}
