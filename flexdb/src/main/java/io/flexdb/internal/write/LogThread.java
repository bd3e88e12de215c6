package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.memlog.MemLogs;
import io.flexdb.internal.memlog.RetiredTables;
import io.flexdb.internal.threads.SharedThreads;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import java.nio.file.Path;

/**
 * Makes the next memtable and its log ready before a writer needs them: files, zeros and forces are not for writers.
 */
public final class LogThread {
    private static final long TABLE_WAIT_NANOS = 1_000_000;
    private static final int MAX_TABLE_WAITS = 1000;
    private static final long FIRST_MEMORY_WAIT_NANOS = 5_000_000;
    private static final int MAX_MEMORY_WAITS = 11; // ten seconds in all; then writers are told

    private final LogRequests requests;
    private final MemLogs memLogs;
    private final RetiredTables retired;
    private final Health health;
    private final SharedThreads threads; // null if there is to be none
    private final String name;
    private final Runnable wake = this::wake; // made before there may be no memory for it
    private SharedThreads.Task task; // under the write lock until the store is closed
    private boolean over; // by the thread

    /** @param threads null where writers make logs themselves */
    public LogThread(
            StoreWriter writer,
            MemLogs memLogs,
            RetiredTables retired,
            Health health,
            SharedThreads threads,
            Path directory) {
        this.requests = writer.logRequests();
        this.memLogs = memLogs;
        this.retired = retired;
        this.health = health;
        this.threads = threads;
        this.name = "flexdb-logs " + directory;
    }

    /** Begins, with the first write. Under the write lock. */
    public void start() {
        if (threads != null && task == null) {
            task = threads.add(name, this::run); // if it can't, it is tried again
            requests.task(wake);
        }
    }

    private void wake() {
        task.wake();
    }

    private long run() {
        try {
            while (!over && requests.beginWanted()) {
                awaitTable();
                StoreFullException full = tryToPrepare();
                for (int waits = 0; full != null && awaitMemory(waits); waits++) {
                    full = tryToPrepare();
                }
                requests.tried(full); // whoever needs one is told
                if (full == null) {
                    memLogs.keepReserve();
                    requests.reserveKept();
                }
            }
        } catch (StoreClosedException e) {
            over = true; // in the middle of a log, which nobody needs
        } catch (Throwable e) {
            over = true;
            health.fail(e);
        }
        return Long.MAX_VALUE;
    }

    private StoreFullException tryToPrepare() {
        try {
            memLogs.prepare();
            return null;
        } catch (StoreFullException e) {
            return e;
        }
    }

    /** Waits until one of the memtables there may be is free. But for a reader that takes long, that is soon. */
    private void awaitTable() {
        for (int waits = 0; waits < MAX_TABLE_WAITS && health.isUsable(); waits++) {
            if (memLogs.mayPrepare(retired.pinnedTables())) {
                return;
            }
            Pause.nanos(TABLE_WAIT_NANOS);
        }
    }

    /**
     * Waits a little for memory, if it was that what there was too little of, longer each time, and returns whether to
     * try again.
     */
    private boolean awaitMemory(int waits) {
        if (!memLogs.lacksMemory() || waits == MAX_MEMORY_WAITS || !health.isUsable()) {
            return false;
        }
        Pause.nanos(FIRST_MEMORY_WAIT_NANOS << waits);
        return true;
    }

    /** Waits for its end; the store tells it to. */
    public void stop() {
        memLogs.beginClose();
        SharedThreads.Task running = task;
        if (running != null) {
            running.end();
        }
    }
}
