package io.flexdb.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Kafka Streams asks of a key-value store, and what is left of it after a crash. */
class KeyValueStoreTest {
    private static final TopicPartition CHANGELOG = new TopicPartition("test-store-changelog", 0);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsWhatWasWritten(boolean transactional) {
        TestContext context = context(transactional);
        FlexDBKeyValueStore store = open("store", context);
        store.put(key("a"), value("1"));
        store.put(key("ab"), value("2"));
        store.put(key("b"), value("3"));
        store.commit(Map.of(CHANGELOG, 2L));
        store.put(key("ab"), null);
        store.put(key("ac"), value("4"));
        store.put(key("b"), value("5"));

        assertEquals("1", text(store.get(key("a"))));
        assertNull(store.get(key("ab")));
        assertEquals(List.of("a=1", "ac=4", "b=5"), pairs(store.all()));
        assertEquals(List.of("b=5", "ac=4", "a=1"), pairs(store.reverseAll()));
        assertEquals(List.of("ac=4", "b=5"), pairs(store.range(key("ab"), key("b"))));
        assertEquals(List.of("ac=4", "a=1"), pairs(store.reverseRange(null, key("ac"))));
        assertEquals(List.of("a=1", "ac=4"), pairs(store.prefixScan("a", new StringSerializer())));
        assertEquals(List.of(), pairs(store.range(key("z"), key("a"))));
        assertEquals("1", text(store.putIfAbsent(key("a"), value("6"))));
        assertNull(store.putIfAbsent(key("c"), value("7")));
        assertEquals("7", text(store.delete(key("c"))));
        store.putAll(List.of(KeyValue.pair(key("d"), value("8")), KeyValue.pair(key("a"), null)));
        assertEquals(List.of("ac=4", "b=5", "d=8"), pairs(store.all()));
        assertTrue(transactional == (store.approximateNumUncommittedBytes() > 0));
        store.close();
        store.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anIteratorShowsTheStoreAsItWasWhenItWasOpened(boolean transactional) {
        FlexDBKeyValueStore store = open("store", context(transactional));
        store.put(key("a"), value("1"));
        store.put(key("b"), value("2"));
        try (KeyValueIterator<Bytes, byte[]> iterator = store.all()) {
            store.put(key("b"), null);
            store.put(key("c"), value("3"));
            store.commit(Map.of(CHANGELOG, 1L));
            assertEquals(key("a"), iterator.peekNextKey());
            assertEquals(List.of("a=1", "b=2"), pairs(iterator));
        }
        store.close();
    }

    @Test
    void keysMayBeEmptyAndBeginWithZeros() {
        FlexDBKeyValueStore store = open("store", context(false));
        store.put(key("\0\0"), value("3"));
        store.put(key(""), value("1"));
        store.put(key("a"), value("4"));
        store.put(key("\0"), value("2"));
        assertEquals("1", text(store.get(key(""))));
        assertEquals(List.of("=1", "\0=2", "\0\0=3", "a=4"), pairs(store.all()));
        assertEquals(List.of("\0=2", "\0\0=3"), pairs(store.prefixScan("\0", new StringSerializer())));
        assertEquals(List.of("a=4", "\0\0=3", "\0=2", "=1"), pairs(store.reverseRange(key(""), null)));
        assertEquals(4, pairs(store.prefixScan("", new StringSerializer())).size());
        store.delete(key(""));
        assertEquals(List.of("\0=2"), pairs(store.range(null, key("\0"))));
        store.close();
    }

    @Test
    void closingTheStoreClosesItsIterators() {
        FlexDBKeyValueStore store = open("store", context(false));
        store.put(key("a"), value("1"));
        KeyValueIterator<Bytes, byte[]> iterator = store.all();
        store.close();
        assertThrows(InvalidStateStoreException.class, iterator::hasNext);
        assertThrows(InvalidStateStoreException.class, () -> store.get(key("a")));
        assertThrows(InvalidStateStoreException.class, () -> store.put(key("a"), value("2")));
        assertFalse(store.isOpen());
    }

    @Test
    void anIteratorAtItsEndSaysSo() {
        FlexDBKeyValueStore store = open("store", context(false));
        try (KeyValueIterator<Bytes, byte[]> iterator = store.all()) {
            assertFalse(iterator.hasNext());
            assertThrows(NoSuchElementException.class, iterator::next);
            assertThrows(NoSuchElementException.class, iterator::peekNextKey);
        }
        store.close();
    }

    @Test
    void aReaderOfWhatIsCommittedSeesNothingElse() {
        FlexDBKeyValueStore store = open("store", context(true));
        store.put(key("a"), value("1"));
        store.commit(Map.of(CHANGELOG, 1L));
        store.put(key("a"), value("2"));
        store.put(key("b"), value("3"));
        assertEquals(
                List.of("a=1"),
                pairs(store.readOnly(IsolationLevel.READ_COMMITTED).all()));
        assertEquals("1", text(store.readOnly(IsolationLevel.READ_COMMITTED).get(key("a"))));
        assertEquals(
                List.of("a=2", "b=3"),
                pairs(store.readOnly(IsolationLevel.READ_UNCOMMITTED).all()));
        store.commit(Map.of(CHANGELOG, 3L));
        assertEquals(
                List.of("a=2", "b=3"),
                pairs(store.readOnly(IsolationLevel.READ_COMMITTED).all()));
        assertEquals(0, store.approximateNumUncommittedBytes());
        store.close();
    }

    @Test
    void queriesTellThePositionOfWhatTheySee() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = open("store", context);
        context.processes(7);
        store.put(key("a"), value("1"));
        store.commit(Map.of(CHANGELOG, 1L));
        context.processes(8);
        store.put(key("a"), value("2"));

        QueryResult<byte[]> all = store.query(
                KeyQuery.<Bytes, byte[]>withKey(key("a")), PositionBound.unbounded(), new QueryConfig(false));
        assertEquals("2", text(all.getResult()));
        assertEquals(Position.emptyPosition().withComponent("input", 0, 8), all.getPosition());
        QueryResult<byte[]> committed = store.query(
                KeyQuery.<Bytes, byte[]>withKey(key("a")),
                PositionBound.unbounded(),
                new QueryConfig(false, IsolationLevel.READ_COMMITTED));
        assertEquals("1", text(committed.getResult()));
        assertEquals(Position.emptyPosition().withComponent("input", 0, 7), committed.getPosition());
        QueryResult<KeyValueIterator<Bytes, byte[]>> tooEarly = store.query(
                RangeQuery.<Bytes, byte[]>withNoBounds(),
                PositionBound.at(Position.emptyPosition().withComponent("input", 0, 9)),
                new QueryConfig(false));
        assertTrue(tooEarly.isFailure());
        store.close();

        FlexDBKeyValueStore reopened = open("store", context);
        assertEquals(Position.emptyPosition().withComponent("input", 0, 7), reopened.getPosition());
        reopened.close();
    }

