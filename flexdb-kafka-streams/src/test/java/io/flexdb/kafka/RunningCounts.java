package io.flexdb.kafka;

import io.flexdb.FlexDB;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/** An instance of the counting application in this JVM, and what has happened in it. */
final class RunningCounts implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(100); // at what another instance does

    private final KafkaStreams streams;
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Map<TopicPartition, Long> restored = new ConcurrentHashMap<>();
    private final Map<Path, List<FlexDB>> opened = new ConcurrentHashMap<>(); // by each opening of a store, by its task
    private long committed; // writes of all stores, guarded by this

    /** Starts it. Its clients give up soon without a broker. */
    RunningCounts(String broker, String application, Path states, boolean exactlyOnce) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, states.toString());
        properties.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                exactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        properties.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, exactlyOnce);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        properties.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, Long.MAX_VALUE); // tasks move at once
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 3000);
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 300);
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG), 2000);
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG), 1500);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.MAX_BLOCK_MS_CONFIG), 2000);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG), 1500);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG), 2000);
        streams = new KafkaStreams(CountingApplication.topology(CommittedStore::new), properties);
        streams.setGlobalStateRestoreListener(new Listener());
        streams.setUncaughtExceptionHandler(e -> {
            failures.add(e);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        streams.start();
    }

    /** Counts the writes that are committed. */
    private final class CommittedStore extends FlexDBKeyValueStore implements TimestampedBytesStore {
        private int uncommitted;

        CommittedStore() {
            super("counts", ValueFormat.TIMESTAMPED);
        }

        @Override
        public void init(StateStoreContext context, StateStore root) {
            super.init(context, root);
            Path task = context.stateDir().toPath();
            TaskDatabase database = TaskDatabase.acquire(task, context.appConfigs()); // which the store has, too
            opened.computeIfAbsent(task, path -> new CopyOnWriteArrayList<>()).add(database.db());
            database.release();
        }

        @Override
        public void put(Bytes key, byte[] value) {
            super.put(key, value);
            uncommitted++;
        }

        @Override
        public void commit(Map<TopicPartition, Long> changelogOffsets) {
            super.commit(changelogOffsets);
            synchronized (RunningCounts.this) {
                committed += uncommitted;
                RunningCounts.this.notifyAll();
            }
            uncommitted = 0;
        }

        @Override
        public void close() {
            super.close();
            uncommitted = 0;
        }
    }

    private final class Listener implements StateRestoreListener {
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
            restored.merge(partition, records, Long::sum);
            synchronized (RunningCounts.this) {
                RunningCounts.this.notifyAll();
            }
        }
    }

    /** How many writes are committed. */
    synchronized long committed() {
        return committed;
    }

    /** Waits until so many writes are committed that a test is true. */
    void awaitCommitted(LongPredicate enough) throws InterruptedException {
        await(() -> enough.test(committed));
    }

    /** Waits until something is restored, which may be no record, and returns how many records of which partitions. */
    Map<TopicPartition, Long> awaitRestored() throws InterruptedException {
        await(() -> !restored.isEmpty());
        return Map.copyOf(restored);
    }

    private synchronized void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("waited too long: " + this);
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, LOOK.toNanos()));
        }
    }

    /** Forgets what was restored so far. */
    void forgetRestored() {
        restored.clear();
    }

    /** How many records were restored. */
    long restoredRecords() {
        return restored.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The FlexDB of each opening of the store, by the task's directory. */
    Map<Path, List<FlexDB>> opened() {
        return opened;
    }

    /** All exceptions of its threads. */
    List<Throwable> failures() {
        return failures;
    }

    /** The sum of its counts. */
    long sum() {
        ReadOnlyKeyValueStore<String, ValueAndTimestamp<Long>> counts = streams.store(
                StoreQueryParameters.fromNameAndType("counts", QueryableStoreTypes.timestampedKeyValueStore()));
        long sum = 0;
        try (KeyValueIterator<String, ValueAndTimestamp<Long>> all = counts.all()) {
            while (all.hasNext()) {
                sum += all.next().value.value();
            }
        }
        return sum;
    }

    /** Closes it; false if it took longer than it may. */
    boolean close(Duration timeout) {
        return streams.close(CloseOptions.timeout(timeout)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(30));
    }

    @Override
    public String toString() {
        return "committed " + committed + ", restored " + restored + ", failures " + failures + ", " + streams.state();
    }
}
