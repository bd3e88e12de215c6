package io.flexdb.internal.memlog;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** Memtables that are committed and that a reader, cursor, snapshot or transaction may still see. Thread-safe. */
public final class RetiredTables {
    private final Epochs epochs;
    private final LongConsumer onPinned;
    private final RetiredQueue queue; // under this object's lock, as all below
    private final Map<Long, MemLog> inUse = new HashMap<>(); // a few, one a commit: boxes cost nothing here
    private final RecentWrites recent;
    private final List<MemLog> keptForTransactions = new ArrayList<>(); // which alone may still look at them
    private final MemLogs memLogs;
    private long nextHandle;
    private volatile long pinnedBytes;

    /**
     * @param memLogs gets back those that nobody reads any more
     * @param recent knows which of them transactions may still ask for
     * @param onPinned told of the bytes that only pins and transactions hold back
     */
    public RetiredTables(Epochs epochs, MemLogs memLogs, RecentWrites recent, LongConsumer onPinned) {
        this.epochs = epochs;
        this.memLogs = memLogs;
        this.recent = recent;
        this.onPinned = onPinned;
        this.queue = new RetiredQueue(epochs, this::unread);
    }

    /** The next version published lists it no more. */
    public void beforeRetiring(MemLog log) {
        recent.add(log);
    }

    /** Adds a memtable that no version published from now on lists. */
    public synchronized void retire(MemLog log) {
        enqueue(log);
        reclaim();
    }

    private void enqueue(MemLog log) {
        long handle = nextHandle++;
        inUse.put(handle, log);
        queue.retire(handle, log.birth);
    }

    private void unread(long handle) {
        MemLog log = inUse.remove(handle);
        if (recent.keeps(log)) {
            keptForTransactions.add(log);
        } else {
            memLogs.unread(log.table);
        }
    }

    private void reclaim() {
        keptForTransactions.removeIf(log -> {
            boolean isOver = !recent.keeps(log);
            if (isOver) {
                enqueue(log); // once more, as one that is about to end may still look at it
            }
            return isOver;
        });
        queue.reclaim();
        long bytes = 0;
        if (queue.heldByPins() > 0) {
            bytes += bytesOf(inUse.values());
        }
        bytes += bytesOf(keptForTransactions);
        pinnedBytes = bytes;
        onPinned.accept(bytes);
    }

    private static long bytesOf(Iterable<MemLog> logs) {
        long bytes = 0;
        for (MemLog log : logs) {
            bytes += log.table.memoryBytes();
        }
        return bytes;
    }

    /** How many only pins and transactions hold back, once those that nobody reads any more are free. */
    public synchronized int pinnedTables() {
        epochs.tryNextPhase();
        reclaim();
        return queue.heldByPins() + keptForTransactions.size();
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
        return inUse.isEmpty() && keptForTransactions.isEmpty();
    }

    /** Bytes that only pins and transactions hold back, roughly. The figure is brought up to date if it is above a limit. */
    public long pinnedBytes(long limit) {
        if (pinnedBytes > limit) {
            synchronized (this) {
                reclaim(); // pins may have gone since the last commit
            }
        }
        return pinnedBytes;
    }
}
