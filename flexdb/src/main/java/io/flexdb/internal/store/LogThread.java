package io.flexdb.internal.store;

import io.flexdb.storage.StoreFullException;

/** Makes the next memtable and its log ready before a writer needs them: files, zeros and forces are not for writers. */
final class LogThread {
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
                StoreFullException full = null;
                try {
                    store.memLogs.prepare();
                } catch (StoreFullException e) {
                    full = e; // whoever needs one is told
                }
                store.writer().logTried(full);
            }
        } catch (Throwable e) {
            store.fail(e);
        }
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
