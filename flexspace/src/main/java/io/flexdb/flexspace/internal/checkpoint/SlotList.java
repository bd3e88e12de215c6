package io.flexdb.flexspace.internal.checkpoint;

import java.util.Arrays;

/**
 * Runs of units of the FlexTree file that wait to be freed. Of our own, as other primitive lists here: a library for a
 * dozen lines would be the first that whoever uses FlexSpace must have. Agrona's would be an automatic module, too,
 * with which no run-time image can be linked.
 */
final class SlotList {
    /** Takes a run. */
    @FunctionalInterface
    interface Consumer {
        void accept(int slot, int units);
    }

    private int[] pairs = new int[64];
    private int length;

    void add(int slot, int units) {
        if (length == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * length);
        }
        pairs[length++] = slot;
        pairs[length++] = units;
    }

    void forEach(Consumer consumer) {
        for (int i = 0; i < length; i += 2) {
            consumer.accept(pairs[i], pairs[i + 1]);
        }
    }

    void clear() {
        length = 0;
    }
}
