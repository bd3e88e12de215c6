package io.flexdb.internal.write;

import java.util.function.LongSupplier;

/** Tells whether nobody has written for a while, so that memory and disk can be given back. Under the write lock. */
final class IdleTime {
    /** How often to look. */
    static final long PERIOD_NANOS = 1_000_000_000;

    private static final long IDLE_NANOS = 10 * PERIOD_NANOS;

    private final LongSupplier nanoClock;
    private long seen = -1; // the last write at the last look
    private long since;

    IdleTime(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Begins to count anew. */
    void begin() {
        since = nanoClock.getAsLong();
    }

    /**
     * Whether the time is over.
     *
     * @param lastSequence the number of the last write
     */
    boolean isOver(long lastSequence) {
        if (lastSequence != seen) {
            seen = lastSequence;
            begin();
        }
        return nanoClock.getAsLong() - since >= IDLE_NANOS;
    }
}
