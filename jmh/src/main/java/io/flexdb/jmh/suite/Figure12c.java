package io.flexdb.jmh.suite;

import io.flexdb.jmh.suite.KeyValueCells.DataSet;
import java.util.ArrayList;
import java.util.List;

/** Figure 12c: the rate of reads by key. */
final class Figure12c implements KeyValueSuite {
    private static final List<String> GETS = List.of("sequential", "Zipfian", "Zipfian-Composite", "uniform", "absent");

    @Override
    public String name() {
        return "fig12c";
    }

    @Override
    public String title() {
        return "GET throughput";
    }

    @Override
    public String paper() {
        return "Figure 12c";
    }

    @Override
    public String paperSays() {
        return "A plot. FlexDB is ahead of KVell and RocksDB. The paper has neither uniform nor absent keys.";
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
    public long diskBytes(Plan plan) {
        return KeyValueCells.largestDiskBytes(plan);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            cells.addAll(KeyValueCells.reads(plan, set));
        }
        return cells;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            for (String get : GETS) {
                lines.add(new Panel.Line(set.label() + ", " + get, set.label() + ": GET " + get));
            }
        }
        return List.of(new Panel("Reads a second", Panel.Shape.BARS, lines));
    }
}
