package io.flexdb.internal.write;

import io.flexdb.base.waiting.Waiter;
import io.flexdb.flexspace.internal.vfs.Uninterruptibly;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.wal.SharedForce;
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
    private final boolean wanted;
    private final boolean forAll;
    private volatile Thread thread; // written under this object's lock
    private Waiter end; // of the thread's wait; under the lock
    private final AtomicLong askedFor = new AtomicLong(); // the last write that is to be forced, if not all are
    private boolean stopped; // under the lock

    public SyncThread(StoreSettings settings, StoreVersions versions, SharedForce sharedForce, boolean inline) {
        this.versions = versions;
        this.sharedForce = sharedForce;
        this.intervalNanos = settings.syncInterval.toNanos();
        this.wanted = !inline && intervalNanos > 0;
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
        if (forAll || !wanted) {
            return;
        }
        askedFor.accumulateAndGet(sequence, Math::max);
        if (thread == null) { // or each write would take the lock
            startThread();
        }
    }

    private synchronized void startThread() {
        if (wanted && thread == null && !stopped) {
            Waiter toEnd = new Waiter();
            Thread started = new Thread(() -> run(toEnd), "flexdb-sync");
            started.setDaemon(true);
            toEnd.begin(started);
            started.start(); // if it can't, it is tried again
            thread = started;
            end = toEnd;
        }
    }

    private void run(Waiter toEnd) {
        while (!toEnd.await(intervalNanos)) {
            long sequence = forAll ? versions.visibleSequence() : askedFor.get();
            if (sequence > sharedForce.durableSequence()) {
                try {
                    sharedForce.awaitDurable(sequence);
                } catch (Throwable e) {
                    versions.health.fail(e);
                    return;
                }
            }
        }
    }

    /** Ends, and waits for the end. */
    public void stop() {
        Thread running;
        synchronized (this) {
            stopped = true;
            running = thread;
            if (end != null) {
                end.wake();
                end = null;
            }
        }
        if (running != null) {
            Uninterruptibly.run(running::join);
        }
    }
}
