package io.flexdb.internal.commit;

import io.flexdb.internal.memlog.MemLog;
import io.flexdb.storage.StoreFullException;

/** What writers have for the commit thread to do, and what they want to know of it. */
public interface CommitWork {
    /**
     * Waits for a memtable to commit; null when there is none, but an interval to divide, or when the store is being
     * closed and none is left, or none may be committed any more. It may be the active one, which is not {@linkplain
     * MemLog#isFrozen frozen}, and is returned once: the caller has to commit it.
     */
    MemLog awaitWork();

    /** The same without waiting: null, too, if there is nothing. */
    MemLog pollWork();

    /**
     * Waits until somebody wants room that the space did not have.
     *
     * @param readsHold whether reads, cursors or snapshots hold back segments, which may be free when they end
     * @return false if the store is being closed, or has failed
     */
    boolean awaitRetry(StoreFullException full, boolean readsHold);

    /** Waits for an interval to divide; false when the store is not to be read any more. */
    boolean awaitDivided();

    /** Waits until everything up to a sequence number is inserted. */
    void awaitVisible(long sequence);

    /** Freezes the active memtable, if it has entries, without beginning another. */
    boolean freezeActive();

    /** Wakes writers that wait for room. */
    void signalCommitted();
}
