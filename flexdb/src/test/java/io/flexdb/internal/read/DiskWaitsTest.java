package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.DiskReads;
import org.junit.jupiter.api.Test;

class DiskWaitsTest {
    private static final long BYTES = 2000;
    private static final long FAST = 3_000;
    private static final long SLOW = 100_000;

    private long diskReads;
    private boolean areCounted = true;
    private final DiskWaits waits = new DiskWaits(() -> areCounted ? diskReads++ : diskReads, System::nanoTime);

    private int readsUntil(boolean looked) {
        int reads = 0;
        while (looked ? waits.look() : waits.areExpected()) {
            waits.took(FAST, BYTES);
            reads++;
        }
        return reads;
    }

    @Test
    void oneSlowReadMayHaveWaitedForAProcessor() {
        assertFalse(waits.look());
        waits.took(SLOW, BYTES);
        assertFalse(waits.areExpected());
        assertEquals(16, readsUntil(true));
        waits.took(SLOW, BYTES);
        assertFalse(waits.areExpected());
    }

    @Test
    void twoNearEachOtherAreOfADiskAndFastOnesEndThat() {
        waits.took(SLOW, BYTES);
        waits.took(FAST, BYTES);
        waits.took(SLOW, BYTES);
        assertTrue(waits.areExpected());
        assertEquals(64, readsUntil(false));
        assertFalse(waits.look());
    }

    @Test
    void eachSlowReadHasThemExpectedForAsLongAgain() {
        waits.took(SLOW, BYTES);
        for (int i = 0; i < 3; i++) {
            waits.took(SLOW, BYTES);
            for (int j = 0; j < 50; j++) {
                waits.took(FAST, BYTES);
            }
            assertTrue(waits.areExpected());
        }
        assertEquals(14, readsUntil(false));
    }

    /** Where nobody reads any more, commits do not expect waits for ever. */
    @Test
    void commitsThatAskEndThemToo() {
        assertFalse(waits.areStillExpected());
        waits.took(SLOW, BYTES);
        waits.took(SLOW, BYTES);
        int asked = 0;
        while (waits.areStillExpected()) {
            asked++;
        }
        assertEquals(64, asked);
        assertFalse(waits.areExpected());
    }

    @Test
    void slowReadsWithoutAReadFromADiskAreSlowCode() {
        areCounted = false;
        waits.took(SLOW, BYTES); // the test's count has gone on by itself until now
        readsUntil(true);
        for (int i = 0; i < 100; i++) {
            assertFalse(waits.took(SLOW, BYTES));
            assertFalse(waits.look());
        }
        diskReads++;
        assertTrue(waits.took(SLOW, BYTES));
        assertFalse(waits.took(SLOW, BYTES));
        diskReads++;
        assertTrue(waits.took(SLOW, BYTES));
        assertTrue(waits.areExpected());
        readsUntil(false);
        waits.took(SLOW, BYTES);
        assertFalse(waits.areExpected());
    }

    @Test
    void whereTheKernelCannotBeAskedTheClockDecides() {
        areCounted = false;
        diskReads = DiskReads.UNKNOWN;
        waits.took(SLOW, BYTES);
        assertTrue(waits.took(SLOW, BYTES));
        assertTrue(waits.areExpected());
    }
}
