package io.flexdb.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.BulkLoad;
import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.FlexDBSalvage;
import io.flexdb.FlexDBSalvageReport;
import io.flexdb.Isolation;
import io.flexdb.Keyspace;
import io.flexdb.MergeFunction;
import io.flexdb.Progress;
import io.flexdb.RangeEstimate;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import io.flexdb.ValueReader;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.storage.ConflictException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One short example of each feature in the table of the README, by the public API alone. */
class FeatureExamplesTest {
    @TempDir
    private Path directory;

    private FlexDB db;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @BeforeEach
    void open() {
        db = FlexDB.open(directory.resolve("store"), FlexDBOptions.defaults().withMergeFunction(MergeFunction.ADD));
        for (String fruit : List.of("apple", "pear", "plum", "quince")) {
            db.put(bytes(fruit), bytes("a " + fruit));
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void batches() {
        db.write(new WriteBatch().put(bytes("fig"), bytes("new")).delete(bytes("apple")));
        assertTrue(db.containsKey(bytes("fig")));
        assertFalse(db.containsKey(bytes("apple")));
    }

    @Test
    void rangesAreDeletedAtOnce() {
        db.deleteRange(bytes("p"), bytes("q")); // as short a write for a billion keys
        assertNull(db.get(bytes("pear")));
        assertNull(db.get(bytes("plum")));
        assertTrue(db.containsKey(bytes("quince")));
    }

    @Test
    void snapshots() {
        try (Snapshot before = db.snapshot()) {
            db.delete(bytes("pear"));
            assertArrayEquals(bytes("a pear"), before.get(bytes("pear")));
        }
        assertNull(db.get(bytes("pear")));
    }

    @Test
    void transactions() {
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            byte[] pear = transaction.get(bytes("pear"));
            db.put(bytes("pear"), bytes("changed by somebody else meanwhile"));
            transaction.put(bytes("basket"), pear);
            assertThrows(ConflictException.class, transaction::commit);
        }
        // transact runs the work again if that happens:
        db.transact(Isolation.SERIALIZABLE, transaction -> {
            transaction.put(bytes("basket"), transaction.get(bytes("pear")));
            Transaction.Savepoint whole = transaction.savepoint();
            transaction.deleteRange(bytes("p"), bytes("q"));
            transaction.rollbackTo(whole);
            return null;
        });
        assertArrayEquals(db.get(bytes("pear")), db.get(bytes("basket")));
    }

    @Test
    void transactionsLargerThanMemory() {
        FlexDBOptions small = FlexDBOptions.defaults().withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES);
        try (FlexDB store = FlexDB.open(directory.resolve("small memory"), small);
                Transaction transaction = store.begin()) {
            for (int i = 0; i < 10_000; i++) { // some 3 MB, and memtables have 64 KiB
                transaction.put(bytes("key " + i), new byte[300]);
            }
            assertEquals(300, transaction.get(bytes("key 1")).length);
            transaction.commit();
            assertEquals(300, store.get(bytes("key 9999")).length);
        }
    }

    @Test
    void singleKeysAreChangedByComparison() {
        assertTrue(db.compareAndSet(bytes("pear"), bytes("a pear"), bytes("eaten")));
        assertFalse(db.compareAndSet(bytes("pear"), bytes("a pear"), bytes("eaten twice")));
        assertArrayEquals(bytes("eaten"), db.putIfAbsent(bytes("pear"), bytes("another")));
    }

    @Test
    void countersAreAddedToWithoutBeingRead() {
        for (int i = 0; i < 10; i++) {
            db.merge(bytes("visits"), ByteBuffer.allocate(8).putLong(1).array());
        }
        assertEquals(10, ByteBuffer.wrap(db.get(bytes("visits"))).getLong());
    }

    @Test
    void pairsExpire() {
        db.put(bytes("session"), bytes("ann"), WriteOptions.timeToLive(Duration.ofMinutes(30)));
        assertTrue(db.expiresAt(bytes("session")).isPresent());
        assertTrue(db.expiresAt(bytes("pear")).isEmpty());
    }

    @Test
    void keyspaces() {
        Keyspace colours = db.createKeyspace("colours");
        db.write(new WriteBatch().put(bytes("fig"), bytes("a fig")).in(colours).put(bytes("fig"), bytes("green")));
        assertArrayEquals(bytes("green"), colours.get(bytes("fig")));
        db.dropKeyspace("colours"); // one short write, too
        assertEquals(List.of(), db.keyspaces());
    }

