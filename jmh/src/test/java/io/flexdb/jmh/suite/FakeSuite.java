package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two experiments of three stores, measured without a JVM: the rate is the number of cells measured so far. */
final class FakeSuite implements Suite {
    static final List<String> STORES = List.of("FlexDB", "RocksDB", "LMDB");

    /** The cells measured, in order, as "id, round". */
    final List<String> measured = new ArrayList<>();

    /** The reason why this suite can't be measured. */
    String obstacle = "";

    /** Disk space that it says it takes. */
    long diskBytes;

    /** The store whose cells fail. */
    String failing = "";

    /** The number of cells after which measuring is cut short, as by a crash. */
    int cutAfter = Integer.MAX_VALUE;

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public String title() {
        return "A title & more";
    }

    @Override
    public String paper() {
        return "Table 9";
    }

    @Override
    public long diskBytes(Plan plan) {
        return diskBytes;
    }

    @Override
    public String obstacle(Plan plan) {
        return obstacle;
    }

    @Override
    public int cellSeconds(Plan plan) {
        return 90;
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (String experiment : List.of("put", "get")) {
            for (String store : STORES) {
                cells.add(new Cell(experiment + " " + store, store, Program.TABLE1, experiment, List.of()));
            }
        }
        return cells;
    }

    @Override
    public CellResult measure(Cell cell, int round, ChildJvm child) {
        if (measured.size() == cutAfter) {
            throw new Cut();
        }
        measured.add(cell.id() + ", " + round);
        if (cell.subject().equals(failing)) {
            throw new IllegalStateException("no " + failing + " today");
        }
        return result(cell, round, measured.size());
    }

    /** A result with one figure. */
    static CellResult result(Cell cell, int round, double value) {
        List<Figure> figures = List.of(new Figure(cell.prefix(), cell.subject(), value, "thousand/s"));
        return new CellResult(cell.id(), cell.subject(), round, "2026-01-02T03:04:05Z", 60, figures, List.of(), "");
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        return List.of(
                new PaperRatio("both", "FlexDB", "LMDB", "2 to 3", List.of("put", "get")),
                new PaperRatio("none", "FlexDB", "KVell", "1", List.of("put")));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        Panel.Line put = new Panel.Line("puts", 1, "put", Map.of("FlexDB", "950", "RocksDB", "300"));
        Panel.Line get = new Panel.Line("gets", 2, "get");
        return List.of(
                new Panel("Bars", Panel.Shape.BARS, List.of(put, get)),
                new Panel("Lines", Panel.Shape.LINES, List.of(put, get)),
                new Panel("Columns", Panel.Shape.TABLE_BY_SUBJECT, List.of(put, get)));
    }

    /** The end of a process in the middle of a cell. */
    static final class Cut extends Error {
        private static final long serialVersionUID = 1;
    }
}
