package io.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead data give their disk space back while the store is open, with and without writes beside them. */
class FlexDBReclaimTest {
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");
    private static final int SEGMENT_BYTES = 64 * 512;

    /** Bytes that a small store keeps: segments at hand for the next changes, and fewer than are collected at least. */
    private static final long KEPT_BYTES = 10L * SEGMENT_BYTES;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(US_ASCII);
    }

    private static byte[] value(Random random, int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return value;
    }

    private static long fileBytes(StoreDriver store) {
        return store.vfs.content(DATA).length;
    }

    private static long liveBytes(StoreDriver store) {
        long bytes = 0;
        for (var pair : store.oracle.now().entrySet()) {
            bytes += pair.getKey().length + pair.getValue().length;
        }
        return bytes;
    }

    /** A window of time with as many pairs in it all the while: at keys in the order of time, or at any. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pairsThatExpireTakeAFewTimesWhatLives(boolean inOrder) {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        Random random = new Random(5);
        int live = 3000;
        for (int i = 0; i < Effort.times(10 * live); i++) {
            store.clock.advance(1);
            store.put(
                    key(inOrder ? i : random.nextInt(100 * live)), value(random, 100), live + random.nextInt(live / 4));
            if (i > 2 * live && i % live == 0) {
                long bytes = liveBytes(store);
                long space = store.db.stats().space().bytes();
                assertTrue(space < 1.8 * bytes, "after " + i + ": " + space + " for " + bytes);
                assertTrue(fileBytes(store) < 3 * bytes + KEPT_BYTES, "after " + i + ": " + fileBytes(store));
            }
        }
        store.assertSame("the end");
        store.assertSameBackward("the end");
        store.kill("killed");
        store.db.close();
    }

    @Test
    void whatHasExpiredIsFoundAfterAReopenAndBesideOtherWrites() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        Random random = new Random(6);
        for (int i = 0; i < 4000; i++) {
            store.put(key(i), value(random, 100), i % 10 == 0 ? 1_000_000 : 1000 + i);
        }
        store.reopen("full");
        long full = store.db.stats().space().bytes();
        store.put(key(9_000_000), value(random, 10));
        store.flush(); // pairs that expire are counted
        store.clock.advance(6000);
        store.put(key(9_000_001), value(random, 10));
        store.flush();
        long left = store.db.stats().space().bytes();
        assertTrue(left < full / 8, left + " of " + full);
        store.assertSame("swept");
        store.db.close();
    }

    @Test
    void aRandomOverwriterTakesAFewTimesWhatLives() {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        Random random = new Random(7);
        int live = 4000;
        for (int i = 0; i < live; i++) {
            store.put(key(i), value(random, 100));
        }
        for (int i = 0; i < Effort.times(8 * live); i++) {
            store.put(key(random.nextInt(live)), value(random, 100));
            if (i % live == 0) {
                long bytes = liveBytes(store);
                assertTrue(fileBytes(store) < 3 * bytes + KEPT_BYTES, "after " + i + ": " + fileBytes(store));
            }
        }
        store.assertSame("the end");
        store.db.close();
    }

    /** However they lie: the last of the file may live, and the first be free. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void largeValuesThatAreDeletedGiveTheirSpaceBack(int which) {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        Random random = new Random(8);
        int count = 150;
        for (int i = 0; i < count; i++) {
            store.put(key(i), value(random, 40_000));
        }
        store.flush();
        long full = fileBytes(store);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            boolean stays = which == 0 ? i < 10 : which == 1 ? i >= count - 10 : i % 15 == 0;
            if (!stays) {
                store.delete(key(i));
            } else {
                kept++;
            }
        }
        assertEquals(10, kept);
        store.flush();
        assertTrue(fileBytes(store) < 3 * liveBytes(store) + KEPT_BYTES, fileBytes(store) + " of " + full);
        store.assertSame("deleted");
        assertArrayEquals(
                store.oracle.now().firstEntry().getValue(),
                store.db.get(store.oracle.now().firstKey()));
        store.kill("killed");
        store.db.close();
    }

    /** Some 2 MB are written to the data file if nothing is moved for that, and 3 MB if each commit cuts what it can. */
    @Test
    void aStoreThatKeepsItsSizeMovesNothingToHaveItsFileCut() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        long before = 0;
        for (int i = 0; i < 2000; i++) {
            if (i == 1000) {
                before = store.vfs.bytesWritten(name -> name.endsWith("data"));
            }
            FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
        }
        long written = store.vfs.bytesWritten(name -> name.endsWith("data")) - before;
        assertTrue(written < 2_600_000, written + " bytes written");
        store.db.close();
    }
}
