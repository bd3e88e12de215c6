package io.flexdb.internal.write;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Tells when the active memtable is to be committed though it is not full: periodically, as in section 5.1 of the
 * paper, while it fills so slowly that it would be in the way of reads for long. Under the write lock.
 */
final class SlowFilling {
    /*
     * A read looks into the memtable first, and a scan merges its entries. So entries that stay there for minutes make
     * all reads slower: scans of 50 pairs by a third if it is half full. An early commit costs little if few writes
     * come. If many come it would be full soon, and a commit of many entries is cheaper for each. Very few entries are
     * in nobody's way, and a store that is written to once a minute need not force files each time. But a range that
     * was deleted holds back all the space that it covers. So does a key with a large value: a few deletes may hold
     * back more than all else has, so such deletes wait for some periods and no longer.
     */
    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final double MOST_IN_A_PERIOD = 1.0 / 8; // of a memtable
    private static final double LEAST_WORTH = 1.0 / 64;
    private static final long MOST_NANOS_OF_DELETES = 5 * PERIOD_NANOS;
    private static final long NONE = -1;

    private final LongSupplier nanoClock;
    private long seen = NONE; // at the last look, as are the next two
    private double seenFill;
    private long seenAt;
    private long firstSeenAt; // that one

    SlowFilling(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Whether it is to be committed.
     *
     * @param active its id
     * @param fill how full it is, from 0 to 1
     * @param freesRanges whether ranges are deleted in it
     * @param hasDeletes whether keys are deleted in it
     */
    boolean isDue(long active, double fill, boolean freesRanges, BooleanSupplier hasDeletes) {
        long now = nanoClock.getAsLong();
        boolean isNew = active != seen;
        if (!isNew && now - seenAt < PERIOD_NANOS) {
            return false;
        }
        if (isNew) {
            firstSeenAt = now;
        }
        boolean due = !isNew
                && fill - seenFill <= MOST_IN_A_PERIOD
                && (fill >= LEAST_WORTH
                        || freesRanges
                        || now - firstSeenAt >= MOST_NANOS_OF_DELETES && hasDeletes.getAsBoolean());
        seen = active;
        seenFill = fill;
        seenAt = now;
        return due;
    }

    /** How long nothing will be due that is not now. */
    long nanosToNextLook() {
        return Math.max(1, seenAt + PERIOD_NANOS - nanoClock.getAsLong());
    }
}
