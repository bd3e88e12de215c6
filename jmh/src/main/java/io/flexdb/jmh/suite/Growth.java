package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rates by the number of pairs in the store. */
final class Growth implements Suite {
    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String title() {
        return "Rates by the number of pairs";
    }

    @Override
    public String paper() {
        return "";
    }

    private static List<Integer> sizes(Plan plan) {
        return plan.of(
                List.of(2_000, 20_000),
                List.of(300_000, 1_000_000, 3_000_000),
                List.of(10_000_000, 100_000_000, 420_000_000));
    }

    @Override
    public long diskBytes(Plan plan) {
        List<Integer> sizes = sizes(plan);
        return KeyValueCells.diskBytes(KeyValueCells.UDB, sizes.get(sizes.size() - 1));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        String list = sizes(plan).stream().map(Object::toString).collect(Collectors.joining(","));
        return KeyValueCells.of(plan, plan.stores(), "growth", KeyValueCells.UDB, "--parts=growth", "--sizes=" + list);
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (String operation : List.of("load random", "PUT uniform", "GET uniform", "SCAN 50 uniform")) {
            List<Panel.Line> lines = new ArrayList<>();
            for (int size : sizes(plan)) {
                String pairs = KeyValueCells.thousands(size) + " pairs";
                lines.add(new Panel.Line(pairs, size, "UDB: " + operation + ", " + pairs));
            }
            panels.add(new Panel(operation + " by pairs", Panel.Shape.LINES, lines));
        }
        return panels;
    }
}
