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
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions that write more than a memtable holds. */
class FlexDBLargeTransactionTest {

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private static void fill(Transaction transaction, int first, int count, int step, int bytes) {
        for (int i = 0; i < count; i++) {
            transaction.put(key(first + i * step), value(first + i, bytes));
        }
    }

    // ---- against a model

    @ParameterizedTest
    @EnumSource
    void whateverItDoesItIsWhatTheSameWritesMakeOfASortedMap(Isolation isolation) {
        for (int i = 0; i < Effort.times(40); i++) {
            long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
            try {
                runHistory(seed, isolation);
            } catch (Throwable e) {
                throw new AssertionError("-Dflexdb.test.seed=" + seed, e);
            }
        }
    }

    private static void runHistory(long seed, Isolation isolation) {
        Random random = new Random(seed);
        StoreDriver store = new StoreDriver(StoreDriver.SMALL.withRangeFilter(random.nextInt(3) == 0));
        int keys = random.nextBoolean() ? 300 : 5000;
        int spilled = 0;
        for (int round = 0; round < 4; round++) {
            for (int i = random.nextInt(400); i > 0; i--) {
                store.put(key(random.nextInt(keys)), value(random.nextInt(), random.nextInt(400)));
            }
            if (random.nextInt(4) == 0) {
                store.reopen("closed");
            }
            int spillEach = random.nextBoolean() ? 1_000_000 : 1 + random.nextInt(20); // few large runs, or many small
            spilled += transact(store, random, keys, spillEach, isolation, "round " + round) ? 1 : 0;
            store.clock.advance(random.nextInt(50));
            switch (random.nextInt(4)) {
                case 0 -> store.kill("killed");
                case 1 -> store.powerCut(random.nextLong(), "cut");
                case 2 -> store.reopen("closed");
                default -> store.assertSame("committed");
            }
            store.assertSameBackward("backward");
            assertTrue(store.db.check().isSound());
        }
        assertTrue(spilled > 0, "all were small");
        store.db.close();
    }

    /** What a transaction has at a savepoint. */
    private record State(Transaction.Savepoint savepoint, StoreOracle seen, int edits) {}

    /** A cursor of a transaction, and what that had when it was opened. */
    private record Shown(FlexCursor cursor, TreeMap<byte[], byte[]> all) {
        void check(String at) {
            StoreOracle.assertSame(all, StoreDriver.all(cursor), at);
        }
    }

    private static boolean transact(
            StoreDriver store, Random random, int keys, int spillEach, Isolation isolation, String at) {
        StoreOracle seen = store.oracle.copy();
        List<Edit> edits = new ArrayList<>();
        List<State> states = new ArrayList<>();
        List<Shown> shown = new ArrayList<>();
        boolean spilled;
        try (Transaction transaction = store.db.begin(isolation)) {
            for (int i = 200 + random.nextInt(700); i > 0; i--) {
                int what = random.nextInt(200);
                if (what == 0) {
                    states.add(new State(transaction.savepoint(), seen.copy(), edits.size()));
                } else if (what == 1 && !states.isEmpty()) {
                    State state = states.get(random.nextInt(states.size()));
                    states.subList(states.indexOf(state) + 1, states.size()).clear();
                    transaction.rollbackTo(state.savepoint);
                    shown.clear();
                    seen = state.seen.copy();
                    edits.subList(state.edits, edits.size()).clear();
                } else if (what == 2) {
                    shown.add(new Shown(transaction.cursor(), new TreeMap<>(seen.now())));
                } else if (what == 3 && !shown.isEmpty()) {
                    Shown closed = shown.remove(random.nextInt(shown.size()));
                    closed.check(at);
                    closed.cursor.close();
                } else if (what < 8) {
                    walk(transaction, seen.now(), random, keys, at);
                } else if (what < 40) {
                    byte[] key = key(random.nextInt(keys));
                    assertArrayEquals(seen.get(key), transaction.get(key), at);
                    int length = seen.get(key) == null ? -1 : seen.get(key).length;
                    assertEquals(length, transaction.valueLength(key), at);
                } else {
                    Edit edit = edit(random, keys);
                    StoreDriver.addAll(transaction, List.of(edit));
                    seen.write(List.of(edit));
                    edits.add(edit);
                    if (random.nextInt(spillEach) == 0) {
                        transaction.spill();
                    }
                }
            }
            shown.forEach(each -> each.check(at));
            StoreOracle.assertSame(seen.now(), StoreDriver.all(transaction.cursor()), at);
            spilled = transaction.isSpilled();
            if (random.nextInt(5) == 0) {
                return spilled; // and nothing has happened
            }
            store.oracle.write(edits, spilled ? 0 : edits.size());
            assertEquals(store.oracle.sequence(), transaction.commit());
            if (spilled) {
                store.oracle.allDurable();
            }
        }
        store.assertSame(at);
        return spilled;
    }

