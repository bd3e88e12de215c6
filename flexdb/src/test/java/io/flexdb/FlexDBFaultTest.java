package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lets file operations fail, one at a time and for ever, and looks at what the store says and what it has kept. */
class FlexDBFaultTest {

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    /** Opens, rotates, commits and closes. */
    private static void script(StoreDriver store) {
        store.open();
        for (int i = 0; i < 170; i++) {
            List<Edit> edits = new ArrayList<>();
            for (int j = 0; j < 6; j++) {
                byte[] key = key((i * 37 + j * 75) % 500);
                byte[] value = value(i + j, 100 + i % 7 * 20);
                edits.add(new Edit(key, value));
            }
            byte[] other = key(i * 11 % 500);
            if (i % 3 == 0) {
                edits.add(Edit.merge(other, value(i, 30)));
            } else if (i % 3 == 1) {
                edits.add(Edit.expiring(other, value(i, 30), 20));
            }
            store.clock.advance(1);
            store.batch(edits, store.options.durability());
            if (i % 50 == 20) {
                load(store, i);
                largeTransaction(store, i);
            }
        }
        store.sync();
        store.db.close();
    }

    private static void load(StoreDriver store, int first) {
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = first; i < first + 150; i += 3) {
            pairs.put(key(i), value(first, 100));
        }
        store.load(pairs);
    }

    private static void largeTransaction(StoreDriver store, int first) {
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            edits.add(new Edit(key(first + 2 * i), value(first, 450)));
        }
        edits.add(Edit.merge(key(first + 1), value(first, 3)));
        store.transaction(edits, List.of(), null, Isolation.SNAPSHOT);
    }

    private static long operationsOf(FlexDBOptions options) {
        StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
        script(store);
        return store.vfs.operationCount();
    }

    /**
     * Each fault at operations all over the script: the call that meets it throws, all after it throw that the store
     * has failed, and opening again finds what was acknowledged. The write that was refused may be there or not.
     */
    @ParameterizedTest
    @EnumSource
    void afterAnyFaultNothingIsAcceptedAndNothingAcknowledgedIsLost(Fault fault) {
        int failed = 0;
        for (Durability durability : new Durability[] {Durability.SYNC, Durability.OS}) {
            FlexDBOptions options = StoreDriver.SMALL.withDurability(durability);
            long operations = operationsOf(options);
            long step = Math.max(1, operations / Effort.times(30));
            for (long operation = 1; operation <= operations; operation += step) {
                failed += runWithFault(options, operation, fault) ? 1 : 0;
            }
        }
        assertTrue(failed > Effort.times(50), failed + " faults met");
    }

    private static boolean runWithFault(FlexDBOptions options, long operation, Fault fault) {
        String at = options.durability() + ", " + fault + " at operation " + operation;
        StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
        store.vfs.failAt(operation, fault);
        try {
            script(store);
            return false; // too late, or met by something that can do without
        } catch (StorageException e) {
            assertFalse(e instanceof StoreClosedException, at);
            assertNotNull(e.getCause(), at);
            if (store.db != null && !goesOn(store, e, at)) {
                assertStopped(store.db, at + ", " + e);
            }
        }
        assertEquals(1, store.vfs.faultsFired(), at);
        boolean sync = options.durability() == Durability.SYNC;
        assertKept(store, store.vfs.kill(), false, at + ", killed");
        assertKept(store, store.vfs.crash(operation), !sync, at + ", cut");
        return true;
    }

    /** A write that finds no space for a further log is refused, and may be tried again; or a load, for its pairs. */
    private static boolean goesOn(StoreDriver store, StorageException cause, String at) {
        if (!(cause instanceof StoreFullException)) {
            return false;
        }
        try {
            store.db.stats();
        } catch (StoreFailedException | StoreClosedException e) {
            return false;
        }
        if (store.writing) {
            store.oracle.forgetLast();
            store.writing = false;
        }
        store.assertSame(at);
        store.batch(List.of(new Edit(key(3), value(3, 3))), Durability.SYNC);
        store.assertSame(at);
        return true;
    }

    /** A close that failed leaves the store closed, anything else leaves it failed; and closing it works. */
    private static void assertStopped(FlexDB db, String at) {
        List<Executable> calls = List.of(
                () -> db.get(key(1)),
                () -> db.put(key(1), key(1)),
                () -> db.delete(key(1)),
                () -> db.deleteRange(key(1), key(2)),
                () -> db.write(new WriteBatch()),
                () -> db.write(new WriteBatch().delete(key(1))),
                db::cursor,
                db::snapshot,
                db::sync,
                db::durableSequence,
                db::stats);
        for (Executable call : calls) {
            StorageException thrown = assertThrows(StorageException.class, call, at);
            if (!(thrown instanceof StoreClosedException)) {
                assertInstanceOf(StoreFailedException.class, thrown, at);
                assertNotNull(thrown.getCause(), at);
            }
        }
        assertDoesNotThrow(db::close, at);
        assertThrows(StoreClosedException.class, () -> db.get(key(1)), at);
    }

    /**
     * What is found is a prefix that has all that was acknowledged, or, if that was not durable, what had to survive.
     */
    private static void assertKept(StoreDriver store, SimulatedVfs vfs, boolean anyPrefix, String at) {
        StoreOracle oracle = store.oracle.copy();
        try {
            FlexDB db = StoreDriver.open(vfs, store.options);
            int least = anyPrefix ? 0 : oracle.writesSinceDurable() - (store.writing ? 1 : 0);
            oracle.found(StoreDriver.all(db), db.stats().lastSequence(), least, at);
            // What was read from a cache that had lied about a force is on disk by now.
            try (FlexDB again = StoreDriver.open(vfs.crash(0), store.options)) {
                StoreOracle.assertSame(oracle.now(), StoreDriver.all(again), at);
            }
        } catch (StorageException e) {
            throw new AssertionError(at, e);
        }
    }

    /** A read that fails is no reason to stop: it is told to who reads, and may succeed the next time. */
    @Test
    void aFailedReadFailsThatReadAndNothingElse() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL.withCacheBytes(0));
        for (int i = 0; i < 1000; i++) {
            store.put(key(i), value(i, 200));
        }
        store.reopen("all in the space");
        for (int i = 900; i >= 0; i -= 100) { // downwards, so that nothing is read ahead
            store.vfs.failReadAt(store.vfs.readCount() + 1, false);
            byte[] key = key(i);
            assertThrows(StoreIoException.class, () -> store.db.get(key));
            store.get(key, "again");
        }
        try (FlexCursor cursor = store.db.cursor()) {
            store.put(key(7), value(7, 7)); // in a memtable, so that several sources move
            cursor.seekToFirst();
            store.vfs.failReadAt(store.vfs.readCount() + 1, true); // one of a read ahead is made good
            assertThrows(StoreIoException.class, () -> {
                for (int i = 0; i < 999; i++) {
                    cursor.next();
                }
            });
            store.vfs.clearFaults();
            assertFalse(cursor.isValid(), "where it is, is not known");
            assertThrows(IllegalStateException.class, cursor::next);
            cursor.seek(key(400));
            assertArrayEquals(key(400), cursor.key());
            store.vfs.failReadAt(store.vfs.readCount() + 1, false);
            assertThrows(StoreIoException.class, cursor::seekToLast);
            assertFalse(cursor.isValid());
            cursor.seekToLast();
            assertArrayEquals(key(999), cursor.key());
        }
        store.assertSame("the end");
        store.db.close();
    }

    /** A commit that needs what can't be read can't go on. */
    @Test
    void aFailedReadOfACommitStopsTheStore() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL.withCacheBytes(0));
        for (int i = 0; i < 300; i++) {
            store.put(key(i), value(i, 200));
        }
        store.reopen("all in the space");
        store.put(key(1), value(2, 10));
        store.vfs.failReadAt(store.vfs.readCount() + 1, false);
        assertThrows(StoreIoException.class, store.db::close);
        store.open();
        store.assertSame("again");
    }
}
