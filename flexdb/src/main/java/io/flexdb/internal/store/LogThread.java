package io.flexdb.internal.store;

import io.flexdb.storage.StoreFullException;
import java.util.concurrent.locks.LockSupport;

/** Makes the next memtable and its log ready before a writer needs them: files, zeros and forces are not for writers. */
final class LogThread {
    private static final long TABLE_WAIT_NANOS = 1_000_000;
    private static final int MOST_TABLE_WAITS = 1000;
    private static final long FIRST_MEMORY_WAIT_NANOS = 5_000_000;
    private static final int MOST_MEMORY_WAITS = 11; // ten seconds in all; then writers are told

    private final Store store;
    private final boolean wanted;
    private Thread thread; // under the commit lock until the store is closed

    LogThread(Store store, boolean inline) {
        this.store = store;
        this.wanted = !inline;
    }

    /** Begins, with the first write. Under the commit lock. */
    void start() {
        if (wanted && thread == null) {
            thread = new Thread(this::run, "flexdb-logs");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        try {
            while (store.writer().awaitLogWanted()) {
                awaitTable();
                StoreFullException full = tryToPrepare();
                for (int waits = 0; full != null && awaitMemory(waits); waits++) {
                    full = tryToPrepare();
                }
                store.writer().logTried(full); // whoever needs one is told
                if (full == null) {
                    store.memLogs.keepReserve();
                }
            }
        } catch (Throwable e) {
            store.fail(e);
        }
    }

    private StoreFullException tryToPrepare() {
        try {
            store.memLogs.prepare();
            return null;
        } catch (StoreFullException e) {
            return e;
        }
    }

    /** Waits until one of the memtables there may be is free. But for a reader that takes long, that is soon. */
    private void awaitTable() {
        for (int waits = 0; waits < MOST_TABLE_WAITS && store.health.isUsable(); waits++) {
            if (store.mayPrepareLog()) {
                return;
            }
            LockSupport.parkNanos(this, TABLE_WAIT_NANOS);
        }
    }

    /**
     * Waits a little for memory, if it was that what there was too little of, longer each time, and returns whether to try
     * again.
     */
    private boolean awaitMemory(int waits) {
        if (!store.memLogs.lacksMemory() || waits == MOST_MEMORY_WAITS || !store.health.isUsable()) {
            return false;
        }
        LockSupport.parkNanos(this, FIRST_MEMORY_WAIT_NANOS << waits);
        return true;
    }

    /** Waits for its end; the store tells it to. */
    void stop() {
        Thread running = thread;
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
