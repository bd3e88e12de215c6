package io.flexdb.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What do stores of Kafka Streams cost with FlexDB beneath, and what with the built-in RocksDB? A broker in this JVM,
 * an application in one of its own ({@link BenchmarkApplication}), for each store:
 *
 * <ul>
 *   <li>updates a second, with the application's processor time and the bytes that it writes;
 *   <li>the records restored, and the time until it runs again, after a {@code kill -9} with so many uncommitted
 *       records;
 *   <li>the same with an empty directory of states;
 *   <li>memory and open files with many tasks.
 * </ul>
 *
 * <p>What a store has is compared with what was sent, after each restoration. The log cleaner is off, so an empty
 * directory gets all records of the changelog.
 *
 * <pre>
 * jmh/run.sh program kafka --records=1000000
 * </pre>
 */
final class StoreBenchmark {
    private static final int PARTITIONS = 4;
    private static final int REBALANCE_DELAY_MILLIS = 250; // for all threads of an application to join at once
    private static final long LOOK_AGAIN_NANOS = 5_000_000;
    private static final String QUICK = "--quick";
    private static final String EXACTLY_ONCE = "exactly-once";
    private static final Map<String, String> LABELS = Map.of("flexdb", "FlexDB", "rocksdb", "RocksDB");

    private final BenchmarkArguments arguments;
    private final boolean quick;
    private final Path directory;
    private final Path json;
    private final int threads;
    private final List<String> figures = new ArrayList<>();

    private LocalBroker broker;
    private Admin admin;
    private String store;
    private Path place; // of all files of a store's run

    /** @throws IllegalArgumentException for a wrong one */
    StoreBenchmark(String... given) {
        quick = Arrays.asList(given).contains(QUICK);
        String[] others =
                Arrays.stream(given).filter(each -> !each.equals(QUICK)).toArray(String[]::new);
        arguments = new BenchmarkArguments(defaults(quick), others);
        directory = Path.of(arguments.text("dir"));
        json = Path.of(arguments.text("json"));
        threads = arguments.number("threads");
        requireAmong("stores", List.of("flexdb", "rocksdb"));
        requireAmong("guarantees", List.of("at-least-once", EXACTLY_ONCE));
        if (arguments.number("keys") < PARTITIONS) {
            throw new IllegalArgumentException("--keys has to be at least " + PARTITIONS);
        }
        requireMultiple("records", "commit", PARTITIONS);
        if (arguments.number("tasks") > 0) {
            requireMultiple("task-records", "task-commit", arguments.number("tasks"));
        }
    }

    private void requireAmong(String name, List<String> known) {
        for (String each : arguments.list(name)) {
            if (!known.contains(each)) {
                throw new IllegalArgumentException(
                        "Unknown: --" + name + "=" + each + "; there are " + String.join(", ", known));
            }
        }
    }

    /** All records that are sent before a figure is taken have to be committed by then. */
    private void requireMultiple(String records, String commit, int tasks) {
        long step = (long) arguments.number(commit) * tasks;
        if (step == 0 || arguments.number(records) % step != 0) {
            throw new IllegalArgumentException(
                    "--" + records + " has to be a multiple of " + tasks + " times --" + commit);
        }
    }

