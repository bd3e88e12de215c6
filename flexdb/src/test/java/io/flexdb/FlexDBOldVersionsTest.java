package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.SnapshotTooOldException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Old versions that are more than memory may have go to a file, and are read there as they were. */
class FlexDBOldVersionsTest {
    private static final int KEYS = 400;
    private static final long LIMIT = 4 * (64 << 10);
    private static final long FEW = 160 << 10;
    private static final Path FILE = StoreDriver.DIRECTORY.resolve("old-versions");
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL.withMaxPinnedBytes(LIMIT);

    private final long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Seen> open = new ArrayList<>();
    private StoreDriver store;

    /** A snapshot and what it shows. */
    private record Seen(Snapshot snapshot, TreeMap<byte[], byte[]> pairs) {}

    private void begin(FlexDBOptions options) {
        System.out.println("-Dflexdb.test.seed=" + seed);
        store = new StoreDriver(options);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value(int mostBytes) {
        byte[] value = new byte[random.nextInt(mostBytes)];
        random.nextBytes(value);
        return value;
    }

    private byte[] key() {
        return key(random.nextInt(KEYS));
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            store.clock.advance(random.nextInt(2));
            switch (random.nextInt(20)) {
                case 0, 1 -> store.delete(key());
                case 2, 3, 4 -> store.merge(key(), value(40));
                case 5, 6 -> store.put(key(), value(300), 1 + random.nextInt(500));
                case 7 -> store.put(key(), value(3000));
                case 8 -> {
                    int from = random.nextInt(KEYS);
                    store.deleteRange(key(from), key(from + 1 + random.nextInt(20)));
                }
                case 9 -> {
                    List<Edit> edits = new ArrayList<>();
                    for (int edit = random.nextInt(6); edit >= 0; edit--) {
                        edits.add(new Edit(key(), random.nextInt(4) == 0 ? null : value(300)));
                    }
                    store.batch(edits, Durability.NONE);
                }
                default -> store.put(key(), value(140));
            }
        }
    }

    private void takeSnapshot() {
        open.add(new Seen(store.db.snapshot(), new TreeMap<>(store.oracle.now())));
    }

