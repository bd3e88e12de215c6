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
    private final List<Ending> ending = new ArrayList<>();
    private final MemLogs memLogs;
    private Runnable limit = () -> {};
    private long nextHandle;

    /** One that short reads may look at which were under way in a phase. */
    private record Ending(MemLog log, int phase) {}

    /** A memtable that is committed, and what sees it: the versions from one to before another. */
    public record Kept(long birth, long retired, long bytes) {}

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

    /** Has this run whenever a memtable has been retired: perhaps too much is kept. */
    public void afterRetiring(Runnable newLimit) {
        limit = newLimit;
    }

    /** Adds a memtable that no version published from now on lists. */
    public void retire(MemLog log) {
        synchronized (this) {
            enqueue(log);
        }
        limit.run(); // without the lock, as it has others end what they read
        reclaimNow();
    }

    private void enqueue(MemLog log) {
        long handle = nextHandle++;
        log.retired = epochs.writerEpoch();
        inUse.put(handle, log);
        queue.retire(handle, log.birth);
    }

    /** Lets go of those that nobody reads any more. */
    public synchronized void reclaimNow() {
        reclaim();
    }

    /** Those that a reader may still see. */
    public synchronized List<Kept> kept() {
        List<Kept> kept = new ArrayList<>();
        for (MemLog log : inUse.values()) {
            kept.add(new Kept(log.birth, log.retired, log.table.memoryBytes()));
        }
        return kept;
    }

    private void unread(long handle) {
        MemLog log = inUse.remove(handle);
        if (recent.keeps(log)) {
            keptForTransactions.add(log);
        } else {
            memLogs.unread(log);
        }
    }

    private void reclaim() {
        keptForTransactions.removeIf(log -> {
            boolean isOver = !recent.keeps(log);
            if (isOver) {
                ending.add(new Ending(log, epochs.phase())); // one that is about to end may still look at it
            }
            return isOver;
        });
        ending.removeIf(one -> {
            boolean isOver = epochs.shortReadsEndedSince(one.phase);
            if (isOver) {
                memLogs.unread(one.log);
            }
            return isOver;
        });
        queue.reclaim();
        long bytes = bytesOf(keptForTransactions);
        for (MemLog log : inUse.values()) {
            bytes += epochs.isPinned(log.birth, log.retired) ? log.table.memoryBytes() : 0;
        }
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
        return queue.heldByPins() + keptForTransactions.size() + ending.size();
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
        return inUse.isEmpty() && keptForTransactions.isEmpty() && ending.isEmpty();
    }
}