    private static Map<String, String> defaults(boolean quick) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("stores", "flexdb,rocksdb");
        defaults.put("guarantees", "at-least-once," + EXACTLY_ONCE);
        defaults.put("records", quick ? "16000" : "1000000"); // of each guarantee
        defaults.put("keys", quick ? "4000" : "200000");
        defaults.put("commit", quick ? "1000" : "10000"); // after so many records of a task
        defaults.put("tasks", "60"); // of the application whose memory is measured; 0 for none
        defaults.put("task-records", quick ? "3000" : "300000"); // of all these tasks
        defaults.put("task-commit", quick ? "50" : "1000");
        defaults.put("threads", "2"); // of each application
        defaults.put("heap", "512m");
        defaults.put("rounds", "1");
        defaults.put("dir", "jmh/target/kafka");
        defaults.put("json", "jmh/target/kafka.json");
        return defaults;
    }

    /** @param arguments see {@code --help} */
    public static void main(String[] arguments) {
        if (List.of(arguments).contains("--help")) {
            System.out.println(
                    "Measures stores of Kafka Streams, and prints each figure. Arguments and their defaults:");
            System.out.println("  " + QUICK + "  small sizes: does it run?");
            defaults(List.of(arguments).contains(QUICK))
                    .forEach((name, value) -> System.out.println("  --" + name + "=" + value));
            return;
        }
        System.exit(measure(arguments)); // whatever threads the broker has left
    }

    private static int measure(String... arguments) {
        StoreBenchmark benchmark;
        try {
            benchmark = new StoreBenchmark(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return 2;
        }
        try {
            benchmark.run();
            return 0;
        } catch (Exception e) {
            e.printStackTrace();
            return 1;
        }
    }

    /** Measures all, and leaves every figure in the file for them. */
    void run() throws Exception {
        for (int round = 1; round <= arguments.number("rounds"); round++) {
            for (String each : arguments.list("stores")) {
                store = each;
                place = directory.resolve("kafka-" + store).toAbsolutePath();
                delete(place);
                Files.createDirectories(place);
                try {
                    measure();
                } finally {
                    delete(place);
                }
            }
        }
    }

    private void measure() throws Exception {
        broker = LocalBroker.start(place, threads > 1 ? REBALANCE_DELAY_MILLIS : 0);
        try (Admin client = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin = client;
            note();
            for (String guarantee : arguments.list("guarantees")) {
                updatesAndRestorations(guarantee);
            }
            if (arguments.number("tasks") > 0) {
                manyTasks();
            }
        } finally {
            broker.close();
        }
    }

    // ---- what is measured

    private void updatesAndRestorations(String guarantee) throws Exception {
        String name = guarantee.replace('-', ' ');
        BenchmarkRecords records = new BenchmarkRecords(PARTITIONS, arguments.number("keys"));
        int count = arguments.number("records");
        int late = arguments.number("commit") / 2 * PARTITIONS; // behind the last commit
        broker.createTopic(guarantee, PARTITIONS);
        send(guarantee, records, 0, count);
        Application application = new Application(guarantee, guarantee, PARTITIONS, "keys", "commit");
        try (ApplicationProcess updating = application.start(count)) {
            updating.await("running");
            double[] processed = updating.await("processed");
            figure(name + ": updates", processed[0] / processed[1] / 1e3, "thousand/s");
            figure(name + ": processor for each update", processed[2] / processed[0] * 1e6, "µs");
            double bytes = processed[0] * (BenchmarkRecords.KEY_BYTES + BenchmarkRecords.VALUE_BYTES);
            figure(name + ": written for each byte", processed[3] / bytes, "B");
            application.awaitCommitted(updating, count);
            long sent = application.changelogRecords();
            send(guarantee, records, count, late);
            application.awaitChangelog(updating, sent + late);
            updating.kill();
        }
        try (ApplicationProcess restarted = application.start(late)) {
            double[] running = restarted.await("running");
            figure(name + ": restored after a kill", running[1], "records");
            figure(name + ": running after a kill", running[0], "ms");
            restarted.await("processed");
            check(restarted, count + late);
            restarted.end();
        }
        delete(application.states);
        try (ApplicationProcess emptied = application.start(0)) {
            double[] running = emptied.await("running");
            figure(name + ": restored from nothing", running[1] / Math.max(running[2], 1e-3), "thousand/s");
            figure(name + ": running from nothing", running[0], "ms");
            check(emptied, count + late);
            emptied.end();
        }
        delete(application.states);
    }

    private void manyTasks() throws Exception {
        int tasks = arguments.number("tasks");
        int count = arguments.number("task-records");
        BenchmarkRecords records = new BenchmarkRecords(tasks, Math.max(tasks, count / 5));
        broker.createTopic("tasks", tasks);
        send("tasks", records, 0, count);
        Application application = new Application("tasks", "at-least-once", tasks, "", "task-commit");
        try (ApplicationProcess many = application.start(count)) {
            many.await("running");
            many.await("processed");
            application.awaitCommitted(many, count);
            many.order("memory");
            double[] memory = many.await("memory");
            if (memory[0] > 0) {
                figure("tasks: resident memory", memory[0] / (1 << 20), "MiB");
            }
            figure("tasks: heap in use", memory[1] / (1 << 20), "MiB");
            if (memory[2] > 0) {
                figure("tasks: open files", memory[2], "files");
            }
            many.end();
        }
    }

    private static void check(ApplicationProcess application, long records) throws Exception {
        application.order("check " + records);
        application.await("checked");
    }

    /** The versions measured, which are not those of other benchmarks of this project. */
    private void note() throws IOException {
        String jar = store.equals("rocksdb") ? "kafka-streams|rocksdbjni" : "kafka-streams";
        String note = Pattern.compile("(" + jar + ")-(\\d[^/\\\\]*)\\.jar")
                .matcher(System.getProperty("java.class.path"))
                .results()
                .map(found -> found.group(1) + " " + found.group(2))
                .distinct()
                .collect(Collectors.joining(", "));
        System.out.println(LABELS.get(store) + " " + note);
        write("  {\"note\": \"" + note + "\"}");
    }

    private void figure(String experiment, double value, String unit) throws IOException {
        String label = LABELS.get(store);
        System.out.printf(Locale.ROOT, "%s, %s: %.3f %s%n", label, experiment, value, unit);
        write(String.format(
                Locale.ROOT,
                "  {\"store\": \"%s\", \"experiment\": \"%s\", \"value\": %s, \"unit\": \"%s\"}",
                label,
                experiment,
                Double.isFinite(value) ? value : 0,
                unit));
    }

    private void write(String entry) throws IOException {
        figures.add(entry);
        Path parent = json.toAbsolutePath().getParent();
        Files.createDirectories(parent);
        Files.writeString(json, "[\n" + String.join(",\n", figures) + "\n]\n"); // a failure leaves those before it
    }

    // ---- the application and the broker

    /** An application under one name, with its directory of states. */
    private final class Application {
        private final String name;
        private final int tasks;
        private final Path states;
        private final List<String> settings;

        Application(String topic, String guarantee, int tasks, String keys, String commit) {
            this.name = "application-" + topic;
            this.tasks = tasks;
            this.states = place.resolve("states");
            this.settings = List.of(
                    "--broker=" + broker.address(),
                    "--application=" + name,
                    "--states=" + states,
                    "--topic=" + topic,
                    "--store=" + store,
                    "--exactly-once=" + guarantee.equals(EXACTLY_ONCE),
                    "--partitions=" + tasks,
                    "--keys=" + (keys.isEmpty() ? tasks : arguments.number(keys)),
                    "--commit=" + arguments.number(commit),
                    "--threads=" + threads);
        }

        /** @param until after how many records it says that they are processed */
        ApplicationProcess start(long until) throws Exception {
            removeMembers();
            List<String> jvm = new ArrayList<>(List.of("-Xmx" + arguments.text("heap")));
            if (quick) {
                jvm.add("-XX:TieredStopAtLevel=1");
            }
            List<String> all = new ArrayList<>(settings);
            all.add("--until=" + until);
            return new ApplicationProcess(jvm, all);
        }

        /** Has the broker forget an instance that has ended, for the next one not to wait until it misses that. */
        private void removeMembers() throws ExecutionException, InterruptedException {
            boolean isKnown = admin.listGroups().all().get().stream()
                    .anyMatch(group -> group.groupId().equals(name));
            if (isKnown
                    && !admin.describeConsumerGroups(List.of(name))
                            .all()
                            .get()
                            .get(name)
                            .members()
                            .isEmpty()) {
                admin.removeMembersFromConsumerGroup(name, new RemoveMembersFromConsumerGroupOptions())
                        .all()
                        .get();
            }
        }

        void awaitCommitted(ApplicationProcess process, long records) throws ExecutionException, InterruptedException {
            while (committed() < records) {
                process.requireAlive();
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }

        private long committed() throws ExecutionException, InterruptedException {
            return admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get().values().stream()
                    .mapToLong(each -> each == null ? 0 : each.offset())
                    .sum();
        }

        /** Those committed and others, and marks of transactions. */
        long changelogRecords() throws ExecutionException, InterruptedException {
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (int i = 0; i < tasks; i++) {
                ends.put(
                        new TopicPartition(name + "-" + BenchmarkApplication.STORE + "-changelog", i),
                        OffsetSpec.latest());
            }
            return admin.listOffsets(ends).all().get().values().stream()
                    .mapToLong(each -> each.offset())
                    .sum();
        }

        void awaitChangelog(ApplicationProcess process, long records) throws ExecutionException, InterruptedException {
            while (changelogRecords() < records) {
                process.requireAlive();
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    private void send(String topic, BenchmarkRecords records, long first, int count) {
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.address(), "batch.size", 1 << 18),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (long i = first; i < first + count; i++) {
                producer.send(
                        new ProducerRecord<>(topic, records.partition(i), records.key(i), records.value(i)),
                        (sent, failed) -> {
                            if (failed != null) {
                                failure.set(failed);
                            }
                        });
            }
        }
        if (failure.get() != null) {
            throw new IllegalStateException("Records can't be sent", failure.get());
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
