package io.flexdb.internal.write;

import io.flexdb.storage.StoreFullException;

/** What writers ask of the thread that makes logs, and what has come of it. All fields are under the write lock. */
final class LogRequests {
    private final WriteMonitor monitor;
    private boolean wanted;
    private long triesBegun;
    private long triesEnded;
    private StoreFullException refusal; // of the last try; null if it went well
    private Runnable wakeTask = () -> {};
    private Runnable wakeTaskSoon = () -> {};
    private volatile boolean maySoon; // what is wanted need not be begun at once; written under the lock

    LogRequests(WriteMonitor monitor) {
        this.monitor = monitor;
    }

    /** Says what makes logs, under the lock. */
    void task(Runnable wake, Runnable wakeSoon) {
        wakeTask = wake;
        wakeTaskSoon = wakeSoon;
        if (wanted) {
            wake.run();
        }
    }

    // ---- by writers, and who commits, under the lock

    /** Has the next log be made, if none is ready. */
    void want() {
        if (!wanted || maySoon) {
            wanted = true;
            maySoon = false;
            monitor.changed();
            wakeTask.run();
        }
    }

    /**
     * Does the same, but leaves it for a moment: a store that is opened for a few writes needs no second log. Whoever
     * fills the first one in less {@linkplain #hurry hurries}.
     */
    void wantSoon() {
        if (!wanted) {
            wanted = true;
            maySoon = true;
            wakeTaskSoon.run();
        }
    }

    /** Has it begun at once, if a log is wanted. Without the lock. */
    void hurry() {
        if (!maySoon) {
            return;
        }
        monitor.lock();
        try {
            if (maySoon) {
                want();
            }
        } finally {
            monitor.unlock();
        }
    }

    /** The tries so far, for {@link #refusalSince}. */
    long triesBegun() {
        return triesBegun;
    }

    /** Why there is no log, if a try says so that has begun after so many others; null while one is to come. */
    StoreFullException refusalSince(long begunBefore) {
        boolean trying = wanted || triesEnded < triesBegun;
        return trying || triesEnded <= begunBefore ? null : refusal;
    }

    /** Whether the last try went well, or none has ended yet. */
    boolean lastWentWell() {
        return refusal == null;
    }

    // ---- by the thread that makes logs

    /** Whether a log is wanted; false if the store is being closed, or has failed. A try begins then. */
    boolean beginWanted() {
        monitor.lock();
        try {
            if (!wanted || !monitor.health.isUsable()) {
                return false;
            }
            wanted = false;
            maySoon = false;
            triesBegun++;
            return true;
        } finally {
            monitor.unlock();
        }
    }

    /** Tells that the next log is ready, or why it is not. */
    void tried(StoreFullException full) {
        monitor.lock();
        try {
            triesEnded++;
            refusal = full;
            monitor.changed();
        } finally {
            monitor.unlock();
        }
    }

    /** Tells that there may be a log in reserve now. */
    void reserveKept() {
        monitor.lock();
        try {
            monitor.changed();
        } finally {
            monitor.unlock();
        }
    }
}
