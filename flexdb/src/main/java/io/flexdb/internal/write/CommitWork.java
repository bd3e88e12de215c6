package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.storage.StoreFullException;
import java.util.function.LongConsumer;

/** The writers' work for the commit thread, and its reports to them. */
public interface CommitWork {
    /**
     * A memtable to commit; null when there is none, or none may be committed any more. It may be the active one, which
     * is not {@linkplain MemLog#isFrozen frozen}, for as long as somebody wants that.
     */
    MemLog findWork();

    /** The nanoseconds after which there may be work that nobody tells of. After a look that has found none. */
    long nanosToNextLook();

    /** Returns as {@link #findWork} does, but leaves a memtable alone that fills slowly. Changes nothing. */
    MemLog pollWork();

    /**
     * Tells that the space did not have room for a commit.
     *
     * @param readsHold whether reads, cursors or snapshots hold back segments, which may be free when they end
     */
    void refused(StoreFullException full, boolean readsHold);

    /** Whether to try again, since somebody wants that room, there is an errand, or the store is at its end. */
    boolean beginRetry();

    /** Makes all threads that wait for any of this look again. Any thread. */
    void wake();

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
