package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Figure 13a: YCSB with the records in memory. */
final class Figure13a implements KeyValueSuite {
    static final String WORKLOADS = "a,b,c,d,e-50,f";

    @Override
    public String name() {
        return "fig13a";
    }

    @Override
    public String title() {
        return "YCSB A to F, data in memory";
    }

    @Override
    public String paper() {
        return "Figure 13a, Table 5";
    }

    @Override
    public String paperSays() {
        return "The paper prints the highest rate of each workload only, FlexDB's but for KVell's in D; so the outlined bars"
                + " are of its machine, with 420 million records.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(5, 20 + 6 * plan.seconds(), 5000 + 6 * plan.seconds());
    }

    private static int records(Plan plan) {
        return plan.of(20_000, 2_000_000, KeyValueCells.UDB.records(plan));
    }

    @Override
    public long diskBytes(Plan plan) {
        return KeyValueCells.diskBytes(KeyValueCells.UDB, records(plan));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> more =
                new ArrayList<>(List.of("--parts=ycsb", "--workloads=" + WORKLOADS, "--records=" + records(plan)));
        if (plan.scale() == Scale.LAPTOP) {
            more.add("--cache=" + (long) KeyValueCells.UDB.pairBytes() * records(plan) / 4);
        }
        more.addAll(timed(plan));
        return KeyValueCells.of(plan, plan.stores(), "ycsb", KeyValueCells.UDB, more.toArray(String[]::new));
    }

    /** Workloads end by time, except where nothing is measured in earnest. */
    static List<String> timed(Plan plan) {
        return plan.scale() == Scale.SMOKE
                ? List.of()
                : List.of("--operations=" + Integer.MAX_VALUE, "--duration=" + plan.seconds());
    }

    @Override
    public List<PaperRatio> paperRatios(Plan plan) {
        return List.of(
                ratio("A and F", "2.1 to 2.3", "UDB: ", "A", "F"),
                ratio("B, C and E", "2.0 to 5.9", "UDB: ", "B", "C", "E-50"));
    }

    /** Of FlexDB and RocksDB. */
    static PaperRatio ratio(String label, String paper, String prefix, String... workloads) {
        return new PaperRatio(
                label,
                "FlexDB",
                "RocksDB",
                paper,
                Stream.of(workloads).map(each -> prefix + "YCSB " + each).toList());
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return panels("UDB: ", "787 1120 1780 KVell:3860 266 815");
    }

    /**
     * The panels of Figures 13a and 13b.
     *
     * @param prefix of experiments
     * @param paper the most thousand operations a second in A to F: FlexDB's, if no other store is named before it
     */
    static List<Panel> panels(String prefix, String paper) {
        String[] figures = paper.split(" ");
        List<Panel.Line> rates = new ArrayList<>(List.of(new Panel.Line("load", prefix + "YCSB load")));
        List<Panel.Line> tails = new ArrayList<>();
        List<String> workloads = List.of("A", "B", "C", "D", "E-50", "F");
        for (int i = 0; i < workloads.size(); i++) {
            String name = workloads.get(i);
            String[] best = figures[i].split(":");
            Map<String, String> highest = Map.of(best.length == 1 ? "FlexDB" : best[0], best[best.length - 1]);
            rates.add(new Panel.Line(name, prefix + "YCSB " + name, highest));
            for (String operation : List.of("read", "update", "insert", "scan", "read-modify-write")) {
                tails.add(new Panel.Line(
                        name + ", " + operation, prefix + "YCSB " + name + ", " + operation + ", p99.9"));
            }
        }
        return List.of(
                new Panel("Operations a second", Panel.Shape.BARS, rates),
                new Panel("Latency that 99.9 % of the operations stay below", Panel.Shape.TABLE, tails),
                new Panel(
                        "Costs",
                        Panel.Shape.TABLE,
                        List.of(
                                new Panel.Line(
                                        "written for each byte, load", prefix + "YCSB load, written for each byte"),
                                new Panel.Line(
                                        "on disk for each byte, at the end", prefix + "YCSB, on disk for each byte"),
                                new Panel.Line("resident memory", prefix + "YCSB, resident memory"))));
    }
}
