package io.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StoreClosedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Flush and compact, as users call them. */
class FlexDBCompactTest {
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");
    private static final int PAIRS = 3000;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(US_ASCII);
    }

    private static byte[] value(int bytes, int seed) {
        byte[] value = new byte[bytes];
        new Random(seed).nextBytes(value);
        return value;
    }

    private static long liveBytes(StoreDriver store) {
        return store.db.stats().space().bytes();
    }

    private static long fileBytes(StoreDriver store) {
        return store.vfs.content(DATA).length;
    }

    @Test
    void whatWasWrittenIsInTheSpaceAfterAFlushAndDurable() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE.withDurability(Durability.NONE));
        store.put(key(1), value(100, 1));
        store.put(key(2), value(100, 2));
        assertEquals(0, liveBytes(store));
        store.flush();
        assertTrue(liveBytes(store) > 200, store.db.stats().toString());
        store.delete(key(1));
        store.flush();
        assertTrue(liveBytes(store) < 200, store.db.stats().toString());
        store.flush(); // nothing to do
        store.powerCut(7, "flushed");
        store.db.close();
        assertThrows(StoreClosedException.class, () -> store.db.flush());
        assertThrows(StoreClosedException.class, () -> store.db.compact());
    }

    @Test
    void flushWaitsForTheThreadThatCommits() {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.WITHOUT_LARGE, false)) {
            for (int i = 0; i < 200; i++) {
                db.put(key(i), value(100, i));
                if (i % 50 == 7) {
                    db.flush();
                    assertTrue(db.stats().space().bytes() >= 100L * i, "after " + i + ": " + db.stats());
                }
            }
        }
    }

    @Test
    void whatHasExpiredIsRemovedFromTheRangeAndNowhereElse() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        for (int i = 0; i < PAIRS; i++) {
            store.put(key(i), value(i % 400 == 9 ? 20_000 : 60, i), i % 3 == 0 || i % 400 == 9 ? 100 : 100_000);
        }
        store.flush();
        long before = liveBytes(store);
        store.clock.advance(100);
        store.db.compact(key(0), key(PAIRS / 2));
        long half = liveBytes(store);
        store.assertSame("half");
        store.db.compact();
        long after = liveBytes(store);
        store.assertSame("whole");
        store.assertSameBackward("whole");
        double live = PAIRS * 2 / 3.0 * 90;
        assertTrue(after < 1.1 * live, after + " of " + before + ", and " + live + " live");
        assertTrue(
                half - after > (before - after) * 0.4 && half - after < (before - after) * 0.6, half + " of " + before);
        store.db.close();
    }

    @Test
    void intervalsOfTheRangeBecomeWholeAndAreLeftAloneThen() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        Random random = new Random(5);
        for (int i = 0; i < 3 * PAIRS; i++) {
            store.put(key(random.nextInt(PAIRS)), value(50, i));
        }
        store.flush();
        long extents = store.db.stats().space().extents();
        FlexCursor old = store.db.cursor();
        TreeMap<byte[], byte[]> then = new TreeMap<>(store.oracle.now());
        long[] told = {0, 0, 0};
        store.db.compact(null, null, (bytes, ofBytes) -> {
            assertTrue(bytes >= told[0] && ofBytes >= bytes);
            told[0] = bytes;
            told[1] = ofBytes;
            told[2]++;
        });
        assertTrue(store.db.stats().space().extents() * 3 < extents, store.db.stats() + " instead of " + extents);
        assertTrue(told[2] > 0 && told[0] > liveBytes(store) / 2, told[0] + " of " + told[1]);
        StoreOracle.assertSame(then, StoreDriver.all(old), "a cursor from before");
        old.close();
        store.assertSame("whole");
        store.db.compact(); // has what the cursor held back go
        long written = store.db.stats().written().dataBytes();
        store.db.compact();
        assertEquals(written, store.db.stats().written().dataBytes(), "what is whole is left alone");
        store.kill("killed");
        store.db.close();
    }

    @Test
    void theFileBecomesShortAfterDeletes() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        for (int i = 0; i < 200; i++) {
            store.put(key(i), value(20_000, i));
        }
        store.flush();
        long full = fileBytes(store);
        for (int i = 0; i < 200; i++) {
            if (i % 20 != 0) {
                store.delete(key(i));
            }
        }
        store.db.compact();
        assertTrue(fileBytes(store) < full / 3, fileBytes(store) + " of " + full);
        store.assertSame("compacted");
        store.kill("killed");
        store.db.close();
    }

    @Test
    void theUserMayEndItAndTheStoreGoesOn() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        for (int i = 0; i < PAIRS; i++) {
            store.put(key(i * 7 % PAIRS), value(60, i));
        }
        IllegalStateException mine = new IllegalStateException("enough");
        Progress ends = (bytes, ofBytes) -> {
            throw mine;
        };
        assertSame(mine, assertThrows(IllegalStateException.class, () -> store.db.compact(null, null, ends)));
        store.put(key(1), value(10, 1));
        store.assertSame("ended");
        assertThrows(IllegalArgumentException.class, () -> store.db.compact(key(2), key(1)));
        assertThrows(NullPointerException.class, () -> store.db.compact(null, null, null));
        Progress closes = (bytes, ofBytes) -> store.db.close();
        assertThrows(StoreClosedException.class, () -> store.db.compact(null, null, closes));
        store.open();
        store.assertSame("closed");
        store.db.close();
    }

    @Test
    void aKeyspaceIsCompactedByItself() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        Keyspace one = store.db.createKeyspace("one");
        Keyspace other = store.db.createKeyspace("other");
        for (int i = 0; i < 500; i++) {
            one.put(key(i), value(60, i), WriteOptions.timeToLive(Duration.ofMillis(10)));
            other.put(key(i), value(60, i), WriteOptions.timeToLive(Duration.ofMillis(10)));
        }
        store.db.flush();
        long before = liveBytes(store);
        store.clock.advance(10);
        one.compact();
        assertTrue(
                liveBytes(store) < before * 0.6 && liveBytes(store) > before * 0.4,
                store.db.stats().toString());
        other.compact(key(0), key(500));
        assertTrue(liveBytes(store) < before * 0.1, store.db.stats().toString());
        assertNull(one.get(key(3)));
        store.db.dropKeyspace("one");
        assertThrows(NoSuchKeyspaceException.class, one::compact);
        store.db.close();
    }

    @Test
    void writersAndReadersGoOnMeanwhile() throws InterruptedException {
        SimulatedVfs vfs = new SimulatedVfs();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int[] rounds = new int[PAIRS];
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(i), value(40, i));
            }
            Thread writer = new Thread(() -> {
                try {
                    Random random = new Random(11);
                    for (int i = 0; i < 3 * PAIRS; i++) {
                        int number = random.nextInt(PAIRS);
                        db.put(key(number), value(40 + number % 200, number + ++rounds[number] * PAIRS));
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            do {
                db.compact();
                assertEquals(PAIRS, StoreDriver.all(db).size());
            } while (writer.isAlive());
            writer.join();
            assertNull(failure.get());
            for (int i = 0; i < PAIRS; i++) {
                int bytes = rounds[i] == 0 ? 40 : 40 + i % 200;
                assertArrayEquals(value(bytes, i + rounds[i] * PAIRS), db.get(key(i)), "key " + i);
            }
        }
    }
}
