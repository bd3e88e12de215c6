package io.flexdb.jmh.suite;

import io.flexdb.jmh.suite.KeyValueCells.DataSet;
import java.util.ArrayList;
import java.util.List;

/** Figure 12a: the rate of puts into an empty store. */
final class Figure12a implements KeyValueSuite {
    static final List<String> LOADS = List.of("sequential", "Zipfian", "Zipfian-Composite", "random");

    @Override
    public String name() {
        return "fig12a";
    }

    @Override
    public String title() {
        return "Write throughput";
    }

    @Override
    public String paper() {
        return "Figure 12a";
    }

    @Override
    public String paperSays() {
        return "A plot. The paper has no random load.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 20, 18_000);
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
        return puts(plan);
    }

    /** Those of Figures 12a and 12b. */
    static List<Cell> puts(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            cells.addAll(KeyValueCells.of(plan, plan.stores(), "put", set, "--parts=put"));
        }
        return cells;
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        return List.of(ratio("2.2 to 3.3", ""));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return List.of(
                panel("Puts a second until all is in its place and the store is closed", ", until closed"),
                panel("Puts a second as the client sees them", ""),
                panel("Time of processors for each put", ", processor for each"));
    }

    /** Of FlexDB and RocksDB, for the loads that the paper has. */
    static PaperRatio ratio(String paper, String figure) {
        List<String> experiments = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            LOADS.subList(0, 3).forEach(load -> experiments.add(set.label() + ": load " + load + figure));
        }
        return new PaperRatio("all loads but random ones", "FlexDB", "RocksDB", paper, experiments);
    }

    /** A line for each data set and order of keys. */
    static Panel panel(String title, String figure) {
        List<Panel.Line> lines = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            for (String load : LOADS) {
                lines.add(new Panel.Line(set.label() + ", " + load, set.label() + ": load " + load + figure));
            }
        }
        return new Panel(title, Panel.Shape.BARS, lines);
    }
}
