package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** Stores of Kafka Streams on FlexDB, beside the built-in ones, with a broker on the same machine. */
final class KafkaSuite implements Suite {
    private static final List<String> GUARANTEES = List.of("at least once", "exactly once");
    private static final List<String> UPDATES =
            List.of("updates", "processor for each update", "written for each byte");
    private static final List<String> RESTORATIONS =
            List.of("restored after a kill", "running after a kill", "restored from nothing", "running from nothing");
    private static final List<String> TASKS = List.of("resident memory", "heap in use", "open files");
    private static final long BYTES_OF_RECORD = 500; // in two topics, and in the store while it collects or merges

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String title() {
        return "State stores of Kafka Streams";
    }

    private static int records(Plan plan) {
        return plan.of(16_000, 1_000_000, 50_000_000);
    }

    private static int tasks(Plan plan) {
        return plan.of(12, 60, 60);
    }

    private static int commitRecords(Plan plan) {
        return plan.of(1_000, 10_000, 50_000);
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(13, 100, 6_000);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return (1L << 30) + 2 * BYTES_OF_RECORD * records(plan);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<Cell> cells = new ArrayList<>();
        for (String store : plan.storesAmong(List.of("rocksdb"))) {
            List<String> arguments = new ArrayList<>();
            if (plan.scale() == Scale.SMOKE) {
                arguments.add("--quick");
            }
            arguments.addAll(List.of(
                    "--stores=" + store,
                    "--guarantees="
                            + plan.of("exactly-once", "at-least-once,exactly-once", "at-least-once,exactly-once"),
                    "--records=" + records(plan),
                    "--keys=" + records(plan) / 5,
                    "--commit=" + commitRecords(plan),
                    "--tasks=" + tasks(plan),
                    "--task-records=" + plan.of(600, 300_000, 6_000_000),
                    "--task-commit=" + plan.of(50, 1_000, 10_000),
                    "--heap=" + plan.of("256m", "512m", "2g"),
                    "--threads=" + Math.min(4, plan.threads())));
            cells.add(new Cell("kafka " + store, KeyValueCells.label(store), Program.KAFKA, "", arguments));
        }
        return cells;
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> updates = new ArrayList<>();
        List<Panel.Line> restorations = new ArrayList<>();
        for (String guarantee : GUARANTEES) {
            UPDATES.forEach(metric -> updates.add(line(metric, guarantee)));
            RESTORATIONS.forEach(metric -> restorations.add(line(metric, guarantee)));
        }
        List<Panel.Line> tasks = TASKS.stream()
                .map(metric -> new Panel.Line(metric, "tasks: " + metric))
                .toList();
        String uncommitted = KeyValueCells.thousands(2L * commitRecords(plan));
        return List.of(
                new Panel(
                        "The latest value of each key, " + KeyValueCells.thousands(records(plan)) + " records",
                        Panel.Shape.TABLE,
                        updates),
                new Panel(
                        "Restoration after a kill with " + uncommitted + " uncommitted records, and with no files",
                        Panel.Shape.TABLE,
                        restorations),
                new Panel("An application with " + tasks(plan) + " tasks", Panel.Shape.TABLE, tasks));
    }

    private static Panel.Line line(String metric, String guarantee) {
        return new Panel.Line(metric + ", " + guarantee, guarantee + ": " + metric);
    }
}
