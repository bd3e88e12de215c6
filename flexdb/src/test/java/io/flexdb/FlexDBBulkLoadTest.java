package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.interval.IndexChecker;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bulk loads into stores that are empty, have other keys, the same ones, or both. */
class FlexDBBulkLoadTest {
    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        new Random(number).nextBytes(value);
        return value;
    }

    private static void assertSound(StoreDriver store, String at) {
        store.assertSame(at);
        store.assertSameBackward(at);
        store.db.openStore().engine.checkInvariants();
        IndexChecker.check(store.db.openStore().index);
        FlexDBCheckReport report = store.db.check();
        assertTrue(report.isSound(), () -> at + ": " + report);
    }

    private static TreeMap<byte[], byte[]> pairs(int from, int to, int step, int bytes) {
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = from; i < to; i += step) {
            pairs.put(key(i), value(i + bytes, bytes));
        }
        return pairs;
    }

    @Test
    void anEmptyStoreHasWhatWasLoadedAndNothingBeforeTheCommit() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (BulkLoad load = store.db.bulkLoad()) {
            for (int i = 0; i < 3000; i++) {
                load.add(key(i), value(i, 100));
            }
            store.assertSame("before the commit");
            assertEquals(3000, load.pairs());
        }
        store.assertSame("not committed");
        store.load(pairs(0, 3000, 1, 100));
        assertSound(store, "loaded");
        store.reopen("again");
        assertSound(store, "opened again");
        store.kill("killed");
        store.powerCut(0, "cut");
        assertSound(store, "after the cut");
        store.db.close();
    }

    @Test
    void whatIsLoadedTakesThePlaceOfTheSameKeysAndLeavesTheOthers() {
        int[][] shapes = {
            // base: from, to, step; load: from, to, step
            {0, 3000, 1, 0, 3000, 1},
            {0, 3000, 1, 1000, 2000, 1},
            {0, 3000, 2, 1, 3000, 2},
            {0, 3000, 3, 0, 3000, 2},
            {0, 3000, 1, 0, 3000, 100},
            {0, 3000, 100, 0, 3000, 1},
            {0, 1000, 1, 2000, 3000, 1},
            {2000, 3000, 1, 0, 1000, 1},
            {0, 3000, 1500, 100, 1400, 1},
            {0, 3000, 1, 1500, 1501, 1},
            {0, 3000, 7, 500, 2500, 300},
        };
        for (int[] shape : shapes) {
            for (int bytes : new int[] {20, 300, 3000}) {
                String at = Arrays.toString(shape) + ", " + bytes + " bytes";
                StoreDriver store = new StoreDriver(StoreDriver.SMALL);
                int few = bytes > 1000 ? 10 : 1; // of long ones
                for (int i = shape[0]; i < shape[1]; i += shape[2] * few) {
                    store.put(key(i), value(i, 100));
                }
                store.load(pairs(shape[3], shape[4], shape[5] * few, bytes));
                assertSound(store, at);
                store.kill(at);
                store.put(key(1501), value(1, 1));
                store.delete(key(1500));
                store.reopen(at);
                assertSound(store, at + ", opened again");
                store.db.close();
            }
        }
    }

    @Test
    void longPairsAndShortOnesAreLoadedInOneRun() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        int max = store.db.openStore().engine.maxExtentBytes();
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        int[] lengths = {0, 1, max - 30, max - 20, max - 10, max, max + 1, 2 * max, 40_000, 300_000, 5};
        for (int i = 0; i < 60; i++) {
            pairs.put(key(i), value(i, lengths[i % lengths.length]));
        }
        store.load(pairs);
        assertSound(store, "loaded");
        TreeMap<byte[], byte[]> others = StoreOracle.newMap();
        for (int i = 0; i < 60; i += 4) {
            others.put(key(i), value(i, lengths[(i + 3) % lengths.length]));
            others.put((new String(key(i), StandardCharsets.UTF_8) + "a").getBytes(StandardCharsets.UTF_8), key(i));
        }
        store.load(others);
        assertSound(store, "with others");
        store.powerCut(0, "cut");
        assertSound(store, "after the cut");
        store.db.close();
    }

    @Test
    void theLongestKeysCanBeLoaded() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = 1; i < 5; i++) {
            byte[] key = new byte[65_535];
            Arrays.fill(key, (byte) 0xFE);
            key[65_534] = (byte) (i == 4 ? 0xFF : i);
            pairs.put(key, value(i, 10));
        }
        store.put(new byte[] {(byte) 0xFE, (byte) 0xFF}, key(1));
        store.load(pairs);
        assertSound(store, "loaded");
        store.load(pairs);
        assertSound(store, "again");
        store.db.close();
    }

    @Test
    void operandsThatCameBeforeAreReplacedAndThoseThatComeLaterAreMerged() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        for (int i = 0; i < 300; i++) {
            store.merge(key(i), value(i, 5));
        }
        store.load(pairs(100, 200, 2, 30));
        for (int i = 0; i < 300; i += 3) {
            store.merge(key(i), value(i, 7));
        }
        assertSound(store, "merged");
        store.kill("killed");
        store.reopen("again");
        assertSound(store, "again");
        store.db.close();
    }

    @Test
    void loadedPairsExpire() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (BulkLoad load = store.db.bulkLoad()) {
            load.add(key(1), value(1, 10), Duration.ofMillis(100));
            load.add(key(2), value(2, 10));
            load.add(key(3), value(3, 10), Duration.ofSeconds(100));
            load.commit();
        }
        assertArrayEquals(value(1, 10), store.db.get(key(1)));
        store.clock.advance(100);
        assertNull(store.db.get(key(1)));
        assertArrayEquals(value(2, 10), store.db.get(key(2)));
        assertArrayEquals(value(3, 10), store.db.get(key(3)));
        store.db.close();
    }

    @Test
    void keyspacesAreLoadedEachForItself() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        Keyspace one = store.db.createKeyspace("one");
        Keyspace two = store.db.createKeyspace("two");
        two.put(key(5), key(5));
        try (BulkLoad load = one.bulkLoad()) {
            for (int i = 0; i < 500; i++) {
                load.add(ByteBuffer.wrap(key(i)), ByteBuffer.wrap(value(i, 50)));
            }
            load.commit();
        }
        assertArrayEquals(value(499, 50), one.get(key(499)));
        assertNull(two.get(key(499)));
        assertNull(store.db.get(key(499)));
        assertArrayEquals(key(5), two.get(key(5)));
        try (BulkLoad load = one.bulkLoad()) {
            load.add(key(1), key(1));
            store.db.dropKeyspace("one");
            assertThrows(NoSuchKeyspaceException.class, load::commit);
        }
        assertThrows(NoSuchKeyspaceException.class, one::bulkLoad);
        assertNull(store.db.createKeyspace("one").get(key(1)));
        store.db.close();
    }

    @Test
    void keysThatDoNotAscendAreRefusedByNameAndOthersMayFollow() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (BulkLoad load = store.db.bulkLoad()) {
            load.add(key(1), key(1)).add(key(3), key(3));
            for (int wrong : new int[] {2, 3}) {
                String message = assertThrows(IllegalArgumentException.class, () -> load.add(key(wrong), key(wrong)))
                        .getMessage();
                assertTrue(message.contains("pair 2"), message);
                assertTrue(message.contains("0x6b6579303030303033"), message);
                assertTrue(message.contains("0x6b657930303030" + (wrong == 2 ? "3032" : "3033")), message);
            }
            assertThrows(IllegalArgumentException.class, () -> load.add(new byte[0], key(1)));
            assertThrows(IllegalArgumentException.class, () -> load.add(new byte[65_536], key(1)));
            assertThrows(NullPointerException.class, () -> load.add(key(9), (byte[]) null));
            assertThrows(NullPointerException.class, () -> load.add((byte[]) null, key(1)));
            assertThrows(IllegalArgumentException.class, () -> load.add(key(9), key(9), Duration.ZERO));
            byte[] key = key(4);
            load.add(key, key(4));
            key[0] = 0; // it was copied
            load.commit();
            assertThrows(StoreClosedException.class, load::commit);
            assertThrows(StoreClosedException.class, () -> load.add(key(9), key(9)));
        }
        TreeMap<byte[], byte[]> expected = StoreOracle.newMap();
        for (int i : new int[] {1, 3, 4}) {
            expected.put(key(i), key(i));
        }
        StoreOracle.assertSame(expected, StoreDriver.all(store.db), "three");
        store.db.close();
    }

    @Test
    void aLoadWithoutPairsChangesNothing() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        store.put(key(1), key(1));
        store.load(StoreOracle.newMap());
        store.assertSame("nothing");
        store.db.close();
    }

    @Test
    void whatWasOpenBeforeGoesOnWithoutTheLoad() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        store.put(key(5), key(5));
        try (Snapshot snapshot = store.db.snapshot();
                FlexCursor cursor = store.db.cursor()) {
            cursor.seekToFirst();
            store.load(pairs(0, 1000, 1, 40));
            assertNull(snapshot.get(key(4)));
            assertArrayEquals(key(5), snapshot.get(key(5)));
            assertArrayEquals(key(5), cursor.value());
            cursor.next();
            assertTrue(!cursor.isValid());
        }
        store.assertSame("later");
        store.db.close();
    }

    /** Who has seen a pair may write something durable that makes no sense without it. */
    @Test
    void whatShowsOfALoadIsDurable() {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
        TreeMap<byte[], byte[]> pairs = pairs(0, 900, 1, 100);
        int[] shown = new int[1];
        boolean[] looking = new boolean[1];
        store.open();
        store.put(key(5000), value(1, 10));
        store.setHook((kind, path) -> {
            if (looking[0] || kind == HookedVfs.Kind.READ || shown[0] == 3) {
                return;
            }
            looking[0] = true;
            boolean shows = store.db.get(key(899)) != null;
            looking[0] = false;
            if (shows) {
                shown[0]++;
                try (FlexDB cut = StoreDriver.open(store.vfs.copy().crash(0), store.options)) {
                    assertArrayEquals(pairs.get(key(899)), cut.get(key(899)), "before " + kind + " of " + path);
                }
            }
        });
        store.load(pairs);
        store.put(key(5001), value(2, 10));
        store.db.sync();
        assertTrue(shown[0] > 0, "nothing happened to a file after the load has shown");
        store.db.close();
    }

    @Test
    void aLoadIsAConflictForWhoHasReadOrWrittenAmongItsKeys() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (Transaction writes = store.db.begin();
                Transaction reads = store.db.begin(Isolation.SERIALIZABLE);
                Transaction walks = store.db.begin(Isolation.SERIALIZABLE);
                Transaction deletes = store.db.begin();
                Transaction elsewhere = store.db.begin(Isolation.SERIALIZABLE);
                Transaction readsOnlyForItself = store.db.begin()) {
            writes.put(key(50), key(1));
            assertNull(reads.get(key(50)));
            reads.put(key(500), key(1));
            try (FlexCursor cursor = walks.cursor()) {
                cursor.seek(key(20));
            }
            walks.put(key(501), key(1));
            deletes.deleteRange(key(0), key(11));
            assertNull(elsewhere.get(key(9)));
            elsewhere.put(key(100), key(1));
            assertNull(readsOnlyForItself.get(key(50)));
            readsOnlyForItself.put(key(502), key(2));
            store.load(pairs(10, 100, 1, 30));
            for (Transaction one : new Transaction[] {writes, reads, walks, deletes}) {
                ConflictException e = assertThrows(ConflictException.class, one::commit);
                assertTrue(e.getMessage().contains("sorted run"), e.getMessage());
            }
            elsewhere.commit();
            readsOnlyForItself.commit();
        }
        try (Transaction after = store.db.begin(Isolation.SERIALIZABLE)) {
            assertArrayEquals(value(80, 30), after.get(key(50)));
            after.put(key(50), key(7));
            after.commit();
        }
        assertTrue(store.db.compareAndSet(key(51), value(81, 30), key(8)));
        store.db.close();
    }

    @Test
    void closingTheStoreEndsALoad() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        BulkLoad load = store.db.bulkLoad();
        for (int i = 0; i < 1000; i++) {
            load.add(key(i), value(i, 100));
        }
        store.reopen("without it");
        assertThrows(StoreClosedException.class, () -> load.add(key(2000), key(1)));
        assertThrows(StoreClosedException.class, load::commit);
        load.close();
        assertSound(store, "nothing of it");
        store.db.close();
        assertThrows(StoreClosedException.class, store.db::bulkLoad);
    }

    /** What is staged for nothing is used again: many loads that are given up take no more space than one. */
    @Test
    void whatWasGivenUpTakesNoSpace() {
        StoreDriver store = new StoreDriver(
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40 * 64 * 512)));
        for (int round = 0; round < 30; round++) {
            try (BulkLoad load = store.db.bulkLoad()) {
                for (int i = 0; i < 2000; i++) {
                    load.add(key(i), value(i, 200));
                }
            }
            store.put(key(round), value(round, 100));
        }
        assertSound(store, "none of them");
        store.db.close();
    }

    /** Of loads of all sizes some fit and others don't; none is there in part, and the store goes on. */
    @Test
    void aLoadForWhichThereIsNoRoomChangesNothing() {
        for (boolean capped : new boolean[] {true, false}) {
            FlexDBOptions options = StoreDriver.SMALL;
            StoreDriver store = new StoreDriver(
                    capped ? options.withSpace(options.space().withMaxDataBytes(40 * 64 * 512)) : options);
            for (int i = 0; i < 300; i++) {
                store.put(key(3 * i), value(i, 100));
            }
            if (!capped) {
                store.vfs.setCapacity(2 << 20);
            }
            int refused = 0;
            int taken = 0;
            for (int count = 100; count < 12_000; count = count * 5 / 4) {
                TreeMap<byte[], byte[]> pairs = pairs(0, count, 1, 100);
                if (tryLoad(store, pairs)) {
                    taken++;
                } else {
                    refused++;
                }
                String at = count + " pairs, capped: " + capped;
                store.assertSame(at);
                store.delete(key(count - 1));
                store.deleteRange(key(1000), key(1_000_000));
                store.put(key(1), value(count, 10));
                assertSound(store, at);
            }
            assertTrue(refused > 2 && taken > 5, refused + " refused, " + taken + " not");
            store.vfs.setCapacity(Long.MAX_VALUE);
            store.reopen("again");
            assertSound(store, "again");
            store.db.close();
        }
    }

    private static boolean tryLoad(StoreDriver store, TreeMap<byte[], byte[]> pairs) {
        try (BulkLoad load = store.db.bulkLoad()) {
            pairs.forEach(load::add);
            load.commit();
        } catch (StoreFullException e) {
            return false;
        }
        store.oracle.load(pairs);
        store.oracle.allDurable();
        return true;
    }
}