    private void check(Seen seen) {
        String at = "seed " + seed + ", snapshot at " + seen.snapshot.sequence();
        try (FlexCursor cursor = seen.snapshot.cursor()) {
            StoreOracle.assertSame(seen.pairs, StoreDriver.all(cursor), at);
            TreeMap<byte[], byte[]> backward = StoreOracle.newMap();
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                backward.put(cursor.key(), cursor.value());
            }
            StoreOracle.assertSame(seen.pairs, backward, at);
            walk(cursor, seen.pairs, at);
        }
        List<byte[]> some = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            some.add(key());
        }
        List<byte[]> values = seen.snapshot.multiGet(some);
        for (int i = 0; i < some.size(); i++) {
            byte[] expected = seen.pairs.get(some.get(i));
            assertArrayEquals(expected, seen.snapshot.get(some.get(i)), at);
            assertArrayEquals(expected, values.get(i), at);
            assertEquals(expected == null ? -1 : expected.length, seen.snapshot.valueLength(some.get(i)), at);
            assertEquals(expected != null, seen.snapshot.containsKey(some.get(i)), at);
            try (ValueReader value = seen.snapshot.openValue(some.get(i))) {
                assertEquals(expected != null, value != null, at);
                if (value != null) {
                    ByteBuffer read = ByteBuffer.allocate(expected.length);
                    value.read(read, 0);
                    assertArrayEquals(expected, read.array(), at);
                }
            }
        }
    }

    private void walk(FlexCursor cursor, TreeMap<byte[], byte[]> pairs, String at) {
        byte[] from = key();
        cursor.seek(from);
        Map.Entry<byte[], byte[]> expected = pairs.ceilingEntry(from);
        for (int i = 0; i < 30 && expected != null; i++) {
            assertArrayEquals(expected.getKey(), cursor.key(), at);
            assertArrayEquals(expected.getValue(), cursor.value(), at);
            if (random.nextInt(3) > 0) {
                cursor.next();
                expected = pairs.higherEntry(expected.getKey());
            } else {
                cursor.prev();
                expected = pairs.lowerEntry(expected.getKey());
            }
        }
        assertEquals(expected != null, cursor.isValid(), at);
    }

    private void checkAndClose(int at) {
        Seen seen = open.remove(at);
        check(seen);
        seen.snapshot.close();
    }

    private FlexDBHolders holders() {
        return store.db.stats().holders();
    }

    @Test
    void threeHundredSnapshotsReadWhatTheyShould() {
        begin(OPTIONS);
        write(KEYS);
        long most = 0;
        for (int i = 0; i < 300; i++) {
            write(20);
            takeSnapshot();
            most = Math.max(most, holders().keptBytes());
        }
        assertEquals(300, holders().count(FlexDBHolder.Kind.SNAPSHOT));
        assertTrue(holders().keptFileBytes() > LIMIT, () -> holders().keptFileBytes() + " in the file");
        assertTrue(most <= LIMIT, most + " kept in memory");
        while (!open.isEmpty()) {
            checkAndClose(random.nextInt(open.size()));
        }
        store.db.flush();
        write(1000); // commits take back what nobody reads
        assertEquals(0, holders().keptFileBytes());
        store.assertSame("seed " + seed);
        store.db.close();
        assertFalse(store.vfs.exists(FILE));
    }

    @Test
    void whateverIsOpenAndWrittenIsWhatItShouldBe() {
        for (int round = 0; round < Effort.times(1); round++) {
            begin(OPTIONS.withRangeFilter(random.nextBoolean())
                    .withMaxPinnedBytes(LIMIT + random.nextInt(4) * (64L << 10)));
            open.clear();
            long moved = 0;
            for (int step = 0; step < 200; step++) {
                write(random.nextInt(60));
                switch (random.nextInt(5)) {
                    case 0 -> takeSnapshot();
                    case 1 -> {
                        if (!open.isEmpty()) {
                            check(open.get(random.nextInt(open.size())));
                        }
                    }
                    case 2 -> {
                        if (open.size() > 10) {
                            checkAndClose(random.nextInt(open.size()));
                        }
                    }
                    case 3 -> transaction();
                    default -> {
                        if (random.nextInt(10) == 0) {
                            store.db.compact(null, null);
                        }
                    }
                }
                moved = Math.max(moved, holders().keptFileBytes());
            }
            assertTrue(moved > 0, "nothing was moved");
            while (!open.isEmpty()) {
                checkAndClose(random.nextInt(open.size()));
            }
            store.assertSame("seed " + seed);
            store.db.close();
        }
    }

    /** One that reads an old version with its own writes in front, and conflicts with what was written since. */
    private void transaction() {
        TreeMap<byte[], byte[]> seen = new TreeMap<>(store.oracle.now());
        String at = "seed " + seed;
        try (Transaction transaction = store.db.begin(Isolation.SNAPSHOT)) {
            byte[] own = value(100);
            transaction.put(key(7), own);
            seen.put(key(7), own);
            transaction.delete(key(9));
            seen.remove(key(9));
            write(random.nextInt(900));
            for (int i = 0; i < 10; i++) {
                byte[] key = key();
                assertArrayEquals(seen.get(key), transaction.get(key), at);
            }
            try (FlexCursor cursor = transaction.cursor()) {
                StoreOracle.assertSame(seen, StoreDriver.all(cursor), at);
                walk(cursor, seen, at);
            }
            store.put(key(7), value(10));
            assertThrows(ConflictException.class, transaction::commit);
        }
    }

    @Test
    void cursorsThatAreOpenMeanwhileGoOn() {
        begin(OPTIONS.withMaxPinnedBytes(2 * LIMIT)); // they keep the memory that they were opened in
        write(3 * KEYS);
        List<FlexCursor> cursors = new ArrayList<>();
        List<TreeMap<byte[], byte[]>> expected = new ArrayList<>();
        TreeMap<byte[], byte[]> last = new TreeMap<>(store.oracle.now());
        takeSnapshot();
        for (int i = 0; i < 2; i++) {
            FlexCursor cursor = i == 0 ? open.get(0).snapshot.cursor() : store.db.cursor();
            cursor.seek(key(KEYS / 2));
            cursors.add(cursor);
            expected.add(last);
        }
        for (int i = 0; i < 40; i++) {
            write(150);
            takeSnapshot();
        }
        assertTrue(holders().keptFileBytes() > 0);
        for (int i = 0; i < cursors.size(); i++) {
            FlexCursor cursor = cursors.get(i);
            Map.Entry<byte[], byte[]> at = expected.get(i).ceilingEntry(key(KEYS / 2));
            for (int step = 0;
                    step < 50;
                    step++, cursor.next(), at = expected.get(i).higherEntry(at.getKey())) {
                assertArrayEquals(at.getKey(), cursor.key(), "seed " + seed);
                assertArrayEquals(at.getValue(), cursor.value(), "seed " + seed);
            }
            StoreOracle.assertSame(expected.get(i), StoreDriver.all(cursor), "seed " + seed);
            cursor.close();
        }
        while (!open.isEmpty()) {
            checkAndClose(0);
        }
        store.db.close();
    }

    /** One key with so many entries that nobody could walk all of them each time. */
    @Test
    void manyVersionsAndOperandsOfOneKeyAreReadInTheirOrder() {
        begin(OPTIONS.withMemtableBytes(8 << 20).withMaxPinnedBytes(1 << 20));
        FlexDB db = store.db;
        for (int i = 0; i < 40_000; i++) {
            store.merge(key(1), new byte[] {(byte) i});
            if (i % 200 == 0) {
                store.put(key(2), key(i));
                takeSnapshot();
            }
        }
        write(30);
        takeSnapshot();
        db.flush();
        assertTrue(holders().keptFileBytes() > 0);
        for (int i = open.size() - 1; i >= 0; i -= 20) {
            check(open.get(i));
        }
        open.forEach(seen -> seen.snapshot.close());
        db.close();
    }

    // ---- what goes wrong

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereTheFileCanNotBeWrittenTheOldestEndAndTheStoreGoesOn(boolean full) {
        int ended = 0;
        int first = 0;
        boolean anyFailed = true;
        for (; anyFailed; first += 3) {
            AtomicInteger failed = new AtomicInteger();
            ended += endedByFaults(first, full, failed);
            anyFailed = failed.get() > 0;
        }
        assertTrue(first > 6, "the file was hardly written");
        assertTrue(ended > 0, "none has ended");
    }

    /** How many end if some calls of the file fail, from one on. */
    private int endedByFaults(int first, boolean full, AtomicInteger failed) {
        begin(OPTIONS.withMaxPinnedBytes(FEW));
        open.clear();
        AtomicInteger calls = new AtomicInteger();
        store.db.close();
        store.setHook((kind, path) -> {
            boolean isOurs = path.equals(FILE) && kind != HookedVfs.Kind.DELETE && kind != HookedVfs.Kind.READ;
            int call = isOurs ? calls.getAndIncrement() : -1;
            if (isOurs && call >= first && call < first + 4) {
                failed.incrementAndGet();
                IOException cause = new IOException("a fault");
                throw full ? new StoreFullException("write", path, cause) : new StoreIoException("write", path, cause);
            }
        });
        store.open();
        fillAndTakeSnapshots(12);
        assertTrue(holders().keptBytes() <= FEW, () -> holders().keptBytes() + " kept");
        int ended = 0;
        for (Seen seen : open) {
            try {
                check(seen);
            } catch (SnapshotTooOldException e) {
                ended++;
                assertTrue(failed.get() > 0 && e.getMessage().contains("a fault"), e.getMessage());
            }
        }
        assertTrue(ended < open.size(), "all have ended");
        open.forEach(seen -> seen.snapshot.close());
        write(300);
        store.assertSame("seed " + seed);
        store.db.close();
        return ended;
    }

    private void fillAndTakeSnapshots(int count) {
        write(KEYS);
        for (int i = 0; i < count; i++) {
            write(250);
            takeSnapshot();
        }
    }

    @Test
    void whatIsMoreThanMayBeInTheFileEndsTheOldest() {
        long most = 3 * (64 << 10);
        begin(OPTIONS.withMaxPinnedBytes(FEW).withMaxPinnedFileBytes(most));
        write(KEYS);
        for (int i = 0; i < 20; i++) {
            write(250);
            takeSnapshot();
            assertTrue(holders().keptFileBytes() <= most, () -> holders().keptBytes() + " kept");
        }
        int ended = 0;
        for (int i = 0; i < open.size(); i++) {
            try {
                check(open.get(i));
            } catch (SnapshotTooOldException e) {
                ended++;
                assertTrue(e.getMessage().contains("maxPinnedFileBytes"), e.getMessage());
            }
            open.get(i).snapshot.close();
        }
        assertTrue(ended > 0 && ended < 18, ended + " have ended");
        store.db.close();
    }

    /** What can't be moved is bounded, too. */
    @Test
    void whoeverKeepsTooManyNodesOfTheIndexesEndsFirst() {
        System.out.println("-Dflexdb.test.seed=" + seed);
        int pairs = 20_000;
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.WITHOUT_LARGE.withMaxPinnedBytes(LIMIT))) {
            try (BulkLoad load = db.bulkLoad()) {
                for (int i = 0; i < pairs; i++) {
                    load.add(key(i), new byte[100]);
                }
                load.commit();
            }
            List<Snapshot> snapshots = new ArrayList<>();
            do {
                assertTrue(snapshots.size() < 3000, "none has ended");
                for (int i = 0; i < 200; i++) {
                    db.put(key(random.nextInt(pairs)), new byte[100]);
                }
                db.put(key(0), key(snapshots.size()));
                snapshots.add(db.snapshot());
                db.flush();
            } while (holdersOf(db) == snapshots.size());
            int first = snapshots.size() - holdersOf(db);
            assertTrue(first < snapshots.size() / 4, first + " of " + snapshots.size() + " have ended");
            for (int i = 0; i < snapshots.size(); i++) {
                Snapshot snapshot = snapshots.get(i);
                if (i >= first) {
                    assertArrayEquals(key(i), snapshot.get(key(0)));
                } else {
                    String why = assertThrows(SnapshotTooOldException.class, () -> snapshot.get(key(0)))
                            .getMessage();
                    assertTrue(why.contains("bytes of nodes"), why);
                }
                snapshot.close();
            }
        }
    }

    private static int holdersOf(FlexDB db) {
        return db.stats().holders().open().size();
    }

    @Test
    void damageIsToldToWhoReadsItAndToNobodyElse() {
        begin(OPTIONS.withMaxPinnedBytes(FEW));
        fillAndTakeSnapshots(12);
        byte[] content = store.vfs.content(FILE);
        byte[] damaged = content.clone();
        for (int i = 0; i < damaged.length; i += 1000) {
            damaged[i] ^= 1;
        }
        overwrite(damaged);
        Seen oldest = open.get(0);
        CorruptionException e = assertThrows(CorruptionException.class, () -> walkAll(oldest.snapshot));
        assertTrue(e.getMessage().contains("old-versions"), e.getMessage());
        overwrite(Arrays.copyOf(damaged, 100));
        assertThrows(CorruptionException.class, () -> walkAll(oldest.snapshot));
        check(open.get(11)); // which is in memory
        write(100);
        store.assertSame("seed " + seed);
        overwrite(content);
        check(oldest);
        store.reopen("seed " + seed);
    }

    private void overwrite(byte[] content) {
        try (VfsFile file = store.vfs.open(FILE, OpenMode.READ_WRITE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(content), 0);
        }
    }

    private static void walkAll(Snapshot snapshot) {
        try (FlexCursor cursor = snapshot.cursor()) {
            StoreDriver.all(cursor);
        }
    }

    @Test
    void nothingOfItIsNeededAfterACrash() {
        begin(OPTIONS.withMaxPinnedBytes(FEW));
        fillAndTakeSnapshots(12);
        assertTrue(store.vfs.exists(FILE));
        SimulatedVfs cut = store.vfs.crash(seed);
        store.kill("seed " + seed);
        assertFalse(store.vfs.exists(FILE));
        write(100);
        store.db.close();
        try (FlexDB db = StoreDriver.open(cut, OPTIONS.withMergeFunction(StoreOracle.TAIL))) {
            assertFalse(cut.exists(FILE));
            db.put(key(1), key(1));
            assertArrayEquals(key(1), db.get(key(1)));
        }
    }

    @Test
    void aStoreIsClosedWhileTheyAreOpen() {
        begin(OPTIONS.withMaxPinnedBytes(FEW));
        fillAndTakeSnapshots(12);
        FlexCursor cursor = open.get(0).snapshot.cursor();
        cursor.seekToFirst();
        store.db.close();
        assertFalse(store.vfs.exists(FILE));
        assertThrows(StoreClosedException.class, () -> open.get(0).snapshot.get(key(1)));
        assertThrows(StoreClosedException.class, cursor::next);
        open.forEach(seen -> seen.snapshot.close());
    }

    // ---- threads

    @Test
    void readersAreRightWhileVersionsAreMoved(@TempDir Path directory) throws InterruptedException {
        System.out.println("-Dflexdb.test.seed=" + seed);
        int rounds = Math.max(60, Effort.times(60)); // fewer keep too little to be moved
        int counters = 300;
        byte[][] generations = new byte[rounds + 1][];
        List<Throwable> failures = new ArrayList<>();
        FlexDBOptions options =
                OPTIONS.withMaxPinnedBytes(4 * LIMIT); // cursors keep the memory that they were opened in
        try (FlexDB db = FlexDB.open(directory.resolve("store"), options)) {
            AtomicInteger written = new AtomicInteger(-1);
            List<Snapshot> snapshots = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                Random own = new Random(seed + t);
                Thread thread = new Thread(() -> {
                    try {
                        while (written.get() < rounds && failures.isEmpty()) {
                            read(snapshots, generations, counters, own);
                        }
                    } catch (Throwable e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (int round = 0; round <= rounds && failures.isEmpty(); round++) {
                byte[] generation = new byte[300];
                Arrays.fill(generation, (byte) round);
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < counters / 2; i++) {
                    batch.put(key(i), generation);
                }
                db.write(batch);
                batch.clear();
                for (int i = counters / 2; i < counters; i++) {
                    batch.put(key(i), generation);
                }
                db.write(batch);
                generations[round] = generation;
                synchronized (snapshots) {
                    snapshots.add(db.snapshot());
                    if (snapshots.size() % 7 == 0) {
                        snapshots.set(random.nextInt(snapshots.size()), null); // lost, or read still
                    }
                }
                written.set(round);
            }
            written.set(rounds);
            for (Thread thread : threads) {
                thread.join();
            }
            for (Throwable failure : failures) {
                throw new AssertionError("seed " + seed, failure);
            }
            assertTrue(db.stats().holders().keptFileBytes() > 0);
        }
        assertFalse(Files.exists(directory.resolve("store").resolve("old-versions")));
    }

    private static void read(List<Snapshot> snapshots, byte[][] generations, int counters, Random random) {
        int at;
        Snapshot snapshot;
        synchronized (snapshots) {
            at = snapshots.isEmpty() ? 0 : random.nextInt(snapshots.size());
            snapshot = snapshots.isEmpty() ? null : snapshots.get(at);
        }
        if (snapshot == null) {
            Thread.onSpinWait();
            return;
        }
        for (int i = 0; i < 5; i++) {
            assertArrayEquals(generations[at], snapshot.get(key(random.nextInt(counters))));
        }
        try (FlexCursor cursor = snapshot.cursor()) {
            int found = 0;
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next(), found++) {
                assertArrayEquals(generations[at], cursor.value());
            }
            assertEquals(counters, found);
        } catch (StorageException e) {
            throw new AssertionError("of snapshot " + at, e);
        }
    }
}
