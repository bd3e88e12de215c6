package io.flexdb.files.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers in any order, each once, that are told as runs of consecutive ones. Some matter, others only join runs: what
 * matters not at either end of a run is left out of it. For one thread.
 */
final class IdRuns {
    private static final int FIRST_ROOM = 64;

    private long[] ids = new long[FIRST_ROOM]; // twice the number, and one more if it matters
    private int count;

    void add(long id, boolean matters) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, 2 * count);
        }
        ids[count++] = 2 * id + (matters ? 1 : 0);
    }

    int size() {
        return count;
    }

    void clear() {
        count = 0;
    }

    /** Takes out what is there of some numbers. */
    void removeAll(Iterable<Long> others) {
        for (long id : others) {
            int left = 0;
            for (int i = 0; i < count; i++) {
                if (ids[i] >> 1 != id) {
                    ids[left++] = ids[i];
                }
            }
            count = left;
        }
    }

    /** Whether a number is among them. */
    boolean has(long id) {
        for (int i = 0; i < count; i++) {
            if (ids[i] >> 1 == id) {
                return true;
            }
        }
        return false;
    }

    /**
     * The runs of some of the numbers, in order.
     *
     * @param from which of them, in the order in which they were added
     * @param to before which
     * @return of each run its first number, and the one behind its last
     */
    List<long[]> runs(int from, int to) {
        long[] some = Arrays.copyOfRange(ids, from, to);
        Arrays.sort(some);
        List<long[]> runs = new ArrayList<>();
        for (int i = 0; i < some.length; ) {
            long first = -1;
            long last = -1;
            do {
                if ((some[i] & 1) == 1) {
                    first = first < 0 ? some[i] >> 1 : first;
                    last = some[i] >> 1;
                }
                i++;
            } while (i < some.length && (some[i] >> 1) - (some[i - 1] >> 1) <= 1);
            if (first >= 0) {
                runs.add(new long[] {first, last + 1});
            }
        }
        return runs;
    }
}