    private static Edit edit(Random random, int keys) {
        int number = random.nextInt(keys);
        int bytes = random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(500);
        return switch (random.nextInt(12)) {
            case 0, 1 -> new Edit(key(number), null);
            case 2 -> Edit.merge(key(number), value(random.nextInt(), random.nextInt(30)));
            case 3 -> Edit.expiring(key(number), value(random.nextInt(), bytes), 1 + random.nextInt(40));
            case 4 ->
                random.nextInt(10) > 0
                        ? Edit.merge(key(number % 7), value(random.nextInt(), 1 + random.nextInt(30)))
                        : Edit.range(key(number), key(number + 1 + random.nextInt(keys / 5)));
            default -> new Edit(key(number), value(random.nextInt(), bytes));
        };
    }

    private static void walk(
            Transaction transaction, TreeMap<byte[], byte[]> model, Random random, int keys, String at) {
        byte[] from = key(random.nextInt(keys));
        try (FlexCursor cursor = transaction.cursor()) {
            cursor.seek(from);
            Map.Entry<byte[], byte[]> expected = model.ceilingEntry(from);
            for (int step = 0; step < 30; step++) {
                assertEquals(expected != null, cursor.isValid(), at);
                if (expected == null) {
                    return;
                }
                assertArrayEquals(expected.getKey(), cursor.key(), at);
                assertArrayEquals(expected.getValue(), cursor.value(), at);
                if (random.nextBoolean()) {
                    cursor.next();
                    expected = model.higherEntry(expected.getKey());
                } else {
                    cursor.prev();
                    expected = model.lowerEntry(expected.getKey());
                }
            }
        }
    }

    // ---- what it sees

