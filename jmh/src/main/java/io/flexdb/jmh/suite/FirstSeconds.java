package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** The first seconds of a service: YCSB's workloads, each in a fresh process on a copy of the loaded store. */
final class FirstSeconds implements KeyValueSuite {
    private static final int LEAST_SECONDS = 3; // that rates by second need

    @Override
    public String name() {
        return "first-seconds";
    }

    @Override
    public String title() {
        return "The first seconds of a fresh process, YCSB";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(8, 20 + workloads(plan).size() * (plan.seconds() + 5), 30_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return 2 * KeyValueCells.diskBytes(KeyValueCells.UDB, KeyValueCells.UDB.records(plan));
    }

    private static List<String> workloads(Plan plan) {
        return plan.of(List.of("B"), List.of("B", "E-50"), List.of("A", "B", "C", "D", "E-50", "F"));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> stores = KeyValueCells.storesOnDisk(plan);
        return KeyValueCells.of(
                plan,
                stores,
                "first-seconds",
                KeyValueCells.UDB,
                "--parts=ycsb",
                "--fresh",
                "--workloads=" + String.join(",", workloads(plan)),
                "--operations=" + Integer.MAX_VALUE,
                "--duration=" + Math.max(LEAST_SECONDS, plan.seconds()));
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String workload : workloads(plan)) {
            for (String metric : List.of("first second", "steady", "until 90 % of the steady rate", "compilation")) {
                lines.add(new Panel.Line(workload + ", " + metric, "UDB: YCSB " + workload + ", " + metric));
            }
        }
        return List.of(new Panel("Rates of the first second and of the last third", Panel.Shape.TABLE, lines));
    }
}
