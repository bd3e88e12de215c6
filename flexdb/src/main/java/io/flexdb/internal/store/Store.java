package io.flexdb.internal.store;

import io.flexdb.Durability;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBStats;
import io.flexdb.flexspace.internal.SpaceEngine;
import io.flexdb.flexspace.internal.StripedPool;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.flextree.internal.Epochs;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.GroupCommit;
import io.flexdb.internal.wal.WalFormat;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open store: the path of a write, the publication of versions, and the end. Reading is in {@link StoreReader}, what
 * happens behind the writers in {@link CommitThread}.
 */
public final class Store implements AutoCloseable {
    /*
     * The path of a write. Payload and checksum are made outside any lock. Under the commit lock it gets its sequence
     * numbers, its room in the active memtable, and its frame in that memtable's log. It is inserted in parallel with
     * others. Then it becomes visible, in the order of sequence numbers: a write waits for those before it, which are
     * past their lock and so only a few memory accesses away. Visible before durable is deliberate; the call returns
     * after both, as its durability asks.
     *
     * Locks, always in this order: commitLock (sequence numbers, the active memtable, state), versionLock (one
     * publication at a time; never held for anything slow).
     *
     * I1  visibleSequence never falls, and everything up to it is inserted.
     * I2  version.storeSequence <= visibleSequence for a reader that took visibleSequence first and checks.
     * I3  Versions with the same id have the same roots; the commit thread alone makes new ids.
     */
    private static final int MAX_FROZEN = 2;
    private static final int SPINS = 64;

    final Epochs epochs;
    final SpaceEngine engine;
    final SparseIndex index;
    final IntervalCache cache;
    final IntervalReader intervals;
    private final StripedPool<ReadContext> contexts = new StripedPool<>(ReadContext::new);
    final Committer committer;
    final MemLogs memLogs;
    final GroupCommit groupCommit;
    final FlexDBOptions options;
    final LongAdder walBytesWritten = new LongAdder();
    private final Path directory;
    private final Vfs vfs;
    private final VfsLock lock;
    private final CommitThread commits;
    private final SyncThread syncs;

    private final ReentrantLock commitLock = new ReentrantLock();
    private final Condition logsChanged = commitLock.newCondition();
    private final Object versionLock = new Object();

    private volatile Version version;
    private volatile int freeSegments; // of the last publication; only the commit thread may ask the engine
    private volatile long visibleSequence;
    private long lastSequence; // under the commit lock
    private MemLog active; // under the commit lock
    private volatile boolean closed;
    private volatile Throwable failure;
    private StoreFullException spaceFull; // while a memtable can't be committed for want of room; under the commit lock
    private boolean retryWanted; // under the commit lock
    private boolean restCommitted; // by the closing thread
    private boolean released; // under the close lock
    private final Object closeLock = new Object();

    Store(StoreOpener opened) {
        this.vfs = opened.vfs;
        this.directory = opened.directory;
        this.lock = opened.lock;
        this.options = opened.options;
        this.epochs = opened.epochs;
        this.engine = opened.engine;
        this.index = opened.index;
        this.cache = opened.cache;
        this.intervals = opened.intervals;
        this.committer = opened.committer;
        this.memLogs = opened.memLogs;
        this.lastSequence = engine.tag();
        this.visibleSequence = lastSequence;
        this.groupCommit = new GroupCommit(lastSequence, this::fail);
        this.version =
                new Version(epochs.writerEpoch(), index.current(), engine.current(), Version.NO_LOGS, lastSequence);
        epochs.advance();
        this.freeSegments = engine.freeSegmentCount();
        this.commits = new CommitThread(this, opened.inline);
        this.syncs = new SyncThread(this, opened.inline);
    }

    /** Begins to commit what is frozen; after a recovery. */
    void start() {
        commits.start();
        engine.scrubber().start(this::pinNewest);
    }

    private long pinNewest() {
        int ticket = enter();
        try {
            long id = version.id();
            epochs.pin(id);
            return id;
        } finally {
            epochs.exit(ticket);
        }
    }

    // ---- writing

    /** Whether a write can be made at all, by its size. */
    void requireFits(long payloadBytes, long bodyBytes, int entries) {
        if (payloadBytes > memLogs.maxPayloadBytes()
                || !MemTable.couldHold(options.memtableBytes(), bodyBytes, entries)) {
            throw new IllegalArgumentException("the write has " + payloadBytes + " bytes in " + entries
                    + " entries, which a memtable of " + options.memtableBytes()
                    + " bytes can't hold; split it, or open the store with larger memtables");
        }
    }

