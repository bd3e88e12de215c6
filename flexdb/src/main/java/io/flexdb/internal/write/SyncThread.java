package io.flexdb.internal.write;

import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.SharedThreads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.read.StoreVersions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Forces the write-ahead log now and then, so that a power cut takes no more than an interval's writes. */
public final class SyncThread {
    /*
     * In a store that is forced when asked only writes that ask for more are looked after, and the thread begins with
     * the first of them.
     */
    private final StoreVersions versions;
    private final SharedForce sharedForce;
    private final long intervalNanos;
    private final SharedThreads threads; // null if there is to be none
    private final String name;
    private final boolean forAll;
    private volatile SharedThreads.Task task; // written under this object's lock
    private final AtomicLong askedFor = new AtomicLong(); // the last write that is to be forced, if not all are
    private boolean stopped; // under the lock

    /** @param threads null where nothing is forced periodically */
    public SyncThread(
            StoreSettings settings,
            StoreVersions versions,
            SharedForce sharedForce,
            SharedThreads threads,
            Path directory) {
        this.versions = versions;
        this.sharedForce = sharedForce;
        this.intervalNanos = settings.syncInterval.toNanos();
        this.threads = intervalNanos > 0 ? threads : null;
        this.name = "flexdb-sync " + directory;
        this.forAll = settings.force == Force.PERIODICALLY;
    }

    /** Begins, with the first write. */
    void start() {
        if (forAll) {
            startThread();
        }
    }

    /** A write that asked to be forced periodically, whatever the store's mode is, is visible. */
    void wrote(long sequence) {
        if (forAll || threads == null) {
            return;
        }
        askedFor.accumulateAndGet(sequence, Math::max);
        if (task == null) { // or each write would take the lock
            startThread();
        }
    }

    private synchronized void startThread() {
        if (threads != null && task == null && !stopped) {
            SharedThreads.Task added = threads.add(name, this::run); // if it can't, it is tried again
            added.wakeIn(intervalNanos);
            task = added;
        }
    }

    private long run() {
        long sequence = forAll ? versions.visibleSequence() : askedFor.get();
        if (sequence > sharedForce.durableSequence()) {
            try {
                sharedForce.awaitDurable(sequence);
            } catch (Throwable e) {
                versions.health.fail(e);
                return Long.MAX_VALUE;
            }
        }
        return intervalNanos;
    }

    /** Ends, and waits for the end. */
    public void stop() {
        SharedThreads.Task running;
        synchronized (this) {
            stopped = true;
            running = task;
        }
        if (running != null) {
            running.end();
        }
    }
}
