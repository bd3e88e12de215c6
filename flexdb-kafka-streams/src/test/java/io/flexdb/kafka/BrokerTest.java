package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applications whose broker goes away, and tasks that go from one instance to another and come back. */
@Tag("long")
class BrokerTest {
    private static final int KEYS = 200;
    private static final int PARTITIONS = 2;
    private static final int FIRST = 2000;
    private static final int MORE = 100;

    @TempDir
    Path directory;

    private LocalBroker broker;
    private int sent;

    @BeforeEach
    void startBroker() throws Exception {
        broker = LocalBroker.start(directory);
        broker.createTopic("input", PARTITIONS);
        send(FIRST);
    }

    @AfterEach
    void stopBroker() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anApplicationGoesOnWhenItsBrokerIsBack(boolean exactlyOnce) throws Exception {
        Path states = directory.resolve("states");
        try (RunningCounts counts = new RunningCounts(broker.address(), "application", states, exactlyOnce)) {
            counts.awaitCommitted(committed -> committed >= FIRST);
            broker.stop();
            assertTrue(counts.sum() >= FIRST, "reads go on without it");
            broker.startAgain();
            send(MORE);
            counts.awaitCommitted(committed -> committed >= sent);
            assertCounted(exactlyOnce, counts);

            broker.stop();
            assertTrue(counts.close(Duration.ofSeconds(30)), counts::toString);
            assertNoneOfOurs(counts.failures());
        }
        long stored = stored(states, exactlyOnce);
        assertTrue(stored >= sent, () -> stored + " of " + sent);

        broker.startAgain();
        send(MORE);
        try (RunningCounts counts = new RunningCounts(broker.address(), "application", states, exactlyOnce)) {
            counts.awaitCommitted(committed -> committed >= MORE);
            assertCounted(exactlyOnce, counts);
            assertEquals(0, counts.restoredRecords(), counts::toString);
            assertNoneOfOurs(counts.failures());
            assertEquals(PARTITIONS, counts.opened().size());
            for (List<FlexDB> ofTask : counts.opened().values()) { // for offsets, then by a thread
                assertSame(ofTask.get(0), ofTask.get(1), "it stays open meanwhile");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTaskThatComesBackRestoresOnlyWhatItMissed(boolean exactlyOnce) throws Exception {
        try (RunningCounts first =
                new RunningCounts(broker.address(), "moved", directory.resolve("first"), exactlyOnce)) {
            first.awaitCommitted(committed -> committed >= FIRST);
            first.forgetRestored();
            long elsewhere;
            Map<TopicPartition, Long> moved;
            try (RunningCounts second =
                    new RunningCounts(broker.address(), "moved", directory.resolve("second"), exactlyOnce)) {
                moved = second.awaitRestored();
                assertEquals(1, moved.size(), moved::toString);
                long all = moved.values().iterator().next();
                assertTrue(all >= KEYS / PARTITIONS / 2, moved::toString);
                send(MORE);
                second.awaitCommitted(committed -> committed > 0);
                long missing = sent - FIRST;
                first.awaitCommitted(committed -> committed - FIRST + second.committed() >= missing);
                assertTrue(second.close(Duration.ofSeconds(30)), second::toString);
                elsewhere = second.committed();
                assertNoneOfOurs(second.failures());
            }
            Map<TopicPartition, Long> back = first.awaitRestored();
            assertEquals(moved.keySet(), back.keySet());
            long restored = back.values().iterator().next();
            assertEquals(elsewhere, restored, first::toString);
            send(MORE);
            first.awaitCommitted(committed -> committed + elsewhere >= sent);
            assertCounted(exactlyOnce, first);
            assertNoneOfOurs(first.failures());
        }
    }

    // ----

    private void send(int records) throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.address()), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>("input", "key " + i % KEYS, "value"));
            }
            producer.flush();
        }
        sent += records;
    }

    private void assertCounted(boolean exactlyOnce, RunningCounts counts) {
        long sum = counts.sum();
        if (exactlyOnce) {
            assertEquals(sent, sum, counts::toString);
        } else {
            assertTrue(sum >= sent, () -> sum + " of " + sent + "; " + counts);
        }
    }

    /** Kafka's clients may fail without a broker, FlexDB may not. */
    private static void assertNoneOfOurs(List<Throwable> failures) {
        for (Throwable failure : failures) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                boolean isOurs = Stream.of(cause.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().startsWith("io.flexdb."));
                assertFalse(isOurs, () -> "failed with " + failure);
            }
        }
    }

    /** The sum of the counts in the directories of all tasks. */
    private static long stored(Path states, boolean exactlyOnce) throws Exception {
        List<Path> tasks;
        try (Stream<Path> files = Files.list(states.resolve("application"))) {
            tasks = files.filter(Files::isDirectory).toList();
        }
        assertEquals(PARTITIONS, tasks.size(), tasks::toString);
        long sum = 0;
        for (Path task : tasks) {
            TestContext context = new TestContext(task)
                    .with("enable.transactional.statestores", exactlyOnce)
                    .with("processing.guarantee", exactlyOnce ? "exactly_once_v2" : "at_least_once");
            FlexDBKeyValueStore store = FlexDBKeyValueStore.of("counts", ValueFormat.TIMESTAMPED);
            store.init(context, store);
            try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
                while (all.hasNext()) {
                    KeyValue<Bytes, byte[]> pair = all.next();
                    sum += ByteBuffer.wrap(pair.value).getLong(Long.BYTES);
                }
            }
            store.close();
        }
        return sum;
    }
}