    /** Whether one more delete fits an eighth of a memtable together with others, or there are no others. */
    public boolean hasRoomFor(long bodyBytes, int entries, int keyLength) {
        int bytes = MemTable.arenaBytesFor(bodyBytes + MemTable.bodyBytes(keyLength, 0), entries + 1);
        return entries == 0 || bytes <= options.memtableBytes() / 8;
    }

    /**
     * Writes all entries of a payload, atomically.
     *
     * @param checksum its {@link WalFormat#payloadChecksum}
     * @param bodyBytes the sum of {@link MemTable#bodyBytes} over its entries
     * @return the sequence number of the last entry
     */
    public long write(byte[] payload, int length, int checksum, int entries, long bodyBytes, Durability durability) {
        requireFits(length, bodyBytes, entries);
        MemLog log;
        long first;
        int reserved;
        commitLock.lock();
        try {
            while (true) {
                requireUsable();
                log = active;
                if (log != null && log.wal.hasRoom(length)) {
                    reserved = log.table.reserve(bodyBytes, entries, lastSequence + 1);
                    if (reserved != MemTable.NONE) {
                        break;
                    }
                }
                rotate();
            }
            first = lastSequence + 1;
            append(log, payload, length, checksum, first, entries);
            lastSequence += entries;
        } finally {
            commitLock.unlock();
        }
        walBytesWritten.add(WalFormat.frameBytes(length));
        long last = first + entries - 1;
        insert(log, payload, length, first, last, reserved);
        if (durability == Durability.SYNC) {
            groupCommit.awaitDurable(last);
        }
        return last;
    }

    private void append(MemLog log, byte[] payload, int length, int checksum, long first, int entries) {
        try {
            log.wal.append(payload, 0, length, checksum, first, entries);
        } catch (Throwable e) {
            fail(e); // room in the memtable is taken, and the log may end in a part of a frame
            throw e;
        }
    }

    private void insert(MemLog log, byte[] payload, int length, long first, long last, int reserved) {
        try {
            log.table.insertAll(payload, 0, length, first, reserved);
        } catch (Throwable e) {
            fail(e); // those behind must not wait for this one
            throw e;
        }
        awaitVisible(first - 1);
        visibleSequence = last;
    }

