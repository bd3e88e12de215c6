package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Recovery: opening after a kill and after a close, by the number of pairs. */
final class RecoverySuite implements KeyValueSuite {
    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public String title() {
        return "Opening after a kill and after a close";
    }

    @Override
    public String paper() {
        return "section 6.3, Recovery";
    }

    @Override
    public String paperSays() {
        return "64 GB of UDB, a clean page cache, four recovery threads: 7.8 s with intervals of 16 KB, 1.9 s with 64 KB; KVell"
                + " 64 s.";
    }

    private static final int PAPER_PAIRS = 420_000_000;
    private static final Map<String, String> PAPER = Map.of("FlexDB", "7800, 1900 with 64 KiB", "KVell", "64000"); // ms

    private static List<Integer> sizes(Plan plan) {
        return plan.of(List.of(2_000, 20_000), List.of(300_000, 1_000_000), List.of(4_200_000, 420_000_000));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(5, 20, 10_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        List<Integer> sizes = sizes(plan);
        return KeyValueCells.diskBytes(KeyValueCells.UDB, sizes.get(sizes.size() - 1));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        String list = sizes(plan).stream().map(Object::toString).collect(Collectors.joining(","));
        List<String> more = new ArrayList<>(List.of("--parts=recovery", "--sizes=" + list));
        if (plan.cold()) {
            more.add("--cold");
        }
        return KeyValueCells.of(plan, plan.stores(), "recovery", KeyValueCells.UDB, more.toArray(String[]::new));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String after : List.of("open after a kill", "open after a close", "lost by a kill")) {
            for (int size : sizes(plan)) {
                String pairs = ", " + KeyValueCells.thousands(size) + " pairs";
                boolean largest = size == sizes(plan).get(sizes(plan).size() - 1) && after.startsWith("open");
                Map<String, String> paper = largest ? PAPER : Map.of();
                String papers = largest && size != PAPER_PAIRS ? " (paper: 420,000,000)" : "";
                lines.add(new Panel.Line(after + pairs + papers, "UDB: " + after + pairs, paper));
                lines.add(new Panel.Line(
                        after + ", and a first GET" + pairs, "UDB: " + after + pairs + ", and a first GET"));
            }
        }
        return List.of(new Panel("Time to open, and records missing after a kill", Panel.Shape.TABLE, lines));
    }
}
