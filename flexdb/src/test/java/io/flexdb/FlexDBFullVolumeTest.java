package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A volume that the store itself has filled: however large it is, and whether the store was closed or killed, it opens
 * there again and again, and nothing is lost.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlexDBFullVolumeTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);
    private static final int ENOUGH_REFUSALS = 3;
    private static final long LEAST_BYTES = 400_000; // a memtable, and no room for it in the space
    private static final long MOST_BYTES = 1_200_000;

    private final TreeMap<byte[], byte[]> model = StoreOracle.newMap();
    private FlexDBOptions options;
    private boolean inline;

    @ParameterizedTest
    @EnumSource(Durability.class)
    void itOpensHoweverItWasFilled(Durability durability) {
        options = StoreDriver.SMALL.withDurability(durability);
        int volumes = 4 * EFFORT;
        for (int i = 0; i < volumes; i++) {
            long capacity = LEAST_BYTES + (3L * i + durability.ordinal()) * (MOST_BYTES - LEAST_BYTES) / (3L * volumes);
            inline = i % 2 == 0;
            fillAndOpen(capacity, false);
            fillAndOpen(capacity, true);
        }
    }

    private void fillAndOpen(long capacity, boolean killed) {
        String at = options.durability() + ", killed " + killed + ", " + capacity + " bytes, inline " + inline;
        model.clear();
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.setCapacity(capacity);
        FlexDB db = open(vfs);
        fill(db);
        for (int opening = 1; opening <= 2; opening++) {
            vfs = end(db, vfs, killed);
            db = open(vfs); // is not refused
            StoreOracle.assertSame(model, StoreDriver.all(db), at + ", opening " + opening);
        }
        deleteHalf(db, vfs, at);
        StoreOracle.assertSame(model, StoreDriver.all(db), at + ", deleted");
        vfs = end(db, vfs, killed);
        db = open(vfs);
        StoreOracle.assertSame(model, StoreDriver.all(db), at + ", opened after deletes");
        vfs.setCapacity(Math.max(2 * capacity, FlexDBFullTest.bytesOf(vfs) + capacity));
        for (byte[] key : new ArrayList<>(model.keySet())) {
            db.delete(key);
        }
        model.clear();
        assertTrue(fill(db) > 100, at);
        vfs = end(db, vfs, killed);
        db = open(vfs);
        StoreOracle.assertSame(model, StoreDriver.all(db), at + ", with more space");
        end(db, vfs, false);
    }

    /** A volume may be too small for what waits and for what is deleted; then a refusal says what would be enough. */
    private void deleteHalf(FlexDB db, SimulatedVfs vfs, String at) {
        boolean wasRefused = false;
        for (byte[] key : new ArrayList<>(model.keySet()).subList(0, model.size() / 2)) {
            try {
                db.delete(key);
            } catch (StoreFullException e) {
                assertFalse(wasRefused, () -> at + ": refused again: " + e.getMessage());
                wasRefused = true;
                vfs.setCapacity(FlexDBFullTest.bytesOf(vfs) + FlexDBFullTest.bytesThatAreEnough(e));
                db.delete(key);
            }
            model.remove(key);
        }
    }

    private FlexDB open(SimulatedVfs vfs) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
    }

    /** Returns how many pairs there was room for. */
    private int fill(FlexDB db) {
        int number = 0;
        for (int refused = 0; refused < ENOUGH_REFUSALS; ) {
            byte[] key = ByteBuffer.allocate(8)
                    .putInt(number * 7919 % 100_003)
                    .putInt(number)
                    .array();
            byte[] value = new byte[100 + number % 3 * 20];
            try {
                db.put(key, value);
                model.put(key, value);
                number++;
            } catch (StoreFullException e) {
                refused++;
            }
        }
        return number;
    }

    /** Ends the process, or closes the store, and returns its disk, which then has not a byte more than before. */
    private static SimulatedVfs end(FlexDB db, SimulatedVfs vfs, boolean killed) {
        SimulatedVfs next = killed ? vfs.kill() : vfs;
        if (killed) {
            next.setCapacity(FlexDBFullTest.bytesOf(next));
        }
        try {
            db.close();
        } catch (StoreFullException | SimulatedCrash e) {
            // It stays in the logs for which there is no room; and threads of the dead have ended.
        } catch (StorageException e) {
            if (!killed) {
                throw e;
            }
        }
        return next;
    }

    /** The logs that serve on are not changed before the opening is through, but for what no frame is in. */
    @Test
    void aCutOfAnOpeningThatLogsServeOnForLosesNothing() {
        options = StoreDriver.SMALL.withDurability(Durability.SYNC);
        inline = true;
        SimulatedVfs filling = new SimulatedVfs();
        filling.setCapacity(700_000);
        FlexDB db = open(filling);
        fill(db);
        SimulatedVfs full = filling.kill();
        SimulatedVfs whole = fullCopy(full);
        long first = whole.operationCount();
        open(whole);
        long operations = whole.operationCount() - first;
        assertTrue(operations > 20, operations + " operations");
        int cuts = 0;
        int step = Math.max(1, (int) operations / (20 * EFFORT));
        for (long operation = 1; operation <= operations; operation += step) {
            for (Fault fault : new Fault[] {null, Fault.ENOSPC, Fault.EIO}) {
                SimulatedVfs vfs = fullCopy(full);
                if (fault == null) {
                    vfs.crashAt(first + operation);
                } else {
                    vfs.failAt(first + operation, fault);
                }
                try {
                    open(vfs);
                } catch (SimulatedCrash | StorageException e) {
                    cuts++;
                }
                for (long seed = 0; seed < 3; seed++) {
                    SimulatedVfs found = vfs.crash(seed);
                    found.setCapacity(Math.max(FlexDBFullTest.bytesOf(found), FlexDBFullTest.bytesOf(full)));
                    String at = "operation " + operation + ", " + fault + ", seed " + seed;
                    StoreOracle.assertSame(model, StoreDriver.all(open(found)), at);
                }
            }
        }
        assertTrue(cuts > 10, cuts + " cuts");
    }

    private static SimulatedVfs fullCopy(SimulatedVfs vfs) {
        SimulatedVfs copy = vfs.copy();
        copy.setCapacity(FlexDBFullTest.bytesOf(copy));
        return copy;
    }
}