    /** Waits until everything up to a sequence number is inserted. */
    void awaitVisible(long sequence) {
        for (int round = 0; visibleSequence < sequence; round++) {
            if (failure != null) {
                throw new StoreFailedException(failure);
            }
            if (round < SPINS) {
                Thread.onSpinWait();
            } else if (round < 2 * SPINS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /**
     * Freezes the active memtable and begins another, or waits until there may be another. Under the commit lock.
     *
     * @throws StoreFullException if there is no space for a log, or no room in the space for what is frozen; nothing has
     *     changed then, and later there may be some
     */
    private void rotate() {
        if (version.logs().length > MAX_FROZEN) {
            if (commits.isInline()) {
                commits.commitAll();
            } else {
                requireSpace();
                logsChanged.awaitUninterruptibly();
            }
            return;
        }
        try {
            begin(memLogs.take(version.id()));
        } catch (StoreFullException e) {
            throw e;
        } catch (Throwable e) {
            fail(e);
            throw e;
        }
    }

    /** Refuses what would have to wait for room in the space, and has the commit thread look for it again. */
    private void requireSpace() {
        if (spaceFull != null) {
            retryWanted = true;
            logsChanged.signalAll();
            throw new StoreFullException(spaceFull.getMessage());
        }
    }

    /**
     * Waits until somebody wants room that the space did not have. By the commit thread.
     *
     * @return false if the store is being closed, or has failed
     */
    boolean awaitRetry(StoreFullException full) {
        commitLock.lock();
        try {
            spaceFull = full;
            logsChanged.signalAll();
            while (!retryWanted && !closed && failure == null) {
                logsChanged.awaitUninterruptibly();
            }
            retryWanted = false;
            return !closed && failure == null;
        } finally {
            commitLock.unlock();
        }
    }

    private void begin(MemLog next) {
        if (active != null) {
            active.table.setLastSequence(lastSequence);
        }
        next.table.setFirstSequence(lastSequence + 1);
        groupCommit.add(next.wal);
        synchronized (versionLock) {
            version = version.withNewest(next);
        }
        active = next;
        logsChanged.signalAll();
        syncs.start();
    }

    /** Takes a write from a log that an earlier process left; see {@link StoreOpener}. */
    void writeRecovered(byte[] payload, int length, long first, int entries, long bodyBytes) {
        commitLock.lock();
        try {
            int reserved = MemTable.NONE;
            if (active != null && active.wal.hasRoom(length)) {
                reserved = active.table.reserve(bodyBytes, entries, first);
            }
            if (reserved == MemTable.NONE) {
                boolean usual = length <= memLogs.maxPayloadBytes()
                        && MemTable.couldHold(options.memtableBytes(), bodyBytes, entries);
                begin(
                        usual
                                ? memLogs.take(version.id())
                                : memLogs.takeLarge(MemTable.arenaBytesFor(bodyBytes, entries), length, version.id()));
                reserved = active.table.reserve(bodyBytes, entries, first);
            }
            int checksum = WalFormat.payloadChecksum(payload, 0, length);
            active.wal.append(payload, 0, length, checksum, first, entries);
            lastSequence = first + entries - 1;
            active.table.insertAll(payload, 0, length, first, reserved);
            visibleSequence = lastSequence;
        } finally {
            commitLock.unlock();
        }
    }

    /** Makes every write so far durable. */
    public void sync() {
        requireUsable();
        long last = visibleSequence;
        groupCommit.awaitDurable(last);
    }

    /** Every write up to this sequence number is durable. */
    public long durableSequence() {
        requireUsable();
        return groupCommit.durableSequence();
    }

    // ---- versions

    /** The version to read, for a reader that has taken {@link #visibleSequence()} before. */
    Version version() {
        return version;
    }

    long visibleSequence() {
        return visibleSequence;
    }

    /** Publishes the writer's roots, with the memtables there are. Commit thread only. */
    void publishRoots(long storeSequence) {
        publish(storeSequence, false);
    }

    /** Publishes the writer's roots without the oldest memtable, which is wholly in them. Commit thread only. */
    void publishWithoutOldest(long storeSequence) {
        publish(storeSequence, true);
    }

    private void publish(long storeSequence, boolean withoutOldest) {
        synchronized (versionLock) {
            Version now = version;
            version = new Version(
                    epochs.writerEpoch(),
                    index.current(),
                    engine.current(),
                    withoutOldest ? now.withoutOldest() : now.logs(),
                    storeSequence);
            epochs.advance();
        }
        engine.reclaim();
        index.reclaim();
        freeSegments = engine.freeSegmentCount();
    }

    /** The oldest memtable if it takes no more writes, else null. */
    MemLog oldestFrozen() {
        Version now = version;
        return now.logs().length > 1 ? now.oldest() : null;
    }

    /** Waits for a memtable to commit; null when the store is being closed and none is left, or has failed. */
    MemLog awaitFrozen() {
        commitLock.lock();
        try {
            while (true) {
                if (failure != null) {
                    return null;
                }
                MemLog frozen = oldestFrozen();
                if (frozen != null) {
                    return frozen;
                }
                if (closed) {
                    return null;
                }
                logsChanged.awaitUninterruptibly();
            }
        } finally {
            commitLock.unlock();
        }
    }

    /** Wakes writers that wait for room. */
    void signalCommitted() {
        commitLock.lock();
        try {
            spaceFull = null;
            logsChanged.signalAll();
        } finally {
            commitLock.unlock();
        }
    }

    // ---- state

    /** Stops the store: what is on disk is unknown until it is opened again (O8). The first failure counts. */
    void fail(Throwable cause) {
        synchronized (versionLock) {
            if (failure == null) {
                failure = cause instanceof StoreFailedException && cause.getCause() != null ? cause.getCause() : cause;
            }
        }
        groupCommit.fail(failure); // who waits there must not force a log that is being closed
        commitLock.lock();
        try {
            logsChanged.signalAll();
        } finally {
            commitLock.unlock();
        }
    }

    boolean isUsable() {
        return !closed && failure == null;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Throws if the store is closed or has failed. */
    public void requireUsable() {
        if (closed || failure != null) {
            throw notUsable();
        }
    }

    StorageException notUsable() {
        return closed ? new StoreClosedException("the store") : new StoreFailedException(failure);
    }

    /** Begins a short read. */
    int enter() {
        int ticket = epochs.enter();
        if (closed || failure != null) {
            epochs.exit(ticket);
            throw notUsable();
        }
        return ticket;
    }

    /** A context for one read, or for a cursor's life. */
    ReadContext borrowContext() {
        return contexts.borrow();
    }

    void giveBack(ReadContext context) {
        context.shrink();
        contexts.giveBack(context);
    }

    /** The settings. */
    public FlexDBOptions options() {
        return options;
    }

    long memtableMemoryBytes() {
        long bytes = 0;
        for (MemLog log : version.logs()) {
            bytes += log.table.memoryBytes();
        }
        return bytes;
    }

    /** Bytes that snapshots and cursors keep from being used again, roughly, if they are more than the limit. */
    long pinnedBytes(long limit) {
        return commits.pinnedBytes(limit);
    }

    /** The sequence number of the last visible write. */
    public long lastVisibleSequence() {
        return visibleSequence;
    }

    /** Figures of this moment. */
    public FlexDBStats stats() {
        int ticket = enter();
        try {
            Version now = version;
            return new FlexDBStats(
                    visibleSequence,
                    groupCommit.durableSequence(),
                    now.index().intervalCount(),
                    now.space().extentCount(),
                    now.space().size(),
                    engine.segmentCount(),
                    freeSegments,
                    (long) engine.segmentCount() * engine.segmentBytes(),
                    walBytesWritten.sum(),
                    engine.dataBytesWritten(),
                    engine.logBytesWritten(),
                    engine.treeBytesWritten(),
                    engine.bytesMoved(),
                    engine.checkpoints(),
                    cache.hits(),
                    cache.misses(),
                    cache.memoryBytes(),
                    memtableMemoryBytes(),
                    engine.treeMemoryBytes(),
                    index.memoryBytes(),
                    engine.scrubber().bytesRead(),
                    engine.scrubber().passes(),
                    engine.scrubber().findingCount());
        } finally {
            epochs.exit(ticket);
        }
    }

    @Override
    public String toString() {
        return "FlexDB[" + directory + (closed ? ", closed]" : failure != null ? ", failed]" : "]");
    }

    // ---- the end

    /**
     * Ends the store: writes that are under way finish, what is in memtables is committed, reads that are under way
     * finish, and the files are closed. Later calls throw. After a failure nothing is written.
     */
    @Override
    public void close() {
        synchronized (closeLock) {
            if (released) {
                return;
            }
            released = true;
            long last = refuseMore();
            try {
                finishCommits(last);
            } finally {
                while (epochs.hasReaders()) {
                    LockSupport.parkNanos(10_000);
                }
                release();
            }
        }
    }

    /** Ends a store whose recovery failed: nothing is written. */
    void abandon(Throwable cause) {
        synchronized (closeLock) {
            released = true;
            fail(cause);
            syncs.stop();
            release();
        }
    }

    private long refuseMore() {
        commitLock.lock();
        try {
            closed = true;
            logsChanged.signalAll();
            return lastSequence;
        } finally {
            commitLock.unlock();
        }
    }

    private void finishCommits(long last) {
        syncs.stop();
        if (failure == null) {
            awaitVisible(last);
        }
        commits.stop();
        if (failure == null) {
            try {
                commits.commitRest();
                restCommitted = true;
            } catch (StoreFullException e) {
                if (failure == null) {
                    groupCommit.awaitDurable(last); // the logs keep what the space has no room for
                }
                throw e;
            }
        }
    }

    /** Freezes the active memtable, if it has entries. When nobody writes any more. */
    boolean freezeActive() {
        commitLock.lock();
        try {
            if (active == null || active.table.entryCount() == 0) {
                return false;
            }
            active.table.setLastSequence(lastSequence);
            active = null;
            return true;
        } finally {
            commitLock.unlock();
        }
    }

    private void release() {
        try (lock) {
            try {
                releaseFiles();
            } finally { // does nothing to logs that were deleted
                memLogs.releaseAll();
                for (MemLog log : version.logs()) {
                    log.wal.release();
                }
            }
        }
    }

    private void releaseFiles() {
        if (failure != null || !restCommitted) {
            engine.close();
            return;
        }
        engine.closeCleanly();
        for (MemLog log : version.logs()) {
            memLogs.covered(log.wal);
        }
        memLogs.deleteAll();
        AnchorsFile.write(vfs, directory, index, engine);
    }
}
