package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StoreFullException;

/** The rotation of memtables where writers commit themselves, and make logs, when they need it. */
final class OwnRotation extends MemtableRotation {
    private final CommitThread commits;

    /** @param segmentBytes of the space */
    OwnRotation(ActiveMemtable memtables, SpaceRetries retries, CommitThread commits, long segmentBytes) {
        super(memtables, retries, segmentBytes);
        this.commits = commits;
    }

    @Override
    boolean hasNextLog() {
        return true; // it is made when it is needed
    }

    @Override
    boolean isNextOnItsWay() {
        return false;
    }

    @Override
    void rotateOrRefuse(Payload payload) {
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
            memtables.beginOn(ActiveMemtable.MADE, payload);
            if (count > 0) { // the first write makes one log only
                keepReserveOrFail();
            }
        } catch (StoreFullException e) {
            beginWithoutLog(e, count, payload);
        }
    }

    private void beginWithoutLog(StoreFullException why, int count, Payload payload) {
        boolean mayUseReserve = memLogs.hasReserve() && SparedRoom.isDelete(payload);
        if (monitor.health.hasFailed() || count == 0 && !mayUseReserve) {
            throw why;
        }
        try {
            if (count > 0) {
                commits.commitActive(); // and its log can be used again
            }
            memtables.beginOn(ActiveMemtable.MADE, payload);
        } catch (StoreFullException again) {
            if (monitor.health.hasFailed() || !mayUseReserve) {
                throw again;
            }
            memtables.beginOn(ActiveMemtable.RESERVE, payload);
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

    @Override
    void commitWritten(Runnable goOn) {
        MemLog active = memtables.get();
        if (active != null) {
            memtables.freeze(active);
        }
        commits.commitAll();
    }
}
