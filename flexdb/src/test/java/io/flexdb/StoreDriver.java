package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.storage.ConflictException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** A store on simulated files beside its oracle: whatever is done to the one is noted in the other. */
final class StoreDriver {
    static final Path DIRECTORY = Path.of("/store");

    /** So small that memtables, segments, logs and extents end after a few writes. */
    static final FlexDBOptions SMALL = readingDisk(
            false,
            FlexDBOptions.defaults()
                    .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
                    .withLargeValueBytes(150) // of values of the tests, some
                    .withCacheBytes(1 << 20)
                    .withSpace(FlexSpaceOptions.defaults()
                            .withSegments(64 * 512, 512)
                            .withCheckpointLogBytes(16384)
                            .withLogBufferBytes(2048)));

    /** The same for tests of what passes log and memtable. */
    static final FlexDBOptions WITHOUT_LARGE = SMALL.withLargeValueBytes(1 << 20);

    final FlexDBOptions options;
    final TestClock clock = new TestClock();
    final StoreOracle oracle = new StoreOracle(clock);
    SimulatedVfs vfs;
    FlexDB db;
    /** Whether the last write noted has not returned. */
    boolean writing;
    /** Bulk loads that have returned, and other writes that were linked as they are. */
    int loads;

    private Snapshot snapshot;
    private TreeMap<byte[], byte[]> inSnapshot;

    private HookedVfs.Hook hook = (kind, path) -> {};

    /** A store that is not open yet. */
    static StoreDriver closed(FlexDBOptions options, SimulatedVfs vfs) {
        return new StoreDriver(options, vfs);
    }

    private StoreDriver(FlexDBOptions options, SimulatedVfs vfs) {
        this.options = options.withClock(clock).withMergeFunction(new FailsInCommits(StoreOracle.TAIL));
        this.vfs = vfs;
    }

    StoreDriver(FlexDBOptions options) {
        this(options, new SimulatedVfs());
        open();
    }

    /**
     * The options, and a kernel that reads from a disk whenever it is asked, so that commits take several memtables, or
     * never does. The true one may do so where the machine is busy and the JVM reads its own files.
     */
    static FlexDBOptions readingDisk(boolean reads, FlexDBOptions options) {
        StoreSettings settings = options.settings().copy();
        settings.diskReads = reads ? new AtomicLong()::incrementAndGet : () -> 0;
        return FlexDBOptions.of(settings);
    }

    static FlexDB open(Vfs vfs, FlexDBOptions options) {
        return FlexDB.open(vfs, DIRECTORY, options, true);
    }

    /** Calls a hook before each file operation from the next opening on. */
    void setHook(HookedVfs.Hook newHook) {
        hook = newHook;
    }

    void open() {
        db = open(new HookedVfs(vfs, (kind, path) -> hook.before(kind, path)), options);
        oracle.allDurable(); // recovery forces what it takes
        snapshot = null;
    }

    // ---- writing: noted first, since a write that a crash interrupts may have happened

    void put(byte[] key, byte[] value) {
        oracle.write(List.of(new Edit(key, value)));
        boolean fromChannel = oracle.sequence() % 2 == 0;
        assertEquals(oracle.sequence(), fromChannel ? putFromChannel(key, value, null) : db.put(key, value));
        written(options.durability());
    }

