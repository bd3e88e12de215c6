package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.interval.Interval;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sparse index after an opening: sampled from the data, or read from the anchors of a clean close. */
class FlexDBIndexTest {
    private static final Path INTERVALS = StoreDriver.DIRECTORY.resolve("intervals");

    private static byte[] key(int number, int bytes) {
        byte[] key = new byte[bytes];
        byte[] digits = String.format(Locale.ROOT, "%07d", number).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(digits, 0, key, 0, digits.length);
        return key;
    }

    /** Commits pairs of a size, in random order, then half of them again, and kills. */
    @ParameterizedTest
    @CsvSource({
        "0, 8, 10",
        "1, 8, 10",
        "17, 8, 0",
        "3000, 8, 20",
        "3000, 60, 100",
        "400, 3000, 10",
        "300, 8, 5000",
        "60, 8, 50000",
        "1000, 500, 600"
    })
    void afterAKillTheIndexIsSampledFromRecordsOfAnySize(int count, int keyBytes, int valueBytes) {
        for (int segmentBytes : new int[] {64 * 512, 256 << 10}) {
            FlexDBOptions options = StoreDriver.SMALL
                    .withMemtableBytes(256 << 10)
                    .withSpace(FlexSpaceOptions.defaults().withSegments(segmentBytes, 512));
            StoreDriver store = new StoreDriver(options);
            Random random = new Random(count);
            for (int i = 0; i < count + count / 2; i++) {
                store.put(key(i < count ? i * 7919 % count : random.nextInt(count), keyBytes), new byte[valueBytes]);
            }
            store.db.close(); // commits all; without the anchors the next opening has nothing but the data
            assertTrue(store.vfs.exists(INTERVALS));
            store.vfs.delete(INTERVALS);
            store.open();
            store.assertSame("sampled");
            for (int i = 0; i < count; i += 1 + count / 50) {
                store.get(key(i, keyBytes), "get");
                store.delete(key(i, keyBytes));
                store.put(key(count + i, keyBytes), new byte[valueBytes / 2]);
            }
            store.kill("killed");
            store.reopen("changed");
            store.assertSameBackward("changed");
            store.db.close();
        }
    }

    @Test
    void anchorsOfAnEarlierCloseAreIgnored() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        for (int i = 0; i < 600; i++) {
            store.put(key(i, 8), new byte[100]);
        }
        store.db.close();
        byte[] old = store.vfs.content(INTERVALS);
        store.open();
        assertFalse(store.vfs.exists(INTERVALS), "deleted by opening");
        for (int i = 0; i < 600; i += 2) { // as many pairs of the same lengths, under other keys
            store.delete(key(i, 8));
            store.put(key(1000 + i, 8), new byte[100]);
        }
        store.db.close();
        byte[] current = store.vfs.content(INTERVALS);
        store.vfs.setContent(INTERVALS, old);
        store.open();
        store.assertSame("old anchors");
        for (int i = 0; i < 2000; i++) {
            store.get(key(i, 8), "old anchors");
        }
        for (int i = 0; i < 600; i += 3) {
            store.put(key(i, 8), new byte[50]);
        }
        store.vfs.setContent(INTERVALS, current);
        store.kill("newer anchors, but older than the store");
        store.db.close();
    }

    /** Without a change in between, too: each opening makes a generation of its own. */
    @Test
    void anchorsAreOfOneGeneration() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        store.put(key(1, 8), new byte[10]);
        store.db.close();
        byte[] first = store.vfs.content(INTERVALS);
        store.reopen("once more");
        store.db.close();
        assertFalse(Arrays.equals(first, store.vfs.content(INTERVALS)));
        store.open();
    }

    @Test
    void figuresFitWhatWasDone() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);
        FlexDBStats empty = db.stats();
        assertEquals(0, empty.lastSequence());
        assertEquals(0, empty.durableSequence());
        assertEquals(0, empty.space().bytes());
        assertEquals(0, empty.written().walBytes());
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 1000; i++) {
                db.put(key(i, 8), new byte[100]);
            }
        }
        db.sync();
        FlexDBStats stats = db.stats();
        assertEquals(6000, stats.lastSequence());
        assertEquals(6000, stats.durableSequence());
        assertTrue(stats.written().walBytes() > 6000 * 108, stats.toString());
        assertTrue(stats.space().bytes() >= 1000 * 110 && stats.space().bytes() < 1000 * 115, stats.toString());
        assertTrue(
                stats.index().intervals() >= 1000 / Interval.MAX_PAIRS
                        && stats.index().intervals() <= 500,
                stats.toString());
        assertTrue(stats.space().extents() > 0 && stats.space().extents() <= 1000, stats.toString());
        assertEquals((long) stats.space().segments() * 64 * 512, stats.space().diskBytes());
        assertTrue(
                stats.space().freeSegments() >= 0
                        && stats.space().freeSegments() < stats.space().segments(),
                stats.toString());
        assertTrue(stats.written().dataBytes() > stats.space().bytes(), stats.toString());
        assertTrue(stats.written().logBytes() > 0 && stats.written().treeBytes() > 0, stats.toString());
        assertTrue(stats.commits().checkpoints() > 0, stats.toString());
        assertTrue(stats.commits().memtableBytes() >= 64 << 10, stats.toString());
        assertTrue(stats.space().treeMemoryBytes() > 0 && stats.index().memoryBytes() > 0, stats.toString());
        assertTrue(stats.cache().memoryBytes() > 0 && stats.cache().memoryBytes() <= 1 << 20, stats.toString());
        assertEquals(
                stats.written().walBytes()
                        + stats.written().dataBytes()
                        + stats.written().logBytes()
                        + stats.written().treeBytes(),
                stats.written().totalBytes());
        for (int i = 0; i < 1000; i++) {
            assertEquals(100, db.get(key(i, 8)).length);
        }
        assertTrue(db.stats().cache().hits() > stats.cache().hits());
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            assertEquals(6000, again.stats().lastSequence());
            assertEquals(6000, again.durableSequence());
            assertEquals(6001, again.delete(key(0, 8)));
        }
    }

    /** A later opening may have smaller memtables than the log that it finds was made for. */
    @Test
    void aLargeWriteIsRecoveredWithSmallMemtables() {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL.withMemtableBytes(1 << 20), new SimulatedVfs());
        store.open();
        store.put(key(1, 8), new byte[700_000]);
        store.put(key(2, 8), new byte[100_000]);
        store.put(key(3, 8), new byte[100]);
        StoreDriver small = StoreDriver.closed(StoreDriver.SMALL, store.vfs.kill());
        small.open();
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(small.db), "recovered");
        assertEquals(4, small.db.put(key(4, 8), new byte[30_000]));
        assertEquals(5, small.db.put(key(5, 8), new byte[30_000]));
        assertEquals(6, small.db.put(key(6, 8), new byte[30_000]));
        small.db.close();
        try (FlexDB again = StoreDriver.open(small.vfs, StoreDriver.SMALL)) {
            assertEquals(6, StoreDriver.all(again).size());
            assertEquals(700_000, again.get(key(1, 8)).length);
        }
    }

    /** A background thread bounds what a power cut takes. */
    @Test
    void writesBecomeDurableByThemselves() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withSyncInterval(Duration.ofMillis(2));
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false);
        long last = db.put(key(1, 8), new byte[5]);
        Waiting.whileTrue(() -> db.durableSequence() < last);
        try (FlexDB again = StoreDriver.open(vfs.crash(0), options)) {
            assertEquals(5, again.get(key(1, 8)).length);
        }
    }
}
