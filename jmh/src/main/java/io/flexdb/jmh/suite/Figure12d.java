package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Figure 12d: the rate of scans. */
final class Figure12d implements KeyValueSuite {
    private static final List<String> SCANS = List.of("Zipfian", "Zipfian-Composite", "uniform", "Zipfian, keys only");

    @Override
    public String name() {
        return "fig12d";
    }

    @Override
    public String title() {
        return "SCAN throughput";
    }

    @Override
    public String paper() {
        return "Figure 12d";
    }

    @Override
    public String paperSays() {
        return "A plot. FlexDB is ahead of RocksDB and KVell at each length.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 35, 6000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewRounds();
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return KeyValueCells.reads(plan, KeyValueCells.UDB);
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (int length : List.of(10, 50, 100)) {
            for (String scan : SCANS) {
                lines.add(new Panel.Line(length + ", " + scan, "UDB: SCAN " + length + " " + scan));
            }
        }
        return List.of(new Panel("Scans a second, by the number of pairs", Panel.Shape.BARS, lines));
    }
}
