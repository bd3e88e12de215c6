package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions that spill again and again, so that runs are joined, and what happens to these then. */
class FlexDBSpilledRunsTest {
    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private static TreeMap<byte[], byte[]> all(Transaction transaction) {
        try (FlexCursor cursor = transaction.cursor()) {
            return StoreDriver.all(cursor);
        }
    }

    private static int used(FlexDB db) {
        return db.stats().space().segments() - db.stats().space().freeSegments();
    }

    // ---- how many there are

    @Test
    void theNumberOfRunsGrowsWithTheLogarithmOfWhatIsSpilled() {
        int spills = 1300;
        TreeMap<byte[], byte[]> expected = StoreOracle.newMap();
        try (Transaction transaction = store.db.begin()) {
            for (int i = 0; i < spills; i++) {
                byte[] key = key(i * 7919 % spills);
                transaction.put(key, value(i, 20));
                expected.put(key, value(i, 20));
                transaction.spill();
                assertTrue(transaction.spilledRuns() <= 8 * (1 + (int) (Math.log(1 + i) / Math.log(8))));
                byte[] other = key(i / 2 * 7919 % spills);
                assertArrayEquals(expected.get(other), transaction.get(other));
            }
            StoreOracle.assertSame(expected, all(transaction), "runs");
            transaction.commit();
        }
        StoreOracle.assertSame(expected, StoreDriver.all(store.db), "committed");
        assertTrue(store.db.check().isSound());
    }

    @Test
    void whatIsWrittenAgainAndAgainIsNotKept() {
        int before = used(store.db);
        try (Transaction transaction = store.db.begin()) {
            for (int i = 0; i < 600; i++) { // 12 MB, in segments of 32 KiB
                for (int j = 0; j < 50; j++) {
                    transaction.put(key(j), value(i + j, 400));
                }
                transaction.spill();
            }
            int more = used(store.db) - before;
            assertTrue(more < 60, more + " segments more");
            assertArrayEquals(value(599 + 49, 400), transaction.get(key(49)));
        }
        assertEquals(before, used(store.db));
    }

    /** Operands can't be left out, so what has too many of them stays as it is. */
    @Test
    void manyOperandsOfAKeyMakeRunsThatAreNotJoined() {
        byte[] expected = {};
        store.put(key(5), value(5, 5));
        try (Transaction transaction = store.db.begin()) {
            for (int i = 0; i < 80; i++) {
                byte[] operand = value(i, 40_000);
                operand[0] = (byte) (i + 1);
                transaction.put(key(i % 9), value(i, 10));
                transaction.merge(key(100), operand);
                transaction.spill();
                expected = operand;
            }
            assertTrue(transaction.spilledRuns() > 16, transaction::toString);
            for (int i = 0; i < 300; i++) {
                transaction.put(key(200 + i), value(i, 10));
                transaction.spill();
            }
            assertTrue(transaction.spilledRuns() < 50, transaction::toString);
            assertArrayEquals(Arrays.copyOfRange(expected, 39_900, 40_000), transaction.get(key(100)));
            assertArrayEquals(value(77, 10), transaction.get(key(5)));
            transaction.commit();
        }
        assertArrayEquals(Arrays.copyOfRange(expected, 39_900, 40_000), store.db.get(key(100)));
        assertEquals(9 + 1 + 300, StoreDriver.all(store.db).size());
    }

    // ---- what is read

    /** A savepoint between each two runs: each state can be gone back to, whatever was joined since. */
    @Test
    void eachSavepointHasItsStateAfterAnyJoins() {
        try (Transaction transaction = store.db.begin()) {
            TreeMap<byte[], byte[]> now = StoreOracle.newMap();
            List<Transaction.Savepoint> savepoints = new ArrayList<>();
            List<TreeMap<byte[], byte[]>> states = new ArrayList<>();
            Random random = new Random(7);
            for (int i = 0; i < 150; i++) {
                for (int j = 0; j < 3; j++) {
                    byte[] key = key(random.nextInt(20));
                    if (random.nextInt(4) == 0) {
                        transaction.delete(key);
                        now.remove(key);
                    } else {
                        transaction.put(key, value(i, 10));
                        now.put(key, value(i, 10));
                    }
                }
                if (i % 5 == 2) {
                    byte[] from = key(random.nextInt(10));
                    byte[] to = key(10 + random.nextInt(10));
                    transaction.deleteRange(from, to);
                    now.subMap(from, to).clear();
                }
                if (i % 3 > 0) {
                    savepoints.add(transaction.savepoint());
                    states.add(new TreeMap<>(now));
                }
                if (i % 2 == 0) {
                    transaction.spill();
                }
            }
            assertTrue(transaction.spilledRuns() < 20);
            for (int at = savepoints.size() - 1; at >= 0; at -= 1 + random.nextInt(3)) {
                transaction.rollbackTo(savepoints.get(at));
                StoreOracle.assertSame(states.get(at), all(transaction), "savepoint " + at);
                transaction.put(key(3), value(at, 5)); // and on from there
                if (at % 2 == 0) {
                    transaction.spill();
                }
                transaction.rollbackTo(savepoints.get(at));
                StoreOracle.assertSame(states.get(at), all(transaction), "savepoint " + at + " again");
            }
        }
    }