    private long putFromChannel(byte[] key, byte[] value, Duration ttl) {
        ValueSource source = new ValueSource(value);
        try {
            return ttl == null
                    ? db.put(key, source, value.length)
                    : db.put(key, source, value.length, WriteOptions.timeToLive(ttl));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void put(byte[] key, byte[] value, long ttlMillis) {
        Edit edit = Edit.expiring(key, value, ttlMillis);
        oracle.write(List.of(edit));
        boolean fromChannel = oracle.sequence() % 2 == 0;
        assertEquals(
                oracle.sequence(),
                fromChannel
                        ? putFromChannel(key, value, edit.ttl())
                        : db.put(key, value, WriteOptions.timeToLive(edit.ttl())));
        written(options.durability());
    }

    void merge(byte[] key, byte[] operand) {
        oracle.write(List.of(Edit.merge(key, operand)));
        assertEquals(oracle.sequence(), db.merge(key, operand));
        written(options.durability());
    }

    void delete(byte[] key) {
        oracle.write(List.of(new Edit(key, null)));
        assertEquals(oracle.sequence(), db.delete(key));
        written(options.durability());
    }

    void batch(List<Edit> edits, Durability durability) {
        write(batchOf(edits), edits, edits.size(), durability);
    }

    /** One that is larger than a memtable, and so is linked. */
    void largeBatch(List<Edit> edits) {
        write(batchOf(edits), edits, 0, Durability.SYNC);
        loads++;
    }

    private static WriteBatch batchOf(List<Edit> edits) {
        WriteBatch batch = new WriteBatch();
        for (Edit edit : edits) {
            if (edit.isRange()) {
                batch.deleteRange(edit.key(), edit.to());
            } else if (edit.value() == null) {
                batch.delete(edit.key());
            } else if (edit.isMerge()) {
                batch.merge(edit.key(), edit.value());
            } else if (edit.ttlMillis() > 0) {
                batch.put(edit.key(), edit.value(), edit.ttl());
            } else {
                batch.put(edit.key(), edit.value());
            }
        }
        return batch;
    }

    private void write(WriteBatch batch, List<Edit> edits, int numbers, Durability durability) {
        oracle.write(edits, numbers);
        writing = true;
        assertEquals(oracle.sequence(), db.write(batch, durability));
        writing = false;
        written(durability);
    }

    /**
     * Writes in a transaction, in which something is taken back, and something else is written by others meanwhile.
     *
     * @param meanwhile null for nothing
     */
    void transaction(List<Edit> edits, List<Edit> takenBack, Edit meanwhile, Isolation isolation) {
        try (Transaction transaction = db.begin(isolation)) {
            int half = edits.size() / 2;
            addAll(transaction, edits.subList(0, half));
            Transaction.Savepoint savepoint = transaction.savepoint();
            addAll(transaction, takenBack);
            transaction.rollbackTo(savepoint);
            addAll(transaction, edits.subList(half, edits.size()));
            if (meanwhile != null) {
                if (meanwhile.value() == null) {
                    delete(meanwhile.key());
                } else {
                    put(meanwhile.key(), meanwhile.value());
                }
            }
            if (meanwhile != null && edits.stream().anyMatch(edit -> edit.touches(meanwhile.key()))) {
                assertThrows(ConflictException.class, transaction::commit);
                return;
            }
            boolean linked = transaction.isSpilled();
            oracle.write(edits, linked ? 0 : edits.size());
            writing = true;
            assertEquals(oracle.sequence(), transaction.commit());
            writing = false;
            written(linked ? Durability.SYNC : options.durability());
            loads += linked ? 1 : 0;
        }
    }

    static void addAll(Transaction transaction, List<Edit> edits) {
        for (Edit edit : edits) {
            if (edit.isRange()) {
                transaction.deleteRange(edit.key(), edit.to());
            } else if (edit.value() == null) {
                transaction.delete(edit.key());
            } else if (edit.isMerge()) {
                transaction.merge(edit.key(), edit.value());
            } else if (edit.ttlMillis() > 0) {
                transaction.put(edit.key(), edit.value(), edit.ttl());
            } else {
                transaction.put(edit.key(), edit.value());
            }
        }
    }

    void deleteRange(byte[] from, byte[] to) {
        if (from == null || to == null || !Arrays.equals(from, to)) {
            oracle.write(List.of(Edit.range(from, to)));
        }
        assertEquals(oracle.sequence(), db.deleteRange(from, to));
        written(options.durability());
    }

    /** Loads pairs in the order of a map. */
    void load(TreeMap<byte[], byte[]> pairs) {
        try (BulkLoad load = db.bulkLoad()) {
            pairs.forEach(load::add);
            oracle.load(pairs);
            writing = true;
            assertEquals(oracle.sequence(), load.commit());
            writing = false;
            oracle.allDurable();
            loads++;
        }
    }

    private void written(Durability durability) {
        if (durability == Durability.SYNC || options.durability() == Durability.SYNC) {
            oracle.allDurable();
        }
    }

    void sync() {
        db.sync();
        oracle.allDurable();
        assertEquals(oracle.sequence(), db.durableSequence());
    }

    /** Commits everything, which makes it durable. */
    void flush() {
        db.flush();
        oracle.allDurable();
        assertEquals(oracle.sequence(), db.durableSequence());
    }

    /** Compacts a range, which commits everything first. */
    void compact(byte[] from, byte[] to) {
        db.compact(from, to);
        oracle.allDurable();
    }

    // ---- ends and beginnings

    void reopen(String at) {
        db.close();
        open();
        assertSame(at);
    }

    void kill(String at) {
        vfs = vfs.kill();
        open();
        assertSame(at);
    }

    void powerCut(long seed, String at) {
        vfs = vfs.crash(seed);
        db = open(vfs, options);
        snapshot = null;
        oracle.found(all(db), db.stats().lastSequence(), 0, at);
    }

    // ---- reading

    void get(byte[] key, String at) {
        assertArrayEquals(oracle.get(key), db.get(key), at);
        if (snapshot != null) {
            assertArrayEquals(inSnapshot.get(key), snapshot.get(key), at);
        }
    }

    /** Takes a snapshot, or compares and closes the one there is. */
    void takeOrCheckSnapshot(String at) {
        if (snapshot == null) {
            snapshot = db.snapshot();
            inSnapshot = new TreeMap<>(oracle.now());
            assertEquals(oracle.sequence(), snapshot.sequence(), at);
            return;
        }
        try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
            snapshot.close();
            StoreOracle.assertSame(inSnapshot, all(cursor), at);
        }
        snapshot = null;
    }

    /** Walks from a key on, one step for each element: forward if it is true. */
    void walk(byte[] from, boolean fromBelow, byte[] upperBound, Iterable<Boolean> steps, String at) {
        walk(from, fromBelow, null, upperBound, 0, steps, at);
    }

    /** The same within two bounds, or one, or none, with a guess of how far it goes. */
    void walk(
            byte[] from,
            boolean fromBelow,
            byte[] lowerBound,
            byte[] upperBound,
            int expectedPairs,
            Iterable<Boolean> steps,
            String at) {
        TreeMap<byte[], byte[]> model = oracle.now();
        if (lowerBound != null) {
            model = new TreeMap<>(model.tailMap(lowerBound));
        }
        if (upperBound != null) {
            model = new TreeMap<>(model.headMap(upperBound));
        }
        ReadOptions options = ReadOptions.defaults()
                .withLowerBound(lowerBound)
                .withUpperBound(upperBound)
                .withExpectedPairs(expectedPairs);
        try (FlexCursor cursor = db.cursor(options)) {
            Map.Entry<byte[], byte[]> expected;
            if (fromBelow) {
                cursor.seekForPrev(from);
                expected = model.floorEntry(from);
            } else {
                cursor.seek(from);
                expected = model.ceilingEntry(from);
            }
            for (boolean forward : steps) {
                assertEquals(expected != null, cursor.isValid(), at);
                if (expected == null) {
                    return;
                }
                assertArrayEquals(expected.getKey(), cursor.key(), at);
                assertArrayEquals(expected.getValue(), cursor.value(), at);
                if (forward) {
                    cursor.next();
                    expected = model.higherEntry(expected.getKey());
                } else {
                    cursor.prev();
                    expected = model.lowerEntry(expected.getKey());
                }
            }
        }
    }

    void assertSame(String at) {
        StoreOracle.assertSame(oracle.now(), all(db), at);
        if (options.rangeFilter()) {
            assertNothingIsFilteredThatIsThere(at);
        }
        CachedDirectories.assertRight(db, at);
        assertEquals(oracle.sequence(), db.stats().lastSequence(), at);
    }

    private void assertNothingIsFilteredThatIsThere(String at) {
        byte[] before = null; // the key before, and a byte
        for (byte[] key : oracle.now().keySet()) {
            assertTrue(db.containsKey(key), () -> at + ": " + Arrays.toString(key));
            byte[] behind = Arrays.copyOf(key, key.length + 1);
            for (byte[] from : new byte[][] {key, before}) {
                ReadOptions alone = ReadOptions.defaults().withLowerBound(from).withUpperBound(behind);
                try (FlexCursor cursor = db.cursor(alone)) {
                    cursor.seekToFirst();
                    assertTrue(
                            cursor.isValid(),
                            () -> at + ": " + Arrays.toString(from) + " to " + Arrays.toString(behind));
                }
            }
            before = behind;
        }
    }

    /** Compares a walk backward, which takes other paths. */
    void assertSameBackward(String at) {
        TreeMap<byte[], byte[]> found = StoreOracle.newMap();
        try (FlexCursor cursor = db.cursor()) {
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                found.put(cursor.key(), cursor.value());
            }
        }
        StoreOracle.assertSame(oracle.now(), found, at);
    }

    static TreeMap<byte[], byte[]> all(FlexDB db) {
        try (FlexCursor cursor = db.cursor()) {
            return all(cursor);
        }
    }

    static TreeMap<byte[], byte[]> all(FlexCursor cursor) {
        TreeMap<byte[], byte[]> all = StoreOracle.newMap();
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            all.put(cursor.key(), cursor.value());
        }
        return all;
    }
}
