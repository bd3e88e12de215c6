package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DiskWaitsTest {
    private static final long BYTES = 2000;
    private static final long FAST = 3_000;
    private static final long SLOW = 100_000;

    private final DiskWaits waits = new DiskWaits();

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
}