    @Test
    void aCursorThatWasOpenGoesOnWithWhatItHadWhenTheRestIsSpilled() {
        try (Transaction transaction = store.db.begin()) {
            fill(transaction, 0, 20, 2, 10);
            FlexCursor cursor = transaction.cursor();
            cursor.seekToFirst();
            fill(transaction, 1, 300, 2, 900);
            assertTrue(transaction.isSpilled());
            for (int i = 0; i < 20; i++) {
                assertArrayEquals(key(2 * i), cursor.key());
                assertArrayEquals(value(i, 10), cursor.value());
                cursor.next();
            }
            assertFalse(cursor.isValid());
            assertEquals(320, StoreDriver.all(transaction.cursor()).size());
        }
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    @Test
    void nobodyElseSeesAnythingBeforeTheCommitAndSnapshotsFromBeforeNeverDo() {
        try (Transaction transaction = store.db.begin();
                Snapshot before = store.db.snapshot()) {
            fill(transaction, 0, 500, 1, 500);
            assertNull(store.db.get(key(3)));
            transaction.commit();
            assertNull(before.get(key(3)));
            try (FlexCursor cursor = store.db.cursor(ReadOptions.defaults().withSnapshot(before))) {
                cursor.seekToFirst();
                assertFalse(cursor.isValid());
            }
        }
        assertEquals(500, StoreDriver.all(store.db).size());
    }

    @Test
    void namedKeyspacesAreWrittenToTogetherWithTheDefaultOne() {
        Keyspace other = store.db.createKeyspace("other");
        other.put(key(5), value(5, 5));
        try (Transaction transaction = store.db.begin()) {
            fill(transaction, 0, 200, 1, 400);
            fill(transaction.in(other), 100, 200, 1, 400);
            transaction.in(other).deleteRange(key(0), key(50));
            assertEquals(200, StoreDriver.all(transaction.in(other).cursor()).size());
            transaction.commit();
        }
        assertEquals(200, StoreDriver.all(store.db).size());
        assertEquals(200, StoreDriver.all(other.cursor()).size());
        assertNull(other.get(key(5)));
    }

    @Test
    void aKeyspaceDroppedMeanwhileIsAConflict() {
        Keyspace other = store.db.createKeyspace("other");
        try (Transaction transaction = store.db.begin()) {
            fill(transaction.in(other), 100, 300, 1, 400);
            store.db.dropKeyspace("other");
            assertThrows(ConflictException.class, transaction::commit);
        }
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    @Test
    void operandsAreMadeWhenItIsCommittedWhateverWasSpilledBefore() {
        store.put(key(1), value(1, 3), 10);
        store.put(key(2), value(2, 3), 100);
        try (Transaction transaction = store.db.begin()) {
            transaction.merge(key(1), value(7, 2));
            transaction.merge(key(2), value(7, 2));
            fill(transaction, 10, 300, 1, 400);
            assertEquals(5, transaction.get(key(1)).length);
            transaction.merge(key(1), value(8, 1));
            assertEquals(6, transaction.get(key(1)).length);
            store.clock.advance(50); // the first value is over, and what was merged begins anew
            transaction.commit();
        }
        assertArrayEquals(new byte[] {7, 7, 8}, store.db.get(key(1)));
        assertArrayEquals(new byte[] {2, 2, 2, 7, 7}, store.db.get(key(2)));
        store.clock.advance(100);
        assertArrayEquals(new byte[] {7, 7, 8}, store.db.get(key(1)));
        assertNull(store.db.get(key(2)));
    }

    /** A value that is over lies in the space, where nothing has dropped it since. */
    @Test
    void operandsDoNotFindWhatWasOverWhenTheyAreCommitted() {
        store.put(key(1), value(1, 3), 10);
        store.reopen("so it is in the space");
        try (Transaction transaction = store.db.begin()) {
            transaction.merge(key(1), value(7, 2));
            transaction.spill();
            assertEquals(5, transaction.get(key(1)).length);
            store.clock.advance(50);
            transaction.commit();
        }
        assertArrayEquals(new byte[] {7, 7}, store.db.get(key(1)));
    }

    /** Of ranges that are put into a table together it knows the last only, and a savepoint asks for the one before. */
    @Test
    void rangesThatOverlapAreTakenBackOneByOneAfterTheyWereFilledInAgain() {
        store.put(key(5), value(5, 5));
        try (Transaction transaction = store.db.begin()) {
            transaction.deleteRange(key(0), key(10));
            Transaction.Savepoint between = transaction.savepoint();
            transaction.deleteRange(key(3), key(20));
            Transaction.Savepoint behind = transaction.savepoint();
            transaction.put(key(30), value(30, 3));
            transaction.rollbackTo(behind); // which fills the table again
            transaction.spill();
            transaction.rollbackTo(between);
            assertNull(transaction.get(key(5)));
            transaction.commit();
        }
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    // ---- conflicts

    @ParameterizedTest
    @EnumSource
    void whoeverCommitsFirstWins(Isolation isolation) {
        store.put(key(77), value(1, 1));
        for (int conflict : new int[] {0, 77, 299}) {
            try (Transaction transaction = store.db.begin(isolation)) {
                fill(transaction, 0, 300, 1, 400);
                store.db.put(key(conflict), value(9, 9));
                ConflictException thrown = assertThrows(ConflictException.class, transaction::commit);
                assertTrue(thrown.getMessage().contains("was written with sequence number"), thrown::getMessage);
                assertThrows(StoreClosedException.class, () -> transaction.get(key(1)));
            }
            assertArrayEquals(value(9, 9), store.db.get(key(conflict)));
        }
        try (Transaction transaction = store.db.begin(isolation)) {
            fill(transaction, 0, 300, 2, 400);
            store.db.put(key(1), value(9, 9)); // between its keys
            store.db.put(key(5000), value(9, 9));
            transaction.commit();
        }
        assertArrayEquals(value(9, 9), store.db.get(key(1)));
        assertArrayEquals(value(299, 400), store.db.get(key(598)));
    }

    @Test
    void aWriteIntoARangeThatItHasDeletedIsAConflict() {
        try (Transaction transaction = store.db.begin()) {
            transaction.deleteRange(key(1000), key(2000));
            fill(transaction, 0, 300, 1, 400);
            store.db.put(key(1500), value(9, 9));
            assertThrows(ConflictException.class, transaction::commit);
        }
    }

    @Test
    void whatASerializableOneHasReadMustStay() {
        store.put(key(9000), value(1, 1));
        for (boolean serializable : new boolean[] {false, true}) {
            Isolation isolation = serializable ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT;
            try (Transaction transaction = store.db.begin(isolation)) {
                transaction.get(key(9000));
                fill(transaction, 0, 300, 1, 400);
                store.db.put(key(9000), value(2, 2));
                if (serializable) {
                    assertThrows(ConflictException.class, transaction::commit);
                } else {
                    transaction.commit();
                }
            }
        }
    }

    @Test
    void othersMeetItsWritesAsAConflict() {
        try (Transaction large = store.db.begin();
                Transaction small = store.db.begin();
                Transaction apart = store.db.begin();
                Transaction alsoLarge = store.db.begin()) {
            fill(large, 0, 300, 1, 400);
            fill(alsoLarge, 299, 300, 1, 400);
            small.put(key(7), value(7, 7));
            apart.put(key(7000), value(7, 7));
            large.commit();
            assertThrows(ConflictException.class, small::commit);
            assertThrows(ConflictException.class, alsoLarge::commit);
            apart.commit();
        }
        assertEquals(301, StoreDriver.all(store.db).size());
    }

    // ---- ends

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsTakenBackIsFreeAgain(boolean rollback) {
        int segments = store.db.stats().space().segments();
        for (int i = 0; i < 20; i++) {
            try (Transaction transaction = store.db.begin()) {
                Transaction.Savepoint savepoint = transaction.savepoint();
                fill(transaction, 0, 2000, 1, 400);
                assertTrue(transaction.isSpilled());
                if (rollback) {
                    transaction.rollbackTo(savepoint);
                    transaction.commit();
                }
            }
        }
        int more = store.db.stats().space().segments() - segments;
        assertTrue(more < 3 * 2000 * 400 / (64 * 512), more + " segments more");
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    @Test
    void whatIsRefusedForWantOfSpaceLeavesTheTransactionAsItIs() {
        FlexDBOptions capped =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40L * 64 * 512));
        StoreDriver full = new StoreDriver(capped);
        for (int round = 0; round < 3; round++) {
            try (Transaction transaction = full.db.begin()) {
                StoreFullException refused =
                        assertThrows(StoreFullException.class, () -> fill(transaction, 0, 10_000, 1, 400));
                assertTrue(refused.getMessage() != null);
                assertArrayEquals(value(1, 400), transaction.get(key(1)));
            }
            full.put(key(round), value(round, 100)); // there is space again
        }
        full.assertSame("refused");
        full.reopen("refused");
    }

    /** What fits once need not fit twice; then nothing has changed, and what was staged for it is free again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommitThatFindsNoSpaceChangesNothing(boolean inline) {
        FlexDBOptions capped =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(60L * 64 * 512));
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, capped, inline)) {
            int refused = 0;
            for (int round = 0; round < 12; round++) {
                int count = round % 2 == 0 ? 2200 : 900;
                try (Transaction transaction = db.begin()) {
                    fill(transaction, 0, count, 1, 400 + round);
                    transaction.commit();
                    for (int i = 0; i < count; i++) {
                        model.put(key(i), value(i, 400 + round));
                    }
                } catch (StoreFullException e) {
                    refused++;
                }
                StoreOracle.assertSame(model, StoreDriver.all(db), "round " + round);
            }
            assertEquals(6, refused);
        }
    }

    @Test
    void aLoadFindsTheSpaceThatTheOneBeforeHasLeft() {
        FlexDBOptions capped =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(60L * 64 * 512));
        StoreDriver small = new StoreDriver(capped);
        for (int round = 0; round < 10; round++) {
            TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
            for (int i = 0; i < 1500; i++) {
                pairs.put(key(i), value(i, 400 + round));
            }
            small.load(pairs);
        }
        small.assertSame("loaded");
    }

    // ---- batches

    @ParameterizedTest
    @EnumSource
    void aBatchMayBeLargerThanAMemtableToo(Durability durability) {
        StoreDriver with = new StoreDriver(StoreDriver.WITHOUT_LARGE.withDurability(durability));
        Random random = new Random(5);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 100; i++) {
                with.put(key(random.nextInt(2000)), value(i, random.nextInt(300)));
            }
            List<Edit> edits = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                edits.add(edit(random, 2000));
            }
            with.largeBatch(edits);
            with.assertSame("round " + round);
            if (round % 3 == 0) {
                with.powerCut(round, "cut");
            }
        }
        assertTrue(with.db.check().isSound());
    }

    /** What counts is what log and memtable are to hold, and those have references instead of large values. */
    @Test
    void largeValuesMakeABatchLinkedOnlyIfTheRestDoesNotFit() {
        for (int count : new int[] {300, 3000}) {
            List<Edit> edits = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                edits.add(new Edit(key(i), value(count + i, 400)));
            }
            if (count == 300) {
                store.batch(edits, Durability.OS);
            } else {
                store.largeBatch(edits);
            }
            store.assertSame(count + " large values");
            store.kill(count + " large values");
        }
    }

    @Test
    void aBatchOfManyShortEntriesIsTaken() {
        WriteBatch many = new WriteBatch();
        for (int i = 0; i < 5000; i++) {
            many.put(key(i), new byte[0]);
        }
        store.db.write(many);
        assertEquals(5000, StoreDriver.all(store.db).size());
    }

    @Test
    void aLargeBatchOfADroppedKeyspaceIsRefused() {
        Keyspace other = store.db.createKeyspace("other");
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 300; i++) {
            batch.put(key(i), value(i, 140)).in(other).put(key(i), value(i, 140));
        }
        store.db.dropKeyspace("other");
        assertThrows(NoSuchKeyspaceException.class, () -> store.db.write(batch));
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    // ---- the store's end

    @Test
    void closingTheStoreEndsIt() {
        Transaction transaction = store.db.begin();
        fill(transaction, 0, 300, 1, 400);
        FlexCursor cursor = transaction.cursor();
        cursor.seekToFirst();
        store.db.close();
        assertThrows(StoreClosedException.class, () -> transaction.get(key(1)));
        assertThrows(StoreClosedException.class, transaction::commit);
        transaction.close();
        store.open();
        assertEquals(0, StoreDriver.all(store.db).size());
    }

    @Test
    void oneEntryMustFitAMemtable() {
        try (Transaction transaction = store.db.begin()) {
            fill(transaction, 0, 300, 1, 400);
            byte[] large = new byte[StoreDriver.SMALL.memtableBytes()];
            assertThrows(IllegalArgumentException.class, () -> transaction.put(key(1), large));
            transaction.commit();
        }
        assertEquals(300, StoreDriver.all(store.db).size());
    }
}
