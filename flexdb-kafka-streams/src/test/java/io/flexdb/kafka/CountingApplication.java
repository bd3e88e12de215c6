package io.flexdb.kafka;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/**
 * Counts the records of a topic by their keys. It tells on standard output what was restored, what was committed and what
 * the counts are, and halts its JVM when it is told to, in the middle of a write.
 */
final class CountingApplication {
    private static final AtomicInteger WRITTEN = new AtomicInteger();
    private static final AtomicLong RESTORED = new AtomicLong();
    private static final CountDownLatch COMMITTED = new CountDownLatch(1);

    private final Properties properties = new Properties();
    private final int until;
    private final boolean halts;
    private final int standbyRecords;

    private CountingApplication(String[] args) {
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, args[1]);
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, args[2]);
        boolean exactlyOnce = Boolean.parseBoolean(args[3]);
        properties.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                exactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        properties.put("enable.transactional.statestores", exactlyOnce);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        properties.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 1); // where there is a second instance
        properties.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, 0);
        properties.put("session.timeout.ms", 2000);
        properties.put("heartbeat.interval.ms", 300);
        properties.put("auto.offset.reset", "earliest");
        until = Integer.parseInt(args[4]);
        halts = Boolean.parseBoolean(args[5]);
        standbyRecords = Integer.parseInt(args[6]);
    }

    /**
     * @param args the broker's address, the application's name, the directory of states, whether exactly once, after how
     *     many writes to tell that they are committed, whether to halt in the next write after that, and after how many
     *     records of standby tasks to tell that they are there
     */
    public static void main(String[] args) throws InterruptedException {
        new CountingApplication(args).run();
        System.exit(0);
    }

    private void run() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        try (KafkaStreams streams = new KafkaStreams(topology(() -> new WatchedStore(until, halts)), properties)) {
            streams.setGlobalStateRestoreListener(new Listener());
            streams.setStandbyUpdateListener(new StandbyListener(standbyRecords));
            streams.setUncaughtExceptionHandler(e -> {
                e.printStackTrace();
                Runtime.getRuntime().halt(3);
                return null;
            });
            streams.setStateListener((now, before) -> {
                if (now == KafkaStreams.State.RUNNING) {
                    running.countDown();
                }
            });
            streams.start();
            running.await();
            COMMITTED.await();
            System.out.println("restored " + RESTORED.get());
            print(streams);
            System.out.println("committed");
            if (halts) {
                new CountDownLatch(1).await(); // the next write ends the JVM
            }
        }
    }

    private static void print(KafkaStreams streams) {
        ReadOnlyKeyValueStore<String, ValueAndTimestamp<Long>> counts = streams.store(
                StoreQueryParameters.fromNameAndType("counts", QueryableStoreTypes.timestampedKeyValueStore()));
        try (KeyValueIterator<String, ValueAndTimestamp<Long>> all = counts.all()) {
            long sum = 0;
            int keys = 0;
            while (all.hasNext()) {
                sum += all.next().value.value();
                keys++;
            }
            System.out.println("counts " + keys + " " + sum);
        }
    }

    /** Counts the records of {@code input} by their keys, in a store {@code counts}. */
    static Topology topology(Supplier<KeyValueStore<Bytes, byte[]>> store) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .groupByKey()
                .count(Materialized.<String, Long>as(supplier(store))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.Long())
                        .withCachingDisabled());
        return builder.build();
    }

    private static KeyValueBytesStoreSupplier supplier(Supplier<KeyValueStore<Bytes, byte[]>> store) {
        return new KeyValueBytesStoreSupplier() {
            @Override
            public String name() {
                return "counts";
            }

            @Override
            public KeyValueStore<Bytes, byte[]> get() {
                return store.get();
            }

            @Override
            public String metricsScope() {
                return "flexdb";
            }
        };
    }

    /** Counts writes, and tells when so many are committed. */
    private static final class WatchedStore extends FlexDBKeyValueStore implements TimestampedBytesStore {
        private static final AtomicInteger COUNTED = new AtomicInteger(); // committed, of all stores

        private final int until;
        private final boolean halts;
        private int uncommitted;

        WatchedStore(int until, boolean halts) {
            super("counts", ValueFormat.TIMESTAMPED);
            this.until = until;
            this.halts = halts;
        }

        @Override
        public void put(Bytes key, byte[] value) {
            super.put(key, value);
            uncommitted++;
            if (WRITTEN.incrementAndGet() > until && halts) {
                Runtime.getRuntime().halt(9);
            }
        }

        @Override
        public void commit(Map<TopicPartition, Long> changelogOffsets) {
            super.commit(changelogOffsets);
            if (COUNTED.addAndGet(uncommitted) >= until) {
                COMMITTED.countDown();
            }
            uncommitted = 0;
        }
    }

    private static final class StandbyListener implements StandbyUpdateListener {
        private final AtomicLong records = new AtomicLong();
        private final int until;

        StandbyListener(int until) {
            this.until = until;
        }

        @Override
        public void onUpdateStart(TopicPartition partition, String store, long first) {
            // Counted as they come.
        }

        @Override
        public void onBatchLoaded(
                TopicPartition partition, String store, TaskId task, long last, long count, long end) {
            if (records.addAndGet(count) >= until) {
                System.out.println("standby");
            }
        }

        @Override
        public void onUpdateSuspended(
                TopicPartition partition, String store, long offset, long end, SuspendReason reason) {
            // Counted before.
        }
    }

    private static final class Listener implements StateRestoreListener {
        @Override
        public void onRestoreStart(TopicPartition partition, String store, long first, long last) {
            // Counted at the end.
        }

        @Override
        public void onBatchRestored(TopicPartition partition, String store, long last, long records) {
            // Counted at the end.
        }

        @Override
        public void onRestoreEnd(TopicPartition partition, String store, long records) {
            RESTORED.addAndGet(records);
        }
    }

    /** The command that runs it. */
    static ProcessBuilder command(List<String> args, Path output) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CountingApplication.class.getName()));
        command.addAll(args);
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    }
}
