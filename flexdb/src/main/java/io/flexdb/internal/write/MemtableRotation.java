package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StoreFullException;

/**
 * Helps a writer that finds no room in the active memtable: it begins the next one, waits until it may (a write stall),
 * or is refused. All of it under the write lock.
 */
final class MemtableRotation {
    private static final int SEGMENTS_KEPT = 6; // open, and kept back, beside those that are filled

    private final WriteMonitor monitor;
    private final ActiveMemtable memtables;
    private final MemLogs memLogs;
    private final LogRequests logs;
    private final SpaceRetries retries;
    private final CommitThread commits;
    private final Runnable startThreads;
    private final long segmentBytes;

    /**
     * @param startThreads run before the first memtable begins, perhaps more than once
     * @param segmentBytes of the space
     */
    MemtableRotation(
            ActiveMemtable memtables,
            SpaceRetries retries,
            CommitThread commits,
            Runnable startThreads,
            long segmentBytes) {
        this.monitor = memtables.monitor;
        this.memtables = memtables;
        this.memLogs = memtables.memLogs;
        this.logs = memtables.logs;
        this.retries = retries;
        this.commits = commits;
        this.startThreads = startThreads;
        this.segmentBytes = segmentBytes;
    }

    /** Whether a writer has to wait until there may be another memtable, or commits what fills the last one. */
    boolean mustWait() {
        return !memtables.mayBeginNext() || !commits.isInline() && memtables.hasBegun() && !memLogs.isReady();
    }

    /**
     * Begins another memtable, or waits until there may be another; then the writer looks again.
     *
     * @throws StoreFullException if there is no space for a log, or no room in the space for frozen memtables; nothing
     *     has changed then, and later there may be some
     */
    void rotate(Payload payload) {
        try {
            rotateOrRefuse(payload);
        } catch (StoreFullException e) {
            if (memLogs.lacksMemory() || monitor.health.hasFailed() || !SparedRoom.isDelete(payload)) {
                throw e;
            }
            throw refusalOfDelete(e);
        }
    }

    /** The advice to delete data does not help a refused delete. This tells instead how many bytes would. */
    private StoreFullException refusalOfDelete(StoreFullException why) {
        long bytes = memtables.bytesForAll() + SEGMENTS_KEPT * segmentBytes;
        StoreFullException refusal =
                new StoreFullException("a delete finds no room, since what was put before finds none ("
                        + why.getMessage() + "); where it is the disk that is full, " + bytes
                        + " free bytes on it let deletes go on. Nothing is lost, and reads go on");
        refusal.initCause(why);
        return refusal;
    }

    private void rotateOrRefuse(Payload payload) {
        if (commits.isInline()) {
            rotateInline(payload);
            return;
        }
        if (!memtables.mayBeginNext()) {
            if (!retries.isFull()) {
                monitor.await();
                return;
            }
            boolean hasOneMore = memtables.count() <= ActiveMemtable.MAX_FROZEN + 1;
            boolean isDelete = SparedRoom.isDelete(payload);
            if (!hasOneMore || !isDelete) {
                retries.requireRoom(isDelete);
                return;
            }
        }
        long birth = memtables.birthOfNext();
        if (!memtables.hasBegun()) {
            startThreads.run(); // before anything has begun: if there can be no thread, the next write tries again
            memtables.beginOrFail(() -> memLogs.takeFirst(payload, birth));
        } else if (memLogs.isReady()) {
            memtables.beginOrFail(() -> memLogs.takeFor(payload, birth));
        } else {
            MemLog full = memtables.get();
            StoreFullException why = awaitLog(payload);
            if (why != null && isStillActive(full)) {
                beginWithoutLog(why, payload);
            }
        }
    }

    /** Whether no other one has begun. */
    private boolean isStillActive(MemLog full) {
        MemLog active = memtables.get();
        return active == full || active == null;
    }

    /**
     * Waits until the next memtable and its log are ready. If there is no space for a log (a try counts only if it has
     * begun after the call), a commit frees one to be used again, if need be that of the active memtable.
     *
     * @return the refusal, if there is no room for that commit either, or none is left to be made; else null: there is
     * one, or another thread has begun another memtable
     */
    private StoreFullException awaitLog(Payload payload) {
        MemLog full = memtables.get();
        long triesBefore = logs.triesBegun();
        logs.want();
        while (!memLogs.isReady() && isStillActive(full)) {
            StoreFullException why = logs.refusalSince(triesBefore);
            if (why != null) {
                if (retries.isFull()) {
                    if (!retries.await(SparedRoom.isDelete(payload))) {
                        return why;
                    }
                    continue;
                }
                if (memtables.nothingToCommit()) {
                    return why;
                }
                memtables.wantCommit();
            }
            monitor.await();
            monitor.health.requireUsable();
        }
        return null;
    }

    /**
     * If no further log can be made, deletes get the one in reserve, and others a small one if nothing can be
     * committed.
     */
    private void beginWithoutLog(StoreFullException why, Payload payload) {
        if (memLogs.hasReserve() && SparedRoom.isDelete(payload)) {
            memtables.beginOnReserve();
        } else if (memtables.nothingToCommit()) {
            long birth = memtables.birthOfNext();
            memtables.beginOrFail(() -> memLogs.takeFirst(payload, birth));
        } else {
            throw new StoreFullException(why.getMessage());
        }
    }

    // ---- where writers commit themselves

    private void rotateInline(Payload payload) {
        int count = memtables.count();
        if (!memtables.mayBeginNext()) {
            try {
                commits.commitAll();
                return;
            } catch (StoreFullException e) {
                if (!monitor.health.hasFailed() && memtables.count() < count) {
                    return; // some were committed, which will do
                }
                retries.refused(e);
                boolean hasOneMore = count == ActiveMemtable.MAX_FROZEN + 1;
                if (monitor.health.hasFailed() || !hasOneMore || !SparedRoom.isDelete(payload)) {
                    throw e;
                }
            }
        }
        try {
            memtables.beginOrFail(() -> memLogs.take(memtables.birthOfNext()));
            if (count > 0) { // the first write makes one log only
                keepReserveOrFail();
            }
        } catch (StoreFullException e) {
            beginInlineWithoutLog(e, count, payload);
        }
    }

    private void beginInlineWithoutLog(StoreFullException why, int count, Payload payload) {
        boolean mayUseReserve = memLogs.hasReserve() && SparedRoom.isDelete(payload);
        if (monitor.health.hasFailed() || count == 0 && !mayUseReserve) {
            throw why;
        }
        try {
            if (count > 0) {
                commits.commitActive(); // and its log can be used again
            }
            memtables.beginOrFail(() -> memLogs.take(memtables.birthOfNext()));
        } catch (StoreFullException again) {
            if (monitor.health.hasFailed() || !mayUseReserve) {
                throw again;
            }
            memtables.beginOnReserve();
        }
    }

    private void keepReserveOrFail() {
        try {
            memLogs.keepReserve();
        } catch (Throwable e) {
            monitor.health.fail(e);
            throw e;
        }
    }
}
