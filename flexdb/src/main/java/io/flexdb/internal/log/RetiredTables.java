package io.flexdb.internal.log;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.internal.mem.MemTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Memtables that are committed and that a reader, cursor, snapshot or transaction may still see. Thread-safe. */
public final class RetiredTables {
    /*
     * When they take more memory than they may, one thread moves the entries of some to a file, without the lock.
     * Another thread may find meanwhile that nobody reads such a memtable any more; then it stays as it is until the
     * move has ended. Readers that have found the table before its entries were moved may read it still: short reads,
     * and the cursors and lookups that were open then. The memory is used again when all of these are over.
     *
     * The one retired last does not count as held back. Where short walks go on all the time some are under way whenever
     * one is retired, and are over long before the next one. If it counted, the cache would make room for it at each
     * commit, and lose what walks look for. The cost: one memtable above the budget while a pin holds the last one.
     */
    private static final Comparator<MemLog> BY_RETIRING = Comparator.comparingLong(log -> log.retired);

    private final Epochs epochs;
    private final LongConsumer onPinned;
    private final RetiredQueue queue; // under this object's lock, as all below
    private final Map<Long, MemLog> inUse = new HashMap<>(); // a few, one a commit: boxes cost nothing here
    private final RecentWrites recent;
    private final List<MemLog> keptForTransactions = new ArrayList<>(); // which alone may still look at them
    private final List<Ending> ending = new ArrayList<>();
    private final List<Left> left = new ArrayList<>();
    /** Gets back those that nobody reads any more. */
    public final MemLogs memLogs;

    private MemLog moving; // or null
    private boolean isMovingUnread;
    private Runnable limit = () -> {};
    private long nextHandle;

    /** A memtable that short reads of a phase may still look at. */
    private record Ending(MemLog log, int phase) {}

    /** A memtable whose entries were moved in a phase. */
    private record Left(MemLog log, MemTable table, int phase, TableReaders readers) {}

    /**
     * Memory of a memtable that is committed, and who keeps it.
     *
     * @param birth the first version that sees it
     * @param retired the first later one that does not
     * @param isMoved whether its entries were moved, and this is what it takes to find them
     * @param readers if its entries were moved, those who read it all the same; else null, and all see it that read one
     *     of these versions
     */
    public record Kept(long birth, long retired, long bytes, boolean isMoved, TableReaders readers) {}

    /**
     * @param recent knows which of them transactions may still ask for
     * @param onPinned told of the bytes that only pins and transactions hold back, but for the memtable retired last
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
        reclaim();
    }

    private void enqueue(MemLog log) {
        long handle = nextHandle++;
        log.retired = epochs.writerEpoch();
        inUse.put(handle, log);
        queue.retire(handle, log.birth);
    }

    /** Those that a reader may still see. */
    public synchronized List<Kept> kept() {
        List<Kept> kept = new ArrayList<>();
        for (MemLog log : inUse.values()) {
            kept.add(new Kept(log.birth, log.retired, bytesOf(log), log.table() == null, null));
        }
        for (Left one : left) {
            kept.add(new Kept(one.log.birth, one.log.retired, one.table.memoryBytes(), false, one.readers));
        }
        return kept;
    }

    private static long bytesOf(MemLog log) {
        MemTable table = log.table();
        return table == null ? log.moved().heapBytes() : table.memoryBytes();
    }

    // ---- moving entries

    /**
     * Those whose entries may be moved, the oldest first: only pins see them. Waits for short reads, so it is not to be
     * called in one.
     */
    public List<MemLog> movable() {
        List<MemLog> found = new ArrayList<>();
        int phase;
        synchronized (this) {
            for (MemLog log : inUse.values()) {
                if (log.table() != null && !log.table().isEmpty() && !recent.keeps(log)) {
                    found.add(log);
                }
            }
            phase = epochs.phase();
        }
        if (!found.isEmpty()) { // a transaction that is about to end may look at one that was kept for it a moment ago
            epochs.awaitShortReadsEndedSince(phase);
        }
        found.sort(BY_RETIRING);
        return found;
    }

