package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is absent is known without reading, and what is there is never taken for absent. */
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

        /** With filters that are made of all that was loaded. */
        Counted(IntFunction<byte[]> keys, int even, int valueBytes) {
            this(keys, even, valueBytes, false);
            db.buildFilters();
        }

        /** @param filteredFirst whether it was loaded with filters, which the file of its close has */
        Counted(IntFunction<byte[]> keys, int even, int valueBytes, boolean filteredFirst) {
            SimulatedVfsOfReads vfs = new SimulatedVfsOfReads(reads);
            this.even = even;
            FlexDBOptions options = FILTERED.withReads(Reads.POSITIONAL)
                    .withCacheBytes(600 << 10)
                    .withMemtableBytes(1 << 20);
            try (FlexDB loaded = StoreDriver.open(vfs.vfs, options.withRangeFilter(filteredFirst))) {
                Random order = new Random(3);
                int[] numbers = order.ints(0, even).distinct().limit(even).toArray();
                for (int number : numbers) {
                    loaded.put(keys.apply(2 * number), new byte[valueBytes]);
                }
                loaded.buildFilters(); // if it has any
            }
            db = StoreDriver.open(vfs.vfs, options);
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreThatIsOpenedAgainAnswersForWhatIsAbsent(boolean decimal) {
        IntFunction<byte[]> keys = decimal ? FlexDBRangeFilterTest::decimal : FlexDBRangeFilterTest::random;
        try (Counted store = new Counted(keys, PAIRS, 400, true)) {
            for (int i = 0; i < PAIRS; i++) {
                assertNull(store.db.get(keys.apply(2 * i + 1)));
            }
            long answered = store.db.stats().index().filteredReads();
            assertTrue(answered > (decimal ? 0.9 : 0.85) * PAIRS, answered + " of " + PAIRS + " absent keys");
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
        long before = store.db.stats().index().filteredReads();
        int absent = 0;
        for (int i = 0; i < 2 * PAIRS; i++) {
            if (!store.oracle.now().containsKey(decimal(i))) {
                absent++;
                assertNull(store.db.get(decimal(i)));
            }
        }
        long answered = store.db.stats().index().filteredReads() - before;
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
            while (writer.isAlive() || db.stats().index().filteredReads() == 0) {
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

    // ---- the file of a clean close

    private static final Path FILE = StoreDriver.DIRECTORY.resolve("intervals");

    /** A store with pairs of even numbers, scattered by changes, of which it has the filters. */
    private static StoreDriver filtered() {
        StoreDriver store = new StoreDriver(FILTERED);
        for (int i = 0; i < PAIRS; i++) {
            store.put(decimal(2 * i), new byte[30]);
        }
        store.reopen("loaded");
        store.db.buildFilters();
        Random random = new Random(7);
        for (int i = 0; i < PAIRS; i++) {
            store.put(decimal(2 * random.nextInt(PAIRS)), new byte[20 + random.nextInt(20)]);
        }
        return store;
    }

    /** What share of absent keys filters answer, where all that is there is found. */
    private static double answeredOfAbsent(StoreDriver store, String at) {
        store.assertSame(at);
        long before = store.db.stats().index().filteredReads();
        for (int i = 0; i < PAIRS; i++) {
            assertTrue(store.db.containsKey(decimal(2 * i)), at + ", key " + 2 * i);
            assertFalse(store.db.containsKey(decimal(2 * i + 1)), at + ", key " + (2 * i + 1));
        }
        return (store.db.stats().index().filteredReads() - before) / (double) PAIRS;
    }

    @Test
    void aStoreThatWasClosedHasThemAtOnceAndGoesOnWithThem() {
        StoreDriver store = filtered();
        for (int round = 0; round < 3; round++) {
            store.reopen("round " + round);
            assertFalse(store.vfs.exists(FILE), "deleted by opening");
            double answered = answeredOfAbsent(store, "round " + round);
            assertTrue(answered > 0.9, answered + " of the absent keys were answered");
            for (int i = 0; i < 500; i++) {
                store.put(decimal(2 * i), new byte[round]);
                store.put(decimal(2 * PAIRS + 500 * round + i), new byte[40]);
            }
        }
        store.kill("after a kill there are none");
        assertEquals(0, answeredOfAbsent(store, "killed"));
        store.db.close();
    }

    @Test
    void withoutTheOptionTheyAreNotSavedAndNothingOldIsBelieved() {
        StoreDriver store = filtered();
        store.db.close();
        SimulatedVfs closed = store.vfs.copy();
        byte[] old = closed.content(FILE);
        try (FlexDB db = StoreDriver.open(closed, StoreDriver.SMALL)) {
            assertFalse(closed.exists(FILE));
            for (int i = 0; i < PAIRS; i++) {
                db.put(decimal(2 * i + 1), new byte[30]);
            }
        }
        byte[] without = closed.content(FILE);
        assertEquals(without.length, sectionEnd(without, 1), "it ends behind the outlines");
        closed.setContent(FILE, old);
        try (FlexDB db = StoreDriver.open(closed, FILTERED)) {
            for (int i = 0; i < 2 * PAIRS; i++) {
                assertTrue(db.containsKey(decimal(i)), "key " + i);
            }
        }
    }

    @Test
    void aFileThatIsNotSoundCostsTimeAndNothingElse() {
        StoreDriver store = filtered();
        store.db.close();
        byte[] sound = store.vfs.content(FILE);
        int anchorsEnd = sectionEnd(sound, 0);
        int outlinesEnd = sectionEnd(sound, 1);
        Random random = new Random(11);
        for (int round = 0; round < Effort.times(60); round++) {
            byte[] damaged = round % 4 == 0 ? Arrays.copyOf(sound, random.nextInt(sound.length)) : sound.clone();
            boolean isThere = false;
            if (round % 4 == 1) {
                damaged[random.nextInt(136)] ^= (byte) (1 << random.nextInt(8));
            } else if (round % 4 == 2) {
                int at = 4096 + random.nextInt(sound.length - 4096);
                damaged[at] ^= (byte) (1 << random.nextInt(8));
                isThere = at >= anchorsEnd && at < outlinesEnd;
            } else if (round % 4 == 3) {
                damaged = Arrays.copyOf(sound, sound.length + 1 + random.nextInt(9));
            }
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, damaged);
            isThere |= Arrays.equals(damaged, sound);
            try (FlexDB db = StoreDriver.open(files, FILTERED)) {
                for (int i = 0; i < 2 * PAIRS; i++) {
                    assertEquals(i % 2 == 0, db.containsKey(decimal(i)), "round " + round + ", key " + i);
                }
                assertEquals(isThere, db.stats().index().filteredReads() > 0, "round " + round);
            }
        }
    }

    /** Each part that is damaged is lost, and no other is; without anchors nothing counts. */
    @Test
    void damageOfOnePartTakesThatPart() {
        StoreDriver store = filtered();
        store.assertSame("so that all intervals are known");
        store.db.close();
        byte[] sound = store.vfs.content(FILE);
        Path directories = StoreDriver.DIRECTORY.resolve("directories");
        for (int part = -1; part < 3; part++) { // none, anchors, outlines, filters
            byte[] damaged = sound.clone();
            if (part >= 0) {
                damaged[sectionEnd(sound, part) - 1] ^= 1;
            }
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, damaged);
            try (FlexDB db = StoreDriver.open(files, FILTERED)) {
                String at = "part " + part;
                assertEquals(part == -1 || part == 2, outlines(db) > 10, at + ": outlines");
                assertEquals(part == 0, db.access.store().intervals.coarseCount() > 0, at + ": the index is sampled");
                assertEquals(part == -1 || part == 1, db.access.store().filters.count() > 0, at + ": filters");
                assertEquals(part != 0, files.exists(directories), at + ": directories are in use");
                StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), at);
            }
        }
    }

    private static int outlines(FlexDB db) {
        IntervalCursor interval = db.access.store().index.cursor();
        int count = 0;
        for (interval.first(db.access.store().index.current()); interval.isValid(); interval.next()) {
            count += db.access.store().cache.contains(interval.contentNumber()) ? 1 : 0;
        }
        return count;
    }

    /** Sets with sound checksums that can't be sets: nothing is read outside of them. */
    @Test
    void aFileOfAnotherMakeNeitherEndsAnythingNorStays() {
        StoreDriver store = filtered();
        store.db.close();
        byte[] sound = store.vfs.content(FILE);
        int from = sectionEnd(sound, 1);
        Random random = new Random(12);
        for (int round = 0; round < Effort.times(60); round++) {
            byte[] hostile = sound.clone();
            ByteBuffer file = ByteBuffer.wrap(hostile).order(ByteOrder.LITTLE_ENDIAN);
            if (round % 3 == 0) {
                file.putInt(from, random.nextInt(40) - 10); // models
            } else {
                for (int i = 0; i < 50; i++) {
                    hostile[from + random.nextInt(sound.length - from)] = (byte) random.nextInt();
                }
            }
            file.putInt(96, checksum(hostile, from, hostile.length - from));
            file.putInt(132, checksum(hostile, 0, 132));
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, hostile);
            try (FlexDB db = StoreDriver.open(files, FILTERED)) {
                for (int i = 0; i < 2 * PAIRS; i++) {
                    db.containsKey(decimal(i));
                }
                db.put(decimal(1), new byte[3]);
            }
            try (FlexDB db = StoreDriver.open(files, StoreDriver.SMALL)) {
                assertEquals(PAIRS + 1, StoreDriver.all(db).size(), "round " + round);
            }
        }
    }

    /** Where anchors (0), outlines (1) or filters (2) end in the file. */
    private static int sectionEnd(byte[] file, int section) {
        return (int) ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong(64 + 12 * section);
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    @Test
    void aFileThatCanNotBeWrittenOrReadFailsNothing() {
        StoreDriver store = filtered();
        store.db.close();
        int met = 0;
        for (Fault fault : Effort.some(List.of(Fault.values()))) {
            for (HookedVfs.Kind kind : HookedVfs.Kind.values()) {
                for (int nth = 1; nth <= 3; nth++) {
                    SimulatedVfs files = store.vfs.copy();
                    int failing = nth;
                    int[] count = {0};
                    boolean[] closing = {false};
                    HookedVfs hooked = new HookedVfs(files, (operation, path) -> {
                        if (closing[0] && operation == kind && path.equals(FILE) && ++count[0] == failing) {
                            files.failAt(files.operationCount() + 1, fault);
                        }
                    });
                    FlexDB db = FlexDB.open(hooked, StoreDriver.DIRECTORY, FILTERED, true);
                    closing[0] = true;
                    db.close();
                    files.clearFaults();
                    met += count[0] >= nth ? 1 : 0;
                    try (FlexDB again = StoreDriver.open(files, FILTERED)) {
                        for (int i = 0; i < 2 * PAIRS; i++) {
                            assertEquals(
                                    i % 2 == 0, again.containsKey(decimal(i)), fault + " at " + kind + ", key " + i);
                        }
                    }
                }
            }
        }
        assertTrue(met > Effort.times(5), met + " faults met");
    }

    @Test
    void aFileThatCanNotBeReadFailsNothing() {
        StoreDriver store = filtered();
        store.db.close();
        HookedVfs hooked = new HookedVfs(store.vfs, (operation, path) -> {
            if (operation == HookedVfs.Kind.READ && path.equals(FILE)) {
                throw new StoreIoException("read", path, new IOException("for a test"));
            }
        });
        try (FlexDB db = FlexDB.open(hooked, StoreDriver.DIRECTORY, FILTERED, true)) {
            for (int i = 0; i < 2 * PAIRS; i++) {
                assertEquals(i % 2 == 0, db.containsKey(decimal(i)), "key " + i);
            }
            assertEquals(0, db.stats().index().filteredReads());
        }
    }

    /** One key is asked for: the thread makes the filters of all intervals, as others will be asked for. */
    @Test
    void whoAsksForOneHasAllMade() throws InterruptedException {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(decimal(2 * i), new byte[30]);
            }
        }
        long bytesOfAll;
        try (FlexDB db = StoreDriver.open(vfs.copy(), FILTERED)) {
            db.buildFilters();
            bytesOfAll = db.filterBytes();
        }
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, FILTERED, false)) {
            assertFalse(db.containsKey(decimal(1)));
            Waiting.whileTrue(() -> db.filterBytes() < bytesOfAll);
            assertEquals(0, db.stats().index().filteredReads());
            for (int i = 0; i < PAIRS; i++) {
                assertFalse(db.containsKey(decimal(2 * i + 1)));
            }
            assertTrue(
                    db.stats().index().filteredReads() > 0.9 * PAIRS, db.stats().toString());
        }
    }

    @Test
    void withoutTheOptionNothingIsFiltered() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            db.put(decimal(1), new byte[3]);
            assertNull(db.get(decimal(2)));
            assertEquals(0, db.stats().index().filteredReads());
            assertEquals(0, db.stats().memory().filterBytes());
        }
    }

    // ---- in some keyspaces

    private static final KeyspaceOptions WITH = KeyspaceOptions.defaults().withRangeFilter(true);
    private static final KeyspaceOptions WITHOUT = KeyspaceOptions.defaults().withRangeFilter(false);

    /** Asks for absent keys between those that there are, and returns how many of a hundred filters have answered. */
    private static double answeredOf(FlexDB db, Keyspace keyspace) {
        long before = db.stats().index().filteredReads();
        for (int i = 0; i < PAIRS; i++) {
            assertNull(keyspace.get(decimal(2 * i + 1)));
            assertTrue(i % 10 > 0 || keyspace.containsKey(decimal(2 * i)));
        }
        return 100.0 * (db.stats().index().filteredReads() - before) / PAIRS;
    }

    private static void assertAnswers(FlexDB db, Set<String> filtered, String at) {
        for (String name : List.of("", "one", "two")) {
            double answered = answeredOf(db, name.isEmpty() ? db : db.keyspace(name));
            assertTrue(
                    filtered.contains(name) ? answered > 90 : answered == 0,
                    at + ", keyspace \"" + name + "\" answered " + answered + " of 100");
            if (!name.isEmpty()) {
                long before = db.stats().index().filteredReads();
                for (int i = 1000; i < 1100; i++) { // in intervals of one keyspace alone
                    byte[] from = decimal(2 * i + 1);
                    try (FlexCursor cursor = db.keyspace(name)
                            .cursor(ReadOptions.defaults().withLowerBound(from).withUpperBound(behind(from)))) {
                        cursor.seekToFirst();
                        assertFalse(cursor.isValid());
                    }
                }
                long ranges = db.stats().index().filteredReads() - before;
                assertTrue(filtered.contains(name) ? ranges > 80 : ranges == 0, at + ", ranges: " + ranges);
            }
        }
    }

    @Test
    void eachKeyspaceSaysWhetherItHasOne() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions some = StoreDriver.SMALL.withKeyspace("one", WITH).withKeyspace("empty", WITH);
        long ofOne;
        try (FlexDB db = StoreDriver.open(vfs, some)) {
            for (Keyspace keyspace : List.of(db, db.createKeyspace("one"), db.createKeyspace("two"))) {
                for (int i = 0; i < PAIRS; i++) {
                    keyspace.put(decimal(2 * i), new byte[30]);
                }
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, some)) {
            db.buildFilters();
            ofOne = db.filterBytes();
            assertAnswers(db, Set.of("one"), "first");
            for (int i = 0; i < 3000; i++) {
                db.put(decimal(2 * i), new byte[40]);
                db.keyspace("one").put(decimal(2 * i), new byte[40]);
                db.keyspace("two").put(decimal(2 * i), new byte[40]);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, some)) {
            assertAnswers(db, Set.of("one"), "restored");
        }
        vfs = vfs.kill();
        try (FlexDB db = StoreDriver.open(vfs, FILTERED.withKeyspace("one", WITHOUT))) {
            db.buildFilters();
            assertTrue(db.filterBytes() > 1.5 * ofOne, db.filterBytes() + " where one took " + ofOne);
            assertAnswers(db, Set.of("", "two"), "all but one");
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL.withKeyspace("two", WITH))) {
            assertAnswers(db, Set.of("two"), "those of the default keyspace are forgotten");
            assertTrue(db.filterBytes() < 1.5 * ofOne, db.filterBytes() + " where one took " + ofOne);
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL.withKeyspace("unknown", WITH))) {
            assertAnswers(db, Set.of(), "none");
        }
    }

    /** With the thread that makes them, which is to make no more than are wanted, and to come to its rest. */
    @Test
    void thoseOfOneKeyspaceAreMadeWhenSomebodyAsks() throws IOException {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (Keyspace keyspace : List.of(db, db.createKeyspace("one"), db.createKeyspace("two"))) {
                for (int i = 0; i < PAIRS; i++) {
                    keyspace.put(decimal(2 * i), new byte[30]);
                }
            }
        }
        FlexDBOptions some = StoreDriver.SMALL.withKeyspace("one", WITH);
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, some, false)) {
            while (answeredOf(db, db.keyspace("one")) <= 90) {
                Thread.onSpinWait(); // it asks for them
            }
            assertAnswers(db, Set.of("one"), "made");
        }
    }
}
