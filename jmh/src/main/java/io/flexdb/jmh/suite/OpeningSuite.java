package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Opening a store, a few puts and closing it: what short-lived processes pay. By size and after a kill: recovery. */
final class OpeningSuite implements Suite {
    @Override
    public String name() {
        return "opening";
    }

    @Override
    public String title() {
        return "Opening, ten puts and closing";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 20, 60);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return KeyValueCells.diskBytes(KeyValueCells.UDB, KeyValueCells.UDB.records(plan));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> stores = KeyValueCells.storesOnDisk(plan);
        return KeyValueCells.of(plan, stores, "opening", KeyValueCells.UDB, "--parts=opening");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String durability : List.of("OS", "SYNC")) {
            for (String store : List.of("new store", "small store")) {
                for (String metric : List.of("median", "95 %")) {
                    lines.add(new Panel.Line(
                            store + ", " + durability + ", " + metric,
                            "UDB: " + store + ", 10 puts, close, " + durability + ", " + metric));
                }
            }
        }
        return List.of(new Panel("Time of all three", Panel.Shape.TABLE, lines));
    }
}
