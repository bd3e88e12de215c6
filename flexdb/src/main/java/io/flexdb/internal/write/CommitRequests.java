package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Answers the commit thread for the writers: what to do, and what they want. It takes the write lock. */
final class CommitRequests {
    private final WriteMonitor monitor;
    private final ActiveMemtable memtables;
    private final MemLogs memLogs;
    private final LogRequests logs;
    private final SpaceRetries retries;
    private final CommitThread commits;
    private final SlowFilling filling;
    private final StoreVersions versions;
    private final HeldRanges held;
    private long nanosToNextLook; // by the thread that commits
    private final IdleTime idle = new IdleTime(System::nanoTime); // under the write lock

    CommitRequests(
            ActiveMemtable memtables,
            SpaceRetries retries,
            CommitThread commits,
            SlowFilling filling,
            HeldRanges held) {
        this.monitor = memtables.monitor;
        this.memtables = memtables;
        this.memLogs = memtables.memLogs;
        this.logs = memtables.logs;
        this.retries = retries;
        this.commits = commits;
        this.filling = filling;
        this.versions = memtables.versions;
        this.held = held;
    }

    /**
     * A memtable to commit; null when there is none, or none may be committed any more. It may be the active one, which
     * is not {@linkplain MemLog#isFrozen frozen}, for as long as somebody wants that.
     */
    MemLog findWork() {
        monitor.lock();
        try {
            while (true) {
                MemLog found = pollWork();
                if (found != null || !monitor.health.isUsable() || hasOtherWork()) {
                    return found;
                }
                MemLog active = memtables.get();
                long rest = commits.nanosToNextLook();
                if (memLogs.isGrown()) {
                    if (idle.isOver(memtables.lastSequence()) && giveBack(active)) {
                        continue;
                    }
                    rest = Math.min(rest, IdleTime.PERIOD_NANOS);
                }
                if (active != null
                        && isDue(active.table(), active.fillLevel() * memLogs.shareOfUsual(active.table()))
                        && mayBeginEarly()) {
                    memtables.freeze(active);
                    continue;
                }
                nanosToNextLook = active == null ? rest : Math.min(rest, filling.nanosToNextLook());
                return null;
            }
        } finally {
            monitor.unlock();
        }
    }

    /** The nanoseconds after which there may be work that nobody tells of. After a look that has found none. */
    long nanosToNextLook() {
        return nanosToNextLook;
    }

    /** Nobody has written for a while: memtables are committed first, and then memory and logs are given back. */
    private boolean giveBack(MemLog active) {
        if (active != null) {
            return mayBeginEarly() && memtables.freeze(active);
        }
        memLogs.wantGiveBack();
        logs.want();
        idle.begin();
        return false;
    }

    private boolean hasOtherWork() {
        return commits.isWanted() || commits.isSpareTimeWanted();
    }

    private boolean isDue(MemTable active, double fill) {
        return filling.isDue(
                active.id(),
                fill,
                active.ranges() != null,
                new BooleanSupplier() { // no lambda, as one
                    @Override
                    public boolean getAsBoolean() { // may fail to be made in a full heap, and then for good
                        return active.hasDeletes();
                    }
                });
    }

    /** Whether no writer would have to wait for the next memtable, and none more be held back by a snapshot. */
    private boolean mayBeginEarly() {
        return memLogs.isReady() && !commits.areCommittedRead();
    }

    /** Returns as {@link #findWork} does, but leaves a memtable alone that fills slowly. Changes nothing. */
    MemLog pollWork() {
        monitor.lock();
        try {
            boolean mayCommit = !monitor.health.hasFailed() && !monitor.health.isReadOnly();
            return mayCommit ? memtables.nextToCommit() : null;
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Tells that the space did not have room for a commit.
     *
     * @param readsHold whether reads, cursors or snapshots hold back segments, which may be free when they end
     */
    void refused(StoreFullException full, boolean readsHold) {
        retries.refused(full, readsHold);
    }

    /** Whether to try again, since somebody wants that room, there is an errand, or the store is at its end. */
    boolean beginRetry() {
        return retries.beginWanted(!monitor.health.isUsable() || commits.hasErrands());
    }

    /** Makes all threads that wait for any of this look again. Any thread. */
    void wake() {
        monitor.wake();
    }

    /** Freezes a memtable without beginning another, if it takes writes still and has entries. */
    boolean freeze(MemLog log) {
        monitor.lock();
        try {
            return memtables.freeze(log);
        } finally {
            monitor.unlock();
        }
    }

    /** The last sequence number given to a write. */
    long lastSequence() {
        monitor.lock();
        try {
            return memtables.lastSequence();
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Has a run published between two writes, and returns the number of the one before it, which is visible then.
     *
     * @param publish is given that number
     */
    long publishRun(LongConsumer publish) {
        monitor.lock();
        try {
            long last = memtables.lastSequence();
            versions.awaitVisible(last); // those before are past the lock
            held.linked();
            publish.accept(last);
            return last;
        } finally {
            monitor.unlock();
        }
    }

    /** Says that the logs of so many of the oldest memtables can be used again; wakes writers that wait for room. */
    void signalCommitted(int count) {
        monitor.lock();
        try {
            memtables.committed(count);
            retries.committed();
            if (!memLogs.isReady()) {
                logs.want();
            }
            monitor.changed();
        } finally {
            monitor.unlock();
        }
    }
}
