package io.flexdb.internal.write;

import io.flexdb.storage.StoreFullException;

/** The writers' requests to the thread that makes logs, and their results. All fields are under the write lock. */
final class LogRequests {
    private final WriteMonitor monitor;
    private boolean wanted;
    private long triesBegun;
    private long triesEnded;
    private StoreFullException refusal; // of the last try; null if it went well
    private Runnable wakeTask = () -> {};
    private Runnable wakeTaskSoon = () -> {};
    private volatile boolean maySoon; // the wanted log need not be begun at once; written under the lock

    LogRequests(WriteMonitor monitor) {
        this.monitor = monitor;
    }

    /** Sets the task that makes logs, under the lock. */
    void task(Runnable wake, Runnable wakeSoon) {
        wakeTask = wake;
        wakeTaskSoon = wakeSoon;
        if (wanted) {
            wake.run();
        }
    }

    // ---- by writers and the commit thread, under the lock

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
     * Has the next log be made after a moment: a store that is opened for a few writes needs no second log. A writer
     * that fills the first one before {@linkplain #hurry hurries} it.
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

    /** The refusal of a try that began after so many others, if there is no log; null while one is to come. */
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
