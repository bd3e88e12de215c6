package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** What only some stores have, beside plain puts and gets. */
final class FeaturesSuite implements KeyValueSuite {
    @Override
    public String name() {
        return "features";
    }

    @Override
    public String title() {
        return "Features";
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 50, 15_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return 3 * KeyValueCells.diskBytes(KeyValueCells.UDB, KeyValueCells.UDB.records(plan));
    }

    @Override
    public List<Cell> cells(Plan plan) {
        return KeyValueCells.of(plan, plan.stores(), "features", KeyValueCells.UDB, "--parts=features");
    }

    @Override
    public List<Panel> panels(Plan plan) {
        return List.of(
                panel(
                        "Beside plain puts and gets",
                        Panel.Shape.BARS,
                        "PUT uniform",
                        "PUT uniform, time to live",
                        "GET and PUT uniform in a transaction",
                        "one added to a counter, uniform",
                        "GET uniform",
                        "GET uniform, a snapshot for each",
                        "GET, keys one by one, 1 thread",
                        "GET, 100 keys at once, 1 thread"),
                panel(
                        "Copies, backups and ranges",
                        Panel.Shape.TABLE,
                        "copy of the open store",
                        "first backup",
                        "first backup, new bytes",
                        "second backup, 1 % updated",
                        "second backup, 1 % updated, new bytes",
                        "size of a range, for each",
                        "size of a range, off by",
                        "deleteRange of 100 pairs, p50",
                        "deleteRange of 100 pairs, p99",
                        "SCAN of all behind 1000 deleted ranges",
                        "deleteRange of half of all",
                        "deleteRange of half of all, the first scan behind it",
                        "deleteRange of half of all, until closed"));
    }

    private static Panel panel(String title, Panel.Shape shape, String... experiments) {
        List<Panel.Line> lines = new ArrayList<>();
        for (String experiment : experiments) {
            lines.add(new Panel.Line(experiment, "UDB: " + experiment));
        }
        return new Panel(title, shape, lines);
    }
}
