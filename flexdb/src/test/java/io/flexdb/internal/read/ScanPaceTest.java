package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ScanPaceTest {
    private static final long BYTES = 2000;
    private static final long FAST = 3_000;
    private static final long SLOW = 100_000;

    private final ScanPace pace = new ScanPace();

    ScanPaceTest() {
        pace.restart();
    }

    /** Reads, all of which take so long; returns how many were looked at. */
    private int read(int count, long nanos) {
        int looks = 0;
        for (int i = 0; i < count; i++) {
            if (pace.looks()) {
                looks++;
                if (nanos == SLOW) {
                    pace.waited();
                }
            }
            pace.read(BYTES);
        }
        return looks;
    }

    private int readsFromFile() {
        int reads = 0;
        while (pace.isFromFile()) {
            assertFalse(pace.looks());
            pace.read(BYTES);
            reads++;
        }
        return reads;
    }

    @Test
    void theFirstReadIsNotLookedAtAndFewOfManyFastOnesAre() {
        assertEquals(0, read(1, SLOW));
        assertTrue(read(1000, FAST) <= 1000 / 8 + 10);
        assertFalse(pace.isFromFile());
    }

    @Test
    void twoSlowReadsNearEachOtherLeadToTheFileAndOneDoesNot() {
        read(1, FAST);
        read(1, SLOW);
        assertFalse(pace.isFromFile());
        assertEquals(8, read(8, FAST));
        read(8, FAST);
        assertEquals(1, read(7, SLOW)); // one in eight again
        assertFalse(pace.isFromFile());
        read(1, SLOW);
        assertTrue(pace.isFromFile());
    }

    @Test
    void theFileIsReadLongerWhenTheMappingIsSlowAgainAtOnce() {
        read(3, SLOW);
        int first = readsFromFile();
        assertTrue(first * BYTES > 1 << 20, first + " reads");
        read(16, SLOW);
        assertTrue(pace.isFromFile());
        assertTrue(readsFromFile() > 1.9 * first);
        read(10_000, FAST);
        read(16, SLOW);
        assertTrue(pace.isFromFile());
        assertTrue(readsFromFile() < first);
    }

    @Test
    void aNewSequenceKnowsNothingOfTheOneBefore() {
        read(3, SLOW);
        assertTrue(pace.isFromFile());
        pace.restart();
        assertFalse(pace.isFromFile());
        assertFalse(pace.looks());
    }
}
