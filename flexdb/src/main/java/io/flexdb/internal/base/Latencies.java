package io.flexdb.internal.base;

import java.util.concurrent.atomic.AtomicLongArray;

/** A histogram of durations, each right to a sixteenth. Thread-safe; has a fixed size and makes no garbage. */
public final class Latencies {
    // Each power of two has eight buckets; below eight, each number has one.
    private static final int SUB_BITS = 3;
    private static final int SUBS = 1 << SUB_BITS;
    private static final int MAX_BITS = 40; // 18 minutes: what takes longer counts as that

    private final AtomicLongArray counts = new AtomicLongArray((MAX_BITS - SUB_BITS + 1) * SUBS);

    /** Notes one. */
    public void add(long nanos) {
        counts.incrementAndGet(bucket(Math.max(0, Math.min(nanos, (1L << MAX_BITS) - 1))));
    }

    private static int bucket(long nanos) {
        int shift = Math.max(0, 63 - SUB_BITS - Long.numberOfLeadingZeros(nanos | SUBS));
        return (shift << SUB_BITS) + (int) (nanos >>> shift);
    }

    /** The middle of a bucket. */
    private static long nanos(int bucket) {
        int shift = Math.max(0, (bucket >>> SUB_BITS) - 1);
        long first = (long) (bucket - (shift << SUB_BITS)) << shift;
        return first + ((1L << shift) >>> 1);
    }

    /** How many are noted. */
    public long count() {
        long count = 0;
        for (int i = 0; i < counts.length(); i++) {
            count += counts.get(i);
        }
        return count;
    }

    /**
     * The duration that so much of all does not exceed; 0 if there are none.
     *
     * @param share from 0 to 1; 1 for the longest
     */
    public long nanosOf(double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * count()));
        long seen = 0;
        int last = 0;
        for (int i = 0; i < counts.length(); i++) {
            long here = counts.get(i);
            seen += here;
            last = here > 0 ? i : last;
            if (seen >= wanted) {
                return nanos(i);
            }
        }
        return nanos(last); // some came meanwhile, or there are none
    }
}
