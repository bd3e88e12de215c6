package io.flexdb.internal.store;

import io.flexdb.Durability;
import java.util.concurrent.locks.LockSupport;

/** Forces the write-ahead log now and then, so that {@link Durability#OS} bounds what a power cut takes. */
final class SyncThread {
    private final Store store;
    private final long intervalNanos;
    private final boolean wanted;
    private Thread thread; // under the commit lock until the store is closed
    private volatile boolean stopped;

    SyncThread(Store store, boolean inline) {
        this.store = store;
        this.intervalNanos = store.options.syncInterval().toNanos();
        this.wanted = !inline && intervalNanos > 0 && store.options.durability() == Durability.OS;
    }

    /** Begins, with the first write. */
    void start() {
        if (wanted && thread == null && !stopped) {
            thread = new Thread(this::run, "flexdb-sync");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        while (!stopped) {
            LockSupport.parkNanos(this, intervalNanos);
            if (!stopped && store.visibleSequence() > store.groupCommit.durableSequence()) {
                try {
                    store.groupCommit.awaitDurable(store.visibleSequence());
                } catch (Throwable e) {
                    store.fail(e);
                    return;
                }
            }
        }
    }

    /** Ends, and waits for the end. */
    void stop() {
        stopped = true;
        Thread running = thread;
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