    // ---- crashes

    @Test
    void afterAKillAtLeastWhatWasCommittedIsThereWithItsOffset(@TempDir Path copy) {
        TestContext context = context(false);
        FlexDBKeyValueStore store = open("store", context);
        store.put(key("a"), value("1"));
        store.commit(Map.of(CHANGELOG, 41L));
        store.put(key("b"), value("2"));
        FlexDBKeyValueStore after = open("store", context.killed(copy));
        assertEquals("1", text(after.get(key("a"))));
        assertEquals(41, after.committedOffset(CHANGELOG));
        after.close();
        store.close();
    }

    @Test
    void afterAKillATransactionalStoreHasExactlyWhatWasCommitted(@TempDir Path copy) {
        TestContext context = context(true).with("processing.guarantee", "exactly_once_v2");
        FlexDBKeyValueStore store = open("store", context);
        store.put(key("a"), value("1"));
        store.put(key("b"), value("2"));
        store.commit(Map.of(CHANGELOG, 41L));
        store.put(key("a"), value("3"));
        store.put(key("b"), null);
        store.put(key("c"), value("4"));
        FlexDBKeyValueStore after = open("store", context.killed(copy));
        assertEquals(List.of("a=1", "b=2"), pairs(after.all()));
        assertEquals(41, after.committedOffset(CHANGELOG));
        after.close();
        store.close();
        FlexDBKeyValueStore closedDirty = open("store", context);
        assertEquals(List.of("a=1", "b=2"), pairs(closedDirty.all()));
        closedDirty.close();
    }

