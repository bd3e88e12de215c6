package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Figure 12e: rates by the number of client threads. */
final class Figure12e implements KeyValueSuite {
    @Override
    public String name() {
        return "fig12e";
    }

    @Override
    public String title() {
        return "Scalability";
    }

    @Override
    public String paper() {
        return "Figure 12e";
    }

    @Override
    public String paperSays() {
        return "A plot over 1 to 8 threads on 10 cores. FlexDB's puts stop to increase beyond 5 threads. KVell's best rate"
                + " of GETs is that with 2 client threads.";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 50, 8000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewRounds();
    }

    private static List<Integer> threads(Plan plan) {
        return plan.of(List.of(1, 2), List.of(1, 2, 4), List.of(1, 2, 3, 4, 5, 6, 7, 8));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        String list = threads(plan).stream().map(Object::toString).collect(Collectors.joining(","));
        return KeyValueCells.of(
                plan, plan.stores(), "threads", KeyValueCells.UDB, "--parts=threads", "--client-threads=" + list);
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel> panels = new ArrayList<>();
        for (String operation : List.of("PUT", "GET", "SCAN 50")) {
            List<Panel.Line> lines = new ArrayList<>();
            for (int count : threads(plan)) {
                String experiment = "UDB: " + operation + " Zipfian, " + count + " threads";
                boolean best = operation.equals("GET") && count == 2;
                Map<String, String> paper = best ? Map.of("KVell", "1960") : Map.of();
                lines.add(new Panel.Line(count == 1 ? "1 thread" : count + " threads", count, experiment, paper));
            }
            panels.add(new Panel(operation + " Zipfian by client threads", Panel.Shape.LINES, lines));
        }
        return panels;
    }
}
