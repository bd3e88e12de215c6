package io.flexdb.internal.store;

import io.flexdb.Durability;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Forces the write-ahead log now and then, so that {@link Durability#OS} bounds what a power cut takes. */
final class SyncThread {
    /*
     * In a store of a lower mode only writes that ask for OS are looked after, and the thread begins with the first of them.
     */
    private final Store store;
    private final long intervalNanos;
    private final boolean wanted;
    private final boolean forAll;
    private Thread thread; // under this object's lock until the store is closed
    private final AtomicLong askedFor = new AtomicLong(); // the last write that is to be forced, if not all are
    private volatile boolean stopped;

    SyncThread(Store store, boolean inline) {
        this.store = store;
        this.intervalNanos = store.options.syncInterval().toNanos();
        this.wanted = !inline && intervalNanos > 0;
        this.forAll = store.options.durability() == Durability.OS;
    }

    /** Begins, with the first write. */
    void start() {
        if (forAll) {
            startThread();
        }
    }

    /** A write that asked for {@link Durability#OS}, whatever the store's mode is, is visible. */
    void wrote(long sequence) {
        if (forAll || !wanted) {
            return;
        }
        askedFor.accumulateAndGet(sequence, Math::max);
        startThread();
    }

    private synchronized void startThread() {
        if (wanted && thread == null && !stopped) {
            thread = new Thread(this::run, "flexdb-sync");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        while (!stopped) {
            LockSupport.parkNanos(this, intervalNanos);
            long sequence = forAll ? store.visibleSequence() : askedFor.get();
            if (!stopped && sequence > store.groupCommit.durableSequence()) {
                try {
                    store.groupCommit.awaitDurable(sequence);
                } catch (Throwable e) {
                    store.fail(e);
                    return;
                }
            }
        }
    }

    /** Ends, and waits for the end. */
    void stop() {
        Thread running;
        synchronized (this) {
            stopped = true;
            running = thread;
        }
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            LockSupport.unpark(running);
            try {
                running.join(100);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
