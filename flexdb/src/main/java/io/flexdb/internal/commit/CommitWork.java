package io.flexdb.internal.commit;

import io.flexdb.internal.memlog.MemLog;
import io.flexdb.storage.StoreFullException;
import java.util.function.LongConsumer;

/** What writers have for the commit thread to do, and what they want to know of it. */
public interface CommitWork {
    /**
     * A memtable to commit; null when there is none, or none may be committed any more. It may be the active one, which is not {@linkplain
     * MemLog#isFrozen frozen}, for as long as somebody wants that.
     */
    MemLog findWork();

    /** After how many nanoseconds there may be some that nobody tells of. After a look that has found none. */
    long nanosToNextLook();

    /** The same as {@link #findWork}, but what fills slowly is left alone. To look changes nothing. */
    MemLog pollWork();

    /**
     * Waits until somebody wants room that the space did not have.
     *
     * @param readsHold whether reads, cursors or snapshots hold back segments, which may be free when they end
     * @return false if the store is being closed, or has failed
     */
    boolean awaitRetry(StoreFullException full, boolean readsHold);

    /** Has the thread that waits for any of this look again. Any thread. */
    void wake();

    /** Waits for an interval to divide, or an errand; false when the store is not to be read any more. */
    boolean awaitDivided();

    /** Freezes a memtable without beginning another, if it takes writes still and has entries. */
    boolean freeze(MemLog log);

    /** The last sequence number given to a write. */
    long lastSequence();

    /**
     * Has a run published between two writes, and returns the number of the one before it, which is visible then.
     *
     * @param publish is given that number
     */
    long publishRun(LongConsumer publish);

    /** Says that the log of the oldest memtable can be used again; wakes writers that wait for room. */
    void signalCommitted();
}
