package io.flexdb.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBStats;
import io.flexdb.Keyspace;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.query.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores that are restored from their changelogs, with ends at all times. */
class RestoreTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "KEY_VALUE, false",
        "KEY_VALUE, true",
        "GROWING, true",
        "WINDOW, false",
        "WINDOW, true",
        "SESSION, true",
        "VERSIONED, false",
        "VERSIONED, true"
    })
    void aStoreIsRestoredFromNothing(Restorable kind, boolean transactional) {
        List<ConsumerRecord<byte[], byte[]>> records = kind.changelog();
        TestContext context = context(transactional);
        StateStore store = kind.store();
        assertEquals(0, Restorable.open(store, context));
        int half = records.size() / 2;
        Restorable.restore(context, records, 0, half);
        kind.check(store, records.subList(0, half)); // what is in memory, too
        Restorable.restore(context, records, half, records.size());
        kind.check(store, records);
        assertTrue(Restorable.had(store) > 0, "some of it is written without being asked for");
        store.close();

        assertEquals(records.size(), Restorable.open(store, context));
        kind.check(store, records);
        store.close();
    }

    @ParameterizedTest
    @EnumSource
    void aRestorationThatIsKilledGoesOnWhereItsOffsetIs(Restorable kind, @TempDir Path copies) {
        List<ConsumerRecord<byte[], byte[]>> records = kind.changelog();
        TestContext context = context(true);
        StateStore store = kind.store();
        Restorable.open(store, context);
        int parts = 3;
        for (int part = 0; part < parts; part++) {
            Restorable.restore(context, records, records.size() * part / parts, records.size() * (part + 1) / parts);
            TestContext killed = context.killed(copies.resolve("part-" + part));
            StateStore after = kind.store();
            long had = Restorable.open(after, killed);
            kind.check(after, records.subList(0, (int) had));
            Restorable.restore(killed, records, had, records.size());
            kind.check(after, records);
            after.close();
        }
        store.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsThereBeforeItsOffsetIsRestoredOnceMore(Restorable kind) {
        List<ConsumerRecord<byte[], byte[]>> records = kind.changelog();
        TestContext context = context(true);
        StateStore store = kind.store();
        Restorable.open(store, context);
        Restorable.restore(context, records, 0, records.size() / 3);
        store.close();
        byte[] offset = StoreMeta.offsetKey("store", Restorable.CHANGELOG);
        byte[] time = StoreMeta.timeKey("store");
        byte[] earlier = setMeta(offset, null, time);
        Restorable.open(store, context);
        Restorable.restore(context, records, 0, records.size() * 2 / 3);
        store.close();
        // A kill between a bulk load and the batch with its offset and time leaves this.
        setMeta(offset, ByteBuffer.allocate(8).putLong(records.size() / 3 - 1).array(), time, earlier);

        assertEquals(records.size() / 3, Restorable.open(store, context));
        Restorable.restore(context, records, records.size() / 3, records.size());
        kind.check(store, records);
        store.close();
    }

    /** Sets the offset, and the time if one is given, and returns the time that was there. */
    private byte[] setMeta(byte[] offsetKey, byte[] offset, byte[] timeKey, byte[]... time) {
        try (FlexDB db = FlexDB.open(directory.resolve("flexdb"))) {
            Keyspace meta = db.keyspace("meta");
            byte[] old = meta.get(timeKey);
            if (offset == null) {
                meta.delete(offsetKey);
            } else {
                meta.put(offsetKey, offset);
            }
            if (time.length > 0 && time[0] != null) {
                meta.put(timeKey, time[0]);
            }
            return old;
        }
    }

    @Test
    void whereNothingIsEachByteIsWrittenOnce() {
        List<ConsumerRecord<byte[], byte[]>> records = Restorable.GROWING.changelog();
        TestContext context = context(true);
        StateStore store = Restorable.GROWING.store();
        Restorable.open(store, context);
        Restorable.restore(context, records, 0, records.size());
        TaskDatabase database = TaskDatabase.acquire(directory, Map.of());
        FlexDBStats.Written written = database.db().stats().written();
        database.release();
        long had = Restorable.had(store);
        store.close();
        long bytes = records.stream()
                .limit(had)
                .mapToLong(ConsumerRecord::serializedValueSize)
                .sum();
        assertTrue(written.walBytes() < bytes / 50, written::toString);
        assertTrue(written.dataBytes() < bytes * 3 / 2, written::toString);
    }

    @Test
    void expiredSegmentsAreLeftOut() {
        List<ConsumerRecord<byte[], byte[]>> records = Restorable.WINDOW.changelog();
        TestContext context = context(true);
        StateStore store = Restorable.WINDOW.store();
        Restorable.open(store, context);
        Restorable.restore(context, records, 0, records.size());
        store.close();
        try (FlexDB db = FlexDB.open(directory.resolve("flexdb"))) {
            assertEquals(List.of("data/store/2", "data/store/3", "data/store/4", "meta"), db.keyspaces());
        }
    }

    @Test
    void aWriteComesBehindWhatWasRestored() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = new FlexDBKeyValueStore("store", ValueFormat.PLAIN);
        assertEquals(0, Restorable.open(store, context));
        context.restore(List.of(text(5, "a", "1"), text(6, "b", "2"), text(7, "a", "3")));
        assertEquals(0, Restorable.had(store)); // not written yet
        assertEquals("3", text(store.readOnly(IsolationLevel.READ_COMMITTED).get(key("a"))));
        assertEquals(0, store.approximateNumUncommittedBytes());

        context.processes(40);
        store.put(key("a"), value("4"));
        assertEquals(8, Restorable.had(store));
        assertEquals("4", text(store.get(key("a"))));
        assertEquals("3", text(store.readOnly(IsolationLevel.READ_COMMITTED).get(key("a"))));
        store.close(); // dirty

        assertEquals(8, Restorable.open(store, context));
        assertEquals("3", text(store.get(key("a"))));
        assertEquals("2", text(store.get(key("b"))));
        assertEquals(Position.emptyPosition(), store.getPosition());
        store.close();
    }

    @Test
    void timeThatIsNotCommittedIsNotKeptWithWhatWasRestored() {
        TestContext context = context(true);
        FlexDBWindowStore store =
                FlexDBWindowStore.of(new WindowParameters("store", ValueFormat.PLAIN, 600_000, 1000, false));
        Restorable.open(store, context);
        byte[] key = {1};
        context.restore(List.of(Changelog.window(5, key, 1000, 0, new byte[] {1})));
        context.processes(1);
        store.put(Bytes.wrap(key), new byte[] {2}, 10_000_000);
        assertNull(store.fetch(Bytes.wrap(key), 1000)); // it expired
        store.close(); // dirty
        assertEquals(6, Restorable.open(store, context));
        assertArrayEquals(new byte[] {1}, store.fetch(Bytes.wrap(key), 1000));
        store.close();
    }

    @Test
    void aStoreThatIsNotBufferedShowsAWriteAboveWhatWasRestored() {
        TestContext context = context(false);
        FlexDBKeyValueStore store = new FlexDBKeyValueStore("store", ValueFormat.PLAIN);
        Restorable.open(store, context);
        context.restore(List.of(text(5, "a", "1"), text(6, "b", "2")));
        store.put(key("a"), null);
        assertNull(store.get(key("a")));
        assertEquals("2", text(store.get(key("b"))));
        store.commit(Map.of(Restorable.CHANGELOG, 9L));
        store.close();
        assertEquals(10, Restorable.open(store, context));
        assertNull(store.get(key("a")));
        store.close();
    }

    @Test
    void aCommitKeepsWhatWasRestored() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = new FlexDBKeyValueStore("store", ValueFormat.PLAIN);
        Restorable.open(store, context);
        context.restore(List.of(text(5, "a", "1")));
        store.commit(Map.of(Restorable.CHANGELOG, 5L));
        assertEquals(6, Restorable.had(store));
        context.restore(List.of(text(6, "a", "2")));
        store.commit(Map.of(Restorable.CHANGELOG, 6L));
        assertEquals(7, Restorable.had(store));
        store.close();
        Restorable.open(store, context);
        assertEquals("2", text(store.get(key("a"))));
        store.close();
    }

    @Test
    void aStoreThatCouldNotRestoreARecordTakesNoOffsetAnyMore() {
        TestContext context = context(true);
        FlexDBKeyValueStore store = new FlexDBKeyValueStore("store", ValueFormat.PLAIN);
        Restorable.open(store, context);
        context.restore(List.of(text(5, "a", "1")));
        ConsumerRecord<byte[], byte[]> withoutKey = new ConsumerRecord<>("test-store-changelog", 0, 7, null, null);
        List<ConsumerRecord<byte[], byte[]>> bad = List.of(text(6, "a", "2"), withoutKey);
        assertThrows(RuntimeException.class, () -> context.restore(bad));
        assertThrows(ProcessorStateException.class, () -> store.commit(Map.of(Restorable.CHANGELOG, 7L)));
        assertThrows(ProcessorStateException.class, () -> store.put(key("b"), value("1")));
        store.close();
        assertEquals(0, Restorable.open(store, context));
        assertNull(store.get(key("a")));
        store.close();
    }

    // ----

    private TestContext context(boolean transactional) {
        return new TestContext(directory).with("enable.transactional.statestores", transactional);
    }

    private static ConsumerRecord<byte[], byte[]> text(long offset, String key, String value) {
        return Changelog.versioned(offset, key.getBytes(UTF_8), offset, value.getBytes(UTF_8));
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
}
