package io.flexdb.kafka;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/**
 * The application that {@link StoreBenchmark} measures, in a JVM of its own: a store has the latest value of each key,
 * each record is a read and a write of it. The topology is the same for all stores; only the {@code DslStoreSuppliers}
 * differ. A task commits after so many of its records, and not by time, so that all stores commit equally often.
 *
 * <p>It answers on standard output, a line each: {@code running}, when all tasks are restored, and {@code processed},
 * after so many records. On standard input it is told {@code memory}, {@code check} or {@code end}.
 */
final class BenchmarkApplication {
    static final String STORE = "latest";

    /** Longer than all that is between two commits: none is due by time, and no transaction ends by it. */
    private static final int COMMIT_MILLIS = 600_000;

    private static final int TRANSACTION_MILLIS = 900_000; // the most that a broker grants

    private static final Map<String, String> ARGUMENTS = new LinkedHashMap<>();

    static {
        for (String name : new String[] {
            "broker",
            "application",
            "states",
            "topic",
            "store",
            "exactly-once",
            "partitions",
            "keys",
            "threads",
            "until",
            "commit"
        }) {
            ARGUMENTS.put(name, ""); // none has a default
        }
    }

    private final BenchmarkArguments arguments;
    private final int partitions;
    private final long until;
    private final int commitRecords;
    private final AtomicLong processed = new AtomicLong();
    private final Restored restored = new Restored();
    private volatile Usage first; // when the first quarter had been processed

    private BenchmarkApplication(BenchmarkArguments arguments) {
        this.arguments = arguments;
        this.partitions = arguments.number("partitions");
        this.until = arguments.number("until");
        this.commitRecords = arguments.number("commit");
    }

    /** @param arguments all of them are needed; see {@link StoreBenchmark} */
    public static void main(String[] arguments) throws IOException {
        new BenchmarkApplication(new BenchmarkArguments(ARGUMENTS, arguments)).run();
        System.exit(0);
    }