    @Test
    void aStoreThatIsClosedDirtyAndOpenedAgainForgetsWhatWasNotCommitted() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = open("store", context);
        context.processes(1);
        store.put(key("a"), value("1"));
        store.commit(Map.of(CHANGELOG, 1L));
        context.processes(2);
        store.put(key("a"), value("2"));
        store.close();
        store.init(context, store);
        assertEquals("1", text(store.get(key("a"))));
        assertEquals(Position.emptyPosition().withComponent("input", 0, 1), store.getPosition());
        assertEquals(0, store.approximateNumUncommittedBytes());
        store.close();
    }

    @Test
    void withExactlyOnceButNoTransactionsAStoreThatWasKilledIsCorruptedAndOneThatWasClosedIsNot(@TempDir Path copy) {
        TestContext context = context(false).with("processing.guarantee", "exactly_once_v2");
        FlexDBKeyValueStore store = open("store", context);
        assertEquals(-4, store.committedOffset(CHANGELOG)); // the sign that nothing in it is wrong
        store.put(key("a"), value("1"));
        TestContext killed = context.killed(copy);
        assertThrows(TaskCorruptedException.class, () -> open("store", killed));
        store.commit(Map.of(CHANGELOG, 41L));
        store.close();
        FlexDBKeyValueStore reopened = open("store", context);
        assertEquals(41, reopened.committedOffset(CHANGELOG));
        reopened.close();
    }

    @Test
    void whatIsRestoredCountsWithoutACommit() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = open("store", context);
        context.restore(List.of(record(5, "a", "1"), record(6, "b", "2"), record(7, "a", "3"), record(8, "b", null)));
        assertEquals(List.of("a=3"), pairs(store.all()));
        assertEquals(0, store.approximateNumUncommittedBytes());
        store.close();
        FlexDBKeyValueStore after = open("store", context);
        assertEquals(List.of("a=3"), pairs(after.all()));
        assertEquals(8, after.committedOffset(CHANGELOG));
        after.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"16m", "512m"})
    void aCommitIsNotSeenInParts(String memory) throws Exception {
        FlexDBKeyValueStore store = open("store", context(true).with("flexdb.memory-bytes", memory));
        int keys = 120;
        AtomicBoolean isOver = new AtomicBoolean();
        FutureTask<Integer> reader = new FutureTask<>(() -> {
            int commits = 0;
            while (!isOver.get()) {
                List<Integer> values = new ArrayList<>();
                try (KeyValueIterator<Bytes, byte[]> all =
                        store.readOnly(IsolationLevel.READ_COMMITTED).all()) {
                    all.forEachRemaining(pair -> values.add((int) pair.value[0]));
                }
                int last = values.isEmpty() ? 0 : values.get(0);
                assertEquals(Collections.nCopies(last == 0 ? 0 : keys, last), values);
                commits = Math.max(commits, last);
            }
            return commits;
        });
        new Thread(reader).start();
        for (int commit = 1; commit <= 3; commit++) {
            for (int i = 0; i < keys; i++) {
                byte[] value = new byte[1 << 18];
                value[0] = (byte) commit;
                store.put(key(String.format(Locale.ROOT, "%03d", i)), value);
            }
            store.commit(Map.of(CHANGELOG, (long) commit));
            assertEquals(0, store.approximateNumUncommittedBytes());
            assertEquals(commit, store.committedOffset(CHANGELOG));
        }
        isOver.set(true);
        assertTrue(reader.get() <= 3);
        store.close();
    }

    @Test
    void aLargeCommitMayHaveValuesLargerThanAMemtable() {
        FlexDBKeyValueStore store = open("store", context(true).with("flexdb.memory-bytes", "16m"));
        for (int i = 0; i < 40; i++) {
            store.put(key(String.format(Locale.ROOT, "%03d", i)), new byte[1 << 20]);
        }
        store.commit(Map.of(CHANGELOG, 40L));
        int pairs = 0;
        try (KeyValueIterator<Bytes, byte[]> iterator = store.all()) {
            while (iterator.hasNext()) {
                assertEquals(1 << 20, iterator.next().value.length);
                pairs++;
            }
        }
        assertEquals(40, pairs);
        assertEquals(40, store.committedOffset(CHANGELOG));
        store.close();
    }

    // ---- offsets

    @Test
    void offsetsAreRemovedWhenKafkaSaysSo() {
        TestContext context = context(false);
        FlexDBKeyValueStore store = open("store", context);
        TopicPartition other = new TopicPartition("other", 3);
        assertNull(store.committedOffset(CHANGELOG));
        store.commit(Map.of(CHANGELOG, 1L, other, 2L));
        Map<TopicPartition, Long> removed = new java.util.HashMap<>();
        removed.put(other, null);
        store.commit(removed);
        assertNull(store.committedOffset(other));
        assertEquals(1, store.committedOffset(CHANGELOG));
        store.commit(Map.of());
        assertNull(store.committedOffset(CHANGELOG));
        store.close();
    }

    @Test
    void aStoreWhoseOffsetsWereRemovedIsNotTrustedWithExactlyOnce() {
        TestContext context = context(true).with("processing.guarantee", "exactly_once_v2");
        FlexDBKeyValueStore store = open("store", context);
        store.commit(Map.of(CHANGELOG, 1L));
        store.commit(Map.of());
        assertNull(store.committedOffset(CHANGELOG));
        store.close();
        assertThrows(TaskCorruptedException.class, () -> open("store", context));
    }

    // ---- one FlexDB

    @Test
    void theStoresOfATaskShareOneFlexDB() {
        TestContext context = context(false);
        FlexDBKeyValueStore first = open("first", context);
        FlexDBKeyValueStore second = open("second", context);
        first.put(key("a"), value("1"));
        second.put(key("a"), value("2"));
        first.commit(Map.of(CHANGELOG, 1L));
        first.close();
        assertEquals("2", text(second.get(key("a"))));
        second.commit(Map.of());
        second.close();
        try (FlexDB db = FlexDB.open(directory.resolve("flexdb"))) {
            assertEquals(List.of("data/first/0", "data/second/0", "meta"), db.keyspaces());
        }
    }

    // ---- bad input

    @Test
    void aStoreOfAnotherEngineIsRefusedWithAdvice() throws IOException {
        Path other = Files.createDirectories(directory.resolve("rocksdb/store"));
        ProcessorStateException e = assertThrows(ProcessorStateException.class, () -> open("store", context(false)));
        assertTrue(e.getMessage().contains("KafkaStreams#cleanUp"), e.getMessage());
        assertTrue(e.getMessage().contains(other.toString()), e.getMessage());
        assertFalse(Files.exists(directory.resolve("flexdb")));
        open("another", context(false)).close();
    }

    @Test
    void aStoreOfANewerFormatIsRefusedAndLeftAsItIs() {
        TestContext context = context(false);
        FlexDBKeyValueStore store = FlexDBKeyValueStore.of("store", ValueFormat.HEADERS);
        store.init(context, store);
        store.put(key("a"), value("1"));
        store.close();
        ProcessorStateException e = assertThrows(ProcessorStateException.class, () -> open("store", context));
        assertTrue(e.getMessage().contains("key-value headers"), e.getMessage());
        FlexDBWindowStore window =
                FlexDBWindowStore.of(new WindowParameters("store", ValueFormat.HEADERS, 1000, 1000, false));
        assertThrows(ProcessorStateException.class, () -> window.init(context, window));
        FlexDBKeyValueStore again = FlexDBKeyValueStore.of("store", ValueFormat.HEADERS);
        again.init(context, again);
        assertEquals("1", text(again.get(key("a"))));
        again.close();
    }

    @Test
    void aStoreOfAnOlderFormatIsUpgraded() {
        TestContext context = context(false);
        FlexDBKeyValueStore plain = open("store", context);
        plain.put(key("a"), value("1"));
        plain.commit(Map.of(CHANGELOG, 3L));
        plain.close();

        FlexDBKeyValueStore timestamped = FlexDBKeyValueStore.of("store", ValueFormat.TIMESTAMPED);
        timestamped.init(context, timestamped);
        byte[] withTimestamp = TimestampedBytesStore.convertToTimestampedFormat(value("1"));
        assertArrayEquals(withTimestamp, timestamped.get(key("a")));
        assertEquals(3, timestamped.committedOffset(CHANGELOG));
        timestamped.close();

        FlexDBKeyValueStore headers = FlexDBKeyValueStore.of("store", ValueFormat.HEADERS);
        headers.init(context, headers);
        assertArrayEquals(HeadersBytesStore.convertToHeaderFormat(withTimestamp), headers.get(key("a")));
        headers.close();
        headers.init(context, headers);
        assertArrayEquals(HeadersBytesStore.convertToHeaderFormat(withTimestamp), headers.get(key("a")));
        headers.close();
    }

    @Test
    void anUnknownPropertyIsRefused() {
        TestContext context = context(false).with("flexdb.memory-byte", "16m");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> open("store", context));
        assertTrue(e.getMessage().contains("flexdb.memory-byte"), e.getMessage());
    }

    @Test
    void aKeyThatIsTooLongIsRefusedAndTheStoreGoesOn() {
        FlexDBKeyValueStore store = open("store", context(false));
        Bytes tooLong = Bytes.wrap(new byte[70_000]);
        assertThrows(ProcessorStateException.class, () -> store.put(tooLong, value("1")));
        store.put(key("a"), value("1"));
        assertEquals("1", text(store.get(key("a"))));
        assertThrows(NullPointerException.class, () -> store.put(null, value("1")));
        assertThrows(NullPointerException.class, () -> store.get(null));
        store.close();
    }

    @Test
    void aDirectoryThatIsNoFlexDBIsRefusedWithAdvice() throws IOException {
        Files.writeString(directory.resolve("flexdb"), "something else");
        ProcessorStateException e = assertThrows(ProcessorStateException.class, () -> open("store", context(false)));
        assertTrue(e.getMessage().contains("delete the task's directory"), e.getMessage());
    }

    // ----

    private TestContext context(boolean transactional) {
        return new TestContext(directory).with("enable.transactional.statestores", transactional);
    }

    private static FlexDBKeyValueStore open(String name, TestContext context) {
        KeyValueStore<Bytes, byte[]> store = FlexDBStores.keyValueStore(name).get();
        store.init(context, store);
        return (FlexDBKeyValueStore) store;
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String key, String value) {
        return new ConsumerRecord<>(
                CHANGELOG.topic(),
                CHANGELOG.partition(),
                offset,
                key.getBytes(UTF_8),
                value == null ? null : value(value));
    }

    private static Bytes key(String text) {
        return Bytes.wrap(text.getBytes(UTF_8));
    }

    private static byte[] value(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    private static List<String> pairs(KeyValueIterator<Bytes, byte[]> iterator) {
        List<String> pairs = new ArrayList<>();
        try (iterator) {
            while (iterator.hasNext()) {
                KeyValue<Bytes, byte[]> pair = iterator.next();
                pairs.add(text(pair.key.get()) + "=" + text(pair.value));
            }
        }
        return pairs;
    }
}
