package io.flexdb.internal.base;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** The time of a store, in milliseconds since 1970: that of its user's clock, but it never goes back. Thread-safe. */
public final class StoreClock {
    /*
     * What was absent because its time was over must not come back while the store is open, whatever the clock does: the
     * pair may be reclaimed already, or not. So the latest time that anybody has seen is kept, and is the least that
     * anybody will. It is written once a millisecond at most.
     */
    private final InstantSource source;
    private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);
    private volatile long reclaimed = Long.MIN_VALUE; // what has expired by then may be

    public StoreClock(InstantSource source) {
        this.source = source;
    }

    /** The time, not less than any before. */
    public long now() {
        long time = source.millis();
        long last = latest.get();
        return time <= last ? last : latest.accumulateAndGet(time, Math::max);
    }

    /** The same where a clock that fails must not stop what is under way: then the latest time that is known. */
    public long nowOrLatest() {
        try {
            return now();
        } catch (RuntimeException e) {
            return latest.get();
        }
    }

    /**
     * Takes a time, from which on what has expired by then may be reclaimed: operands with an earlier one must not be
     * written any more. By one thread.
     */
    public long beginReclaiming() {
        reclaimed = nowOrLatest();
        return reclaimed;
    }

    /** The earliest time that an operand may have. */
    public long reclaimed() {
        return reclaimed;
    }

    /** A time so much later, or the last one there is before {@link Long#MAX_VALUE}, which means never. */
    public static long later(long now, long millis) {
        return millis >= Long.MAX_VALUE - Math.max(0, now) ? Long.MAX_VALUE - 1 : now + millis;
    }
}
