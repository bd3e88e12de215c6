package io.flexdb.internal.store;

import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.storage.StoreFullException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Commits frozen memtables, oldest first, on a thread of its own; makes room again for what they had. */
final class CommitThread {
    /*
     * The order of a commit, as the ordering rules ask; where there is no room, see CommitProgress:
     *   1. everything in the memtable is visible, and its log is forced (O10);
     *   2. its entries are applied; roots are published now and then, while the memtable still hides partial work;
     *   3. a version without the memtable is published;
     *   4. data and logical log are forced, with the last sequence number as tag (O1);
     *   5. the log may be recycled (O6), and the memory be used again when no reader has it.
     */
    private static final long FIRST_MEMORY_WAIT_NANOS = 5_000_000;
    private static final int MOST_MEMORY_WAITS = 11; // ten seconds in all; then writers are told

    private final Store store;
    private final CommitProgress progress;
    private final Thread thread;
    private final RetiredQueue retiredTables;
    private final Map<Long, MemTable> tablesInUse = new HashMap<>();
    private final Object tablesLock = new Object(); // guards retiredTables, tablesInUse and nextHandle
    private long nextHandle;
    private int memoryWaits; // since the last commit; by the thread
    private long rootsSequence; // no entry in the writer's roots has a higher sequence number
    private volatile long pinnedBytes;
    private volatile MemLog committing; // for progress
    private boolean garbageLeft; // perhaps; by the thread

    CommitThread(Store store, boolean inline) {
        this.store = store;
        this.rootsSequence = store.engine.tag();
        this.progress = new CommitProgress(store.committer);
        this.retiredTables = new RetiredQueue(store.epochs, handle -> store.memLogs.unread(tablesInUse.remove(handle)));
        if (inline) {
            thread = null;
        } else {
            thread = new Thread(this::run, "flexdb-commit");
            thread.setDaemon(true);
        }
    }

    void start() {
        if (thread != null) {
            thread.start();
        }
    }

    boolean isInline() {
        return thread == null;
    }

    private void run() {
        try {
            while (true) {
                MemLog log =
                        garbageLeft ? store.writer().pollWork() : store.writer().awaitWork();
                if (log != null) {
                    boolean done = log.isFrozen() ? commit(log) : applyActive();
                    if (!done && !awaitMemory() && !store.writer().awaitRetry(store.committer.refusal())) {
                        return;
                    }
                } else if (!store.health.isUsable()) {
                    break;
                } else if (store.refiner.hasReady()) {
                    refineSome();
                } else if (garbageLeft) {
                    collectSlice();
                }
            }
        } catch (UnreadableException e) {
            store.health.makeReadOnly(e.getCause());
            refineOnly();
        } catch (Throwable e) {
            store.fail(e);
        }
    }

    /**
     * Waits a little for memory, if it was that what a commit was short of, longer each time, and returns whether to try
     * again: others may free some, and the garbage collector what was let go of.
     */
    private boolean awaitMemory() {
        if (!store.committer.lacksMemory() || memoryWaits == MOST_MEMORY_WAITS || !store.health.isUsable()) {
            return false;
        }
        LockSupport.parkNanos(this, FIRST_MEMORY_WAIT_NANOS << memoryWaits++);
        return true;
    }

    /** Garbage is collected in slices while there is nothing to commit; what each lets go is published at once. */
    private void collectSlice() {
        garbageLeft = store.engine.collectSlice(Long.MAX_VALUE);
        if (garbageLeft) {
            publish();
        }
    }

    /** Goes on dividing intervals, which changes nothing in files. */
    private void refineOnly() {
        try {
            while (store.writer().awaitDivided()) {
                refineSome();
            }
        } catch (Throwable e) {
            store.fail(e);
        }
    }

    private void refineSome() {
        if (store.refiner.applySome() > 0) {
            publish();
        }
    }

    /** Publishes the roots, whatever has brought entries into them. By the thread that commits. */
    void publish() {
        store.publishRoots(rootsSequence);
    }

    private void publishForReuse() {
        store.publishForReuse(rootsSequence);
    }

    /** And beside a commit as much garbage as what it writes asks for. */
    private void publishAndCollect() {
        store.refiner.applySome();
        publish();
        if (!isInline() && store.engine.collectSomeGarbage(true)) {
            publish();
        }
    }

    /** How much of the oldest frozen memtable is in the space, from 0 to 1. Any thread. */
    double progress() {
        MemLog log = committing;
        if (log == null || log != store.oldestFrozen()) {
            return 0;
        }
        return Math.min(1, (double) store.committer.entriesApplied() / Math.max(1, log.table.keyCount()));
    }

    /**
     * Commits what is frozen, on the caller's thread, for stores without a thread.
     *
     * @throws StoreFullException if there is no room in the space; the store goes on
     */
    void commitAll() {
        for (MemLog log = store.oldestFrozen(); log != null; log = store.oldestFrozen()) {
            commitHere(log);
            if (isInline() && store.health.isUsable()) {
                store.refiner.refineHere(Refiner.AT_ONCE);
            }
        }
    }

