package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;

/** The rotation of memtables where tasks commit, and make logs ready before they are needed. */
final class AwaitedRotation extends MemtableRotation {
    private final LogRequests logs;
    private final StoreVersions versions;
    private final CommitThread commits;
    private final Runnable startTasks;

    /**
     * @param startTasks run before the first memtable begins, perhaps more than once
     * @param segmentBytes of the space
     */
    AwaitedRotation(
            ActiveMemtable memtables,
            SpaceRetries retries,
            CommitThread commits,
            Runnable startTasks,
            long segmentBytes) {
        super(memtables, retries, segmentBytes);
        this.logs = memtables.logs;
        this.versions = memtables.versions;
        this.commits = commits;
        this.startTasks = startTasks;
    }

    @Override
    boolean hasNextLog() {
        return memLogs.isReady();
    }

    @Override
    boolean isNextOnItsWay() {
        boolean hasNext = memtables.mayBeginNext() && memLogs.isReady();
        return !hasNext && logs.lastWentWell() && !retries.isFull();
    }

    @Override
    void rotateOrRefuse(Payload payload) {
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
        if (!memtables.hasBegun()) {
            startTasks.run(); // before anything has begun: if there can be no thread, the next write tries again
            memtables.beginOn(ActiveMemtable.FIRST, payload);
        } else if (memLogs.isReady()) {
            memtables.beginOn(ActiveMemtable.READY, payload);
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
            memtables.beginOn(ActiveMemtable.RESERVE, payload);
        } else if (memtables.nothingToCommit()) {
            memtables.beginOn(ActiveMemtable.FIRST, payload);
        } else {
            throw new StoreFullException(why.getMessage());
        }
    }

    @Override
    void commitWritten(Runnable goOn) {
        commits.beginHurry();
        try {
            awaitCommit(memtables.lastSequence(), goOn);
        } finally {
            commits.endHurry();
        }
    }

    private void awaitCommit(long last, Runnable goOn) {
        while (isInMemtables(last)) {
            MemLog active = memtables.get();
            boolean isNext = active != null && active == versions.current().oldest();
            if (isNext && memtables.freeze(active)) {
                continue;
            }
            if (retries.isFull()) {
                retries.requireRoom(true);
            } else {
                monitor.await(goOn);
            }
        }
    }

    private boolean isInMemtables(long last) {
        for (MemLog log : versions.current().logs()) {
            if (log.table().entryCount() > 0 && log.table().firstSequence() <= last) {
                return true;
            }
        }
        return false;
    }
}
