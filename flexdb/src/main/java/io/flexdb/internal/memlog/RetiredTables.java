package io.flexdb.internal.memlog;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.internal.memtable.MemTable;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/** Memtables that are committed and that a reader, cursor or snapshot may still see. Thread-safe. */
public final class RetiredTables {
    private final Epochs epochs;
    private final LongConsumer onPinned;
    private final RetiredQueue queue; // under this object's lock, as all below
    private final Map<Long, MemTable> inUse = new HashMap<>(); // a few, one a commit: boxes cost nothing here
    private long nextHandle;
    private volatile long pinnedBytes;

    /**
     * @param memLogs gets back those that nobody reads any more
     * @param onPinned told of the bytes that only pins hold back
     */
    public RetiredTables(Epochs epochs, MemLogs memLogs, LongConsumer onPinned) {
        this.epochs = epochs;
        this.onPinned = onPinned;
        this.queue = new RetiredQueue(epochs, handle -> memLogs.unread(inUse.remove(handle)));
    }

    /** Adds a memtable that no version published from now on lists. */
    public synchronized void retire(MemLog log) {
        long handle = nextHandle++;
        inUse.put(handle, log.table);
        queue.retire(handle, log.birth);
        reclaim();
    }

    private void reclaim() {
        queue.reclaim();
        long bytes = 0;
        if (queue.heldByPins() > 0) {
            for (MemTable table : inUse.values()) {
                bytes += table.memoryBytes();
            }
        }
        pinnedBytes = bytes;
        onPinned.accept(bytes);
    }

    /** How many only pins hold back, once those that nobody reads any more are free. */
    public synchronized int pinnedTables() {
        epochs.tryNextPhase();
        reclaim();
        return queue.heldByPins();
    }

    /** Whether none is left, once those that nobody reads any more are free. */
    public synchronized boolean isEmpty() {
        int since = epochs.phase();
        int before;
        do {
            before = epochs.phase();
            epochs.tryNextPhase();
        } while (!epochs.shortReadsEndedSince(since) && epochs.phase() != before);
        reclaim();
        return inUse.isEmpty();
    }

    /** Bytes that only pins hold back, roughly. The figure is brought up to date if it is above a limit. */
    public long pinnedBytes(long limit) {
        if (pinnedBytes > limit) {
            synchronized (this) {
                reclaim(); // pins may have gone since the last commit
            }
        }
        return pinnedBytes;
    }
}