    /** The same while a store is recovered; false if not all can be committed, whatever the reason. */
    boolean tryCommitAll() {
        try {
            for (MemLog log = store.oldestFrozen(); log != null; log = store.oldestFrozen()) {
                if (!commit(log)) {
                    return false;
                }
            }
            return true;
        } catch (UnreadableException e) {
            return false; // the store becomes read-only when it is tried again
        }
    }

    private void commitHere(MemLog log) {
        orStop(() -> commit(log));
    }

    /** Does work that returns false if there is no room. */
    private void orStop(BooleanSupplier work) {
        boolean done;
        try {
            done = work.getAsBoolean();
        } catch (UnreadableException e) {
            store.health.makeReadOnly(e.getCause());
            throw e.getCause();
        } catch (Throwable e) {
            store.fail(e);
            throw e;
        }
        if (!done) {
            throw store.committer.refusal();
        }
    }

    /** Returns false if there is no room; what was applied is hidden by the memtable then, which stays. */
    private boolean commit(MemLog log) {
        long last = log.table.lastSequence();
        store.writer().awaitVisible(last);
        store.groupCommit.awaitDurable(last);
        committing = log;
        rootsSequence = Math.max(rootsSequence, last);
        if (!applyInTurns(log) && !applyOldest()) {
            return false;
        }
        memoryWaits = 0;
        store.publishWithoutOldest(rootsSequence);
        store.engine.sync(last);
        release(log);
        publish(); // once more, so that the memtable is free soon and not only after the next commit
        store.writer().signalCommitted();
        if (!isInline()) {
            garbageLeft = true;
        } else if (store.engine.collectGarbage() > 0) {
            publish();
        }
        return true;
    }

    private boolean applyInTurns(MemLog log) {
        CommitTurns turns = store.committer.turns();
        if (Thread.currentThread() == thread) { // others do it while no writer is there, or are one
            turns.begin();
        }
        try {
            return progress.apply(log.table, this::publishForReuse, this::publishAndCollect);
        } finally {
            turns.end();
        }
    }

    /** Applies the oldest memtable, be it the active one, and all deletes there are; false if there is no room. */
    private boolean applyOldest() {
        long visible = store.visibleSequence();
        store.groupCommit.awaitDurable(visible);
        rootsSequence = Math.max(rootsSequence, visible);
        MemLog[] logs = store.version().logs(); // which has all up to the number, as that was taken before
        MemTable[] tables = new MemTable[logs.length];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = logs[i].table;
        }
        return progress.applyOldest(tables, visible, this::publishForReuse);
    }

    /**
     * Commits the active memtable because there is no space for another log, so that its own can be used again. Most of it
     * is applied before it is frozen, so that nobody waits for long; if there is no room, deletes find their place in it.
     */
    private boolean applyActive() {
        boolean applied = applyOldest();
        if (applied) {
            store.writer().freezeActive();
        }
        return applied;
    }

    /**
     * Does that and commits, on the caller's thread, for stores without a thread.
     *
     * @throws StoreFullException if there is no room in the space; the store goes on
     */
    void commitActive() {
        orStop(this::applyActive);
        commitAll();
    }

    private void release(MemLog log) {
        store.memLogs.expectKeysLike(log.table);
        store.memLogs.covered(log.wal);
        synchronized (tablesLock) {
            long handle = nextHandle++;
            tablesInUse.put(handle, log.table);
            retiredTables.retire(handle, log.birth);
            reclaimTables();
        }
    }

    private void reclaimTables() {
        retiredTables.reclaim();
        long bytes = 0;
        if (retiredTables.heldByPins() > 0) {
            for (MemTable table : tablesInUse.values()) {
                bytes += table.memoryBytes();
            }
        }
        pinnedBytes = bytes;
        store.cache.limit(store.settings().cacheBytes - bytes); // the cache makes room for what is pinned
    }

    /** Memtables that only pins hold back, once those that nobody reads any more are free. */
    int pinnedTables() {
        synchronized (tablesLock) {
            store.epochs.tryNextPhase();
            reclaimTables();
            return retiredTables.heldByPins();
        }
    }

    /** Bytes of memtables that only pins hold back. The figure is brought up to date if it is above a limit. */
    long pinnedBytes(long limit) {
        if (pinnedBytes > limit) {
            synchronized (tablesLock) {
                reclaimTables(); // pins may have gone since the last commit
            }
        }
        return pinnedBytes;
    }

    /** Waits for the thread to end; the store tells it to. An interrupt of the caller stays pending. */
    void stop() {
        if (thread == null) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Commits all that is left, on the caller's thread. After {@link #stop}, when nobody writes any more. */
    void commitRest() {
        commitAll();
        if (!store.health.hasFailed() && store.writer().freezeActive()) {
            commitHere(store.version().oldest());
        }
    }
}
