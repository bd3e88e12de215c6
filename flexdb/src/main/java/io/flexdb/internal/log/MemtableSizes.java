package io.flexdb.internal.log;

import io.flexdb.internal.base.Scheduler;
import java.util.Arrays;

/**
 * How large memtables are, and how many.
 *
 * @param bytes of the arena of one, once they have grown
 * @param growing whether they begin small
 * @param most how many of that size there are to be
 */
public record MemtableSizes(int bytes, boolean growing, int most) {
    private static final int[] GROWING_BYTES = {64 << 10, 128 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

    /** Sizes that may grow: they do where a task makes the next memtable ahead, and so sees what writers need. */
    public static MemtableSizes derived(int bytes, int most, Scheduler scheduler) {
        return scheduler.choose(
                () -> new MemtableSizes(bytes, true, most), () -> new MemtableSizes(bytes, false, most));
    }

    /** Of one memtable after the other; the last is the usual one. */
    int[] steps() {
        int[] sizes = Arrays.copyOf(GROWING_BYTES, GROWING_BYTES.length + 1);
        int count = 0;
        while (growing && count < GROWING_BYTES.length && sizes[count] < bytes) {
            count++;
        }
        sizes[count] = bytes;
        return Arrays.copyOf(sizes, count + 1);
    }
}
