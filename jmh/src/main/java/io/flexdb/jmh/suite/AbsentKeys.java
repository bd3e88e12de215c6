package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Reads of keys and short ranges that are absent: what filters are for. */
final class AbsentKeys implements KeyValueSuite {
    @Override
    public String name() {
        return "absent";
    }

    @Override
    public String title() {
        return "Absent keys and empty ranges";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 25, 6000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> stores = KeyValueCells.storesOnDisk(plan);
        return KeyValueCells.of(plan, stores, "absent", KeyValueCells.UDB, "--parts=absent");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> rates = new ArrayList<>();
        List<Panel.Line> costs = new ArrayList<>();
        for (String read : List.of("GET absent keys", "empty short ranges")) {
            for (String filter : List.of("", ", range filter")) {
                String experiment = "UDB: " + read + filter;
                rates.add(new Panel.Line(read + filter, experiment));
                costs.add(new Panel.Line(read + filter + ", read from disk", experiment + ", read from disk for each"));
            }
        }
        costs.add(new Panel.Line("memory of the range filter", "UDB: memory of the range filter"));
        return List.of(
                new Panel(
                        "Reads a second that find nothing; FlexDB also with its range filter", Panel.Shape.BARS, rates),
                new Panel("Their costs", Panel.Shape.TABLE, costs));
    }
}
