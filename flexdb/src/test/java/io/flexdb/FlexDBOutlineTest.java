package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores whose cache has room for outlines of most intervals, and for directories of few. */
class FlexDBOutlineTest {
    private static final Path FILE = StoreDriver.DIRECTORY.resolve("intervals");
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");
    private static final FlexDBOptions SMALL = StoreDriver.SMALL.withCacheBytes(192 << 10);
    private static final int KEYS = 4000;

    static byte[] key(int number) {
        return ByteBuffer.allocate(12)
                .putInt(number % 7)
                .putLong(number * 0x9E3779B97F4A7C15L)
                .array();
    }

    static byte[] value(int number, int round) {
        byte[] value = new byte[number % 50 == 0 ? 400 : number % 40];
        Arrays.fill(value, (byte) (number + round));
        return value;
    }

    /** A store most of whose pairs have been changed again, in place as a rule. */
    private static StoreDriver store(FlexDBOptions options, long seed) {
        StoreDriver store = new StoreDriver(options);
        for (int i = 0; i < KEYS; i++) {
            store.put(key(i), value(i, 0));
        }
        Random random = new Random(seed);
        for (int i = 0; i < KEYS; i++) {
            change(store, random, i);
        }
        return store;
    }

    private static void change(StoreDriver store, Random random, int round) {
        int number = random.nextInt(KEYS);
        switch (random.nextInt(12)) {
            case 0, 1 -> store.delete(key(number));
            case 2 -> store.merge(key(number), new byte[] {(byte) round});
            case 3 -> store.put(key(number), value(number, round), 1 + random.nextInt(50));
            default -> store.put(key(number), value(number, round));
        }
    }

    /** Intervals with a directory, and with an outline. */
    private static int[] cached(FlexDB db) {
        IntervalCache cache = db.access.store().cache;
        IntervalCursor interval = db.access.store().index.cursor();
        int[] counts = new int[2];
        interval.first(db.access.store().index.current());
        do {
            boolean directory = cache.containsDirectory(interval.contentNumber());
            counts[0] += directory ? 1 : 0;
            counts[1] += !directory && cache.contains(interval.contentNumber()) ? 1 : 0;
        } while (interval.next());
        return counts;
    }

    private static void assertEachKey(StoreDriver store, String at) {
        ByteBuffer destination = ByteBuffer.allocate(1000);
        Map<byte[], byte[]> now = store.oracle.now();
        for (int i = 0; i < KEYS; i++) {
            byte[] expected = now.get(key(i));
            assertArrayEquals(expected, store.db.get(key(i)), at + ", key " + i);
            assertEquals(expected != null, store.db.containsKey(key(i)), at);
            int length = store.db.get(ByteBuffer.wrap(key(i)), destination.clear());
            assertEquals(expected == null ? -1 : expected.length, length, at);
            assertNull(store.db.get(Arrays.copyOf(key(i), 13)), at + ", above key " + i);
        }
    }

