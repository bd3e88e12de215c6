package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import org.junit.jupiter.api.Test;

class CacheRegionsTest {
    private static final int MIB = 1 << 20;

    private final Epochs epochs = new Epochs();
    private final OffHeap memory = new OffHeap();

    private CacheRegions regions(long budgetBytes) {
        return new CacheRegions(epochs, memory, budgetBytes);
    }

    @Test
    void thereAreAsManyAsFitTheBudget() {
        for (long budget : new long[] {0, 3000, 20_000, 100_000, MIB, 10 * MIB}) {
            CacheRegions regions = regions(budget);
            int added = 0;
            while (regions.add() >= 0) {
                assertEquals(regions.regionBytes(), regions.capacity(added++), "these are too small to begin smaller");
            }
            assertEquals(regions.count(), added);
            assertEquals(added, regions.liveCount());
            assertTrue(regions.heldBytes() <= budget, "of " + budget);
            assertTrue(budget < 20_000 || regions.heldBytes() > budget * 3 / 4, regions + " of " + budget);
            assertEquals(budget >= 20_000, regions.areAllowed());
            assertFalse(regions.mayGrow());
        }
    }

    @Test
    void aRetiredRegionIsTakenAgainWhenItsReadersHaveGone() {
        CacheRegions regions = regions(MIB);
        int first = regions.add();
        int second = regions.add();
        assertFalse(regions.areRetired());
        int reader = epochs.enter();
        regions.retire(second);
        regions.retire(first);
        assertTrue(regions.areRetired());
        for (int i = 0; i < 10; i++) {
            assertEquals(-1, regions.takeRetired());
            regions.helpRetired();
        }
        epochs.exit(reader);
        int taken = -1;
        for (int i = 0; i < 10 && taken < 0; i++) {
            regions.helpRetired();
            taken = regions.takeRetired();
        }
        assertEquals(second, taken, "it was retired first");
        assertNotNull(regions.buffer(first), "whose memory stays");
    }

    /** The first ones are small, and their numbers get whole regions' memory once nobody reads in them. */
    @Test
    void smallRegionsLoseTheirMemoryWhenTheyAreRetired() {
        CacheRegions regions = regions(200L * MIB);
        int small = regions.add();
        assertTrue(regions.capacity(small) < regions.regionBytes());
        regions.retire(small);
        assertNull(regions.buffer(small));
        assertFalse(regions.areRetired());
        assertEquals(0, regions.liveCount());
        assertEquals(0, regions.heldBytes());
        int added = small;
        while (regions.liveCount() < regions.count() - 1) {
            assertEquals(added + 1, regions.add());
            added++;
        }
        int last = -1;
        for (int i = 0; i < 10 && last < 0; i++) { // until short reads of that time would have ended
            last = regions.add();
        }
        assertEquals(small, last, "when all others are in use");
        assertEquals(regions.regionBytes(), regions.capacity(small));
    }

    @Test
    void whatIsLetGoOfComesBackWhereThereIsMemory() {
        CacheRegions regions = regions(MIB);
        for (int region = regions.add(); region >= 0; ) {
            region = regions.add();
        }
        int all = regions.liveCount();
        regions.limit(MIB / 2);
        int excess = regions.excess();
        assertTrue(excess > 0 && excess < all, excess + " of " + all);
        int reader = epochs.enter();
        regions.retire(3);
        regions.letGoRetired();
        regions.letGoEmptied(0);
        assertNull(regions.buffer(3));
        assertNull(regions.buffer(0));
        assertEquals(excess - 2, regions.excess());
        regions.limit(MIB);
        assertTrue(regions.mayGrow());
        assertEquals(-1, regions.add(), "who has found something there may still look for more");
        epochs.exit(reader);
        int added = -1;
        for (int i = 0; i < 10 && added < 0; i++) {
            added = regions.add();
        }
        assertEquals(3, added);
        assertEquals(all - 1, regions.liveCount());
        regions.limit(0);
        assertEquals(all - 1, regions.excess());
        assertFalse(regions.areAllowed());
        regions.limit(Long.MAX_VALUE);
        regions.stay();
        assertEquals(0, regions.excess());
        assertFalse(regions.mayGrow(), "as nobody knows of memory to spare");
    }
}
