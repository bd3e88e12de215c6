package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is absent is known without reading, and what is there is never taken for absent. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlexDBRangeFilterTest {
    private static final FlexDBOptions FILTERED = StoreDriver.SMALL.withRangeFilter(true);
    private static final int PAIRS = 6000;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] decimal(int number) {
        return bytes(String.format(Locale.ROOT, "key%08d", number));
    }

    /** Of 64 random bits, which a number always makes the same. */
    private static byte[] random(int number) {
        long bits = new SplittableRandom(number).nextLong();
        byte[] key = new byte[8];
        for (int i = 0; i < 8; i++) {
            key[i] = (byte) (bits >>> 8 * i);
        }
        return key;
    }

    /** Counts reads of the data file, which is neither mapped nor cached. */
    private static final class Counted implements AutoCloseable {
        final AtomicLong reads = new AtomicLong();
        final FlexDB db;
        final int even; // pairs, by even numbers

        Counted(IntFunction<byte[]> keys, int even, int valueBytes) {
            SimulatedVfsOfReads vfs = new SimulatedVfsOfReads(reads);
            this.even = even;
            FlexDBOptions options = FILTERED.withReads(Reads.POSITIONAL)
                    .withCacheBytes(600 << 10)
                    .withMemtableBytes(1 << 20);
            try (FlexDB loaded = StoreDriver.open(vfs.vfs, options)) {
                Random order = new Random(3);
                int[] numbers = order.ints(0, even).distinct().limit(even).toArray();
                for (int number : numbers) {
                    loaded.put(keys.apply(2 * number), new byte[valueBytes]);
                }
            }
            db = StoreDriver.open(vfs.vfs, options);
            db.buildFilters();
        }

        double readsFor(int operations, Runnable all) {
            reads.set(0);
            all.run();
            return (double) reads.get() / operations;
        }

        @Override
        public void close() {
            db.close();
        }
    }

    /** A file system in memory that counts what is read of data files. */
    private static final class SimulatedVfsOfReads {
        final HookedVfs vfs;

        SimulatedVfsOfReads(AtomicLong reads) {
            this.vfs = new HookedVfs(new SimulatedVfs(), (kind, path) -> {
                if (kind == HookedVfs.Kind.READ && path.endsWith(Path.of("space", "data"))) {
                    reads.incrementAndGet();
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void absentKeysAndEmptyRangesAreHardlyEverReadFor(boolean decimal) {
        IntFunction<byte[]> keys = decimal ? FlexDBRangeFilterTest::decimal : FlexDBRangeFilterTest::random;
        try (Counted store = new Counted(keys, PAIRS, 400)) { // more than the cache has
            double present = store.readsFor(PAIRS, () -> {
                for (int i = 0; i < PAIRS; i++) {
                    assertTrue(store.db.containsKey(keys.apply(2 * i)));
                }
            });
            assertTrue(present >= 0.3, "what is there is read: " + present);
            double absent = store.readsFor(PAIRS, () -> {
                for (int i = 0; i < PAIRS; i++) {
                    assertNull(store.db.get(keys.apply(2 * i + 1)));
                }
            });
            assertTrue(absent <= 0.05, absent + " reads for an absent key");
            double beside = store.readsFor(PAIRS, () -> {
                for (int i = 0; i < PAIRS; i++) {
                    byte[] key = keys.apply(2 * i).clone();
                    key[key.length - 1] ^= 1;
                    store.db.get(key);
                }
            });
            assertTrue(beside <= (decimal ? 0.2 : 1), beside + " reads for a key beside one that is there");
            int read = 0; // one interval each
            for (int i = 0; i < PAIRS; i++) {
                byte[] from = keys.apply(2 * i + 1);
                ReadOptions empty = ReadOptions.defaults().withLowerBound(from).withUpperBound(behind(from));
                double reads = store.readsFor(1, () -> {
                    try (FlexCursor cursor = store.db.cursor(empty)) {
                        cursor.seekToFirst();
                        assertFalse(cursor.isValid());
                    }
                });
                read += reads > 0 ? 1 : 0;
            }
            assertTrue(read <= 0.08 * PAIRS, read + " of " + PAIRS + " empty short ranges were read");
        }
    }

    /** The end of a short range: a third of what lies between two decimal keys at most. */
    private static byte[] behind(byte[] from) {
        byte[] to = Arrays.copyOf(from, from.length + 1);
        to[from.length] = '3';
        return to;
    }

    /** Intervals have fewer pairs where those are long, and a filter has something for each interval. */
    @ParameterizedTest
    @CsvSource({"30, 10", "127, 10", "400, 11.2"})
    void itTakesTenBitsAPair(int valueBytes, double most) {
        try (Counted store = new Counted(FlexDBRangeFilterTest::decimal, 30_000, valueBytes)) {
            double bits = store.db.filterBytes() * 8.0 / store.even;
            assertTrue(bits <= most && bits > 5, bits + " bits a pair");
        }
    }

    @Test
    void changesInPlaceKeepIt() {
        StoreDriver store = new StoreDriver(FILTERED.withStitchingThresholdBytes(0));
        for (int i = 0; i < PAIRS; i++) {
            store.put(decimal(2 * i), new byte[30]);
        }
        store.reopen("loaded");
        store.db.buildFilters();
        Random random = new Random(5);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 1500; i++) {
                int number = random.nextInt(2 * PAIRS);
                if (random.nextBoolean()) {
                    store.put(decimal(number), new byte[10 + random.nextInt(40)]);
                } else {
                    store.delete(decimal(number));
                }
            }
            store.assertSame("round " + round);
        }
        long before = store.db.stats().filteredReads();
        int absent = 0;
        for (int i = 0; i < 2 * PAIRS; i++) {
            if (!store.oracle.now().containsKey(decimal(i))) {
                absent++;
                assertNull(store.db.get(decimal(i)));
            }
        }
        long answered = store.db.stats().filteredReads() - before;
        assertTrue(answered > 0.8 * absent, answered + " of " + absent + " absent keys were answered");
        store.db.close();
    }

    @Test
    void whatComesIntoARangeThatWasDeletedIsFound() {
        StoreDriver store = new StoreDriver(FILTERED);
        for (int i = 0; i < PAIRS; i++) {
            store.put(decimal(2 * i), new byte[30]);
        }
        store.reopen("loaded");
        store.db.buildFilters();
        store.deleteRange(decimal(1000), decimal(9000));
        store.assertSame("cut");
        for (int i = 1000; i < 9000; i += 3) {
            store.put(decimal(i), new byte[10]);
        }
        store.assertSame("filled again");
        store.reopen("again");
        store.db.buildFilters();
        store.assertSame("built again");
        store.db.close();
    }

    @Test
    void aSnapshotIsReadByFiltersOfItsOwnContents() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), FILTERED)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(decimal(2 * i), new byte[30]);
            }
            db.buildFilters();
            try (Snapshot before = db.snapshot()) {
                db.deleteRange(decimal(1000), decimal(9000));
                for (int i = 0; i < PAIRS; i++) { // which brings the range to the space
                    db.put(decimal(20_000 + i), new byte[30]);
                }
                db.buildFilters();
                for (int i = 0; i < PAIRS; i++) {
                    assertArrayEquals(new byte[30], before.get(decimal(2 * i)), "key " + i);
                    boolean gone = 2 * i >= 1000 && 2 * i < 9000;
                    assertEquals(!gone, db.containsKey(decimal(2 * i)), "key " + i);
                }
            }
        }
    }

    @Test
    void readersAskWhileAWriterChangesAndTheThreadBuilds() throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        FlexDBOptions options = FILTERED.withMemtableBytes(256 << 10);
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, options, false)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(decimal(4 * i), new byte[30]); // they stay
            }
            Thread writer = new Thread(() -> {
                Random random = new Random(9);
                try {
                    for (int i = 0; i < 60_000; i++) {
                        byte[] key = decimal(4 * random.nextInt(PAIRS) + 2);
                        if (random.nextInt(3) == 0) {
                            db.delete(key);
                        } else {
                            db.put(key, new byte[random.nextInt(60)]);
                        }
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            Random random = new Random(10);
            while (writer.isAlive() || db.stats().filteredReads() == 0) {
                int number = 4 * random.nextInt(PAIRS);
                assertTrue(db.containsKey(decimal(number)), "key " + number);
                assertFalse(db.containsKey(decimal(number + 1)), "key " + (number + 1));
                ReadOptions alone =
                        ReadOptions.defaults().withLowerBound(decimal(number)).withUpperBound(decimal(number + 1));
                try (FlexCursor cursor = db.cursor(alone)) {
                    cursor.seekToFirst();
                    assertTrue(cursor.isValid(), "range from " + number);
                }
            }
            writer.join();
            assertNull(failure.get());
        }
    }

    @Test
    void withoutTheOptionNothingIsFiltered() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            db.put(decimal(1), new byte[3]);
            assertNull(db.get(decimal(2)));
            assertEquals(0, db.stats().filteredReads());
            assertEquals(0, db.stats().memory().filterBytes());
        }
    }
}
