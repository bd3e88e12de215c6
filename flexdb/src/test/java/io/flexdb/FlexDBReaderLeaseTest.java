package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ReaderOvertakenException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the time is worth that readers ask the writer for, and what it costs at most. */
class FlexDBReaderLeaseTest {
    private static final int WRITES = 3000;

    private long overtaken;
    private long stayed;
    private long longest; // bytes of the data file

    private static StoreDriver store(FlexDBOptions options) {
        StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
        store.open();
        FlexDBCrashTest.batchOverManyIntervals(store, 0, 0);
        return store;
    }

    private static FlexDBReader open(StoreDriver store) {
        return FlexDB.openReadOnly(store.vfs, StoreDriver.DIRECTORY, store.options, true);
    }

    private static List<String> leases(StoreDriver store) {
        return store.vfs.list(StoreDriver.DIRECTORY).stream()
                .filter(name -> name.startsWith("reader-"))
                .toList();
    }

    private long dataBytes(StoreDriver store) {
        return store.vfs.content(StoreDriver.DIRECTORY.resolve("space/data")).length;
    }

    private static TreeMap<byte[], byte[]> all(ReadView view) {
        try (FlexCursor cursor = view.cursor()) {
            return StoreDriver.all(cursor);
        }
    }

    private void write(StoreDriver store, int i) {
        FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
        if (i % 100 == 0) {
            longest = Math.max(longest, dataBytes(store));
        }
    }

    /** Keeps each snapshot for some hundred writes, and counts those that stay. */
    private void followWithSnapshots(StoreDriver store, FlexDBReader reader) {
        Deque<Snapshot> snapshots = new ArrayDeque<>();
        Deque<TreeMap<byte[], byte[]>> expected = new ArrayDeque<>();
        for (int i = 0; i < WRITES; i++) {
            write(store, i);
            if (i % 100 == 0) {
                assertEquals(store.oracle.sequence(), reader.refresh());
                snapshots.add(reader.snapshot());
                expected.add(new TreeMap<>(store.oracle.now()));
                if (snapshots.size() > 3) {
                    check(snapshots.remove(), expected.remove(), "write " + i);
                }
            }
        }
        snapshots.forEach(Snapshot::close);
    }

    private void check(Snapshot snapshot, TreeMap<byte[], byte[]> expected, String at) {
        try (snapshot) {
            StoreOracle.assertSame(expected, all(snapshot), at);
            stayed++;
        } catch (ReaderOvertakenException e) {
            overtaken++;
        }
    }

    private void follow(FlexDBOptions options) {
        overtaken = 0;
        stayed = 0;
        longest = 0;
        StoreDriver store = store(options);
        try (FlexDBReader reader = open(store)) {
            followWithSnapshots(store, reader);
        }
        assertEquals(List.of(), leases(store));
        store.db.close();
    }

    @Test
    void whoeverWasOvertakenHasTimeFromThenOn() {
        follow(StoreDriver.SMALL.withMaxLeasedBytes(0));
        long without = longest;
        assertTrue(overtaken > 10, overtaken + " were overtaken, " + stayed + " stayed");
        follow(StoreDriver.SMALL.withMaxLeasedBytes(100 << 20));
        assertTrue(overtaken > 0 && overtaken <= 5, overtaken + " were overtaken, " + stayed + " stayed");
        assertTrue(longest > without, "nothing was kept");
        int most = 20 * 64 * 512;
        follow(StoreDriver.SMALL.withMaxLeasedBytes(most));
        assertTrue(longest <= without + most + (1 << 18), longest + " bytes, " + without + " without readers");
    }

    @Test
    void whoWasNeverOvertakenLeavesNothing() {
        StoreDriver store = store(StoreDriver.SMALL);
        try (FlexDBReader reader = open(store)) {
            for (int i = 0; i < 300; i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
                reader.refresh();
                assertEquals(List.of(), leases(store));
            }
        }
        store.db.close();
    }

    @Test
    void aReaderThatHangsCostsTheWriterNoMoreThanTheMost() {
        int most = 10 * 64 * 512;
        StoreDriver store = store(StoreDriver.SMALL.withMaxLeasedBytes(most));
        for (int i = 0; i < WRITES; i++) {
            write(store, i);
        }
        long without = longest;
        FlexDBReader reader = open(store);
        for (int i = 0; i < WRITES && leases(store).isEmpty(); i++) {
            write(store, i);
            if (i % 300 == 299) {
                try {
                    all(reader);
                } catch (ReaderOvertakenException e) {
                    reader.refresh();
                }
            }
        }
        assertEquals(1, leases(store).size());
        for (int i = 0; i < WRITES; i++) { // which the reader does not follow
            write(store, i);
        }
        assertTrue(longest <= without + most + (1 << 18), longest + " bytes, " + without + " without readers");
        assertEquals(1, leases(store).size());
        store.reopen("with a lease");
        assertEquals(store.oracle.sequence(), reader.refresh());
        StoreOracle.assertSame(store.oracle.now(), all(reader), "with a lease");
        reader.close();
        store.db.close();
    }

    @Test
    void aStoreWithACapKeepsNothing() {
        FlexSpaceOptions space = StoreDriver.SMALL.space().withMaxDataBytes(64L * 64 * 512);
        follow(StoreDriver.SMALL.withSpace(space));
        assertTrue(overtaken > 10, overtaken + " were overtaken, " + stayed + " stayed");
    }

    @Test
    void aStoreThatHasNothingButALeaseIsMadeAnew() {
        SimulatedVfs vfs = new SimulatedVfs();
        Path lease = StoreDriver.DIRECTORY.resolve("reader-0000000000000001-0000000000000001-0000000000000002");
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, vfs);
        vfs.createDirectories(StoreDriver.DIRECTORY);
        vfs.open(lease, OpenMode.CREATE).close();
        store.open();
        assertEquals(List.of(), leases(store));
        store.db.close();
    }
}
