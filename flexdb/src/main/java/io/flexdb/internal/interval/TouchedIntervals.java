package io.flexdb.internal.interval;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** Where readers have met coarse intervals, so that these are divided first. Any thread; nobody waits. */
public final class TouchedIntervals {
    /*
     * Hints only. If there are more than fit, the oldest are forgotten. An offset is one of the version that was read;
     * if a commit has shifted it meanwhile, it is that of another interval, which is then divided instead or left
     * alone.
     */
    private static final int CAPACITY = 64;
    private static final long NONE = -1;

    private final AtomicLongArray offsets = new AtomicLongArray(CAPACITY);
    private final AtomicInteger added = new AtomicInteger();
    private volatile boolean wanted = true;

    public TouchedIntervals() {
        for (int i = 0; i < CAPACITY; i++) {
            offsets.setPlain(i, NONE);
        }
    }

    /** Notes a logical offset in a coarse interval that had to be read. */
    public void add(long logicalOffset) {
        if (wanted) {
            offsets.set(added.getAndIncrement() & CAPACITY - 1, logicalOffset);
        }
    }

    /** Takes one of the offsets, or returns -1. */
    public long poll() {
        for (int i = 0; i < CAPACITY; i++) {
            if (offsets.get(i) != NONE) {
                long offset = offsets.getAndSet(i, NONE);
                if (offset != NONE) {
                    return offset;
                }
            }
        }
        return NONE;
    }

    public boolean isEmpty() {
        for (int i = 0; i < CAPACITY; i++) {
            if (offsets.get(i) != NONE) {
                return false;
            }
        }
        return true;
    }

    /** Takes no more: all intervals have been looked at. */
    public void end() {
        wanted = false;
    }
}
