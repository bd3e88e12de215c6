package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Reads alone, and beside a thread that puts as fast as it can. */
final class ReadersUnderCommits implements KeyValueSuite {
    @Override
    public String name() {
        return "readers";
    }

    @Override
    public String title() {
        return "Readers under commits";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(3, 25, 6000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return KeyValueCells.diskBytes(KeyValueCells.UDB, 2L * KeyValueCells.UDB.records(plan));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return KeyValueCells.of(plan, plan.stores(), "commits", KeyValueCells.UDB, "--parts=commits");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        String threads = ", " + Math.max(1, plan.threads() - 1) + " threads";
        List<Panel.Line> rates = new ArrayList<>();
        List<Panel.Line> costs = new ArrayList<>();
        for (String operation : List.of("GET uniform", "SCAN 50 uniform")) {
            for (String beside : List.of("", " beside puts")) {
                String experiment = "UDB: " + operation + threads + beside;
                rates.add(new Panel.Line(operation + beside, experiment));
                costs.add(new Panel.Line(operation + beside, experiment + ", processor for each"));
            }
        }
        rates.add(new Panel.Line("PUT uniform beside reads", "UDB: PUT uniform beside reads"));
        return List.of(
                new Panel("Rates; reading threads: " + Math.max(1, plan.threads() - 1), Panel.Shape.BARS, rates),
                new Panel("Time of processors for each read", Panel.Shape.TABLE, costs));
    }
}
