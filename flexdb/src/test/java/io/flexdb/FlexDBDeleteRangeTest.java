package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of keys that are deleted at once: what readers see, what a commit makes of it, and what a crash leaves. */
class FlexDBDeleteRangeTest {

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private static StoreDriver filled(int pairs) {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        for (int i = 0; i < pairs; i++) {
            store.put(key(i), value(i, 100));
        }
        return store;
    }

    @Test
    void itTakesOneNumberAndOneFrameWhateverItHolds() {
        StoreDriver store = filled(3000);
        store.reopen("all in the space");
        long before = store.db.stats().written().walBytes();
        assertEquals(3001, store.db.deleteRange(key(10), key(2990)));
        assertTrue(store.db.stats().written().walBytes() - before < 100);
        assertEquals(20, StoreDriver.all(store.db).size());
        store.db.close();
        store.db = StoreDriver.open(store.vfs, store.options);
        assertEquals(20, StoreDriver.all(store.db).size());
        assertTrue(
                store.db.stats().space().bytes() < 20 * 130,
                () -> store.db.stats().toString());
        assertTrue(
                store.db.stats().index().intervals() < 10,
                () -> store.db.stats().toString());
    }

    /** What a range of so many pairs costs, counted: the call, and then its commit. */
    private record Cost(long operations, long walBytes, long reads, long bytesAtCommit, long intervals) {
        static Cost of(int pairs) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDBOptions options =
                    FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(1 << 20);
            FlexDB db = loaded(vfs, options, pairs);
            db.deleteRange(number(-2), number(-1)); // there is a memtable from now on
            FlexDBStats before = db.stats();
            long operations = vfs.operationCount();
            long reads = vfs.readCount();
            db.deleteRange(number(1), number(pairs - 1));
            operations = vfs.operationCount() - operations;
            assertEquals(reads, vfs.readCount(), "nothing is read at the call");
            long walBytes = db.stats().written().walBytes() - before.written().walBytes();
            long written = vfs.bytesWritten(file -> true);
            db.flush();
            reads = vfs.readCount() - reads;
            written = vfs.bytesWritten(file -> true) - written;
            db.close();
            try (FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true)) {
                assertTrue(again.check().isSound());
                assertEquals(2, StoreDriver.all(again).size());
                assertTrue(
                        again.stats().index().intervals() <= 2,
                        () -> again.stats().toString());
            }
            return new Cost(operations, walBytes, reads, written, before.index().intervals());
        }
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** A store of the numbers from 0 on. */
    private static FlexDB loaded(SimulatedVfs vfs, FlexDBOptions options, int pairs) {
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true);
        try (BulkLoad load = db.bulkLoad()) {
            for (int i = 0; i < pairs; i++) {
                load.add(number(i), value(i, 20));
            }
            load.commit();
        }
        return db;
    }

    @Test
    void aMillionPairsCostTheCallWhatAThousandCostAndTheCommitALeafOfTheIndexAtATime() {
        Cost thousand = Cost.of(1000);
        Cost million = Cost.of(1_000_000);
        assertEquals(thousand.operations, million.operations);
        assertEquals(thousand.walBytes, million.walBytes);
        assertEquals(thousand.reads, million.reads, "by the commit, of the intervals at the ends");
        assertTrue(million.intervals > 10_000, () -> million.toString());
        long more = million.bytesAtCommit - thousand.bytesAtCommit;
        assertTrue(more < 2 * million.intervals, () -> million + " against " + thousand);
    }

    /** Ranges within a leaf of the index, over many of them, and over all, in which others were cut before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rangesEndInAnyLeafOfTheIndex(boolean filters) {
        for (long seed = 0; seed < Effort.times(1); seed++) {
            Random random = new Random(seed);
            int pairs = Math.max(20_000, Effort.times(60_000));
            FlexDBOptions options =
                    FlexDBOptions.defaults().withMemtableBytes(1 << 20).withRangeFilter(filters);
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB db = loaded(vfs, options, pairs);
            TreeMap<byte[], byte[]> model = StoreOracle.newMap();
            for (int i = 0; i < pairs; i++) {
                model.put(number(i), value(i, 20));
            }
            for (int round = 0; round < Effort.times(25); round++) {
                int from = random.nextInt(pairs);
                int to = from + 1 + random.nextInt(random.nextInt(4) == 0 ? pairs : 5000);
                byte[] end = to < pairs ? number(to) : null;
                db.deleteRange(number(from), end);
                (end == null ? model.tailMap(number(from)) : model.subMap(number(from), end)).clear();
                for (int i = 0; i < 50; i++) {
                    int key = random.nextInt(pairs);
                    db.put(number(key), value(round, 40));
                    model.put(number(key), value(round, 40));
                }
                db.close(); // which commits
                db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true);
                StoreOracle.assertSame(model, StoreDriver.all(db), "seed " + seed + ", round " + round);
                assertTrue(db.check().isSound());
            }
            db.close();
        }
    }

    @Test
    void whateverIsOpenShowsWhatItShowedBefore() {
        StoreDriver store = filled(1000);
        try (Snapshot snapshot = store.db.snapshot();
                FlexCursor before = store.db.cursor()) {
            store.deleteRange(key(100), key(900));
            store.put(key(500), value(7, 7));
            try (FlexCursor after = store.db.cursor()) {
                for (int i = 1000; i < 2000; i++) {
                    store.put(key(i), value(i, 100)); // so that the range is cut out
                }
                assertEquals(1000, StoreDriver.all(before).size());
                assertEquals(201, StoreDriver.all(after).size());
            }
            assertArrayEquals(value(300, 100), snapshot.get(key(300)));
            assertArrayEquals(value(500, 100), snapshot.get(key(500)));
            try (FlexCursor again = store.db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                assertEquals(1000, StoreDriver.all(again).size());
            }
        }
        store.assertSame("now");
        store.assertSameBackward("now");
        store.db.close();
    }

    /** Without a commit, and with one after each step. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rangesMayNestAndAdjoinAndHaveNoEnds(boolean committed) {
        StoreDriver store = filled(600);
        List<Runnable> steps = List.of(
                () -> store.deleteRange(key(100), key(200)),
                () -> store.deleteRange(key(200), key(300)),
                () -> store.put(key(150), value(1, 50)),
                () -> store.deleteRange(key(140), key(160)),
                () -> store.put(key(155), value(2, 50)),
                () -> store.deleteRange(key(90), key(400)),
                () -> store.batch(
                        List.of(
                                new Edit(key(95), value(3, 10)),
                                Edit.range(key(90), key(96)),
                                new Edit(key(94), value(4, 10)),
                                Edit.range(key(500), null)),
                        Durability.OS),
                () -> store.deleteRange(null, key(50)),
                () -> store.put(key(599), value(5, 5)),
                () -> store.deleteRange(key(450), null),
                () -> store.put(key(450), value(6, 6)),
                () -> store.deleteRange(null, null));
        for (int step = 0; step < steps.size(); step++) {
            steps.get(step).run();
            if (committed) {
                store.reopen("step " + step);
            }
            store.assertSame("step " + step);
            store.assertSameBackward("step " + step);
            for (int i = 0; i < 600; i += 5) {
                store.get(key(i), "step " + step);
                store.walk(key(i), i % 2 == 0, null, List.of(true, false, true, true, false, false, false), "walk");
            }
            store.kill("step " + step);
        }
        store.db.close();
    }

    @Test
    void bothKindsOfKeysAreTakenAndMovedBehind() {
        StoreDriver store = filled(10);
        ByteBuffer from = ByteBuffer.allocateDirect(8).put(key(3)).flip();
        ByteBuffer to = ByteBuffer.wrap(key(7));
        assertEquals(11, store.db.deleteRange(from, to));
        assertFalse(from.hasRemaining() || to.hasRemaining());
        assertEquals(6, StoreDriver.all(store.db).size());
        assertEquals(12, store.db.write(new WriteBatch().deleteRange(from.flip(), null)));
        assertEquals(3, StoreDriver.all(store.db).size());
        store.db.close();
    }

    /** More of them than a memtable takes end it. */
    @Test
    void manyRangesEndMemtables() {
        StoreDriver store = filled(2000);
        for (int i = 0; i < 1000; i++) {
            store.deleteRange(key(2 * i), key(2 * i + 1));
        }
        store.assertSame("deleted");
        store.kill("killed");
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            edits.add(Edit.range(key(3 * i), key(3 * i + 1)));
        }
        store.batch(edits, Durability.OS);
        store.assertSame("a batch");
        store.assertSameBackward("a batch");
        store.reopen("at last");
        store.db.close();
    }

    /** Keys that only the deleted pairs of one interval begin with, and pairs longer than an interval. */
    @Test
    void rangesBeginAndEndAnywhereInIntervals() {
        for (long seed = 0; seed < Effort.times(10); seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            StoreDriver store = new StoreDriver(StoreDriver.SMALL);
            for (int i = 0; i < 400; i++) {
                store.put(key(random.nextInt(1000)), value(i, random.nextInt(random.nextInt(30) == 0 ? 40_000 : 600)));
            }
            for (int round = 0; round < 12; round++) {
                store.reopen("seed " + seed); // which commits
                int from = random.nextInt(1000);
                store.deleteRange(key(from), key(from + 1 + random.nextInt(120)));
                if (random.nextBoolean()) {
                    store.put(key(from + random.nextInt(60)), value(round, random.nextInt(600)));
                }
                store.assertSame("seed " + seed + ", round " + round);
            }
            store.db.close();
        }
    }

    /** A store whose index was sampled has intervals of unknown pairs. */
    @Test
    void rangesAreCutOutOfCoarseIntervals() {
        StoreDriver store = filled(2000);
        store.reopen("all in the space");
        store.kill("sampled");
        store.deleteRange(key(3), key(1501));
        store.reopen("cut");
        store.deleteRange(key(1700), key(1701));
        store.kill("cut again");
        store.reopen("cut again");
        store.assertSameBackward("cut again");
        store.db.close();
    }

    @Test
    void coarseIntervalsThatAreCutOutCountNoMore() {
        StoreDriver store = filled(5000);
        store.reopen("all in the space");
        store.kill("sampled");
        assertTrue(
                store.db.stats().index().coarseIntervals() > 5,
                () -> store.db.stats().toString());
        store.deleteRange(null, null);
        for (int i = 0; i < 2000; i++) {
            store.put(key(i), value(i, 100)); // commits
        }
        assertEquals(0, store.db.stats().index().coarseIntervals());
        store.db.close();
    }

    /** Readers never see a pair of the range again, nor miss one beside it, whatever the commit is doing. */
    @Test
    void readersSeeAllOrNothingWhileTheCommitCuts() throws InterruptedException {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            int groups = 20;
            int inGroup = 100;
            AtomicInteger[] generations = new AtomicInteger[groups];
            for (int group = 0; group < groups; group++) {
                generations[group] = new AtomicInteger();
                fillGroup(db, group, inGroup, 0);
            }
            AtomicBoolean done = new AtomicBoolean();
            Workers workers = new Workers();
            for (int r = 0; r < 2; r++) {
                Random random = new Random(r);
                workers.start("reader " + r, () -> {
                    while (!done.get() && !workers.hasFailed()) {
                        readGroup(db, random.nextInt(groups), inGroup, random.nextBoolean());
                    }
                });
            }
            workers.start("writer", () -> {
                Random random = new Random(77);
                try {
                    for (int i = 0; i < Effort.times(150); i++) {
                        int group = random.nextInt(groups);
                        db.deleteRange(key(1000 * group), key(1000 * group + inGroup));
                        fillGroup(db, group, inGroup, i);
                    }
                } finally {
                    done.set(true);
                }
            });
            workers.join();
        }
    }

    private static void fillGroup(FlexDB db, int group, int count, int generation) {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < count; i++) {
            batch.put(key(1000 * group + i), value(generation, 60));
        }
        db.write(batch);
    }

    /** A group is whole, of one generation, or is not there. */
    private static void readGroup(FlexDB db, int group, int count, boolean backward) {
        int found = 0;
        byte[] first = null;
        ReadOptions options = ReadOptions.defaults().withUpperBound(key(1000 * group + 999));
        try (FlexCursor cursor = db.cursor(options)) {
            if (backward) {
                cursor.seekToLast();
            } else {
                cursor.seek(key(1000 * group));
            }
            while (cursor.isValid() && Arrays.compareUnsigned(cursor.key(), key(1000 * group)) >= 0) {
                first = first == null ? cursor.value() : first;
                assertArrayEquals(first, cursor.value());
                found++;
                if (backward) {
                    cursor.prev();
                } else {
                    cursor.next();
                }
            }
        }
        assertTrue(found == 0 || found == count, found + " of group " + group);
        try (Snapshot snapshot = db.snapshot()) {
            byte[] a = snapshot.get(key(1000 * group));
            assertArrayEquals(a, snapshot.get(key(1000 * group + count / 2)));
            assertArrayEquals(a, snapshot.get(key(1000 * group + count - 1)));
        }
    }

    /** Whoever has read or written what is in a range of others, even if there was nothing, comes too late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRangeIsAWriteOfEachOfItsKeysForTransactions(boolean committed) {
        StoreDriver store = filled(100);
        FlexDB db = store.db;
        List<Consumer<Transaction>> inRange = List.of(
                transaction -> transaction.put(key(50), key(1)),
                transaction -> transaction.put(new byte[] {1}, key(1)).get(key(59)),
                transaction ->
                        transaction.put(new byte[] {1}, key(1)).get("key00050x".getBytes(StandardCharsets.UTF_8)),
                transaction -> walk(transaction.put(new byte[] {1}, key(1)), 45, 55),
                transaction -> walk(transaction.put(new byte[] {1}, key(1)), 55, 70));
        for (Consumer<Transaction> work : inRange) {
            try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                work.accept(transaction);
                db.deleteRange(key(50), key(60));
                commitAll(db, committed);
                assertThrows(ConflictException.class, transaction::commit);
            }
        }
        List<Consumer<Transaction>> beside = List.of(
                transaction -> transaction.put(key(60), key(1)).get(key(49)),
                transaction -> walk(transaction.put(new byte[] {1}, key(1)), 40, 49),
                transaction -> walk(transaction.put(new byte[] {1}, key(1)), 60, 70));
        for (Consumer<Transaction> work : beside) {
            try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                work.accept(transaction);
                db.deleteRange(key(50), key(60));
                commitAll(db, committed);
                transaction.commit();
            }
        }
        assertTrue(db.compareAndSet(key(55), null, key(1)));
        assertFalse(db.compareAndSet(key(55), null, key(2)));
        db.close();
    }

    private static void commitAll(FlexDB db, boolean wanted) {
        for (int i = 0; wanted && i < 800; i++) {
            db.put("z".getBytes(StandardCharsets.UTF_8), value(i, 300));
        }
    }

    private static void walk(Transaction transaction, int from, int to) {
        try (FlexCursor cursor = transaction.cursor()) {
            cursor.seek(key(from));
            while (Arrays.compareUnsigned(cursor.key(), key(to)) < 0) {
                cursor.next();
            }
        }
    }

    /** What a transaction has put into a range that was deleted before it is its own. */
    @Test
    void aTransactionSeesItsOwnPairsInADeletedRange() {
        StoreDriver store = filled(100);
        store.deleteRange(key(10), key(90));
        try (Transaction transaction = store.db.begin()) {
            transaction.put(key(50), key(1)).put(key(5), key(2)).delete(key(95));
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals(20, StoreDriver.all(cursor).size());
                cursor.seek(key(10));
                assertArrayEquals(key(50), cursor.key());
                cursor.next();
                assertArrayEquals(key(90), cursor.key());
                cursor.prev();
                assertArrayEquals(key(50), cursor.key());
                cursor.prev();
                assertArrayEquals(key(9), cursor.key());
            }
            assertNull(transaction.get(key(51)));
            transaction.commit();
        }
        assertEquals(20, StoreDriver.all(store.db).size());
        store.db.close();
    }

    // ---- bursts

    /** Thousands of ranges at once, more than a memtable takes, beside what was open before and is opened between. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBurstOfThousandsLeavesWhatItLeavesOfASortedMap(boolean overlapping) {
        for (long seed = 0; seed < Effort.times(1); seed++) {
            String at = "seed " + seed;
            Random random = new Random(seed);
            int pairs = 50_000;
            FlexDBOptions options = FlexDBOptions.defaults().withMemtableBytes(2 << 20);
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB db = loaded(vfs, options, pairs);
            TreeMap<byte[], byte[]> model = StoreOracle.newMap();
            for (int i = 0; i < pairs; i++) {
                model.put(number(i), value(i, 20));
            }
            TreeMap<byte[], byte[]> before = StoreOracle.newMap();
            before.putAll(model);
            try (Snapshot snapshot = db.snapshot()) {
                for (int i = 0; i < 10_000; i++) {
                    int width = overlapping && random.nextInt(4) == 0 ? pairs / 2 : 1 + random.nextInt(4);
                    int from = random.nextInt(pairs);
                    db.deleteRange(number(from), number(from + width));
                    model.subMap(number(from), number(from + width)).clear();
                    for (int j = 0; j < 2; j++) {
                        int key = random.nextInt(pairs);
                        db.put(number(key), value(i, 20));
                        model.put(number(key), value(i, 20));
                    }
                    if (i % 1500 == 1000) {
                        StoreOracle.assertSame(model, StoreDriver.all(db), at);
                        assertSameBetween(db, model, random.nextInt(pairs), pairs / 10, at);
                        assertArrayEquals(snapshot.get(number(from)), before.get(number(from)), at);
                    }
                }
                StoreOracle.assertSame(model, StoreDriver.all(db), at);
                StoreOracle.assertSame(before, allOf(snapshot), at);
            }
            SimulatedVfs killed = vfs.kill();
            try (FlexDB again = FlexDB.open(killed, StoreDriver.DIRECTORY, options, true)) {
                StoreOracle.assertSame(model, StoreDriver.all(again), at);
                assertTrue(again.check().isSound());
            }
            try (FlexDB again = FlexDB.open(killed, StoreDriver.DIRECTORY, options, true)) {
                StoreOracle.assertSame(model, StoreDriver.all(again), at + ", committed");
            }
        }
    }

    private static TreeMap<byte[], byte[]> allOf(Snapshot snapshot) {
        TreeMap<byte[], byte[]> all = StoreOracle.newMap();
        try (FlexCursor cursor = snapshot.cursor()) {
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                all.put(cursor.key(), cursor.value());
            }
        }
        return all;
    }

    /** Backward, and forward to a bound. */
    private static void assertSameBetween(
            FlexDB db, TreeMap<byte[], byte[]> model, int from, int count, String message) {
        byte[] to = number(from + count);
        TreeMap<byte[], byte[]> found = StoreOracle.newMap();
        try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withUpperBound(to))) {
            for (cursor.seek(number(from)); cursor.isValid(); cursor.next()) {
                found.put(cursor.key(), cursor.value());
            }
            StoreOracle.assertSame(new TreeMap<>(model.subMap(number(from), to)), found, message);
            int backward = 0;
            for (cursor.seekToLast();
                    cursor.isValid() && Arrays.compareUnsigned(cursor.key(), number(from)) >= 0;
                    cursor.prev()) {
                assertArrayEquals(found.get(cursor.key()), cursor.value(), message);
                backward++;
            }
            assertEquals(found.size(), backward, message);
        }
    }

    /** A call makes a frame and nothing else, though thousands came before it: no memtable ends, nothing is written. */
    @Test
    void thousandsOfRangesFitOneMemtable() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options =
                FlexDBOptions.defaults().withMemtableBytes(8 << 20).withDurability(Durability.NONE);
        try (FlexDB db = loaded(vfs, options, 10_000)) {
            db.deleteRange(number(-2), number(-1)); // there is a memtable from now on
            long memory = db.stats().commits().memtableBytes();
            long reads = vfs.readCount();
            for (int i = 0; i < 8000; i++) {
                db.deleteRange(number(i), number(i + 1));
            }
            assertEquals(reads, vfs.readCount(), "no commit");
            assertEquals(memory, db.stats().commits().memtableBytes());
            assertEquals(2000, StoreDriver.all(db).size());
        }
    }

    /** A reader in a transaction that has seen all, beside a range, however many fragments there are. */
    @Test
    void aWalkFromTheFirstKeyConflictsWithAnyRange() {
        StoreDriver store = filled(100);
        for (int i = 1000; i < 1300; i++) {
            store.deleteRange(key(i), key(i + 1));
        }
        try (Transaction transaction = store.db.begin(Isolation.SERIALIZABLE)) {
            assertEquals(100, countBackward(transaction));
            transaction.put(key(5000), key(1));
            store.deleteRange(key(99), key(100));
            assertThrows(ConflictException.class, transaction::commit);
        }
        try (Transaction transaction = store.db.begin(Isolation.SERIALIZABLE)) {
            assertEquals(99, countBackward(transaction));
            transaction.put(key(5000), key(1)).commit();
        }
        store.db.close();
    }

    private static int countBackward(Transaction transaction) {
        int count = 0;
        try (FlexCursor cursor = transaction.cursor()) {
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                count++;
            }
        }
        return count;
    }

    // ---- crashes

    /** Puts between ranges over several memtables, and commits of all of them. */
    private static void script(StoreDriver store) {
        store.open();
        Random random = new Random(5);
        for (int round = 0; round < 60; round++) {
            List<Edit> edits = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                edits.add(new Edit(key(random.nextInt(600)), value(round + i, 30 + random.nextInt(300))));
            }
            int from = random.nextInt(600);
            if (round % 3 == 1) {
                edits.add(6, Edit.range(key(from), key(from + 40)));
            }
            store.batch(edits, store.options.durability());
            if (round % 6 == 5) {
                store.deleteRange(round % 12 == 5 ? key(from) : null, key(from + 80));
            }
            if (round % 25 == 24) {
                store.deleteRange(key(300), null);
            }
        }
        store.db.close();
        store.oracle.allDurable();
    }

    @ParameterizedTest
    @EnumSource
    void aCutAtAnyOperationLeavesThePrefixThatItMay(Durability durability) {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL.withDurability(durability), new SimulatedVfs());
        int[] points = {0};
        store.setHook(FlexDBCrashTest.eachButMostAppends(Effort.step(10), () -> {
            int point = ++points[0];
            SimulatedVfs dead = store.vfs.copy();
            for (long seed : new long[] {0, 1, 1 + point}) {
                String at = durability + ", point " + point + ", seed " + seed;
                FlexDBCrashTest.checkRecovered(store, dead.crash(seed), at, point % 3 == 0);
            }
        }));
        script(store);
        assertTrue(points[0] >= Effort.times(100), points[0] + " points only");
    }
}
