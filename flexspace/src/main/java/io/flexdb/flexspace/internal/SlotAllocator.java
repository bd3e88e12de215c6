package io.flexdb.flexspace.internal;

import java.util.BitSet;

/** Which units of the FlexTree file are taken. Slot {@code n} is the n-th unit, counted from 1; 0 means none. */
final class SlotAllocator {
    private final BitSet used = new BitSet();
    private int hint;

    /** Takes a run of units, the first that fits after the last one taken, else at the end. */
    int allocate(int units) {
        int from = used.nextClearBit(hint);
        int limit = used.length();
        while (from < limit) {
            int taken = used.nextSetBit(from);
            if (taken < 0 || taken - from >= units) {
                break;
            }
            from = used.nextClearBit(taken);
        }
        used.set(from, from + units);
        hint = from + units;
        return from + 1;
    }

    /** Marks a run found in the file; false if a part of it is taken already. */
    boolean take(int slot, int units) {
        int clash = used.nextSetBit(slot - 1);
        if (clash >= 0 && clash < slot - 1 + units) {
            return false;
        }
        used.set(slot - 1, slot - 1 + units);
        return true;
    }

    void free(int slot, int units) {
        used.clear(slot - 1, slot - 1 + units);
        hint = Math.min(hint, slot - 1);
    }

    int usedUnits() {
        return used.cardinality();
    }
}
