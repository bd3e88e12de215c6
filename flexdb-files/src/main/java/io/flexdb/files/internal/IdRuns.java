package io.flexdb.files.internal;

import java.util.Arrays;

/**
 * Numbers in any order, each once, that are told as runs of consecutive ones. Some matter, others only join runs: what
 * matters not at either end of a run is left out of it. For one thread.
 */
final class IdRuns {
    private static final int FIRST_ROOM = 64;

    private long[] ids = new long[FIRST_ROOM]; // twice the number, and one more if it matters
    private int count;

    /** Takes a run. */
    interface Consumer {
        void accept(long from, long toExclusive);
    }

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

    /** Tells the runs in order. */
    void forEach(Consumer consumer) {
        Arrays.sort(ids, 0, count);
        for (int i = 0; i < count; ) {
            long from = -1;
            long last = -1;
            int at = i;
            do {
                if ((ids[at] & 1) == 1) {
                    from = from < 0 ? ids[at] >> 1 : from;
                    last = ids[at] >> 1;
                }
                at++;
            } while (at < count && (ids[at] >> 1) - (ids[at - 1] >> 1) <= 1);
            if (from >= 0) {
                consumer.accept(from, last + 1);
            }
            i = at;
        }
    }
}
