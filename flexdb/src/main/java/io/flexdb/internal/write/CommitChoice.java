package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.read.StoreVersions;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Chooses the frozen memtables that a commit takes, and whether to wait for one more. For the thread that commits. */
final class CommitChoice {
    /*
     * A commit of keys in random order needs a little of most intervals, and brings all of them from the disk if they
     * are not in memory: for two memtables that takes hardly longer than for one. So there it takes all that are frozen,
     * and waits a while for the active one to be full, if that is what would make it two. Writers do not wait for that:
     * there is a memtable that takes their writes; but who waits for a commit ends it. In memory one at a time is better,
     * since its log and its memory are used again sooner.
     */
    static final int SHARE_OF_LAST = 4; // to wait at most, of the time that the last commit took
    static final long MOST_NANOS = 1_000_000_000;
    private static final double FULL = 0.5; // below, it was frozen for its own sake

    private final StoreVersions versions;
    private final BooleanSupplier isDiskRead;
    private final LongSupplier nanoClock;
    private Object awaiting; // the oldest one while it waits for another, or has waited
    private long due;
    private long lastNanos; // that the last commit took
    private volatile int waiting; // callers who wait for commits; changed under the write lock

    /** @param isDiskRead whether commits read from a disk */
    CommitChoice(StoreVersions versions, BooleanSupplier isDiskRead, LongSupplier nanoClock) {
        this.versions = versions;
        this.isDiskRead = isDiskRead;
        this.nanoClock = nanoClock;
    }

    /** How long to wait before a commit of the oldest memtable, which is frozen, unless another is frozen first. */
    long nanosToWait(MemLog oldest) {
        MemLog[] logs = versions.current().logs();
        boolean isAlone = logs.length == 2 && !logs[0].isFrozen() && oldest.fillLevel() > FULL;
        return isAlone && isDiskRead.getAsBoolean() ? nanosLeft(oldest) : 0;
    }

    /** The rest of the time that another one is worth waiting for, which begins when this is asked first. */
    long nanosLeft(Object oldest) {
        long now = nanoClock.getAsLong();
        if (awaiting != oldest) {
            awaiting = oldest;
            due = now + Math.min(MOST_NANOS, lastNanos / SHARE_OF_LAST);
        }
        return waiting > 0 ? 0 : Math.max(0, due - now);
    }

    /** Notes that somebody begins to wait for commits, so that they wait for nothing. Under the write lock. */
    void beginHurry() {
        waiting++;
    }

    /** Notes that somebody does not wait any more. Under the write lock. */
    void endHurry() {
        waiting--;
    }

    /** The memtables for a commit, at least the oldest of all, which is frozen. */
    CommitBatch choose() {
        MemLog[] logs = versions.current().logs();
        int newest = logs.length - 1;
        while (isDiskRead.getAsBoolean() && newest > 0 && logs[newest - 1].isFrozen()) {
            newest--;
        }
        return CommitBatch.of(Arrays.copyOfRange(logs, newest, logs.length));
    }

    /** Notes how long a commit took. */
    void took(long nanos) {
        awaiting = null;
        lastNanos = nanos;
    }
}