    private void run() throws IOException {
        Properties properties = properties();
        try (KafkaStreams streams = new KafkaStreams(topology(properties), properties)) {
            streams.setGlobalStateRestoreListener(restored);
            streams.setUncaughtExceptionHandler(e -> {
                e.printStackTrace();
                Runtime.getRuntime().halt(3);
                return null;
            });
            long start = System.nanoTime();
            streams.start();
            awaitAllTasks(streams);
            say("running", (System.nanoTime() - start) / 1e6, restored.records.get(), restored.millis());
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); !"end".equals(order); order = orders.readLine()) {
                if (order == null) {
                    Runtime.getRuntime().halt(4); // who gave orders has ended
                } else if (order.equals("memory")) {
                    sayMemory();
                } else if (order.startsWith("check ")) {
                    say("checked", check(streams, Long.parseLong(order.substring("check ".length()))));
                }
            }
        }
    }

    private static void say(String word, double... numbers) {
        StringBuilder line = new StringBuilder(word);
        for (double number : numbers) {
            line.append(' ').append(number);
        }
        System.out.println(line);
    }

    private Properties properties() {
        boolean exactlyOnce = arguments.flag("exactly-once");
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments.text("application"));
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments.text("broker"));
        properties.put(StreamsConfig.STATE_DIR_CONFIG, arguments.text("states"));
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, arguments.number("threads"));
        properties.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                exactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        properties.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, exactlyOnce);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MILLIS);
        properties.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), TRANSACTION_MILLIS);
        properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0); // each write reaches the store
        properties.put("auto.offset.reset", "earliest");
        properties.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                switch (arguments.text("store")) {
                    case "flexdb" -> FlexDBDslStoreSuppliers.class;
                    case "rocksdb" -> RocksDBDslStoreSuppliers.class;
                    default -> throw new IllegalArgumentException("No store is called " + arguments.text("store"));
                });
        return properties;
    }

    private Topology topology(Properties properties) {
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(properties)));
        builder.stream(arguments.text("topic"), Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .groupByKey()
                .reduce(
                        (before, now) -> now,
                        Materialized.<byte[], byte[], KeyValueStore<Bytes, byte[]>>as(STORE)
                                .withKeySerde(Serdes.ByteArray())
                                .withValueSerde(Serdes.ByteArray())
                                .withCachingDisabled())
                .toStream()
                .processValues(Counter::new);
        return builder.build();
    }

    /** Returns when all tasks there are have restored their stores. The client tells this by its state only. */
    private void awaitAllTasks(KafkaStreams streams) {
        while (streams.state() != KafkaStreams.State.RUNNING
                || streams.metadataForLocalThreads().stream()
                                .mapToInt(thread -> thread.activeTasks().size())
                                .sum()
                        < partitions) {
            LockSupport.parkNanos(500_000);
        }
    }

    /** Returns the number of keys, once the store has been found to have what these records leave. */
    private long check(KafkaStreams streams, long records) {
        BenchmarkRecords expected = new BenchmarkRecords(partitions, arguments.number("keys"));
        long[] latest = expected.latest(records);
        long keys = Arrays.stream(latest).filter(record -> record >= 0).count();
        ReadOnlyKeyValueStore<byte[], ValueAndTimestamp<byte[]>> store = streams.store(
                StoreQueryParameters.fromNameAndType(STORE, QueryableStoreTypes.timestampedKeyValueStore()));
        long found = 0;
        try (KeyValueIterator<byte[], ValueAndTimestamp<byte[]>> all = store.all()) {
            while (all.hasNext()) {
                var pair = all.next();
                if (!expected.isLatest(pair.key, pair.value.value(), latest)) {
                    throw new IllegalStateException("a wrong value of the key " + Arrays.toString(pair.key));
                }
                found++;
            }
        }
        if (found != keys) {
            throw new IllegalStateException(found + " keys instead of " + keys);
        }
        return found;
    }

    private static void sayMemory() throws IOException {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long files = 0;
        Path descriptors = Path.of("/proc/self/fd");
        if (Files.exists(descriptors)) {
            try (Stream<Path> all = Files.list(descriptors)) {
                files = all.count();
            }
        }
        say("memory", Usage.field("status", "RssAnon:") << 10, heap, files);
    }

    /** Counts what has been written to the store, and asks for commits. */
    private final class Counter implements FixedKeyProcessor<byte[], byte[], byte[]> {
        private FixedKeyProcessorContext<byte[], byte[]> context;
        private long ofTask;

        @Override
        public void init(FixedKeyProcessorContext<byte[], byte[]> processorContext) {
            context = processorContext;
        }

        @Override
        public void process(FixedKeyRecord<byte[], byte[]> record) {
            if (++ofTask % commitRecords == 0) {
                context.commit();
            }
            long number = processed.incrementAndGet();
            if (number == until / 4) {
                first = Usage.now();
            }
            if (number == until) {
                Usage now = Usage.now();
                Usage then = first == null ? now : first;
                say(
                        "processed",
                        until - until / 4,
                        (now.nanos - then.nanos) / 1e9,
                        (now.processorNanos - then.processorNanos) / 1e9,
                        now.writtenBytes - then.writtenBytes);
            }
        }
    }

    /** The records restored, and how long it took from the first store's beginning to the last one's end. */
    private static final class Restored implements StateRestoreListener {
        private final AtomicLong records = new AtomicLong();
        private final AtomicLong begun = new AtomicLong();
        private volatile long ended;

        double millis() {
            return (ended - begun.get()) / 1e6;
        }

        @Override
        public void onRestoreStart(TopicPartition partition, String store, long firstOffset, long lastOffset) {
            begun.compareAndSet(0, System.nanoTime());
        }

        @Override
        public void onBatchRestored(TopicPartition partition, String store, long lastOffset, long count) {
            records.addAndGet(count);
        }

        @Override
        public void onRestoreEnd(TopicPartition partition, String store, long count) {
            ended = System.nanoTime(); // by one thread, which restores all
        }
    }

    /**
     * The use that this process has made of the machine so far.
     *
     * @param nanos of the clock
     * @param processorNanos time on processors
     * @param writtenBytes bytes that it has caused to be written to disk; 0 where the system doesn't tell
     */
    private record Usage(long nanos, long processorNanos, long writtenBytes) {
        static Usage now() {
            long processor = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                    ? system.getProcessCpuTime()
                    : 0;
            return new Usage(System.nanoTime(), processor, field("io", "write_bytes:"));
        }

        /** A number of this process, as Linux tells it; 0 elsewhere. */
        static long field(String file, String word) {
            try {
                for (String line : Files.readAllLines(Path.of("/proc/self", file))) {
                    if (line.toLowerCase(Locale.ROOT).startsWith(word.toLowerCase(Locale.ROOT))) {
                        return Long.parseLong(line.split("\\s+")[1]);
                    }
                }
            } catch (IOException | RuntimeException e) {
                // Another operating system: not known.
            }
            return 0;
        }
    }
}
