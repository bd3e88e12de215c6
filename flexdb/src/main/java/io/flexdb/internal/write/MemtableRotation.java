package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StoreFullException;

/**
 * Helps a writer that finds no room in the active memtable: it begins the next one, or is refused. All of it under the
 * write lock. Writers wait for a commit and for the next log (a write stall), which tasks make: {@link AwaitedRotation};
 * or they make both when they need them: {@link OwnRotation}.
 */
abstract class MemtableRotation {
    private static final int SEGMENTS_KEPT = 6; // open, and kept back, beside those that are filled

    final WriteMonitor monitor;
    final ActiveMemtable memtables;
    final MemLogs memLogs;
    final SpaceRetries retries;
    private final long segmentBytes;

    /** @param segmentBytes of the space */
    MemtableRotation(ActiveMemtable memtables, SpaceRetries retries, long segmentBytes) {
        this.monitor = memtables.monitor;
        this.memtables = memtables;
        this.memLogs = memtables.memLogs;
        this.retries = retries;
        this.segmentBytes = segmentBytes;
    }

    /** Whether the next log is at hand for a writer that needs it. */
    abstract boolean hasNextLog();

    /** Whether writes are to be slowed, since the next memtable is not there yet, but comes nearer meanwhile. */
    abstract boolean isNextOnItsWay();

    /**
     * Has all earlier writes committed.
     *
     * @param goOn throws if the caller is to end
     * @throws StoreFullException if there is no room for it
     */
    abstract void commitWritten(Runnable goOn);

    /**
     * Begins another memtable, or has the writer look again.
     *
     * @throws StoreFullException as {@link #rotate} does
     */
    abstract void rotateOrRefuse(Payload payload);

    /** Whether a writer has to wait until there may be another memtable, or commits what fills the last one. */
    final boolean mustWait() {
        return !memtables.mayBeginNext() || memtables.hasBegun() && !hasNextLog();
    }

    /**
     * Begins another memtable, or waits until there may be another; then the writer looks again.
     *
     * @throws StoreFullException if there is no space for a log, or no room in the space for frozen memtables; nothing
     *     has changed then, and later there may be some
     */
    final void rotate(Payload payload) {
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
}
