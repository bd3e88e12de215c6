package io.flexdb.internal.write;

import io.flexdb.storage.StoreFullException;
import java.util.function.LongSupplier;

/**
 * Tries to find room in the space that a commit did not find: writers ask for them, and the commit thread makes them.
 * All fields are under the write lock.
 */
final class SpaceRetries {
    /*
     * A writer that needs room asks for a try whenever it is refused. It waits for the result if there is hope:
     * something was deleted that the last try did not see, or reads held segments back then that they may have let go
     * of since. A delete is seen by a try if it is visible when the try begins, not if it has its number by then.
     *
     * Only a try sees space that somebody else made free on the disk. So callers without another way out wait for one
     * in any case: deletes, and those that want all to be committed. Puts are refused at once, and find it a little
     * later.
     *
     * A try may commit one memtable and find no room for the next. It can be over before a waiting writer has the lock,
     * which would see only the end of a try in vain. So commits are counted, and the writer knows that a memtable was
     * freed.
     */
    private final WriteMonitor monitor;
    private final Runnable wantCommit;
    private final LongSupplier visibleSequence;
    private StoreFullException full; // while a memtable can't be committed for want of room
    private boolean awaiting; // the task that commits is, for a try to be wanted
    private boolean wanted;
    private long ended; // tries
    private long commits; // of memtables
    private long freedThrough; // the number of the last write that has nothing but deletes
    private boolean deletesSinceTry; // since the last try began
    private boolean heldByReads; // some segments that the last try had needed

    /** @param wantCommit has the active memtable committed, if nothing else is to be */
    SpaceRetries(WriteMonitor monitor, Runnable wantCommit, LongSupplier visibleSequence) {
        this.monitor = monitor;
        this.wantCommit = wantCommit;
        this.visibleSequence = visibleSequence;
    }

    // ---- by writers, under the lock

    /** Whether a memtable can't be committed for want of room. */
    boolean isFull() {
        return full != null;
    }

    /** Notes a write that has nothing but deletes, by its last number. */
    void freed(long sequence) {
        freedThrough = sequence;
        deletesSinceTry = true;
    }

    /**
     * Throws if there is no room, after a try or two if there is hope. Else a memtable was committed.
     *
     * @param patient whether to wait for a try in any case
     */
    void requireRoom(boolean patient) {
        String refusal = full.getMessage();
        if (!await(patient)) {
            throw new StoreFullException(refusal);
        }
    }

    /**
     * Has the commit thread look for room again, and waits for the result if there is hope.
     *
     * @param patient whether to wait in any case
     * @return whether a memtable was committed; there may be no room for the next one
     */
    boolean await(boolean patient) {
        long enough = ended + (awaiting ? 1 : 2); // the one under way may have begun before what gives hope
        boolean hope = patient || deletesSinceTry || heldByReads || !awaiting;
        long before = commits;
        while (full != null && commits == before) {
            wantCommit.run(); // or there is nothing to try
            want();
            if (!hope || ended >= enough) {
                return false;
            }
            monitor.await();
            monitor.health.requireUsable();
        }
        return true;
    }

    private void want() {
        if (!wanted) {
            wanted = true;
            monitor.changed();
        }
    }

    /** A writer that commits itself has found no room. */
    void refused(StoreFullException refusal) {
        full = refusal;
        monitor.changed();
    }

    // ---- by the thread that commits

    /** A memtable was committed. Under the lock; the caller tells it. */
    void committed() {
        full = null;
        commits++;
    }

    /** {@link CommitRequests#refused}. */
    void refused(StoreFullException refusal, boolean readsHold) {
        monitor.lock();
        try {
            deletesSinceTry |= full == null; // deletes were not noted while the try was made
            full = refusal;
            heldByReads = readsHold;
            ended++;
            awaiting = true;
            monitor.changed();
        } finally {
            monitor.unlock();
        }
    }

    /** {@link CommitRequests#beginRetry}. */
    boolean beginWanted(boolean inAnyCase) {
        monitor.lock();
        try {
            if (!wanted && !inAnyCase) {
                return false;
            }
            wanted = false;
            awaiting = false;
            deletesSinceTry = freedThrough > visibleSequence.getAsLong();
            return true;
        } finally {
            monitor.unlock();
        }
    }
}
