package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class WarmthTest {
    private final Warmth warmth = new Warmth();
    private int looks;
    private int mapped;

    /** Makes so many reads, of which some find what they want on the disk, unless they use no mapping. */
    private void read(int count, IntPredicate isCold) {
        looks = 0;
        mapped = 0;
        for (int i = 0; i < count; i++) {
            boolean looksNow = warmth.looks();
            boolean isMapped = warmth.isWarm();
            looks += looksNow ? 1 : 0;
            mapped += isMapped ? 1 : 0;
            if (looksNow) {
                assertTrue(isMapped, "a read that uses no mapping tells nothing");
                warmth.looked(isCold.test(i));
            }
        }
    }

    @Test
    void whatIsInMemoryIsMappedAndLookedAtSeldom() {
        read(8000, i -> false);
        assertEquals(8000, mapped);
        assertEquals(1000, looks);
    }

    @Test
    void oneSlowReadMayHaveWaitedForAProcessor() {
        read(8000, i -> i % 800 == 15);
        assertEquals(8000, mapped);
        assertTrue(looks < 1200, looks + " looks");
    }

    @Test
    void whatIsOnTheDiskIsMappedSeldom() {
        read(100_000, i -> true);
        assertTrue(mapped < 400, mapped + " mapped reads");
        read(100_000, i -> i % 3 == 0);
        assertTrue(mapped < 2000, mapped + " mapped reads");
    }

    @Test
    void whatHasComeIntoMemoryIsMappedAgain() {
        read(100_000, i -> true);
        read(Warmth.MAX_COLD_READS + 1, i -> false);
        assertTrue(warmth.isWarm());
        read(8000, i -> false);
        assertEquals(8000, mapped);
    }

    @Test
    void afterALongWarmTimeMappingsAreTriedAgainSoon() {
        read(100_000, i -> true);
        read(3 * Warmth.MAX_COLD_READS, i -> false);
        int reads = 0;
        while (warmth.isWarm()) {
            read(1, i -> true);
            assertTrue(++reads < 100);
        }
        read(Warmth.MIN_COLD_READS, i -> true);
        assertEquals(0, mapped);
        assertFalse(warmth.isWarm());
        read(1, i -> false);
        assertTrue(warmth.isWarm());
    }
}
