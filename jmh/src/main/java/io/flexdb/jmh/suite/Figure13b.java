package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Figure 13b: YCSB with more data than memory. */
final class Figure13b implements Suite {
    private static final int MORE_THAN_MEMORY = 2; // the paper has 8 times as much
    private static final int SMOKE_RECORDS = 200_000;
    private static final long PAPER_RECORDS = 3_200_000_000L; // about 500 GB
    private static final long LEAST_BYTES = 1L << 30;

    @Override
    public String name() {
        return "fig13b";
    }

    @Override
    public String title() {
        return "YCSB A to F, more data than memory";
    }

    @Override
    public String paper() {
        return "Figure 13b, Table 5";
    }

    @Override
    public String paperSays() {
        return "500 GB on a machine with 64 GB. The paper prints the highest rate of each workload only.";
    }

    private static long records(Plan plan) {
        return plan.of(
                (long) SMOKE_RECORDS,
                MORE_THAN_MEMORY * plan.memoryBytes() / KeyValueCells.UDB.pairBytes(),
                PAPER_RECORDS);
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(15, 60 + 6 * plan.seconds(), 60_000 + 6 * plan.seconds());
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewRounds();
    }

    @Override
    public long memoryBytes(Plan plan) {
        return plan.memoryBytes();
    }

    @Override
    public long diskBytes(Plan plan) {
        // Less than elsewhere: the store is large beside its logs and buffers, and the paper's disk has 960 GB.
        return LEAST_BYTES + records(plan) * KeyValueCells.UDB.pairBytes() * 9 / 5;
    }

    @Override
    public String obstacle(Plan plan) {
        return plan.memoryBytes() == 0
                ? "memory can't be limited here, which takes root and control groups of Linux"
                : "";
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> more = new ArrayList<>(List.of(
                "--parts=ycsb",
                "--workloads=" + Figure13a.WORKLOADS,
                "--memory=" + plan.memoryBytes(),
                "--records=" + records(plan),
                "--cache=" + plan.memoryBytes() / plan.of(8, 8, 4),
                "--heap=" + plan.memoryBytes() / 4));
        if (plan.cold()) {
            more.add("--cold");
        }
        more.addAll(Figure13a.timed(plan));
        List<Cell> cells = new ArrayList<>();
        List<String> keepers = KeyValueCells.storesOnDisk(plan);
        for (Cell cell :
                KeyValueCells.of(plan, keepers, "ycsb-out-of-core", KeyValueCells.UDB, more.toArray(String[]::new))) {
            cells.add(new Cell(cell.id(), cell.subject(), cell.program(), "out of core, ", cell.arguments()));
        }
        return cells;
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        return List.of(Figure13a.ratio("A to F", "1.1 to 3.9", "out of core, ", "A", "B", "C", "D", "E-50", "F"));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return Figure13a.panels("out of core, ", "520 677 857 2730 169 552");
    }
}