    @Test
    void aCursorReadsOnInRunsThatWereJoinedAndTheirSpaceIsFreeOnceItIsClosed() {
        int before = used(store.db);
        try (Transaction transaction = store.db.begin()) {
            TreeMap<byte[], byte[]> expected = StoreOracle.newMap();
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 60; j++) {
                    transaction.put(key(8 * j + i), value(i, 500));
                    expected.put(key(8 * j + i), value(i, 500));
                }
                transaction.spill();
            }
            FlexCursor cursor = transaction.cursor();
            cursor.seekToFirst();
            int open = 0;
            for (int i = 0; i < 64; i++) {
                transaction.put(key(i), value(99, 500));
                transaction.spill();
                open = Math.max(open, used(store.db));
            }
            assertTrue(transaction.spilledRuns() <= 16);
            StoreOracle.assertSame(expected, StoreDriver.all(cursor), "joined meanwhile");
            cursor.close();
            transaction.put(key(1), value(1, 1));
            for (int i = 0; i < 9; i++) {
                transaction.put(key(1), value(i, 1));
                transaction.spill(); // whatever is given back is found
            }
            assertTrue(used(store.db) < open, used(store.db) + " after " + open);
            assertEquals(480, all(transaction).size());
        }
        assertEquals(before, used(store.db));
    }

    // ---- crashes, faults, a full disk

    private static List<StoreOracle.Edit> edits() {
        List<StoreOracle.Edit> edits = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            edits.add(new StoreOracle.Edit(key(i * 7 % 120), value(i, 300)));
            if (i == 70) {
                edits.add(StoreOracle.Edit.range(key(20), key(40)));
            }
            if (i % 13 == 0) {
                edits.add(StoreOracle.Edit.merge(key(500), value(i, 3)));
                edits.add(new StoreOracle.Edit(key(i), null));
            }
        }
        return edits;
    }

    /** More than memory, in runs of which some are joined, with a savepoint that it goes back to. */
    private static void transact(StoreDriver store) {
        List<StoreOracle.Edit> edits = edits();
        try (Transaction transaction = store.db.begin()) {
            for (int i = 0; i < edits.size(); i++) {
                StoreDriver.addAll(transaction, edits.subList(i, i + 1));
                if (i % 10 == 9) {
                    transaction.spill();
                }
                if (i == 100) {
                    Transaction.Savepoint savepoint = transaction.savepoint();
                    for (int j = 0; j < 60; j++) {
                        transaction.put(key(j), value(j, 600));
                        if (j % 10 == 0) {
                            transaction.spill();
                        }
                    }
                    transaction.rollbackTo(savepoint);
                }
            }
            store.oracle.write(edits, 0);
            store.writing = true;
            transaction.commit();
            store.writing = false;
            store.oracle.allDurable();
        }
    }

    private static StoreDriver filled(SimulatedVfs vfs) {
        StoreDriver filled = StoreDriver.closed(StoreDriver.SMALL, vfs);
        filled.open();
        for (int i = 0; i < 200; i++) {
            filled.put(key(i), value(i, 100));
        }
        filled.sync();
        return filled;
    }

    private static int usedAfterOpening(SimulatedVfs vfs) {
        FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);
        int used = used(db);
        db.close();
        return used;
    }

    @Test
    void aCutOrAKillAtAnyOperationLeavesAllOrNothingAndTheSpaceThatThereWas() {
        SimulatedVfs vfs = new SimulatedVfs();
        filled(vfs).db.close();
        StoreDriver other = StoreDriver.closed(StoreDriver.SMALL, vfs);
        int[] points = {0};
        boolean[] watched = {false};
        int[] usedBefore = {0};
        other.setHook((kind, path) -> {
            if (watched[0] && kind != HookedVfs.Kind.READ) {
                if (points[0]++ % Effort.step(1) > 0) {
                    return;
                }
                for (SimulatedVfs found : List.of(
                        vfs.copy().kill(), vfs.copy().crash(0), vfs.copy().crash(points[0]))) {
                    FlexDBCrashTest.checkRecovered(other, found.copy(), "point " + points[0], points[0] % 10 == 0);
                    if (!other.writing) {
                        assertEquals(usedBefore[0], usedAfterOpening(found), "point " + points[0]);
                    }
                }
            }
        });
        other.open();
        for (int i = 0; i < 200; i++) {
            other.oracle.write(List.of(new StoreOracle.Edit(key(i), value(i, 100))));
        }
        other.oracle.allDurable();
        other.assertSame("opened");
        usedBefore[0] = usedAfterOpening(vfs.copy().kill());
        watched[0] = true;
        transact(other);
        watched[0] = false;
        other.assertSame("committed");
        assertTrue(points[0] >= 80, points[0] + " points only");
    }

    @ParameterizedTest
    @EnumSource
    void aFaultAtAnyOperationLeavesAllOrNothing(Fault fault) {
        int failed = 0;
        boolean more = true;
        for (int at = 1; more; at += Effort.step(1)) {
            StoreDriver faulty = filled(new SimulatedVfs());
            long before = faulty.vfs.operationCount();
            faulty.vfs.failAt(before + at, fault);
            try {
                transact(faulty);
                more = faulty.vfs.operationCount() >= before + at; // else all of it went well
            } catch (StorageException e) {
                failed++;
                if (faulty.db.health().state() != StoreHealth.State.FAILED) { // nothing has happened
                    assertTrue(e instanceof StoreFullException, () -> e.toString());
                    if (faulty.writing) {
                        faulty.oracle.forgetLast();
                    }
                    faulty.assertSame(fault + " at " + at);
                }
            }
            FlexDB again = StoreDriver.open(faulty.vfs.kill(), faulty.options);
            TreeMap<byte[], byte[]> found = StoreDriver.all(again);
            StoreOracle oracle = faulty.oracle.copy();
            oracle.found(found, again.stats().lastSequence(), 0, fault + " at " + at);
            assertTrue(again.check().isSound());
            again.close();
        }
        assertTrue(failed > Effort.times(10), failed + " faults met");
    }

    @Test
    void aSpillOrJoinThatFindsNoSpaceChangesNothingAndTheTransactionGoesOn() {
        FlexDBOptions capped =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40L * 64 * 512));
        StoreDriver full = new StoreDriver(capped);
        TreeMap<byte[], byte[]> expected = StoreOracle.newMap();
        try (Transaction transaction = full.db.begin()) {
            for (int i = 0; i < 300; i++) {
                transaction.put(key(i), value(i, 400));
                expected.put(key(i), value(i, 400));
            }
            Transaction.Savepoint savepoint = transaction.savepoint();
            int refused = 0;
            for (int i = 0; i < 10_000 && refused < 20; i++) {
                try {
                    transaction.put(key(1000 + i), value(i, 400));
                } catch (StoreFullException e) {
                    refused++;
                    assertNull(transaction.get(key(1000 + i)));
                    assertArrayEquals(value(0, 400), transaction.get(key(1000)));
                    assertArrayEquals(value(7, 400), transaction.get(key(7)));
                }
            }
            assertEquals(20, refused);
            transaction.rollbackTo(savepoint);
            StoreOracle.assertSame(expected, all(transaction), "taken back");
            transaction.put(key(5000), value(5, 5));
            transaction.commit();
        }
        expected.put(key(5000), value(5, 5));
        StoreOracle.assertSame(expected, StoreDriver.all(full.db), "committed");
        assertTrue(full.db.check().isSound());
    }

    @Test
    void closingTheStoreGivesBackWhatAnOpenTransactionHasSpilledAndJoined() {
        int before = used(store.db);
        Transaction transaction = store.db.begin();
        for (int i = 0; i < 600; i++) {
            transaction.put(key(i), value(i, 300));
            if (i % 20 == 0) {
                transaction.spill();
            }
        }
        FlexCursor cursor = transaction.cursor();
        cursor.seekToFirst();
        assertTrue(cursor.isValid());
        assertTrue(used(store.db) > before);
        store.db.close();
        transaction.close();
        store.open();
        assertEquals(before, used(store.db));
        assertEquals(0, StoreDriver.all(store.db).size());
    }
}
