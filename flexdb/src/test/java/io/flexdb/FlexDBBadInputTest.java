package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Arguments that are refused, with nothing written, and calls that come too late. */
class FlexDBBadInputTest {
    private static final byte[] KEY = {'k'};
    private static final byte[] EMPTY = {};
    private static final byte[] LONG_KEY = new byte[65_536];

    private final FlexDB db =
            StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL.withLargeValueBytes(Integer.MAX_VALUE));

    @AfterEach
    void nothingWasWritten() {
        assertEquals(0, db.stats().lastSequence());
        assertEquals(0, db.stats().written().walBytes());
        db.close();
    }

    private static void refused(String message, Executable... calls) {
        Class<? extends RuntimeException> refusal =
                message.contains("null") ? NullPointerException.class : IllegalArgumentException.class;
        for (Executable call : calls) {
            String found = assertThrows(refusal, call).getMessage();
            assertTrue(found.contains(message), found);
        }
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes);
    }

    @Test
    void keysThatAreNullEmptyOrTooLong() {
        WriteBatch batch = new WriteBatch();
        List<byte[]> keys = new ArrayList<>(List.of(EMPTY, LONG_KEY));
        keys.add(null);
        for (byte[] key : keys) {
            String message = key == null ? "key must not be null" : key.length == 0 ? "must not be empty" : "65536";
            ByteBuffer keyBuffer = key == null ? null : buffer(key);
            refused(
                    message,
                    () -> db.put(key, KEY),
                    () -> db.put(keyBuffer, buffer(KEY)),
                    () -> db.delete(keyBuffer),
                    () -> db.delete(key),
                    () -> db.get(key),
                    () -> db.get(keyBuffer, ByteBuffer.allocate(9)),
                    () -> batch.put(key, KEY),
                    () -> batch.put(keyBuffer, buffer(KEY)),
                    () -> batch.delete(key),
                    () -> batch.delete(keyBuffer));
            try (Snapshot snapshot = db.snapshot()) {
                refused(message, () -> snapshot.get(key), () -> snapshot.get(keyBuffer, ByteBuffer.allocate(9)));
            }
            if (keyBuffer != null) {
                assertEquals(0, keyBuffer.position());
            }
        }
        assertEquals(0, batch.size());
        assertEquals(0, batch.sizeBytes());
    }

    @Test
    void argumentsThatAreNull() {
        WriteBatch batch = new WriteBatch();
        refused(
                "must not be null",
                () -> db.put(KEY, null),
                () -> db.put(buffer(KEY), null),
                () -> batch.put(KEY, null),
                () -> batch.put(buffer(KEY), null),
                () -> db.get(buffer(KEY), null),
                () -> db.write(null),
                () -> db.write(batch, null),
                () -> db.cursor(null),
                () -> FlexDB.open(null),
                () -> FlexDB.open(StoreDriver.DIRECTORY, null));
        try (FlexCursor cursor = db.cursor()) {
            refused(
                    "must not be null",
                    () -> cursor.seek((byte[]) null),
                    () -> cursor.seek((ByteBuffer) null),
                    () -> cursor.seekForPrev((byte[]) null),
                    () -> cursor.seekForPrev((ByteBuffer) null),
                    () -> cursor.compareKey(null),
                    () -> cursor.key(null),
                    () -> cursor.value(null));
        }
    }

    /** A gigabyte, of which nothing is ever read. */
    @Test
    void valuesThatAreTooLong(@TempDir Path temporary) throws IOException {
        long bytes = FlexDB.MAX_VALUE_BYTES + 1L;
        try (FileChannel file = FileChannel.open(
                temporary.resolve("sparse"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ByteBuffer value = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            refused(
                    Long.toString(bytes),
                    () -> db.put(buffer(KEY), value),
                    () -> new WriteBatch().put(buffer(KEY), value));
            assertEquals(0, value.position());
        }
    }

    @Test
    void writesThatAMemtableCannotHold() {
        byte[] value = new byte[StoreDriver.SMALL.memtableBytes() - 1000];
        ByteBuffer key = buffer(KEY);
        refused(
                "a memtable of 65536 bytes can't hold",
                () -> db.put(KEY, value),
                () -> db.put(key, buffer(value)),
                () -> db.write(new WriteBatch().put(new byte[] {7}, EMPTY).put(KEY, value)));
        assertEquals(0, key.position());
    }

    @Test
    void aRangeWhoseEndsAreSwapped() {
        refused("fromInclusive", () -> db.deleteRange(new byte[] {2}, new byte[] {1}));
        refused("fromInclusive", () -> db.deleteRange(new byte[] {2}, EMPTY));
        refused("fromInclusive", () -> db.deleteRange(new byte[] {(byte) 0x80}, new byte[] {0x7F}));
        refused("fromInclusive", () -> db.deleteRange(new byte[] {1, 0}, new byte[] {1}));
        refused("fromInclusive", () -> new WriteBatch().deleteRange(new byte[] {2}, new byte[] {1}));
        refused("65535", () -> db.deleteRange(new byte[65_536], null));
        refused("65535", () -> db.deleteRange(null, new byte[65_536]));
        assertEquals(0, db.deleteRange(new byte[] {1}, new byte[] {1}));
        assertEquals(0, db.deleteRange(null, EMPTY));
        assertEquals(0, db.deleteRange(EMPTY, EMPTY));
        assertEquals(0, new WriteBatch().deleteRange(KEY, KEY).size());
    }

    @Test
    void aBatchOfTooManyRanges() {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < WriteBatch.MAX_RANGES; i++) {
            batch.deleteRange(new byte[] {(byte) (i >> 8), (byte) i}, null);
        }
        refused("ranges", () -> batch.deleteRange(EMPTY, null));
        assertEquals(WriteBatch.MAX_RANGES, batch.size());
    }

    @Test
    void aRangeToEstimateWhoseEndsAreSwapped() {
        refused("fromInclusive", () -> db.estimateRange(new byte[] {2}, new byte[] {1}));
        assertEquals(new Figures.Range(0, 0), db.estimateRange(KEY, KEY));
        assertEquals(new Figures.Range(0, 0), db.estimateRange(null, null));
    }

    @Test
    void boundsThatAreNotInOrderAndAnExpectationBelowNothing() {
        ReadOptions swapped =
                ReadOptions.defaults().withLowerBound(new byte[] {2}).withUpperBound(new byte[] {1, 9});
        refused("lowerBound must not be above upperBound", () -> db.cursor(swapped));
        refused("expectedPairs must not be negative: -1", () -> swapped.withExpectedPairs(-1));
        try (FlexCursor cursor = db.cursor(swapped.withUpperBound(new byte[] {2}))) {
            cursor.seekToFirst();
            assertFalse(cursor.isValid());
        }
    }

    @Test
    void aSnapshotOfAnotherStore() {
        try (FlexDB other = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL);
                Snapshot snapshot = other.snapshot()) {
            ReadOptions options = ReadOptions.defaults().withSnapshot(snapshot);
            refused("not of this store", () -> db.cursor(options));
            assertEquals(snapshot, options.snapshot());
        }
    }

    @Test
    void settingsOutOfTheirBounds() {
        FlexDBOptions options = FlexDBOptions.defaults();
        refused("durability must not be null", () -> options.withDurability(null));
        refused("space must not be null", () -> options.withSpace(null));
        refused("cacheBytes must not be negative: -1", () -> options.withCacheBytes(-1));
        refused(
                "stitchingThresholdBytes must be at least 0, or -1 for the default: -2",
                () -> options.withStitchingThresholdBytes(-2));
        refused("reads must not be null", () -> options.withReads(null));
        refused(
                "memtableBytes must be from 65536 to 1073741824",
                () -> options.withMemtableBytes(65_535),
                () -> options.withMemtableBytes((1 << 30) + 1));
        refused("maxPinnedBytes must not be negative: -1", () -> options.withMaxPinnedBytes(-1));
        refused("largeValueBytes must be at least 1: 0", () -> options.withLargeValueBytes(0));
        refused("maxPinnedFileBytes must not be negative: -1", () -> options.withMaxPinnedFileBytes(-1));
        refused("maxLeasedBytes must not be negative: -1", () -> options.withMaxLeasedBytes(-1));
        refused("syncInterval must not be null", () -> options.withSyncInterval(null));
        refused(
                "syncInterval",
                () -> options.withSyncInterval(Duration.ofNanos(-1)),
                () -> options.withSyncInterval(Duration.ofDays(2)));
    }

    @Test
    void settingsCanBeReadAndPrinted() {
        FlexSpaceOptions space = FlexSpaceOptions.defaults().withMinimumUtilization(0.5);
        FlexDBOptions options = FlexDBOptions.defaults()
                .withDurability(Durability.NONE)
                .withCacheBytes(1)
                .withMemtableBytes(1 << 20)
                .withSyncInterval(Duration.ZERO)
                .withMaxPinnedBytes(2)
                .withLargeValueBytes(7)
                .withMaxPinnedFileBytes(3)
                .withMaxLeasedBytes(5)
                .withHolderTraces(true)
                .withReads(Reads.POSITIONAL)
                .withReadableByGroup(true)
                .withDefragmentedBytesPerSecond(3)
                .withStitchingThresholdBytes(4)
                .withRangeFilter(true)
                .withSpace(space)
                .withClock(Clock.systemUTC())
                .withMergeFunction(MergeFunction.ADD);
        assertEquals(Durability.NONE, options.durability());
        assertEquals(Clock.systemUTC(), options.clock());
        assertEquals(1, options.cacheBytes());
        assertEquals(1 << 20, options.memtableBytes());
        assertEquals(Duration.ZERO, options.syncInterval());
        assertEquals(2, options.maxPinnedBytes());
        assertEquals(7, options.largeValueBytes());
        assertEquals(3, options.maxPinnedFileBytes());
        assertEquals(5, options.maxLeasedBytes());
        assertTrue(options.holderTraces());
        assertEquals(Reads.POSITIONAL, options.reads());
        assertTrue(options.readableByGroup());
        assertEquals(3, options.defragmentedBytesPerSecond());
        assertEquals(4, options.stitchingThresholdBytes());
        assertTrue(options.rangeFilter());
        assertEquals(space, options.space());
        assertEquals(
                "FlexDBOptions[durability=NONE, memoryBytes=derived, cacheBytes=1, memtableBytes=1048576, "
                        + "syncInterval=PT0S, maxPinnedBytes=2, maxPinnedFileBytes=3, maxLeasedBytes=5, holderTraces=true, "
                        + "largeValueBytes=7, reads=POSITIONAL, "
                        + "readableByGroup=true, defragmentedBytesPerSecond=3, stitchingThresholdBytes=4, rangeFilter=true, space="
                        + space
                        + ", healthListener=null, clock=SystemClock[Z], mergeFunction=ADD]",
                options.toString());
        assertEquals(
                "ReadOptions[snapshot=null, lowerBound=none, upperBound=1 bytes, keysOnly=true, expectedPairs=7, "
                        + "reverse=true, limit=9]",
                ReadOptions.defaults()
                        .withUpperBound(KEY)
                        .withKeysOnly(true)
                        .withExpectedPairs(7)
                        .withReverse(true)
                        .withLimit(9)
                        .toString());
        assertEquals(
                "ReadOptions[snapshot=null, lowerBound=none, upperBound=none, keysOnly=false, expectedPairs=0, "
                        + "reverse=false, limit=none]",
                ReadOptions.defaults().toString());
        assertEquals(
                "WriteBatch[1 operations, 4 bytes]",
                new WriteBatch().put(KEY, EMPTY).toString());
        assertEquals("FlexDB[/store]", db.toString());
    }

    @Test
    void aCursorThatStandsNowhereHasNothing() {
        try (FlexCursor cursor = db.cursor()) {
            List<Executable> calls = List.of(
                    cursor::next,
                    cursor::prev,
                    cursor::key,
                    cursor::value,
                    cursor::keyLength,
                    cursor::valueLength,
                    () -> cursor.compareKey(KEY),
                    () -> cursor.key(ByteBuffer.allocate(1)),
                    () -> cursor.value(ByteBuffer.allocate(1)));
            for (Executable call : calls) {
                assertThrows(IllegalStateException.class, call);
            }
            for (Runnable move : List.<Runnable>of(
                    cursor::seekToFirst,
                    cursor::seekToLast,
                    () -> cursor.seek(KEY),
                    () -> cursor.seekForPrev(KEY),
                    () -> cursor.seek(EMPTY))) {
                move.run();
                assertFalse(cursor.isValid());
            }
        }
    }

    @Test
    void everyCallAfterCloseSaysSo() {
        FlexDB closed = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL);
        closed.put(KEY, KEY);
        Snapshot snapshot = closed.snapshot();
        FlexCursor cursor = closed.cursor();
        cursor.seekToFirst();
        Transaction transaction = closed.begin().put(KEY, KEY);
        closed.close();
        closed.close();
        ByteBuffer room = ByteBuffer.allocate(10);
        List<Executable> calls = new ArrayList<>(List.of(
                () -> closed.put(KEY, KEY),
                () -> closed.put(buffer(KEY), buffer(KEY)),
                () -> closed.delete(KEY),
                () -> closed.delete(buffer(KEY)),
                () -> closed.deleteRange(KEY, new byte[] {'z'}),
                () -> closed.write(new WriteBatch()),
                () -> closed.write(new WriteBatch().delete(KEY), Durability.SYNC),
                () -> closed.get(KEY),
                () -> closed.get(buffer(KEY), room),
                () -> closed.get(KEY, new byte[9], 0),
                () -> closed.containsKey(KEY),
                () -> closed.containsKey(buffer(KEY)),
                () -> closed.valueLength(KEY),
                () -> closed.valueLength(buffer(KEY)),
                () -> closed.multiGet(List.of(KEY)),
                () -> closed.multiGet(List.of(buffer(KEY)), (value, index) -> {}),
                () -> closed.estimateRange(null, null),
                () -> closed.put(KEY, KEY, WriteOptions.durability(Durability.SYNC)),
                () -> closed.delete(KEY, WriteOptions.durability(Durability.SYNC)),
                () -> snapshot.valueLength(KEY),
                () -> snapshot.containsKey(KEY),
                () -> snapshot.multiGet(List.of(KEY)),
                closed::cursor,
                () -> closed.cursor(ReadOptions.defaults().withSnapshot(snapshot)),
                closed::snapshot,
                closed::sync,
                closed::durableSequence,
                closed::stats,
                () -> snapshot.get(KEY),
                () -> snapshot.get(buffer(KEY), room),
                () -> transaction.get(KEY),
                () -> transaction.valueLength(KEY),
                () -> transaction.multiGet(List.of(KEY)),
                () -> transaction.openValue(KEY),
                () -> transaction.put(KEY, KEY),
                () -> transaction.delete(KEY),
                transaction::cursor,
                transaction::savepoint,
                transaction::commit));
        calls.addAll(callsOf(cursor));
        for (int i = 0; i < calls.size(); i++) {
            assertThrows(StoreClosedException.class, calls.get(i), "call " + i);
        }
        snapshot.close();
        cursor.close();
        transaction.close();
        assertEquals("FlexDB[/store, closed]", closed.toString());
    }

    @Test
    void everyCallOfAClosedCursorOrSnapshotSaysSo() {
        FlexCursor cursor = db.cursor();
        cursor.close();
        cursor.close();
        for (Executable call : callsOf(cursor)) {
            assertThrows(StoreClosedException.class, call);
        }
        Snapshot snapshot = db.snapshot();
        snapshot.close();
        snapshot.close();
        assertEquals("Snapshot[0]", snapshot.toString());
        assertThrows(StoreClosedException.class, () -> snapshot.get(KEY));
        assertThrows(StoreClosedException.class, () -> snapshot.get(buffer(KEY), ByteBuffer.allocate(1)));
        assertThrows(
                StoreClosedException.class,
                () -> db.cursor(ReadOptions.defaults().withSnapshot(snapshot)));
    }

    private static List<Executable> callsOf(FlexCursor cursor) {
        return Arrays.asList(
                cursor::seekToFirst,
                cursor::seekToLast,
                () -> cursor.seek(KEY),
                () -> cursor.seekForPrev(KEY),
                () -> cursor.seek(buffer(KEY)),
                () -> cursor.seekForPrev(buffer(KEY)),
                () -> cursor.compareKey(KEY),
                cursor::next,
                cursor::prev,
                cursor::isValid,
                cursor::key,
                cursor::value,
                cursor::keyLength,
                cursor::valueLength,
                () -> cursor.key(ByteBuffer.allocate(10)),
                () -> cursor.value(ByteBuffer.allocate(10)));
    }

    @Test
    void longestKeysAndShortestValuesAreTaken() {
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(1 << 20);
        SimulatedVfs vfs = new SimulatedVfs();
        byte[] longest = new byte[65_535];
        try (FlexDB large = StoreDriver.open(vfs, options)) {
            for (int i = 0; i < 40; i++) {
                longest[65_534] = (byte) i;
                large.put(longest, EMPTY);
            }
        }
        try (FlexDB large = StoreDriver.open(vfs.kill(), options)) {
            assertEquals(40, StoreDriver.all(large).size());
            longest[65_534] = 33;
            assertArrayEquals(EMPTY, large.get(longest));
            assertEquals(41, large.deleteRange(EMPTY, new byte[] {1}));
            assertEquals(0, StoreDriver.all(large).size());
        }
    }
}
