package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rates by the number of pairs in the store. */
final class Growth implements KeyValueSuite {
    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String title() {
        return "Rates by the number of pairs";
    }

    private static List<Integer> sizes(Plan plan) {
        return plan.of(
                List.of(2_000, 20_000),
                List.of(100_000, 1_000_000, 3_000_000),
                List.of(10_000_000, 100_000_000, 420_000_000));
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 50, 20_000);
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
        List<String> more = new ArrayList<>(List.of("--parts=growth", "--sizes=" + list));
        if (plan.scale() == Scale.LAPTOP) {
            more.addAll(List.of("--operations=300000", "--cache=256m"));
        }
        return KeyValueCells.of(plan, plan.stores(), "growth", KeyValueCells.UDB, more.toArray(String[]::new));
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
