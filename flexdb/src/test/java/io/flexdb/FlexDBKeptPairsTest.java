package io.flexdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.DiskReads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.testing.Effort;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Stores on a slow disk: pairs that lookups have waited for stay in memory. */
class FlexDBKeptPairsTest {
    private static final int KEYS = 4000;
    private static final long SLOW_NANOS = 1_000_000;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong nanosOfARead = new AtomicLong(SLOW_NANOS);

    private FlexDBOptions options(int cacheBytes) {
        StoreSettings settings =
                StoreDriver.SMALL.withCacheBytes(cacheBytes).settings().copy();
        settings.nanoClock = () -> nanos.addAndGet(nanosOfARead.get());
        settings.diskReads = () -> DiskReads.UNKNOWN; // so the clock alone tells
        return FlexDBOptions.of(settings);
    }

    private static void change(StoreDriver store, Random random, int round) {
        byte[] key = FlexDBOutlineTest.key(random.nextInt(KEYS));
        switch (random.nextInt(10)) {
            case 0 -> store.delete(key);
            case 1 -> store.merge(key, new byte[] {(byte) round});
            case 2 -> store.put(key, FlexDBOutlineTest.value(round, round), 1 + random.nextInt(50));
            default -> store.put(key, FlexDBOutlineTest.value(round, round));
        }
    }

    private static void assertSomeKeys(StoreDriver store, Random random, int count, String at) {
        Map<byte[], byte[]> now = store.oracle.now();
        for (int i = 0; i < count; i++) {
            int number = Math.min(random.nextInt(KEYS), random.nextInt(KEYS)); // so that some are read again and again
            assertArrayEquals(
                    now.get(FlexDBOutlineTest.key(number)),
                    store.db.get(FlexDBOutlineTest.key(number)),
                    at + ", key " + number);
        }
    }

    private static IntervalCache cacheOf(StoreDriver store) {
        return store.db.access.store().cache;
    }

    /** Beside changes, merges, deletes, expiry, commits, openings, and a cache that is full or not. */
    @Test
    void lookupsFindWhatWasWrittenLast() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        for (int cacheBytes : new int[] {192 << 10, 4 << 20}) {
            Random random = new Random(seed);
            String at = "seed " + seed + ", cache of " + cacheBytes;
            StoreDriver store = new StoreDriver(options(cacheBytes));
            for (int i = 0; i < KEYS; i++) {
                store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 0));
            }
            boolean kept = false;
            for (int round = 1; round <= Effort.times(20); round++) {
                for (int i = 0; i < random.nextInt(400); i++) {
                    change(store, random, round);
                }
                if (random.nextInt(3) > 0) {
                    store.flush();
                }
                if (random.nextInt(8) == 0) {
                    store.reopen(at);
                }
                nanosOfARead.set(random.nextInt(5) == 0 ? 0 : SLOW_NANOS);
                assertSomeKeys(store, random, 2000, at + ", round " + round);
                kept |= cacheOf(store).hasPairs();
            }
            assertTrue(kept, at);
            store.assertSame(at);
            store.db.close();
        }
    }

    /** As long as reads are fast no pair is kept, and what was kept is given up for directories. */
    @Test
    void aFastDiskKeepsNoPairs() {
        nanosOfARead.set(0);
        StoreDriver store = new StoreDriver(options(192 << 10));
        for (int i = 0; i < KEYS; i++) {
            store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 0));
        }
        store.flush();
        Random random = new Random(1);
        assertSomeKeys(store, random, 10_000, "fast");
        assertFalse(cacheOf(store).hasPairs());
        nanosOfARead.set(SLOW_NANOS);
        assertSomeKeys(store, random, 10_000, "slow");
        assertTrue(cacheOf(store).hasPairs());
        nanosOfARead.set(0);
        for (int i = 0; i < 100; i++) {
            assertSomeKeys(store, random, 2000, "fast again");
        }
        assertFalse(cacheOf(store).hasPairs(), "directories had to have their memory again");
        store.db.close();
    }

    /** Pairs that are kept are read from the file once. */
    @Test
    void whatIsKeptIsNotReadAgain() {
        StoreDriver store = new StoreDriver(options(4 << 20));
        for (int i = 0; i < KEYS; i++) {
            store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 0));
        }
        store.flush();
        byte[] key = FlexDBOutlineTest.key(100);
        for (int i = 0; i < 200; i++) {
            store.db.get(FlexDBOutlineTest.key(i)); // by now waits are expected
        }
        byte[] expected = store.db.get(key);
        long before = nanos.get();
        for (int i = 0; i < 10; i++) {
            assertArrayEquals(expected, store.db.get(key));
        }
        assertEquals(before, nanos.get(), "the time of a read was taken");
        store.db.close();
    }

    /** A commit that changes other pairs of their intervals, divides these or cuts them, leaves the rest in memory. */
    @Test
    void whatACommitDoesNotChangeIsNotReadAgain() {
        StoreDriver store = new StoreDriver(options(4 << 20));
        for (int i = 0; i < KEYS; i++) {
            store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 0));
        }
        store.flush();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < KEYS; i++) {
                store.db.get(FlexDBOutlineTest.key(i));
            }
        }
        for (int i = 0; i < KEYS; i += 5) {
            store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 1));
            store.delete(FlexDBOutlineTest.key(i + 1));
        }
        for (int i = 0; i < 200; i++) { // some become long enough to be divided
            store.put(
                    (new String(FlexDBOutlineTest.key(700), ISO_8859_1) + "+" + i).getBytes(ISO_8859_1), new byte[10]);
        }
        store.flush();
        Map<byte[], byte[]> now = store.oracle.now();
        int notRead = 0;
        int unchanged = 0;
        for (int i = 0; i < KEYS; i++) {
            byte[] key = FlexDBOutlineTest.key(i);
            long before = nanos.get();
            assertArrayEquals(now.get(key), store.db.get(key));
            boolean changed = i % 5 < 2;
            unchanged += changed ? 0 : 1;
            notRead += !changed && nanos.get() == before ? 1 : 0;
        }
        assertTrue(notRead > unchanged * 9 / 10, notRead + " of " + unchanged + " were not read again");
        store.db.close();
    }

    private long extentsOfAStoreChangedAtRandom() {
        StoreDriver store = new StoreDriver(options(4 << 20));
        for (int i = 0; i < KEYS; i++) {
            store.put(FlexDBOutlineTest.key(i), FlexDBOutlineTest.value(i, 0));
        }
        store.flush();
        Random random = new Random(1);
        for (int round = 1; round <= 30; round++) {
            assertSomeKeys(store, random, 100, "round " + round);
            for (int i = 0; i < KEYS / 20; i++) {
                int number = random.nextInt(KEYS);
                store.put(FlexDBOutlineTest.key(number), FlexDBOutlineTest.value(number, round));
            }
            store.flush();
        }
        store.assertSame("changed");
        long extents = store.db.access.store().engine.figures().extentCount();
        store.db.close();
        return extents;
    }

    /** To write them anew would mean to wait for each piece. */
    @Test
    void aSlowDiskLeavesIntervalsInPieces() {
        long slow = extentsOfAStoreChangedAtRandom();
        nanosOfARead.set(0);
        long fast = extentsOfAStoreChangedAtRandom();
        assertTrue(slow > fast * 5 / 4, slow + " extents, and " + fast + " where the disk is fast");
    }
}
