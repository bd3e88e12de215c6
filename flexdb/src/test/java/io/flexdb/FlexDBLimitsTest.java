package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every write that is not refused for its size is made, however close to the limit it comes. */
class FlexDBLimitsTest {
    private static final FlexDBOptions OPTIONS =
            FlexDBOptions.defaults().withLargeValueBytes(Integer.MAX_VALUE); // which may be longer than a memtable
    private static final Path DIRECTORY = Path.of("/store");
    private static final int MEMTABLE_BYTES = FlexDBOptions.MIN_MEMTABLE_BYTES;

    @Test
    void aValueOfAnySizeIsStoredOrRefused() {
        try (FlexDB db = open(MEMTABLE_BYTES)) {
            int largest = 0;
            for (int length = MEMTABLE_BYTES - 12_000; length < MEMTABLE_BYTES; length += 37) {
                byte[] key = {1, (byte) length};
                byte[] value = new byte[length];
                try {
                    db.put(key, value);
                    largest = length;
                    assertArrayEquals(value, db.get(key));
                } catch (IllegalArgumentException e) {
                    assertTrue(length > largest, "refused " + length + ", but stored " + largest);
                }
            }
            assertTrue(largest > MEMTABLE_BYTES / 2);
        }
    }

    @Test
    void aBatchOfAnyNumberOfSmallEntriesIsStoredOrRefused() {
        try (FlexDB db = open(MEMTABLE_BYTES)) {
            int largest = 0;
            for (int entries = 50; entries < 2000; entries += 13) {
                WriteBatch batch = new WriteBatch();
                for (int i = 0; i < entries; i++) {
                    batch.put(new byte[] {(byte) (i >> 8), (byte) i}, new byte[0]);
                }
                try {
                    db.write(batch);
                    largest = entries;
                } catch (IllegalArgumentException e) {
                    assertTrue(entries > largest, "refused " + entries + ", but stored " + largest);
                }
            }
            assertTrue(largest > 200);
        }
    }

    @Test
    void whatFitsNoMemtableIsRefusedAndNothingIsWritten() {
        try (FlexDB db = open(MEMTABLE_BYTES)) {
            long before = db.stats().lastSequence();
            assertThrows(IllegalArgumentException.class, () -> db.put(new byte[] {1}, new byte[MEMTABLE_BYTES]));
            assertEquals(before, db.stats().lastSequence());
        }
    }

    @Test
    void aStoreWithLargerMemtablesIsRecoveredWithSmallerOnes() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB large = open(vfs, 4 * MEMTABLE_BYTES);
        byte[] value = new byte[3 * MEMTABLE_BYTES];
        value[1000] = 7;
        large.put(new byte[] {1}, value);
        large.put(new byte[] {2}, new byte[10]);
        try (FlexDB small = open(vfs.kill(), MEMTABLE_BYTES)) {
            assertArrayEquals(value, small.get(new byte[] {1}));
            assertArrayEquals(new byte[10], small.get(new byte[] {2}));
        }
    }

    private static FlexDB open(int memtableBytes) {
        return open(new SimulatedVfs(), memtableBytes);
    }

    private static FlexDB open(SimulatedVfs vfs, int memtableBytes) {
        return FlexDB.open(vfs, DIRECTORY, OPTIONS.withMemtableBytes(memtableBytes), true);
    }
}
