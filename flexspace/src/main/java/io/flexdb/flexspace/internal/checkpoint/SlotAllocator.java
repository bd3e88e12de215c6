package io.flexdb.flexspace.internal.checkpoint;

import java.util.BitSet;

/** Which units of the FlexTree file are taken. Slot {@code n} is the n-th unit, counted from 1; 0 means none. */
public final class SlotAllocator {
    private final BitSet used = new BitSet();
    private int usedUnits;
    private int firstFree; // no unit before it is free
    private int firstPair; // no two units before it are

    /** Takes the first run of units that fits, at the end if need be: no unit is left that could have been taken. */
    int allocate(int units) {
        int from = used.nextClearBit(units == 1 ? firstFree : firstPair);
        int limit = used.length();
        while (from < limit) {
            int taken = used.nextSetBit(from);
            if (taken < 0 || taken - from >= units) {
                break;
            }
            from = used.nextClearBit(taken);
        }
        used.set(from, from + units);
        usedUnits += units;
        if (units == 1) {
            firstFree = from + 1;
        } else if (units == 2) {
            firstPair = from + 2;
        }
        return from + 1;
    }

    /** Marks a run found in the file; false if a part of it is taken already. */
    public boolean take(int slot, int units) {
        for (int unit = slot - 1; unit < slot - 1 + units; unit++) {
            if (used.get(unit)) {
                return false;
            }
        }
        used.set(slot - 1, slot - 1 + units);
        usedUnits += units;
        return true;
    }

    void free(int slot, int units) {
        used.clear(slot - 1, slot - 1 + units);
        usedUnits -= units;
        firstFree = Math.min(firstFree, slot - 1);
        firstPair = Math.min(firstPair, Math.max(0, slot - 2)); // with the unit before it, which may be free
    }

    int usedUnits() {
        return usedUnits;
    }

    /** Units up to the last one taken. */
    int end() {
        return used.length();
    }
}
