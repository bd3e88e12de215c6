package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Table 4: the distribution of latencies. */
final class Table4Suite implements KeyValueSuite {
    /** The paper's figures of RocksDB, FlexDB and KVell. */
    private static final Map<String, String> PAPER = Map.of(
            "PUT, average", "13.8 3.9 1669",
            "PUT, p95", "17 9 2904",
            "PUT, p99", "19 17 3386",
            "PUT", "300 950 530",
            "GET, average", "9.0 3.7 453",
            "GET, p95", "21 9 953",
            "GET, p99", "43 33 1360",
            "GET", "520 1650 1130");

    @Override
    public String name() {
        return "table4";
    }

    @Override
    public String title() {
        return "Latencies of PUT and GET, UDB, Zipfian";
    }

    @Override
    public String paper() {
        return "Table 4";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 14, 5000);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return KeyValueCells.of(plan, plan.stores(), "latency", KeyValueCells.UDB, "--parts=latency");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (String operation : List.of("PUT", "GET")) {
            Map<String, String> metrics = new LinkedHashMap<>();
            for (String metric : List.of("average", "p50", "p95", "p99", "p99.9", "longest", "longest hiccup")) {
                metrics.put(metric, ", " + metric);
            }
            metrics.put("rate", "");
            List<Panel.Line> lines = new ArrayList<>();
            metrics.forEach((label, suffix) -> lines.add(new Panel.Line(
                    label, "UDB: " + operation + " Zipfian, latency" + suffix, paperFigures(operation + suffix))));
            panels.add(new Panel(operation, Panel.Shape.TABLE, lines));
        }
        return panels;
    }

    private static Map<String, String> paperFigures(String metric) {
        if (!PAPER.containsKey(metric)) {
            return Map.of();
        }
        String[] figures = PAPER.get(metric).split(" ");
        return Map.of("RocksDB", figures[0], "FlexDB", figures[1], "KVell", figures[2]);
    }
}