    @Test
    void walksInBothDirectionsWithinBounds() {
        StringBuilder found = new StringBuilder();
        ReadOptions within = ReadOptions.defaults().withPrefix(bytes("p")).withExpectedPairs(2);
        try (FlexCursor cursor = db.cursor(within)) {
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                found.append(new String(cursor.key(), UTF_8)).append(' ');
            }
        }
        assertEquals("plum pear ", found.toString());
    }

    @Test
    void severalKeysAreLookedUpAsOfOneMoment() {
        List<byte[]> values = db.multiGet(List.of(bytes("quince"), bytes("nothing"), bytes("apple")));
        assertArrayEquals(bytes("a quince"), values.get(0));
        assertNull(values.get(1));
        assertArrayEquals(bytes("a apple"), values.get(2));
    }

    @Test
    void rangesAreEstimatedWithoutBeingRead() {
        RangeEstimate all = db.estimateRange(null, null);
        assertTrue(all.pairs() >= 0 && all.bytes() >= 0);
    }

    @Test
    void eachWriteIsAsDurableAsItAsksFor() {
        long sequence = db.put(bytes("order"), bytes("paid"), WriteOptions.durability(Durability.SYNC));
        assertTrue(db.durableSequence() >= sequence);
    }

    @Test
    void readersFollowTheWriter() {
        try (FlexDBReader reader = FlexDB.openReadOnly(directory.resolve("store"), db.options())) { // any process may
            assertArrayEquals(bytes("a pear"), reader.get(bytes("pear")));
            long sequence = db.delete(bytes("pear"));
            assertTrue(reader.refresh() >= sequence);
            assertFalse(reader.containsKey(bytes("pear")));
        }
    }

    @Test
    void openStoresAreCheckedAndCopied() {
        assertTrue(db.check().isSound());
        db.checkpoint(directory.resolve("copy"));
        try (FlexDB copy = FlexDB.open(directory.resolve("copy"), db.options())) {
            assertArrayEquals(bytes("a pear"), copy.get(bytes("pear")));
        }
    }

    @Test
    void backupsKeepOnceWhatDidNotChange() {
        try (FlexDBBackups backups = FlexDBBackups.open(directory.resolve("backups"))) {
            long first = backups.create(db).id();
            db.delete(bytes("pear"));
            backups.create(db);
            assertEquals(List.of(), backups.verify(first));
            backups.restore(first, directory.resolve("restored"));
        }
        try (FlexDB restored = FlexDB.open(directory.resolve("restored"), db.options())) {
            assertArrayEquals(bytes("a pear"), restored.get(bytes("pear")));
        }
    }

    @Test
    void damagedStoresAreSalvagedIntoNewOnes() {
        db.close();
        FlexDBSalvageReport report = FlexDBSalvage.salvage(directory.resolve("store"), directory.resolve("salvaged"));
        assertTrue(report.isComplete(), "this one is not damaged");
        try (FlexDB salvaged = FlexDB.open(directory.resolve("salvaged"))) {
            assertArrayEquals(bytes("a pear"), salvaged.get(bytes("pear")));
        }
    }

    @Test
    void manyPairsAreLoadedAtOnce() {
        try (BulkLoad load = db.bulkLoad()) {
            for (int i = 0; i < 10_000; i++) {
                load.add(bytes(String.format(Locale.ROOT, "load/%05d", i)), bytes("value " + i)); // in key order
            }
            load.commit(); // all of them show now, and stay whatever happens
        }
        assertArrayEquals(bytes("value 9999"), db.get(bytes("load/09999")));
        assertTrue(db.containsKey(bytes("plum")));
    }

    @Test
    void sortedRunsAreExportedAndImported() {
        ReadOptions some = ReadOptions.defaults().withPrefix(bytes("p"));
        assertEquals(2, db.exportTo(directory.resolve("pairs"), some, Progress.NONE));
        Keyspace copy = db.createKeyspace("copy");
        assertEquals(2, copy.importFrom(directory.resolve("pairs")));
        assertArrayEquals(bytes("a plum"), copy.get(bytes("plum")));
    }

    /** Absent keys and empty ranges known without reading. */
    @Test
    void whatIsAbsentIsKnownFromMemory() {
        FlexDBOptions filtered = FlexDBOptions.defaults().withRangeFilter(true);
        try (FlexDB store = FlexDB.open(directory.resolve("filtered"), filtered)) {
            store.put(bytes("apple"), bytes("an apple"));
            assertFalse(store.containsKey(bytes("banana")));
            ReadOptions between =
                    ReadOptions.defaults().withLowerBound(bytes("b")).withUpperBound(bytes("c"));
            try (FlexCursor cursor = store.cursor(between)) {
                cursor.seekToFirst();
                assertFalse(cursor.isValid());
            }
        }
    }

    @Test
    void largeValuesWrittenOnceAndReadByParts() {
        db.put(bytes("photo"), new byte[10 << 20]);
        try (ValueReader photo = db.openValue(bytes("photo"))) {
            ByteBuffer thumbnail = ByteBuffer.allocate(4096);
            assertEquals(4096, photo.position(photo.size() - 4096).read(thumbnail));
        }
    }

    @Test
    void largeValuesPutFromAChannelInLittleMemory() throws IOException {
        Path film = Files.write(directory.resolve("film"), new byte[10 << 20]);
        try (FileChannel source = FileChannel.open(film)) {
            db.put(bytes("film"), source, source.size());
        }
        assertEquals(10 << 20, db.valueLength(bytes("film")));
    }
}
