package io.flexdb.jmh.suite;

import io.flexdb.jmh.suite.KeyValueCells.DataSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Table 3: the memory that leads to the pairs, for the data sets of the paper. */
final class Table3Suite implements KeyValueSuite {
    /** The paper's bytes for each pair: 3.51 GB of 720 million, 1.50 GB of 420 million, 534 MB of 150 million pairs. */
    private static final Map<String, String> PAPER = Map.of("zippydb", "4.88", "udb", "3.57", "sys", "3.56");

    @Override
    public String name() {
        return "table3";
    }

    @Override
    public String title() {
        return "Data sets, and the memory of indexes";
    }

    @Override
    public String paper() {
        return "Table 3";
    }

    @Override
    public String paperSays() {
        return "FlexDB's index takes 3.51 GB for 720 million pairs of ZippyDB, 1.50 GB for 420 million of UDB, and 534 MB"
                + " for 150 million of SYS.";
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
        List<Panel.Line> index = new ArrayList<>();
        List<Panel.Line> resident = new ArrayList<>();
        for (DataSet set : KeyValueCells.DATA_SETS) {
            String label = set.label() + ", " + KeyValueCells.thousands(set.records(plan)) + " pairs";
            Map<String, String> paper = Map.of("FlexDB", PAPER.get(set.argument()));
            index.add(new Panel.Line(label, set.label() + ": index memory", paper));
            resident.add(new Panel.Line(label, set.label() + ": resident memory"));
        }
        return List.of(
                new Panel("Memory that leads to the pairs", Panel.Shape.BARS, index),
                new Panel("Resident memory of the process, caches included", Panel.Shape.TABLE, resident));
    }
}
