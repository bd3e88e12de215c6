package io.flexdb.internal.interval;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** Where readers have met intervals that somebody is to see to. Any thread; nobody waits. */
public final class TouchedIntervals {
    /*
     * Hints only. While as many as fit wait to be taken no more are noted, so that readers write nothing that they
     * share. An offset is one of the version that was read; if a commit has shifted it meanwhile, it is that of another
     * interval, which is then seen to instead or left alone.
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

    /** Notes a logical offset in an interval. */
    public void add(long logicalOffset) {
        int at = added.get();
        if (wanted && offsets.get(at & CAPACITY - 1) == NONE && added.compareAndSet(at, at + 1)) {
            offsets.set(at & CAPACITY - 1, logicalOffset);
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

    /** Takes no more. */
    public void end() {
        wanted = false;
    }
}
