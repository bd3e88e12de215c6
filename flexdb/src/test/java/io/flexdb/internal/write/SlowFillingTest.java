package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SlowFillingTest {
    private static final long SECOND = 1_000_000_000;

    private long now = 5;
    private final SlowFilling filling = new SlowFilling(() -> now);

    @Test
    void whatHardlyGrowsIsDueAfterASecond() {
        assertFalse(filling.isDue(1, 0.3, false, () -> false));
        assertEquals(SECOND, filling.nanosToNextLook());
        now += SECOND - 1;
        assertFalse(filling.isDue(1, 0.4, false, () -> false));
        assertEquals(1, filling.nanosToNextLook());
        now++;
        assertTrue(filling.isDue(1, 0.4, false, () -> false));
    }

    @Test
    void whatWillBeFullInAFewSecondsIsNot() {
        for (int second = 0; second <= 5; second++) {
            assertFalse(filling.isDue(1, second * 0.15, false, () -> false), "second " + second);
            now += SECOND;
        }
        assertTrue(filling.isDue(1, 0.8, false, () -> false), "now it grows less");
    }

    @Test
    void fewEntriesMayStay() {
        for (int second = 0; second <= 5; second++) {
            assertFalse(filling.isDue(1, 0.001 * second, false, () -> false));
            now += SECOND;
        }
        assertTrue(filling.isDue(1, 0.016, false, () -> false));
    }

    @Test
    void aDeletedRangeMayNot() {
        assertFalse(filling.isDue(1, 0.001, true, () -> false));
        now += SECOND;
        assertFalse(filling.isDue(1, 0.002, false, () -> false));
        assertFalse(filling.isDue(1, 0.002, true, () -> false), "not before the next second");
        now += SECOND;
        assertTrue(filling.isDue(1, 0.002, true, () -> false));
    }

    @Test
    void aFewDeletesMayStayForSomeSeconds() {
        for (int second = 0; second < 5; second++) {
            assertFalse(filling.isDue(1, 0.001, false, () -> true), "second " + second);
            now += SECOND;
        }
        assertFalse(filling.isDue(1, 0.001, false, () -> false));
        now += SECOND;
        assertTrue(filling.isDue(1, 0.001, false, () -> true));
    }

    @Test
    void theNextOneHasASecondOfItsOwn() {
        assertFalse(filling.isDue(1, 0.3, false, () -> false));
        now += SECOND;
        assertFalse(filling.isDue(2, 0.3, false, () -> false));
        now += SECOND;
        assertTrue(filling.isDue(2, 0.3, false, () -> false));
    }
}
