package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions one beside the other, by a single thread. */
class FlexDBTransactionTest {
    @TempDir
    Path directory;

    private FlexDB db;

    @BeforeEach
    void open() {
        db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL.withMergeFunction(MergeFunction.APPEND));
        for (String key : List.of("b", "d", "f", "h")) {
            db.put(bytes(key), bytes("0"));
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String walk(FlexCursor cursor) {
        StringBuilder found = new StringBuilder();
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            found.append(text(cursor.key())).append(text(cursor.value()));
        }
        return found.toString();
    }

    private static String walkBackward(FlexCursor cursor) {
        List<String> found = new ArrayList<>();
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
            found.add(text(cursor.key()) + text(cursor.value()));
        }
        Collections.reverse(found);
        return String.join("", found);
    }

    private void rotateMemtables() {
        for (int i = 0; i < 20; i++) {
            db.put(bytes("large"), new byte[FlexDBOptions.MIN_MEMTABLE_BYTES / 4]);
        }
    }

    @ParameterizedTest
    @EnumSource
    void seesItsOwnWritesAndOthersSeeThemOnceItIsCommitted(Isolation isolation) {
        try (Transaction transaction = db.begin(isolation)) {
            transaction.put(bytes("a"), bytes("1")).put(bytes("d"), bytes("1")).delete(bytes("f"));
            transaction.put(ByteBuffer.wrap(bytes("z")), ByteBuffer.wrap(bytes("1")));
            assertEquals("1", text(transaction.get(bytes("d"))));
            assertNull(transaction.get(bytes("f")));
            assertEquals("0", text(transaction.get(bytes("h"))));
            ByteBuffer value = ByteBuffer.allocate(10);
            assertEquals(1, transaction.get(ByteBuffer.wrap(bytes("z")), value));
            assertEquals('1', value.get(0));
            assertEquals(-1, transaction.get(ByteBuffer.wrap(bytes("f")), value));
            assertEquals(1, transaction.get(ByteBuffer.wrap(bytes("h")), value));
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals("a1b0d1h0z1", walk(cursor));
                assertEquals("a1b0d1h0z1", walkBackward(cursor));
                transaction.put(bytes("c"), bytes("2"));
                assertEquals("a1b0d1h0z1", walk(cursor), "what is written later does not show");
            }
            assertNull(db.get(bytes("a")));
            long before = db.stats().lastSequence();
            assertEquals(before + 5, transaction.commit());
        }
        try (FlexCursor cursor = db.cursor()) {
            assertEquals("a1b0c2d1h0z1", walk(cursor));
        }
    }

    @ParameterizedTest
    @EnumSource
    void allWaysToLookKeysUpSeeItsOwnWritesInFrontOfTheStore(Isolation isolation) {
        db.put(bytes("empty"), new byte[0]);
        try (Transaction transaction = db.begin(isolation)) {
            transaction
                    .put(bytes("a"), bytes("own"))
                    .put(bytes("d"), new byte[0])
                    .delete(bytes("f"));
            transaction
                    .deleteRange(bytes("g"), bytes("i"))
                    .put(ByteBuffer.wrap(bytes("h")), ByteBuffer.wrap(bytes("22")));
            db.put(bytes("b"), bytes("later"));
            List<byte[]> keys = new ArrayList<>();
            int[] lengths = {3, 1, 0, 0, -1, 2, -1, 3};
            for (String key : List.of("a", "b", "d", "empty", "f", "h", "absent", "a")) {
                byte[] sought = bytes(key);
                keys.add(sought);
                int length = lengths[keys.size() - 1];
                assertEquals(length, transaction.valueLength(sought), key);
                ByteBuffer buffer = ByteBuffer.wrap(sought);
                assertEquals(length, transaction.valueLength(buffer), key);
                assertFalse(buffer.hasRemaining());
                assertEquals(length >= 0, transaction.containsKey(sought), key);
                assertEquals(length >= 0, transaction.containsKey(ByteBuffer.wrap(sought)), key);
                byte[] room = new byte[4];
                assertEquals(length, transaction.get(sought, room, 1), key);
                byte[] value = transaction.get(sought);
                assertEquals(length, value == null ? -1 : value.length, key);
                assertArrayEquals(
                        value == null ? new byte[0] : value, Arrays.copyOfRange(room, 1, 1 + Math.max(0, length)));
            }
            List<byte[]> values = transaction.multiGet(keys);
            List<ByteBuffer> buffers = keys.stream().map(ByteBuffer::wrap).toList();
            byte[][] handed = new byte[keys.size()][];
            transaction.multiGet(buffers, (value, index) -> {
                assertTrue(value == null || value.isReadOnly());
                handed[index] = ReadView.copy(value);
                transaction.put(bytes("a"), bytes("written meanwhile"));
            });
            for (int i = 0; i < lengths.length; i++) {
                assertEquals(lengths[i], values.get(i) == null ? -1 : values.get(i).length);
                assertArrayEquals(values.get(i), handed[i]);
            }
            assertEquals("0", text(values.get(1)), "as when it began");
            assertThrows(IllegalArgumentException.class, () -> transaction.get(bytes("h"), new byte[3], 2));
            assertThrows(NullPointerException.class, () -> transaction.multiGet(Arrays.asList(bytes("h"), null)));
        }
    }

    private boolean isCommittedAfterLookup(Isolation isolation, Consumer<Transaction> lookup) {
        try (Transaction transaction = db.begin(isolation)) {
            lookup.accept(transaction);
            transaction.put(bytes("mine"), bytes("1"));
            db.put(bytes("d"), bytes("changed"));
            transaction.commit();
            return true;
        } catch (ConflictException e) {
            return false;
        }
    }

    @Test
    void eachLookupIsARead() {
        byte[] d = bytes("d");
        List<byte[]> several = List.of(bytes("b"), d, bytes("x"));
        List<Consumer<Transaction>> lookups = List.of(
                transaction -> transaction.get(d),
                transaction -> transaction.get(ByteBuffer.wrap(d), ByteBuffer.allocate(10)),
                transaction -> transaction.get(d, new byte[10], 0),
                transaction -> transaction.containsKey(d),
                transaction -> transaction.containsKey(ByteBuffer.wrap(d)),
                transaction -> transaction.valueLength(d),
                transaction -> transaction.valueLength(ByteBuffer.wrap(d)),
                transaction -> transaction.expiresAt(d),
                transaction -> transaction.openValue(d).close(),
                transaction -> transaction.multiGet(several),
                transaction -> transaction.multiGet(List.of(ByteBuffer.wrap(d)), (value, index) -> {}));
        for (int i = 0; i < lookups.size(); i++) {
            assertTrue(isCommittedAfterLookup(Isolation.SNAPSHOT, lookups.get(i)), "lookup " + i);
            assertFalse(isCommittedAfterLookup(Isolation.SERIALIZABLE, lookups.get(i)), "lookup " + i);
        }
        Consumer<Transaction> own =
                transaction -> transaction.put(d, bytes("x")).containsKey(d);
        assertFalse(isCommittedAfterLookup(Isolation.SNAPSHOT, own));
        Consumer<Transaction> others = transaction -> transaction.multiGet(List.of(bytes("b"), bytes("x")));
        assertTrue(isCommittedAfterLookup(Isolation.SERIALIZABLE, others));
    }

    /** All ways to read the key d, by transactions that may have written it. */
    private static List<Consumer<Transaction>> readsOfD() {
        byte[] d = bytes("d");
        return List.of(
                transaction -> transaction.get(d),
                transaction -> transaction.get(ByteBuffer.wrap(d), ByteBuffer.allocate(10)),
                transaction -> transaction.get(d, new byte[10], 0),
                transaction -> transaction.containsKey(d),
                transaction -> transaction.valueLength(ByteBuffer.wrap(d)),
                transaction -> transaction.expiresAt(d),
                transaction -> {
                    ValueReader value = transaction.openValue(d);
                    if (value != null) {
                        value.close();
                    }
                },
                transaction -> transaction.multiGet(List.of(bytes("x"), d)),
                transaction -> transaction.multiGet(List.of(ByteBuffer.wrap(d)), (value, index) -> {}));
    }

    /** Whether a transaction that read d among writes which it took back is committed after another's write of d. */
    private boolean isCommittedAfterRollback(Consumer<Transaction> writes, boolean spills, Consumer<Transaction> read) {
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            Transaction.Savepoint before = transaction.savepoint();
            writes.accept(transaction);
            if (spills) {
                transaction.spill();
            }
            read.accept(transaction);
            transaction.rollbackTo(before);
            db.put(bytes("d"), bytes("9"));
            transaction.put(bytes("f"), bytes("1"));
            transaction.commit();
            return true;
        } catch (ConflictException e) {
            return false;
        } finally {
            db.put(bytes("d"), bytes("0"));
        }
    }

    @Test
    void whatIsReadOfTheStoreCountsWhenTheWritesInFrontOfItAreTakenBack() {
        byte[] d = bytes("d");
        Consumer<Transaction> merge = transaction -> transaction.merge(d, bytes("+"));
        Consumer<Transaction> mergeTwice = merge.andThen(merge);
        Consumer<Transaction> mergeWithMore = merge.andThen(
                transaction -> transaction.put(bytes("da"), bytes("1")).delete(bytes("c")));
        for (boolean spills : new boolean[] {false, true}) {
            for (Consumer<Transaction> writes : List.of(merge, mergeTwice, mergeWithMore)) {
                for (Consumer<Transaction> read : readsOfD()) {
                    assertFalse(isCommittedAfterRollback(writes, spills, read));
                }
            }
        }
    }

    @Test
    void whatOwnWritesHaveHiddenWasNotReadOfTheStore() {
        byte[] d = bytes("d");
        List<Consumer<Transaction>> hiding = List.of(
                transaction -> transaction.put(d, bytes("1")),
                transaction -> transaction.put(d, bytes("1"), Duration.ofDays(1)),
                transaction -> transaction.delete(d),
                transaction -> transaction.deleteRange(bytes("c"), bytes("e")),
                transaction -> transaction.merge(d, bytes("+")).delete(d));
        for (boolean spills : new boolean[] {false, true}) {
            for (Consumer<Transaction> writes : hiding) {
                for (Consumer<Transaction> read : readsOfD()) {
                    assertTrue(isCommittedAfterRollback(writes, spills, read));
                }
            }
        }
    }

    @Test
    void whatIsWalkedOverCountsWhenTheWritesAmongItAreTakenBack() {
        byte[] d = bytes("d");
        List<Consumer<Transaction>> writes = List.of(
                transaction -> transaction.put(d, bytes("1")),
                transaction -> transaction.delete(d),
                transaction -> transaction.merge(d, bytes("+")),
                transaction -> transaction.deleteRange(bytes("c"), bytes("e")));
        for (boolean spills : new boolean[] {false, true}) {
            for (Consumer<Transaction> written : writes) {
                assertFalse(isCommittedAfterRollback(written, spills, transaction -> {
                    FlexCursor cursor = transaction.cursor(); // which the rollback closes
                    cursor.seek(bytes("c"));
                    cursor.next();
                }));
                assertFalse(isCommittedAfterRollback(written, spills, transaction -> {
                    try (FlexCursor cursor = transaction.cursor()) {
                        cursor.seekToLast();
                        cursor.prev();
                        cursor.prev();
                        cursor.prev();
                    }
                }));
            }
        }
    }

    @Test
    void readsInFrontOfWhichMergesWereTakenBackMayNotCross() {
        try (Transaction one = db.begin(Isolation.SERIALIZABLE);
                Transaction other = db.begin(Isolation.SERIALIZABLE)) {
            readBehindAMerge(one, "b");
            one.put(bytes("d"), bytes("1"));
            readBehindAMerge(other, "d");
            other.put(bytes("b"), bytes("2"));
            one.commit();
            assertThrows(ConflictException.class, other::commit);
        }
    }

    private static void readBehindAMerge(Transaction transaction, String key) {
        Transaction.Savepoint before = transaction.savepoint();
        transaction.merge(bytes(key), bytes("+"));
        assertEquals("0+", text(transaction.get(bytes(key))));
        transaction.rollbackTo(before);
    }

    @Test
    void withoutACommitNothingHasHappened() {
        try (Transaction transaction = db.begin()) {
            transaction.put(bytes("b"), bytes("1"));
        }
        assertEquals("0", text(db.get(bytes("b"))));
        assertEquals(4, db.stats().lastSequence());
    }

    @ParameterizedTest
    @EnumSource
    void anUpdateIsNotLost(Isolation isolation) {
        try (Transaction one = db.begin(isolation);
                Transaction other = db.begin(isolation)) {
            one.put(bytes("b"), bytes(text(one.get(bytes("b"))) + "1"));
            other.put(bytes("b"), bytes(text(other.get(bytes("b"))) + "2"));
            one.commit();
            ConflictException conflict = assertThrows(ConflictException.class, other::commit);
            assertTrue(conflict.getMessage().contains("0x62"), conflict.getMessage());
        }
        assertEquals("01", text(db.get(bytes("b"))));
    }

    @Test
    void writesThatNothingElseDependsOnMayCrossUnderSnapshotIsolationOnly() {
        for (Isolation isolation : Isolation.values()) {
            try (Transaction one = db.begin(isolation);
                    Transaction other = db.begin(isolation)) {
                one.get(bytes("b"));
                one.put(bytes("d"), bytes("1"));
                other.get(bytes("d"));
                other.put(bytes("b"), bytes("2"));
                one.commit();
                if (isolation == Isolation.SNAPSHOT) {
                    other.commit();
                } else {
                    assertThrows(ConflictException.class, other::commit);
                }
            }
        }
    }

    private boolean isCommittedAfterWalk(String written, Consumer<FlexCursor> walk) {
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            FlexCursor cursor = transaction.cursor(ReadOptions.defaults());
            walk.accept(cursor);
            db.put(bytes(written), bytes("9"));
            transaction.put(bytes("other"), bytes("1"));
            try {
                transaction.commit();
                return true;
            } catch (ConflictException e) {
                return false;
            } finally {
                db.delete(bytes(written));
                db.put(bytes("d"), bytes("0"));
                db.put(bytes("f"), bytes("0"));
            }
        }
    }

    @Test
    void aKeyThatAppearsWhereASerializableTransactionHasWalkedIsAConflict() {
        Consumer<FlexCursor> fromCToF = cursor -> {
            cursor.seek(bytes("c")); // stands on d
            cursor.next(); // f
        };
        assertFalse(isCommittedAfterWalk("c", fromCToF));
        assertFalse(isCommittedAfterWalk("e", fromCToF));
        assertFalse(isCommittedAfterWalk("f", fromCToF));
        assertTrue(isCommittedAfterWalk("bb", fromCToF));
        assertTrue(isCommittedAfterWalk("ff", fromCToF));

        Consumer<FlexCursor> fromGToD = cursor -> {
            cursor.seekForPrev(bytes("g")); // f
            cursor.prev(); // d
        };
        assertFalse(isCommittedAfterWalk("g", fromGToD));
        assertFalse(isCommittedAfterWalk("e", fromGToD));
        assertTrue(isCommittedAfterWalk("gg", fromGToD));
        assertTrue(isCommittedAfterWalk("cc", fromGToD));

        Consumer<FlexCursor> toTheEnd = cursor -> {
            cursor.seek(bytes("p"));
            assertFalse(cursor.isValid());
        };
        assertFalse(isCommittedAfterWalk("zz", toTheEnd));
        assertTrue(isCommittedAfterWalk("o", toTheEnd));

        Consumer<FlexCursor> withTurns = cursor -> {
            cursor.seek(bytes("d"));
            cursor.next(); // f
            cursor.prev(); // d
            cursor.prev(); // b
            cursor.close();
        };
        assertFalse(isCommittedAfterWalk("e", withTurns));
        assertFalse(isCommittedAfterWalk("c", withTurns));
        assertTrue(isCommittedAfterWalk("a", withTurns));
        assertTrue(isCommittedAfterWalk("g", withTurns));

        assertFalse(isCommittedAfterWalk("a", FlexCursor::seekToFirst));
        assertTrue(isCommittedAfterWalk("c", FlexCursor::seekToFirst));
        assertFalse(isCommittedAfterWalk("zz", FlexCursor::seekToLast));
        assertTrue(isCommittedAfterWalk("g", cursor -> {}), "nothing was walked");
    }

    @Test
    void whoOnlyReadsIsAlwaysCommitted() {
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            assertEquals("0", text(transaction.get(bytes("b"))));
            db.put(bytes("b"), bytes("1"));
            assertEquals("0", text(transaction.get(bytes("b"))));
            assertEquals(4, transaction.commit());
        }
    }

    @Test
    void aConflictIsFoundWhenTheMemtableThatKnewOfItIsCommitted() {
        try (Transaction one = db.begin();
                Transaction other = db.begin(Isolation.SERIALIZABLE)) {
            one.put(bytes("b"), bytes("1"));
            other.get(bytes("b"));
            other.put(bytes("x"), bytes("1"));
            db.put(bytes("b"), bytes("2"));
            rotateMemtables();
            assertThrows(ConflictException.class, one::commit);
            assertThrows(ConflictException.class, other::commit);
        }
        try (Transaction none = db.begin()) {
            rotateMemtables();
            none.put(bytes("b"), bytes("3")).commit();
        }
        assertEquals("3", text(db.get(bytes("b"))));
    }

    @Test
    void whoStaysOpenWhileMoreIsWrittenThanMayBeHeldBackCanReadButNotCommit() {
        db.close();
        FlexDBOptions options = StoreDriver.SMALL
                .withLargeValueBytes(Integer.MAX_VALUE) // so that memtables become full
                .withMaxPinnedBytes(4L * FlexDBOptions.MIN_MEMTABLE_BYTES);
        db = FlexDB.open(directory.resolve("store"), options);
        try (Transaction transaction = db.begin()) {
            db.put(bytes("b"), bytes("1"));
            for (int i = 0; i < 5; i++) {
                rotateMemtables();
            }
            assertEquals("0", text(transaction.get(bytes("b"))));
            transaction.put(bytes("y"), bytes("1"));
            ConflictException conflict = assertThrows(ConflictException.class, transaction::commit);
            assertTrue(conflict.getMessage().contains("maxPinnedBytes"), conflict.getMessage());
        }
        db.begin().put(bytes("y"), bytes("2")).commit();
        assertEquals("2", text(db.get(bytes("y"))));
    }

    @Test
    void aSavepointBringsBackWhatThereWas() {
        try (Transaction transaction = db.begin()) {
            transaction.put(bytes("a"), bytes("1"));
            Transaction.Savepoint first = transaction.savepoint();
            transaction.delete(bytes("a")).put(bytes("b"), bytes("2"));
            Transaction.Savepoint second = transaction.savepoint();
            transaction.put(bytes("c"), new byte[200]);
            transaction.rollbackTo(second);
            assertNull(transaction.get(bytes("c")));
            assertEquals("2", text(transaction.get(bytes("b"))));
            transaction.rollbackTo(first);
            assertEquals("1", text(transaction.get(bytes("a"))));
            assertEquals("0", text(transaction.get(bytes("b"))));
            assertThrows(IllegalArgumentException.class, () -> transaction.rollbackTo(second));
            transaction.put(bytes("c"), bytes("3"));
            transaction.rollbackTo(first);
            transaction.put(bytes("e"), bytes("4"));
            transaction.commit();
        }
        try (FlexCursor cursor = db.cursor()) {
            assertEquals("a1b0d0e4f0h0", walk(cursor));
        }
        try (Transaction one = db.begin();
                Transaction other = db.begin()) {
            Transaction.Savepoint savepoint = one.savepoint();
            assertThrows(IllegalArgumentException.class, () -> other.rollbackTo(savepoint));
        }
    }

    @Test
    void aRangeThatItDeletesIsGoneForItselfAndThenForAll() {
        db.put(bytes("e"), bytes("0"));
        try (Transaction transaction = db.begin()) {
            transaction.put(bytes("g"), bytes("1"));
            Transaction.Savepoint before = transaction.savepoint();
            transaction.deleteRange(bytes("d"), bytes("h"));
            transaction.put(bytes("f"), bytes("2"));
            assertNull(transaction.get(bytes("d")));
            assertNull(transaction.get(bytes("g")), "its own, written before");
            assertEquals("2", text(transaction.get(bytes("f"))));
            assertEquals("0", text(transaction.get(bytes("h"))));
            assertEquals(-1, transaction.get(ByteBuffer.wrap(bytes("e")), ByteBuffer.allocate(1)));
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals("b0f2h0", walk(cursor));
                assertEquals("b0f2h0", walkBackward(cursor));
                transaction.deleteAll();
                assertEquals("b0f2h0", walk(cursor), "what is deleted later shows");
            }
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals("", walk(cursor));
                assertEquals("", walkBackward(cursor));
            }
            transaction.rollbackTo(before);
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals("b0d0e0f0g1h0", walk(cursor));
            }
            transaction.deleteRange(bytes("d"), bytes("h")).put(bytes("f"), bytes("3"));
            transaction.commit();
        }
        try (FlexCursor cursor = db.cursor()) {
            assertEquals("b0f3h0", walk(cursor));
        }
    }

    @Test
    void whatOthersWriteIntoARangeThatItDeletesIsAConflict() {
        for (String written : List.of("d", "e", "gz")) {
            try (Transaction transaction = db.begin()) {
                transaction.deleteRange(bytes("d"), bytes("h"));
                db.put(bytes(written), bytes("1"));
                assertThrows(ConflictException.class, transaction::commit, written);
            }
        }
        for (String written : List.of("c", "h", "x")) {
            try (Transaction transaction = db.begin()) {
                transaction.deleteRange(bytes("d"), bytes("h"));
                db.put(bytes(written), bytes("1"));
                transaction.commit();
            }
        }
        try (Transaction transaction = db.begin()) {
            transaction.deleteRange(bytes("d"), bytes("h"));
            db.deleteRange(bytes("h"), bytes("i"));
            db.deleteRange(bytes("a"), bytes("d"));
            transaction.deleteRange(bytes("k"), bytes("k"));
            assertThrows(IllegalArgumentException.class, () -> transaction.deleteRange(bytes("m"), bytes("k")));
            transaction.commit();
        }
        try (Transaction transaction = db.begin()) {
            transaction.deleteRange(bytes("d"), bytes("h"));
            db.deleteRange(bytes("g"), bytes("i"));
            assertThrows(ConflictException.class, transaction::commit);
        }
        try (Transaction transaction = db.begin()) {
            transaction.deleteRange(bytes("d"), null);
            db.put(bytes("zz"), bytes("1"));
            assertThrows(ConflictException.class, transaction::commit);
        }
    }

    @Test
    void manyWritesAreFoundAgainAndAppliedInOrder() {
        int count = 3000;
        db.close();
        db = FlexDB.open(directory.resolve("store"));
        try (Transaction transaction = db.begin()) {
            for (int i = 0; i < count; i++) {
                transaction.put(bytes("key" + i % 1000), bytes("value" + i));
                assertEquals("value" + i, text(transaction.get(bytes("key" + i % 1000))));
            }
            for (int i = 0; i < 1000; i++) {
                assertEquals("value" + (2000 + i), text(transaction.get(bytes("key" + i))));
            }
            transaction.commit();
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals("value" + (2000 + i), text(db.get(bytes("key" + i))));
        }
    }

    @Test
    void whatAMemtableCanNotHoldIsRefusedAndTheRestGoesOn() {
        try (Transaction transaction = db.begin()) {
            transaction.put(bytes("a"), bytes("1"));
            byte[] large = new byte[FlexDBOptions.MIN_MEMTABLE_BYTES];
            assertThrows(IllegalArgumentException.class, () -> transaction.put(bytes("b"), large));
            assertThrows(IllegalArgumentException.class, () -> transaction.put(new byte[0], large));
            assertThrows(NullPointerException.class, () -> transaction.put(bytes("b"), null));
            assertThrows(NullPointerException.class, () -> transaction.delete((byte[]) null));
            assertThrows(NullPointerException.class, () -> transaction.cursor(null));
            assertThrows(NullPointerException.class, () -> transaction.commit(null));
            try (Snapshot snapshot = db.snapshot()) {
                ReadOptions foreign = ReadOptions.defaults().withSnapshot(snapshot);
                assertThrows(IllegalArgumentException.class, () -> transaction.cursor(foreign));
            }
            assertThrows(NullPointerException.class, () -> db.begin(null));
            transaction.commit();
        }
        assertEquals("1", text(db.get(bytes("a"))));
        assertEquals("0", text(db.get(bytes("b"))));
    }

    @Test
    void afterItsEndItIsClosed() {
        Transaction transaction = db.begin();
        FlexCursor cursor = transaction.cursor();
        transaction.put(bytes("a"), bytes("1"));
        Transaction.Savepoint savepoint = transaction.savepoint();
        transaction.commit();
        transaction.close();
        assertThrows(StoreClosedException.class, () -> transaction.get(bytes("a")));
        assertThrows(StoreClosedException.class, () -> transaction.put(bytes("a"), bytes("2")));
        assertThrows(StoreClosedException.class, () -> transaction.delete(bytes("a")));
        assertThrows(StoreClosedException.class, transaction::cursor);
        assertThrows(StoreClosedException.class, transaction::commit);
        assertThrows(StoreClosedException.class, transaction::savepoint);
        assertThrows(StoreClosedException.class, () -> transaction.rollbackTo(savepoint));
        assertThrows(StoreClosedException.class, cursor::isValid);

        Transaction open = db.begin(Isolation.SERIALIZABLE);
        FlexCursor walking = open.cursor();
        walking.seekToFirst();
        open.put(bytes("a"), bytes("3"));
        db.close();
        assertThrows(StoreClosedException.class, open::commit);
        open.close();
        assertThrows(StoreClosedException.class, db::begin);
        db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL);
        assertEquals("1", text(db.get(bytes("a"))));
    }

    @Test
    void memtablesAreUsedAgainWhenTransactionsHaveEnded() {
        try (Transaction transaction = db.begin()) {
            rotateMemtables();
            assertTrue(transaction.sequence() > 0);
        }
        for (int i = 0; i < 10; i++) {
            rotateMemtables();
        }
        long most = 8L * FlexDBOptions.MIN_MEMTABLE_BYTES;
        Waiting.collectWhile(() -> {
            rotateMemtables();
            return db.stats().memory().retiredMemtableBytes() > most; // which counts until it is collected
        });
    }

    @Test
    void aValueIsSetIfItIsWhatIsExpected() {
        assertFalse(db.compareAndSet(bytes("b"), null, bytes("1")));
        assertFalse(db.compareAndSet(bytes("b"), bytes("1"), bytes("2")));
        assertTrue(db.compareAndSet(bytes("b"), bytes("0"), bytes("1")));
        assertTrue(db.compareAndSet(bytes("b"), bytes("1"), null));
        assertNull(db.get(bytes("b")));
        assertTrue(db.compareAndSet(bytes("b"), null, bytes("")));
        assertArrayEquals(new byte[0], db.get(bytes("b")));
        assertArrayEquals(new byte[0], db.putIfAbsent(bytes("b"), bytes("7")));
        assertNull(db.putIfAbsent(bytes("new"), bytes("7")));
        assertEquals("7", text(db.get(bytes("new"))));
        assertThrows(NullPointerException.class, () -> db.compareAndSet(null, null, null));
        assertThrows(NullPointerException.class, () -> db.putIfAbsent(bytes("b"), null));
        assertTrue(Arrays.equals(bytes("7"), db.get(bytes("new"))));
    }

    @Test
    void whatThrowsInATransactionEndsItAndIsNotRunAgain() {
        int[] runs = {0};
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> db.transact(Isolation.SNAPSHOT, transaction -> {
                    transaction.put(bytes("b"), bytes("1"));
                    throw new IllegalStateException("run " + ++runs[0]);
                }));
        assertEquals("run 1", thrown.getMessage());
        assertEquals("0", text(db.get(bytes("b"))));
        String result = db.transact(Isolation.SERIALIZABLE, transaction -> {
            String before = text(transaction.get(bytes("b")));
            if (runs[0]++ < 3) {
                db.put(bytes("b"), bytes("other" + runs[0]));
            }
            transaction.put(bytes("b"), bytes(before + "+"));
            return before;
        });
        assertEquals("other3", result);
        assertEquals("other3+", text(db.get(bytes("b"))));
    }
}