    /** Short walks in both directions. */
    private static void assertWalks(StoreDriver store, Random random, String at) {
        TreeMap<byte[], byte[]> now = StoreOracle.newMap();
        now.putAll(store.oracle.now());
        try (FlexCursor cursor = store.db.cursor()) {
            for (int i = 0; i < 300; i++) {
                byte[] from = Arrays.copyOf(key(random.nextInt(KEYS)), 11 + random.nextInt(3));
                boolean forward = random.nextBoolean();
                NavigableMap<byte[], byte[]> expected = forward ? now.tailMap(from, true) : now.headMap(from, true);
                expected = forward ? expected : expected.descendingMap();
                if (forward) {
                    cursor.seek(from);
                } else {
                    cursor.seekForPrev(from);
                }
                int left = random.nextInt(60);
                for (Map.Entry<byte[], byte[]> pair : expected.entrySet()) {
                    if (left-- == 0) {
                        break;
                    }
                    assertArrayEquals(pair.getKey(), cursor.key(), at);
                    assertArrayEquals(pair.getValue(), cursor.value(), at);
                    if (forward) {
                        cursor.next();
                    } else {
                        cursor.prev();
                    }
                }
                assertTrue(left < 0 || !cursor.isValid(), at);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void lookupsAndCommitsByOutlinesAreThoseOfASortedMap(Reads reads) {
        for (long seed = 1; seed <= Effort.times(3); seed++) {
            StoreDriver store = store(SMALL.withReads(reads), seed);
            Random random = new Random(~seed);
            int outlines = 0;
            for (int round = 0; round < Math.max(4, Effort.times(12)); round++) {
                String at = reads + ", seed " + seed + ", round " + round;
                assertEachKey(store, at);
                outlines += cached(store.db)[1];
                assertWalks(store, random, at);
                for (int i = 0; i < 300; i++) {
                    store.clock.advance(random.nextInt(2));
                    change(store, random, round);
                }
                if (round % 4 == 1) {
                    byte[] from = key(random.nextInt(KEYS));
                    byte[] to = from.clone();
                    to[4] = (byte) Math.min(0xFF, (to[4] & 0xFF) + 9);
                    store.deleteRange(from, to);
                } else if (round % 4 == 2) {
                    store.reopen(at);
                } else if (round % 4 == 3) {
                    store.kill(at);
                }
                store.assertSame(at);
            }
            assertTrue(outlines > 100, outlines + " outlines");
            store.db.close();
        }
    }

    /** An outline may be of a time when less belonged to its interval, and more bytes were common to all of its keys. */
    @Test
    void allPairsOfAnOutlinedIntervalThatHasBecomeWiderAreReplaced() {
        int replaced = 0;
        for (long seed = 1; seed <= Math.max(3, Effort.times(12)); seed++) {
            StoreDriver store = store(SMALL, seed);
            assertEachKey(store, "all intervals are known");
            Random random = new Random(seed);
            for (int round = 0; round < 12; round++) {
                replaced += replaceOutlined(store, random, "seed " + seed + ", round " + round) ? 1 : 0;
            }
            store.db.close();
        }
        assertTrue(replaced > 10, replaced + " intervals replaced");
    }

    private static boolean replaceOutlined(StoreDriver store, Random random, String at) {
        SparseIndex index = store.db.access.store().index;
        IntervalCursor interval = index.cursor();
        byte[] somewhere = KeyHeads.DEFAULT.stored(key(random.nextInt(KEYS)));
        interval.seek(index.current(), somewhere, 0, somewhere.length);
        byte[] anchor = new byte[100];
        byte[] lower = Arrays.copyOf(anchor, interval.anchor(anchor));
        byte[] upper = Arrays.copyOf(anchor, Math.max(0, interval.upperAnchor(anchor)));
        IntervalCache cache = store.db.access.store().cache;
        long content = interval.contentNumber();
        if (lower.length == 0 || upper.length == 0 || !cache.contains(content) || cache.containsDirectory(content)) {
            return false;
        }
        byte[] wider = Arrays.copyOf(upper, 12);
        wider[3]++; // all that begins with the next three bytes, and somewhat more, goes
        List<Edit> edits = new ArrayList<>();
        byte[] last = lower;
        for (byte[] key : store.oracle.now().subMap(lower, upper).keySet()) {
            edits.add(new Edit(key, null));
            last = key;
        }
        store.deleteRange(last, wider);
        store.flush();
        for (int i = 0; i < 200; i++) {
            byte[] key = new byte[12];
            random.nextBytes(key);
            System.arraycopy(lower, 0, key, 0, Math.min(3, lower.length));
            key[3] = (byte) (lower.length > 3 ? lower[3] + random.nextInt(2) : 0);
            boolean belongs = Arrays.compareUnsigned(key, lower) >= 0 && Arrays.compareUnsigned(key, wider) < 0;
            if (belongs) {
                edits.add(new Edit(key, value(i, i))); // some of them large, so that all changes are in place
            }
        }
        store.batch(edits, Durability.NONE);
        store.flush();
        store.assertSame(at);
        assertWalks(store, random, at);
        return true;
    }

    /** As it is with lookups. */
    @Test
    void anIntervalThatIsOftenWalkedThroughGetsItsDirectoryBack() {
        StoreDriver store = store(SMALL, 4);
        assertEachKey(store, "all intervals are known");
        SparseIndex index = store.db.access.store().index;
        IntervalCursor interval = index.cursor();
        int outlined = 0;
        for (int i = 0; i < KEYS; i += 100) {
            byte[] stored = KeyHeads.DEFAULT.stored(key(i)).clone();
            interval.seek(index.current(), stored, 0, stored.length);
            IntervalCache cache = store.db.access.store().cache;
            long content = interval.contentNumber();
            outlined += cache.contains(content) && !cache.containsDirectory(content) ? 1 : 0;
            for (int walk = 0; walk < 200; walk++) {
                try (FlexCursor cursor = store.db.cursor()) {
                    cursor.seek(key(i));
                }
            }
            assertTrue(cache.containsDirectory(content), "key " + i);
        }
        assertTrue(outlined > 10, outlined + " outlines");
        store.db.close();
    }

    /** Where walks go on all the time, some are under way whenever a memtable is retired. */
    @Test
    void walksUnderWayAtACommitTakeNothingFromTheCache() {
        StoreDriver store = store(SMALL, 11);
        store.flush();
        assertEachKey(store, "all intervals are known");
        long full = store.db.stats().cache().memoryBytes();
        for (int round = 0; round < 10; round++) {
            try (FlexCursor walk = store.db.cursor()) {
                walk.seekToFirst();
                store.put(key(round), value(round, 1));
                store.flush();
            }
            assertEquals(full, store.db.stats().cache().memoryBytes(), "round " + round);
        }
        try (FlexCursor kept = store.db.cursor()) {
            kept.seekToFirst();
            for (int i = 0; i < 2; i++) {
                store.put(key(i), value(i, 2));
                store.flush();
            }
            assertTrue(store.db.stats().cache().memoryBytes() < full, "room for a memtable that is kept for long");
        }
        store.put(key(0), value(0, 3));
        store.flush();
        assertEachKey(store, "after");
        assertEquals(full, store.db.stats().cache().memoryBytes(), "the room is back");
        store.db.close();
    }

    @Test
    void pairsAreCommittedWithoutReadingWholeIntervalsOfWhichThereAreOutlines() {
        StoreDriver store = store(StoreDriver.SMALL, 5);
        assertEachKey(store, "all intervals are known");
        store.db.close();
        int[] reads = {0};
        store.setHook((kind, path) -> reads[0] += kind == HookedVfs.Kind.READ && path.equals(DATA) ? 1 : 0);
        store.open();
        int[] before = cached(store.db);
        assertTrue(before[0] == 0 && before[1] > 50, Arrays.toString(before));
        reads[0] = 0;
        int changes = 400;
        for (int i = 0; i < changes; i++) {
            int number = (int) (i * 7919L % KEYS);
            store.put(key(number), value(number, i));
        }
        assertTrue(reads[0] < 6 * changes, reads[0] + " reads");
        assertEachKey(store, "changed");
        store.db.close();
    }

    @Test
    void aStoreThatWasClosedFindsEachPairWithoutReadingItsInterval() {
        StoreDriver store = store(StoreDriver.SMALL, 6);
        for (int round = 0; round < 3; round++) {
            assertEachKey(store, "round " + round); // so that all intervals are known
            store.db.close();
            store.open();
            assertFalse(store.vfs.exists(FILE), "deleted by opening");
            for (int i = 0; i < KEYS; i += 40) {
                store.get(key(i), "first lookups");
            }
            assertEquals(0, store.db.stats().cache().misses());
            assertTrue(cached(store.db)[0] + cached(store.db)[1] > 50);
            assertEachKey(store, "reopened");
            for (int i = 0; i < 500; i++) {
                store.put(key(3 * i), value(3 * i, round));
            }
        }
        store.vfs = store.vfs.kill();
        store.open();
        assertEquals(0, cached(store.db)[0] + cached(store.db)[1]);
        assertEachKey(store, "killed");
        store.db.close();
    }

    /** Each lookup leads to a pair, or to the file's page on the outlines of another state, which nobody believes. */
    @Test
    void aFileOfAnEarlierCloseIsNotBelieved() {
        StoreDriver store = store(StoreDriver.SMALL, 7);
        assertEachKey(store, "all intervals are known");
        store.db.close();
        byte[] old = store.vfs.content(FILE);
        store.open();
        for (int i = 0; i < KEYS; i++) {
            store.put(key(i), value(i + 1, 3));
        }
        store.db.close();
        store.vfs.setContent(FILE, old);
        store.open();
        assertEquals(0, cached(store.db)[1]);
        assertEachKey(store, "with the old file");
        store.db.close();
    }

    @Test
    void aFileThatIsNotSoundCostsTimeAndNothingElse() {
        StoreDriver store = store(StoreDriver.SMALL, 8);
        assertEachKey(store, "all intervals are known");
        store.db.close();
        byte[] sound = store.vfs.content(FILE);
        Random random = new Random(8);
        for (int round = 0; round < Effort.times(60); round++) {
            byte[] damaged = round % 4 == 0 ? Arrays.copyOf(sound, random.nextInt(sound.length)) : sound.clone();
            if (round % 4 == 1) {
                damaged[random.nextInt(136)] ^= (byte) (1 << random.nextInt(8));
            } else if (round % 4 == 2) {
                damaged[4096 + random.nextInt(sound.length - 4096)] ^= (byte) (1 << random.nextInt(8));
            } else if (round % 4 == 3) {
                damaged = Arrays.copyOf(sound, sound.length + 1 + random.nextInt(9));
            }
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, damaged);
            try (FlexDB db = StoreDriver.open(files, store.options)) {
                assertEquals(Arrays.equals(damaged, sound), cached(db)[1] > 0, "round " + round);
                for (Map.Entry<byte[], byte[]> pair : store.oracle.now().entrySet()) {
                    assertArrayEquals(pair.getValue(), db.get(pair.getKey()), "round " + round);
                }
            }
        }
    }

    /** Outlines with sound checksums that are none: what they lead to is a pair, or damage that is told. */
    @Test
    void aFileOfAnotherMakeShowsNoWrongPairAndEndsNothing() {
        StoreDriver store = store(StoreDriver.SMALL, 9);
        assertEachKey(store, "all intervals are known");
        store.db.close();
        FlexDBOptions little = store.options.withCacheBytes(SMALL.cacheBytes());
        byte[] sound = store.vfs.content(FILE);
        Random random = new Random(9);
        for (int round = 0; round < Effort.times(60); round++) {
            byte[] hostile = sound.clone();
            ByteBuffer file = ByteBuffer.wrap(hostile).order(ByteOrder.LITTLE_ENDIAN);
            int from = (int) file.getLong(64);
            int length = (int) file.getLong(76) - from;
            if (round % 3 == 0) {
                file.putLong(100 + 8 * random.nextInt(4), random.nextLong()); // what makes fingerprints
            } else {
                for (int i = 0; i < (round % 3 == 1 ? 1 : 50); i++) {
                    hostile[from + random.nextInt(length)] = (byte) random.nextInt();
                }
            }
            file.putInt(84, checksum(hostile, from, length));
            file.putInt(132, checksum(hostile, 0, 132));
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, hostile);
            try (FlexDB db = StoreDriver.open(files, round % 2 == 0 ? store.options : little)) {
                for (Map.Entry<byte[], byte[]> pair : store.oracle.now().entrySet()) {
                    try (FlexCursor cursor = db.cursor()) {
                        byte[] found = db.get(pair.getKey());
                        assertTrue(found == null || Arrays.equals(pair.getValue(), found), "round " + round);
                        cursor.seek(pair.getKey());
                        assertArrayEquals(pair.getValue(), cursor.value(), "round " + round);
                    } catch (CorruptionException e) {
                        // an outline that has pairs begin where none does
                    }
                }
            }
        }
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    @ParameterizedTest
    @EnumSource
    void aFileThatCanNotBeWrittenFailsNothing(Fault fault) {
        StoreDriver store = store(StoreDriver.SMALL, 10);
        store.db.close();
        int met = 0;
        for (HookedVfs.Kind kind : HookedVfs.Kind.values()) {
            SimulatedVfs files = store.vfs.copy();
            int[] count = {0};
            boolean[] closing = {false};
            HookedVfs hooked = new HookedVfs(files, (operation, path) -> {
                if (closing[0] && operation == kind && path.equals(FILE) && count[0]++ == 0) {
                    files.failAt(files.operationCount() + 1, fault);
                }
            });
            FlexDB db = FlexDB.open(hooked, StoreDriver.DIRECTORY, store.options, true);
            closing[0] = true;
            db.close();
            files.clearFaults();
            met += count[0] > 0 ? 1 : 0;
            try (FlexDB again = StoreDriver.open(files, store.options)) {
                for (Map.Entry<byte[], byte[]> pair : store.oracle.now().entrySet()) {
                    assertArrayEquals(pair.getValue(), again.get(pair.getKey()), fault + " at " + kind);
                }
            }
        }
        assertTrue(met > 1, met + " faults met");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void aFlippedBitBelowAnOutlineIsFoundOrMeetsNobody(long seed) {
        StoreDriver store = store(StoreDriver.SMALL, seed);
        assertEachKey(store, "all intervals are known");
        store.db.close();
        Random random = new Random(seed);
        int failed = 0;
        // Where pairs lie depends on when they were committed, and a few bits may all be in nobody's.
        for (int i = 0; i < Effort.times(25) || failed == 0 && i < 500; i++) {
            SimulatedVfs files = store.vfs.copy();
            byte[] data = files.content(DATA);
            int bit = random.nextInt(8 * data.length);
            data[bit >>> 3] ^= (byte) (1 << (bit & 7));
            files.setContent(DATA, data);
            try (FlexDB db = StoreDriver.open(files, store.options)) {
                assertTrue(cached(db)[1] > 0);
                for (Map.Entry<byte[], byte[]> pair : store.oracle.now().entrySet()) {
                    try {
                        assertArrayEquals(pair.getValue(), db.get(pair.getKey()), "bit " + bit);
                    } catch (CorruptionException e) {
                        failed++;
                    }
                }
            }
        }
        assertTrue(failed > 0, "some bits were flipped in pairs");
    }
}
