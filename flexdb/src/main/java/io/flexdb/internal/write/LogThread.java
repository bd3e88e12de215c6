package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.RetiredTables;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import java.nio.file.Path;

/**
 * Makes the next memtable and its log ready before a writer needs them: files, zeros and forces are not for writers.
 */
public final class LogThread {
    private static final long SOON_NANOS = 50_000_000;
    private static final long TABLE_WAIT_NANOS = 1_000_000;
    private static final int MAX_TABLE_WAITS = 1000;
    private static final long FIRST_MEMORY_WAIT_NANOS = 5_000_000;
    private static final int MAX_MEMORY_WAITS = 11; // ten seconds in all; then writers are told

    private final LogRequests requests;
    private final MemLogs memLogs;
    private final RetiredTables retired;
    private final Health health;
    private final Scheduler scheduler;
    private final String name;
    private Scheduler.Task task; // under the write lock until the store is closed
    private final Scheduler.Work running = this::run;
    private final Runnable wake = () -> task.wake(); // made before there may be no memory for it
    private final Runnable wakeSoon = () -> task.wakeIn(SOON_NANOS);
    // By the task.
    private boolean over;
    private boolean tries; // a try is under way, and comes again after a while
    private int tableWaits;
    private int memoryWaits;

    public LogThread(
            StoreWriter writer,
            MemLogs memLogs,
            RetiredTables retired,
            Health health,
            Scheduler scheduler,
            Path directory) {
        this.requests = writer.logRequests();
        this.memLogs = memLogs;
        this.retired = retired;
        this.health = health;
        this.scheduler = scheduler;
        this.name = "flexdb-logs " + directory;
    }

    /** Begins, with the first write. Under the write lock. */
    public void start() {
        if (task == null) {
            task = scheduler.add(name, running); // if it can't, it is tried again
            requests.task(wake, wakeSoon);
        }
    }

    private long run() {
        try {
            while (!over && (tries || requests.beginWanted())) {
                tries = true;
                if (!awaitTable()) {
                    return TABLE_WAIT_NANOS;
                }
                StoreFullException full = tryToPrepare();
                if (full != null && memLogs.lacksMemory() && memoryWaits < MAX_MEMORY_WAITS && health.isUsable()) {
                    return FIRST_MEMORY_WAIT_NANOS << memoryWaits++;
                }
                tries = false;
                tableWaits = 0;
                memoryWaits = 0;
                requests.tried(full); // writers that need one are told
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

    /**
     * Waits until one of the memtables is free, which is soon unless a reader takes long. Returns false if the wait is
     * better done without a thread.
     */
    private boolean awaitTable() {
        while (tableWaits < MAX_TABLE_WAITS && health.isUsable() && !memLogs.mayPrepare(retired.pinnedTables())) {
            tableWaits++;
            if (scheduler.areScarce()) {
                return false;
            }
            Pause.nanos(TABLE_WAIT_NANOS);
        }
        return true;
    }

    private StoreFullException tryToPrepare() {
        try {
            memLogs.prepare();
            return null;
        } catch (StoreFullException e) {
            return e;
        }
    }

    /** Waits for its end; the store tells it to. */
    public void stop() {
        memLogs.beginClose();
        Scheduler.Task running = task;
        if (running != null) {
            running.end();
        }
    }
}