    /**
     * Has the entries of a memtable be read elsewhere. By one thread at a time.
     *
     * @param log of {@link #movable}
     * @param write brings them there; if it throws, they stay
     * @param readers asked afterwards who was reading
     */
    public void move(MemLog log, Supplier<MovedEntries> write, Supplier<TableReaders> readers) {
        synchronized (this) {
            if (!inUse.containsValue(log)) {
                return;
            }
            moving = log;
        }
        MovedEntries moved = null;
        try {
            moved = write.get();
        } finally {
            endMove(log, moved, readers);
        }
    }

    private synchronized void endMove(MemLog log, MovedEntries moved, Supplier<TableReaders> readers) {
        moving = null;
        if (isMovingUnread) {
            isMovingUnread = false;
            if (moved != null) {
                moved.close();
            }
            memLogs.unread(log);
        } else if (moved != null) {
            MemTable table = log.table();
            log.move(moved);
            try {
                left.add(new Left(log, table, epochs.phase(), readers.get()));
            } catch (OutOfMemoryError e) { // of a full heap: then the garbage collector finds out who reads it
                memLogs.unread(table, false);
            }
        }
    }

    /** Lets go of memory whose entries were moved, and that nobody reads any more. */
    private void letLeftGo() {
        for (Iterator<Left> all = left.iterator(); all.hasNext(); ) {
            Left one = all.next();
            if (epochs.shortReadsEndedSince(one.phase) && !one.readers.areAny()) {
                memLogs.unread(one.table, !one.log.isMemoryKeptFromUse());
                all.remove();
            }
        }
    }

    private int movedCount() {
        int count = 0;
        for (MemLog log : inUse.values()) {
            count += log.table() == null ? 1 : 0;
        }
        return count;
    }

    // ---- letting go

    private void unread(long handle) {
        MemLog log = inUse.remove(handle);
        if (log == moving) {
            isMovingUnread = true;
        } else if (log.table() == null) {
            log.moved().close();
        } else if (recent.keeps(log)) {
            keptForTransactions.add(log);
        } else {
            memLogs.unread(log);
        }
    }

    /** Lets go of those that nobody reads any more. */
    public synchronized void reclaim() {
        for (Iterator<MemLog> all = keptForTransactions.iterator(); all.hasNext(); ) {
            MemLog log = all.next();
            if (!recent.keeps(log)) {
                ending.add(new Ending(log, epochs.phase())); // one that is about to end may still look at it
                all.remove();
            }
        }
        for (Iterator<Ending> all = ending.iterator(); all.hasNext(); ) {
            Ending one = all.next();
            if (epochs.shortReadsEndedSince(one.phase)) {
                memLogs.unread(one.log);
                all.remove();
            }
        }
        queue.reclaim();
        letLeftGo();
        long bytes = bytesOf(keptForTransactions);
        for (Map.Entry<Long, MemLog> one : inUse.entrySet()) {
            MemLog log = one.getValue();
            boolean isHeld = one.getKey() < nextHandle - 1 && epochs.isPinned(log.birth, log.retired);
            bytes += isHeld ? bytesOf(log) : 0;
        }
        for (Left one : left) {
            bytes += one.table.memoryBytes();
        }
        onPinned.accept(bytes);
    }

    private static long bytesOf(Iterable<MemLog> logs) {
        long bytes = 0;
        for (MemLog log : logs) {
            bytes += log.table().memoryBytes();
        }
        return bytes;
    }

    /** How many only pins and transactions hold back, once those that nobody reads any more are free. */
    public synchronized int pinnedTables() {
        epochs.tryNextPhase();
        reclaim();
        int held = Math.max(0, queue.heldByPins() - movedCount());
        return held + left.size() + keptForTransactions.size() + ending.size();
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
        return inUse.isEmpty() && left.isEmpty() && keptForTransactions.isEmpty() && ending.isEmpty();
    }
}
