package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.testing.Effort;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers at file operations of a writer's history, in which memtables, logs and segments are used again all the time:
 * whatever they show is the state after some write, has all that had returned, and never goes back.
 */
class FlexDBReaderHistoryTest {

    private int points;
    private int overtaken;
    private boolean within; // what a reader does is no point

    private StoreDriver store(Durability durability) {
        FlexDBOptions options = StoreDriver.SMALL.withDurability(durability).withMaxLeasedBytes(0);
        return StoreDriver.closed(options, new SimulatedVfs());
    }

    private void atPoints(StoreDriver store, int appendsPerPoint, Runnable check) {
        store.setHook(FlexDBCrashTest.eachButMostAppends(Effort.step(appendsPerPoint), () -> {
            if (!within) {
                within = true;
                points++;
                check.run();
                within = false;
            }
        }));
    }

    private static boolean isStore(StoreDriver store) {
        return store.vfs.exists(StoreDriver.DIRECTORY.resolve("flexdb.options"));
    }

    private FlexDBReader open(StoreDriver store, SimulatedVfs vfs) {
        return FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, store.options, true);
    }

    /** The last write noted may not have returned; all others have. */
    private void requireAllThatReturned(StoreDriver store, FlexDBReader reader, String at) {
        try {
            StoreOracle oracle = store.oracle.copy();
            int least = Math.max(0, oracle.writesSinceDurable() - 1);
            oracle.found(allSoon(reader), reader.sequence(), least, at);
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
    }

    private static TreeMap<byte[], byte[]> all(ReadView view) {
        try (FlexCursor cursor = view.cursor()) {
            return StoreDriver.all(cursor);
        }
    }

    /** As who has been overtaken is told to do it: once is enough while nobody writes. */
    private TreeMap<byte[], byte[]> allSoon(FlexDBReader reader) {
        try {
            return all(reader);
        } catch (ReaderOvertakenException e) {
            overtaken++;
            reader.refresh();
            return all(reader);
        }
    }

    @Test
    void whoeverWasOvertakenGoesOnAfterOneRefresh() {
        FlexDBOptions withoutLargeValues =
                StoreDriver.SMALL.withDurability(Durability.OS).withLargeValueBytes(10_000);
        StoreDriver store = StoreDriver.closed(withoutLargeValues, new SimulatedVfs());
        store.open();
        try (FlexDBReader reader = open(store, store.vfs)) {
            for (int i = 0; i < 3000; i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
                if (i % 10 == 0) {
                    assertEquals(store.oracle.sequence(), reader.refresh());
                }
                if (i % 100 == 0) {
                    StoreOracle.assertSame(store.oracle.now(), allSoon(reader), "write " + i);
                }
            }
        }
        store.db.close();
        assertTrue(overtaken > 0, "nobody was overtaken");
    }

    @ParameterizedTest
    @EnumSource
    void aReaderThatIsOpenedAtAnyOperationHasAllThatReturned(Durability durability) {
        StoreDriver store = store(durability);
        atPoints(store, 7, () -> {
            if (isStore(store)) {
                SimulatedVfs files = store.vfs.copy();
                long operations = files.bytesWritten(name -> true);
                try (FlexDBReader reader = open(store, files)) {
                    requireAllThatReturned(store, reader, durability + ", point " + points);
                }
                assertEquals(operations, files.bytesWritten(name -> true));
            }
        });
        FlexDBCrashTest.mixedScript(store);
        assertTrue(points >= Effort.times(200), points + " points only");
    }

    @ParameterizedTest
    @EnumSource
    void aReaderThatIsRefreshedAtAnyOperationHasAllThatReturned(Durability durability) {
        StoreDriver store = store(durability);
        FlexDBReader[] reader = {null};
        long[] last = {0};
        int[] loads = {0}; // that it has
        atPoints(store, 7, () -> {
            String at = durability + ", point " + points;
            if (reader[0] == null && isStore(store)) {
                reader[0] = open(store, store.vfs);
            }
            if (reader[0] != null && points % 3 != 0) {
                long sequence = store.loads == loads[0] ? reader[0].refresh() : reader[0].refreshWithLoads();
                loads[0] = store.loads;
                assertTrue(sequence >= last[0], () -> at + ": " + sequence + " after " + last[0]);
                last[0] = sequence;
                requireAllThatReturned(store, reader[0], at);
            }
        });
        FlexDBCrashTest.mixedScript(store);
        assertTrue(points >= Effort.times(200), points + " points only");
        assertEquals(store.oracle.sequence(), reader[0].refresh());
        StoreOracle.assertSame(store.oracle.now(), all(reader[0]), "at the end");
        reader[0].close();
    }

    /** It has read the last log but one, which keeps its name for a while. */
    @Test
    void aReaderThatIsRefreshedAtAnyOperationOfAClosingHasAllThatReturned() {
        int operations = 1;
        for (int at = 0; at < operations; at++) {
            operations = operationsOfClosing(at);
        }
        assertTrue(operations > 10, operations + " operations only");
    }

    private int operationsOfClosing(int at) {
        StoreDriver store = store(Durability.OS);
        int[] operations = {0};
        boolean[] commits = {false};
        FlexDBReader[] reader = {null};
        store.setHook((kind, path) -> {
            commits[0] |= kind == HookedVfs.Kind.WRITE && path.startsWith(StoreDriver.DIRECTORY.resolve("space"));
            if (reader[0] != null && !within && kind != HookedVfs.Kind.READ && operations[0]++ == at) {
                within = true;
                assertEquals(store.oracle.sequence(), reader[0].refresh(), "operation " + at);
                StoreOracle.assertSame(store.oracle.now(), allSoon(reader[0]), "operation " + at);
                within = false;
            }
        });
        store.open();
        FlexDBReader follower = open(store, store.vfs);
        for (int i = 0, committed = 0; committed < 3; i++) { // the first logs are smaller, and not used again
            follower.refresh();
            commits[0] = false;
            for (int j = 0; j < 8; j++) { // short, so that only commits touch the space
                store.put(new byte[] {(byte) i, (byte) j}, new byte[100]);
            }
            committed += commits[0] ? 1 : 0;
        }
        reader[0] = follower;
        store.db.close();
        follower.close();
        return operations[0];
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100})
    void whatSnapshotsShowStaysOrIsSaidToBeOvertaken(int apart) {
        StoreDriver store = store(Durability.OS);
        store.open();
        FlexDBCrashTest.batchOverManyIntervals(store, 0, 0);
        Deque<Snapshot> snapshots = new ArrayDeque<>();
        Deque<TreeMap<byte[], byte[]>> expected = new ArrayDeque<>();
        int stayed = 0;
        try (FlexDBReader reader = open(store, store.vfs)) {
            for (int i = 0; i < 150 * Math.min(apart, 20); i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
                if (i % apart != 0) {
                    continue;
                }
                assertEquals(store.oracle.sequence(), reader.refresh());
                snapshots.add(reader.snapshot());
                expected.add(new TreeMap<>(store.oracle.now()));
                if (snapshots.size() > 3) {
                    try (Snapshot oldest = snapshots.remove()) {
                        StoreOracle.assertSame(expected.remove(), all(oldest), "write " + i);
                        stayed++;
                    } catch (ReaderOvertakenException e) {
                        overtaken++;
                    }
                }
            }
        }
        store.db.close();
        assertTrue(apart == 100 || stayed > 10, stayed + " stayed");
        assertTrue(apart < 100 || overtaken > 10, overtaken + " were overtaken");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aWriterThatGoesOnBetweenTheReadsOfAReaderIsFollowed(long seed) {
        Random random = new Random(seed);
        StoreDriver store = store(Durability.values()[(int) (seed % 3)]);
        store.open();
        int[] reads = {0};
        int[] apart = {40};
        int[] written = {0};
        Runnable write = () -> {
            store.clock.advance(1);
            // A long one uses all logs again, so that what a reader was about to read of them is gone.
            int burst = random.nextInt(12) == 0 ? 200 : 1 + random.nextInt(8);
            for (int i = 0; i < burst; i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, written[0] / 60, written[0]++);
            }
            if (random.nextInt(40) == 0) {
                store.reopen("seed " + seed);
            }
        };
        for (int i = 0; i < 30; i++) {
            write.run();
        }
        HookedVfs files = new HookedVfs(store.vfs, (kind, path) -> {
            if (!within && written[0] < 8000 && ++reads[0] % apart[0] == 0) {
                within = true;
                write.run();
                within = false;
            }
        });
        FlexDBReader reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
        long last = 0;
        for (int round = 0; round < Effort.times(60); round++) {
            apart[0] = 5 + random.nextInt(60);
            long returned = store.oracle.sequence();
            long sequence = reader.refresh();
            String at = "seed " + seed + ", round " + round;
            assertTrue(sequence >= Math.max(last, returned), at + ": " + sequence + " of " + returned);
            last = sequence;
            within = true; // so that the state can be looked at
            reader.refresh();
            StoreOracle.assertSame(store.oracle.now(), allSoon(reader), at);
            within = false;
            byte[] key = store.oracle.now().firstKey();
            assertNotNull(reader.containsKey(key));
            if (round % 7 == 0) {
                reader.close();
                reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
            }
        }
        reader.close();
        store.db.close();
    }

    @Test
    void whatLosesItsLogWhileTheLogsAreReadIsFoundInTheSpace() {
        StoreDriver store = store(Durability.OS);
        store.open();
        for (int i = 0; i < 30; i++) {
            FlexDBCrashTest.batchOverManyIntervals(store, 0, i);
        }
        long returned = store.oracle.sequence();
        boolean[] done = {false};
        HookedVfs files = new HookedVfs(store.vfs, (kind, path) -> {
            if (!done[0] && path.startsWith(StoreDriver.DIRECTORY.resolve("wal"))) {
                done[0] = true;
                for (int i = 0; i < 400; i++) { // so that no log of those listed is there any more
                    FlexDBCrashTest.batchOverManyIntervals(store, 1 + i / 60, i);
                }
            }
        });
        FlexDBReader reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
        assertTrue(done[0]);
        assertTrue(reader.sequence() >= returned, reader.sequence() + " of " + returned);
        assertEquals(store.oracle.sequence(), reader.refresh());
        StoreOracle.assertSame(store.oracle.now(), allSoon(reader), "refreshed");
        reader.close();
        store.db.close();
    }

    @Test
    void lookupsGoOnWhateverTheWriterUsesAgain() {
        StoreDriver store = store(Durability.OS);
        store.open();
        FlexDBCrashTest.batchOverManyIntervals(store, 0, 0);
        byte[] key = "still there".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] value = new byte[50_000];
        new Random(1).nextBytes(value);
        store.put(key, value);
        FlexDBReader reader = open(store, store.vfs);
        for (int i = 0; i < 2000; i++) {
            FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
            org.junit.jupiter.api.Assertions.assertArrayEquals(value, reader.get(key), "write " + i);
        }
        assertTrue(reader.sequence() > 1, "it was overtaken");
        reader.close();
        store.db.close();
    }
}
