package io.flexdb.flexspace.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotAllocatorTest {
    private final SlotAllocator slots = new SlotAllocator();

    @Test
    void slotsAreCountedFromOneAndFollowEachOther() {
        assertEquals(1, slots.allocate(1));
        assertEquals(2, slots.allocate(2));
        assertEquals(4, slots.allocate(1));
        assertEquals(4, slots.usedUnits());
    }

    @Test
    void aRunTakesTheFirstGapThatIsLongEnough() {
        for (int i = 0; i < 10; i++) {
            slots.allocate(1);
        }
        slots.free(3, 1);
        slots.free(6, 2);
        assertEquals(6, slots.allocate(2));
        assertEquals(11, slots.allocate(2));
        slots.free(9, 1);
        assertEquals(3, slots.allocate(1));
        assertEquals(9, slots.allocate(1));
        assertEquals(12, slots.end());
    }

    @Test
    void unitsFreedOneByOneBecomeARun() {
        for (int i = 0; i < 10; i++) {
            slots.allocate(1);
        }
        slots.free(6, 1);
        assertEquals(11, slots.allocate(2));
        slots.free(7, 1);
        assertEquals(6, slots.allocate(2));
        slots.free(2, 1);
        slots.free(1, 1);
        slots.free(3, 1);
        assertEquals(1, slots.allocate(3));
        assertEquals(13, slots.allocate(1));
        slots.free(13, 1);
        slots.free(11, 2);
        assertEquals(10, slots.end());
    }

    @Test
    void aRunFoundInTheFileIsTakenOnce() {
        assertTrue(slots.take(3, 2));
        assertFalse(slots.take(4, 1));
        assertFalse(slots.take(2, 2));
        assertTrue(slots.take(5, 1));
        assertTrue(slots.take(1, 2));
        assertEquals(6, slots.allocate(1));
    }

    @Test
    void noUnitIsHandedOutTwice() {
        Random random = new Random(8);
        BitSet taken = new BitSet();
        Map<Integer, Integer> runs = new HashMap<>();
        int highest = 0;
        for (int step = 0; step < 20_000; step++) {
            if (runs.size() > 200 || !runs.isEmpty() && random.nextBoolean()) {
                int slot = runs.keySet().iterator().next();
                int units = runs.remove(slot);
                slots.free(slot, units);
                taken.clear(slot, slot + units);
            } else {
                int units = 1 + random.nextInt(3);
                int slot = slots.allocate(units);
                assertEquals(-1, firstSet(taken, slot, units), "slot " + slot);
                taken.set(slot, slot + units);
                runs.put(slot, units);
                highest = Math.max(highest, slot + units);
            }
            assertEquals(taken.cardinality(), slots.usedUnits());
        }
        assertTrue(highest < 1000, "the file grew to " + highest + " units");
    }

    private static int firstSet(BitSet set, int from, int count) {
        int first = set.nextSetBit(from);
        return first >= 0 && first < from + count ? first : -1;
    }
}
