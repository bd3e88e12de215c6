package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreReadOnlyException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sparse index after a crash: coarse at first, and soon as fine as before, whatever else goes on. */
class FlexDBRefineTest {
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");

    /** Extents of 64 KiB, so that intervals are some times as large after a crash. */
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL
            .withMemtableBytes(512 << 10)
            .withSpace(FlexSpaceOptions.defaults().withSegments(2 << 20, 4096));

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int number) {
        byte[] value = new byte[40 + number % 40];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private static int numberAt(int i, int count, boolean inOrder) {
        return inOrder ? i : (int) (i * 7919L % count);
    }

    private static StoreDriver loaded(int count, boolean inOrder) {
        StoreDriver store = new StoreDriver(OPTIONS);
        for (int i = 0; i < count; i++) {
            int number = numberAt(i, count, inOrder);
            store.put(key(number), value(number));
        }
        return store;
    }

    /** A store in which all has been committed, and a crash then. */
    private static StoreDriver crashed(int count, boolean inOrder) {
        StoreDriver store = loaded(count, inOrder);
        store.reopen("loaded");
        store.vfs = store.vfs.kill();
        return store;
    }

    private static FlexDB openWithThreads(SimulatedVfs vfs) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, OPTIONS, false);
    }

    private static void awaitRefined(FlexDB db, long coarse) {
        Waiting.whileTrue(() -> db.stats().index().coarseIntervals() > coarse);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterACrashThereAreSoonAsManyIntervalsAsBefore(boolean inOrder) {
        StoreDriver store = loaded(20_000, inOrder);
        store.reopen("loaded");
        long before = store.db.stats().index().intervals();
        store.vfs = store.vfs.kill();
        FlexDB db = openWithThreads(store.vfs);
        Waiting.whileTrue(() -> db.stats().index().intervals() < before * leastShare(inOrder));
        awaitRefined(db, 0);
        assertTrue(
                db.stats().index().intervals() < before * 1.05,
                db.stats().index().intervals() + " instead of " + before);
        awaitRefineThreads();
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "refined");
        db.close();
        try (FlexDB again = openWithThreads(store.vfs)) {
            assertEquals(0, again.stats().index().coarseIntervals());
        }
    }

    /** Changes at random leave intervals that are not full, and refinement fills them. */
    private static double leastShare(boolean inOrder) {
        return inOrder ? 0.98 : 0.85;
    }

    /** Those of stores that others have left as if their process had been killed, which may wait for ever. */
    private static final Set<Thread> OF_OTHERS = new HashSet<>();

    @BeforeAll
    static void noteThreadsOfOthers() {
        OF_OTHERS.addAll(Thread.getAllStackTraces().keySet());
    }

    private static long refineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("flexdb-refine ") && thread.isAlive())
                .filter(thread -> !OF_OTHERS.contains(thread))
                .count();
    }

    /** Threads end when they have nothing more to do; those of a store that is dead, too. */
    private static void awaitRefineThreads() {
        Waiting.whileTrue(() -> refineThreads() > 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutThreadsTooAndEachPairIsFound(boolean inOrder) {
        StoreDriver store = loaded(12_000, inOrder);
        store.reopen("loaded");
        FlexDBStats before = store.db.stats();
        assertEquals(0, before.index().coarseIntervals());
        store.kill("killed");
        FlexDBStats coarse = store.db.stats();
        assertEquals(coarse.index().intervals(), coarse.index().coarseIntervals());
        assertTrue(coarse.index().intervals() < before.index().intervals() / 5, coarse + " after " + before);
        store.db.refine();
        FlexDBStats after = store.db.stats();
        assertEquals(0, after.index().coarseIntervals());
        assertTrue(
                after.index().intervals() > leastShare(inOrder) * before.index().intervals(),
                after + " after " + before);
        assertTrue(after.index().intervals() < 1.05 * before.index().intervals(), after + " after " + before);
        store.assertSame("refined");
        store.assertSameBackward("refined");
        for (int i = 0; i < 12_000; i += 7) {
            store.get(key(i), "refined");
            store.get(key(i + 12_000), "absent");
        }
        store.reopen("refined and closed");
        assertEquals(after.index().intervals(), store.db.stats().index().intervals());
        store.db.close();
    }

    @Test
    void aCoarseIndexThatIsSavedIsRefinedLater() {
        StoreDriver store = loaded(8000, true);
        store.reopen("loaded");
        long fine = store.db.stats().index().intervals();
        store.kill("killed");
        long coarse = store.db.stats().index().intervals();
        store.reopen("closed at once");
        assertEquals(coarse, store.db.stats().index().intervals());
        assertEquals(coarse, store.db.stats().index().coarseIntervals());
        store.db.refine();
        assertEquals(0, store.db.stats().index().coarseIntervals());
        assertTrue(store.db.stats().index().intervals() > 0.95 * fine);
        store.assertSame("refined");
        store.db.close();
    }

    /**
     * Pairs larger than an extent, and pairs larger than an interval: each is an interval of its own, and not coarse.
     */
    @ParameterizedTest
    @CsvSource({"60, 100000", "100, 20000", "3, 400000"})
    void largePairsAreCountedWithoutTheirValuesBeingRead(int count, int valueBytes) {
        StoreDriver store = new StoreDriver(OPTIONS);
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[valueBytes];
            new Random(i).nextBytes(value);
            store.put(key(i), value);
        }
        store.reopen("loaded");
        store.kill("killed");
        assertTrue(store.db.stats().index().coarseIntervals() > 0);
        long[] read = {0};
        store.setHook((kind, path) -> read[0] += kind == HookedVfs.Kind.READ ? 1 : 0);
        store.db.refine();
        assertEquals(0, store.db.stats().index().coarseIntervals());
        assertEquals(count, store.db.stats().index().intervals());
        assertTrue(read[0] <= 4L * count, read[0] + " reads for " + count + " pairs");
        store.assertSame("refined");
        store.db.close();
    }

    @Test
    void anEmptyStoreHasNothingToRefine() {
        StoreDriver store = new StoreDriver(OPTIONS);
        store.kill("empty");
        assertEquals(0, store.db.stats().index().coarseIntervals());
        store.db.refine();
        store.put(key(1), value(1));
        store.db.close();
    }

    @Test
    void aSnapshotReadsTheSameBesideRefinementAndCommits() {
        StoreDriver store = crashed(6000, true);
        store.open();
        store.takeOrCheckSnapshot("coarse");
        TreeMap<byte[], byte[]> expected = new TreeMap<>(store.oracle.now());
        try (FlexCursor cursor = store.db.cursor()) {
            cursor.seek(key(1000));
            store.db.refine();
            for (int i = 0; i < 6000; i += 5) {
                store.delete(key(i));
                store.put(key(i + 1), value(i));
            }
            for (byte[] key : expected.tailMap(key(1000)).keySet()) {
                assertArrayEquals(key, cursor.key());
                assertArrayEquals(expected.get(key), cursor.value());
                cursor.next();
            }
        }
        for (int i = 0; i < 6000; i += 11) {
            store.get(key(i), "beside");
        }
        store.takeOrCheckSnapshot("refined");
        store.assertSame("refined");
        store.db.close();
    }

    /** Each commit of a store without threads divides some intervals, so these meet changes at all stages. */
    @Test
    void commitsIntoCoarseIntervalsAndCrashesInBetweenLoseNothing() {
        for (long seed = 1; seed <= Effort.times(6); seed++) {
            Random random = new Random(seed);
            StoreDriver store = crashed(3000, seed % 2 == 0);
            store.open();
            for (int round = 0; round < 4; round++) {
                String at = "seed " + seed + ", round " + round;
                for (int i = 0; i < 150; i++) {
                    change(store, random);
                    if (i % 10 == 0) {
                        store.get(key(random.nextInt(4000)), at);
                        store.walk(
                                key(random.nextInt(4000)),
                                random.nextBoolean(),
                                null,
                                List.of(true, true, false, false, false, true),
                                at);
                    }
                    if (random.nextInt(50) == 0) {
                        store.takeOrCheckSnapshot(at);
                    }
                }
                if (random.nextBoolean()) {
                    store.db.refine();
                    store.assertSame(at);
                    store.assertSameBackward(at);
                }
                switch (random.nextInt(3)) {
                    case 0 -> store.kill(at);
                    case 1 -> store.powerCut(random.nextLong(), at);
                    default -> store.reopen(at);
                }
            }
            store.db.refine();
            assertEquals(0, store.db.stats().index().coarseIntervals(), "seed " + seed);
            store.assertSame("seed " + seed);
            store.db.close();
        }
    }

    private static void change(StoreDriver store, Random random) {
        int number = random.nextInt(4000);
        switch (random.nextInt(6)) {
            case 0 -> store.delete(key(number));
            case 1 -> {
                List<Edit> edits = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    edits.add(new Edit(key(number + i), random.nextInt(3) == 0 ? null : value(number + i)));
                }
                store.batch(edits, Durability.OS);
            }
            case 2 -> store.put(key(number), new byte[random.nextInt(20_000)]);
            default -> store.put(key(number), value(random.nextInt() & 0xFFFF));
        }
    }

    @Test
    void anIntervalThatIsDamagedStaysCoarseAndHarmsNobodyElse() {
        StoreDriver store = crashed(20_000, true);
        byte[] data = store.vfs.content(DATA);
        byte[] wanted = value(9000);
        int at = find(data, key(9000)) + 10 + wanted.length / 2;
        data[at] ^= 1;
        store.vfs.setContent(DATA, data);
        try (FlexDB db = openWithThreads(store.vfs)) {
            awaitRefined(db, 1);
            awaitRefineThreads();
            assertEquals(1, db.stats().index().coarseIntervals());
            assertThrows(CorruptionException.class, () -> db.get(key(9000)));
            for (int i = 0; i < 20_000; i += 100) {
                if (i < 8000 || i > 10_000) {
                    assertArrayEquals(value(i), db.get(key(i)));
                }
            }
            db.put(key(19_000), value(1)); // the commit of this one does not touch the damage
        }
        try (FlexDB db = openWithThreads(store.vfs)) {
            assertEquals(1, db.stats().index().coarseIntervals());
            assertArrayEquals(value(1), db.get(key(19_000)));
            assertThrows(CorruptionException.class, () -> db.get(key(9000)));
        }
    }

    private static int find(byte[] data, byte[] key) {
        for (int i = 0; i < data.length; i++) {
            if (Arrays.equals(data, i, Math.min(data.length, i + key.length), key, 0, key.length)) {
                return i;
            }
        }
        throw new AssertionError("not there");
    }

    /** A commit that can't read what it needs does not keep intervals coarse. */
    @Test
    void aStoreThatIsReadOnlyIsRefinedToo() {
        StoreDriver store = crashed(20_000, true);
        byte[] data = store.vfs.content(DATA);
        data[find(data, key(9000)) + 30] ^= 1;
        store.vfs.setContent(DATA, data);
        FlexDB db = openWithThreads(store.vfs);
        try {
            while (true) {
                db.put(key(9000), value(9000));
            }
        } catch (StoreReadOnlyException e) {
            awaitRefined(db, 1);
        }
        assertArrayEquals(value(9000), db.get(key(9000)));
        assertArrayEquals(value(100), db.get(key(100)));
        db.close();
    }

    /** Readers, cursors and writers beside refinement; everybody knows what must be there. */
    @Test
    void readersAndWritersBesideRefinementSeeWhatWasWritten() throws InterruptedException {
        int count = 20_000;
        for (int round = 0; round < Effort.times(3); round++) {
            StoreDriver store = crashed(count, round % 2 == 0);
            FlexDB db = openWithThreads(store.vfs);
            Workers workers = new Workers();
            AtomicBoolean refined = new AtomicBoolean();
            for (int t = 0; t < 2; t++) {
                int seed = 10 * round + t;
                workers.start("reader" + t, () -> {
                    Random random = new Random(seed);
                    for (int i = 0; i < 3000 || !refined.get() && !workers.hasFailed(); i++) {
                        int number = 2 * random.nextInt(count / 2); // these never change
                        assertArrayEquals(value(number), db.get(key(number)), "round " + seed);
                    }
                });
            }
            int seed = round;
            workers.start("cursor", () -> {
                Random random = new Random(seed);
                for (int i = 0; i < 100 || !refined.get() && !workers.hasFailed(); i++) {
                    walkEvenKeys(db, random.nextInt(count / 2), count);
                }
            });
            workers.start("writer", () -> {
                Random random = new Random(-seed);
                for (int i = 0; i < 15_000; i++) {
                    int number = 1 + 2 * random.nextInt(count / 2);
                    if (random.nextInt(3) == 0) {
                        db.delete(key(number));
                    } else {
                        db.put(key(number), value(random.nextInt() & 0xFFFF));
                    }
                }
            });
            awaitRefined(db, 0);
            refined.set(true);
            workers.join();
            TreeMap<byte[], byte[]> all = StoreDriver.all(db);
            db.close();
            try (FlexDB again = openWithThreads(store.vfs)) {
                StoreOracle.assertSame(all, StoreDriver.all(again), "round " + round);
                assertEquals(0, again.stats().index().coarseIntervals());
            }
        }
    }

    private static void walkEvenKeys(FlexDB db, int first, int count) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(2 * first));
            for (int i = first; i < Math.min(first + 50, count / 2); i++) {
                while (cursor.isValid() && Arrays.compareUnsigned(cursor.key(), key(2 * i)) < 0) {
                    cursor.next();
                }
                assertArrayEquals(key(2 * i), cursor.key());
                assertArrayEquals(value(2 * i), cursor.value());
            }
        }
    }

    /** Closing ends the threads wherever they are, and so does opening again and again. */
    @Test
    void aStoreThatIsClosedWhileItIsRefinedLosesNothing() {
        StoreDriver store = crashed(20_000, true);
        SimulatedVfs vfs = store.vfs;
        for (int i = 0; i < 30; i++) {
            FlexDB db = openWithThreads(vfs);
            for (int j = 0; j < i; j++) {
                assertArrayEquals(value(j * 600), db.get(key(j * 600)));
            }
            if (i % 3 == 0) {
                vfs = vfs.kill();
                awaitRefineThreads();
            } else {
                db.close();
                assertEquals(0, refineThreads());
            }
        }
        try (FlexDB db = openWithThreads(vfs)) {
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "in the end");
        }
    }
}
