package io.flexdb.internal.store;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.wal.GroupCommit;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * An open store: its parts, the publication of versions, and the end. Writing is in {@link StoreWriter}, reading in
 * {@link StoreReader}, what happens behind the writers in {@link CommitThread}.
 */
public final class Store implements AutoCloseable {
    /*
     * Locks, always in this order: the writer's commitLock (sequence numbers, the active memtable, state), versionLock
     * (one publication at a time; never held for anything slow).
     *
     * I1  version.storeSequence <= visibleSequence for a reader that took visibleSequence first and checks.
     * I2  Versions with the same id have the same roots; the commit thread alone makes new ids.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    final Health health;
    final Epochs epochs;
    public final SpaceEngine engine;
    public final SparseIndex index;
    public final IntervalCache cache;
    final IntervalReader intervals;
    public final OffHeap memory;
    final MemoryBudget budget;
    private final StripedPool<ReadContext> contexts;
    private final KeptBytes keptForReads;
    public final Committer committer;
    final Refiner refiner;
    public final MemLogs memLogs;
    public final GroupCommit groupCommit;
    final StoreSettings settings;
    private final Path directory;
    private final Vfs vfs;
    private final VfsLock lock;
    private final CommitThread commits;
    private final SyncThread syncs;
    private final LogThread logThread;
    private final StoreWriter writer;

    private final Object versionLock = new Object();

    private volatile Version version;
    private volatile int freeSegments; // of the last publication; only the commit thread may ask the engine
    private boolean restCommitted; // by the closing thread
    private boolean released; // under the close lock
    private final Object closeLock = new Object();

    Store(StoreOpener opened) {
        this.vfs = opened.vfs;
        this.directory = opened.directory;
        this.lock = opened.lock;
        this.settings = opened.settings;
        this.health = opened.health;
        this.memory = opened.memory;
        this.budget = opened.budget;
        this.contexts = new StripedPool<>(() -> new ReadContext(memory, OffHeap.Use.READS));
        this.keptForReads = new KeptBytes(budget.readBytes());
        this.epochs = opened.epochs;
        this.engine = opened.engine;
        this.index = opened.index;
        this.cache = opened.cache;
        this.intervals = opened.intervals;
        this.committer = opened.committer;
        this.memLogs = opened.memLogs;
        long lastSequence = engine.tag();
        this.groupCommit = new GroupCommit(lastSequence, health);
        this.version =
                new Version(epochs.writerEpoch(), index.current(), engine.current(), Version.NO_LOGS, lastSequence);
        epochs.advance();
        this.freeSegments = engine.freeSegmentCount();
        this.commits = new CommitThread(this, opened.inline);
        Path dataFile = directory.resolve(StoreFiles.SPACE_NAME).resolve("data");
        this.refiner = new Refiner(this, opened.touched, dataFile, opened.inline, commits::publish, System::nanoTime);
        this.syncs = new SyncThread(this, opened.inline);
        this.logThread = new LogThread(this, opened.inline);
        this.writer = new StoreWriter(this, memLogs, groupCommit, commits, syncs, logThread, lastSequence);
        health.onChange(writer::signalAll);
    }

    /** Begins to commit what is frozen; after a recovery. */
    void start() {
        commits.start();
        if (version.logs().length > 0) {
            writer.startThreads();
        }
        refiner.start();
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

    /** Divides all coarse intervals, on the caller's thread. For stores without threads. */
    public void refineHere() {
        health.requireReadable();
        refiner.refineHere(Integer.MAX_VALUE);
    }

    /** What writes to it. */
    public StoreWriter writer() {
        return writer;
    }

    // ---- durability

    /** Makes every write so far durable. */
    public void sync() {
        health.requireReadable();
        groupCommit.awaitDurable(visibleSequence());
    }

    /** Every write up to this sequence number is durable. */
    public long durableSequence() {
        health.requireReadable();
        return groupCommit.durableSequence();
    }

    // ---- versions

    /** The version to read, for a reader that has taken {@link #visibleSequence()} before. */
    Version version() {
        return version;
    }

    /** The sequence number of the last visible write. */
    public long visibleSequence() {
        return writer.visibleSequence();
    }

    /** Publishes a memtable that takes writes from now on. */
    void addNewest(MemLog next) {
        synchronized (versionLock) {
            version = version.withNewest(next);
        }
    }

    /**
     * Publishes the writer's roots, with the memtables there are. Commit thread only.
     *
     * @param storeSequence the highest number of an entry that they may have, unless an earlier one was higher
     */
    void publishRoots(long storeSequence) {
        publish(storeSequence, false);
    }

    /** Publishes the writer's roots so that readers of earlier ones are gone afterwards, unless they take long. */
    void publishForReuse(long storeSequence) {
        for (int phase = 0; phase < 3; phase++) {
            publishRoots(storeSequence);
        }
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
                    Math.max(now.storeSequence(), storeSequence));
            epochs.advance();
        }
        engine.reclaim();
        index.reclaim();
        freeSegments = engine.freeSegmentCount();
    }

    /** The oldest memtable if it takes no more writes, else null. */
    MemLog oldestFrozen() {
        Version now = version;
        return now.logs().length > 0 && now.oldest().isFrozen() ? now.oldest() : null;
    }

    // ---- state

    /** Stops the store: what is on disk is unknown until it is opened again (O8). */
    void fail(Throwable cause) {
        health.fail(cause);
    }

    /** What the store still does. */
    public Health health() {
        return health;
    }

    /** Begins a short read. */
    int enter() {
        int ticket = epochs.enter();
        if (!health.isReadable()) {
            epochs.exit(ticket);
            throw health.refusal();
        }
        return ticket;
    }

    /** A context for one read, or for a cursor's life. */
    ReadContext borrowContext() {
        ReadContext context = contexts.borrow();
        int bytes = context.largeBytes();
        if (bytes > 0) {
            keptForReads.take(bytes);
        }
        return context;
    }

    /** Keeps a context for later reads, and its memory if that and what others keep is not too much. Can't fail. */
    void giveBack(ReadContext context) {
        context.forget();
        int bytes = context.largeBytes(); // mostly none, and then nothing that threads share is written
        if (bytes > 0 && !keptForReads.keep(bytes)) {
            context.dropMemory();
            bytes = 0;
        }
        if (!contexts.giveBack(context)) {
            keptForReads.take(bytes);
        }
    }

    /** The settings. */
    public StoreSettings settings() {
        return settings;
    }

    /** Whether a memtable is free for the next log, or may be made. Frees what readers have left. */
    boolean mayPrepareLog() {
        return memLogs.mayPrepare(commits.pinnedTables());
    }

    /** Bytes that snapshots and cursors keep from being used again, roughly, if they are more than the limit. */
    long pinnedBytes(long limit) {
        return commits.pinnedBytes(limit);
    }

    /** Has figures of this moment read, all within one short read of the version published last. */
    public <T> T figures(Function<Version, T> reading) {
        int ticket = enter();
        try {
            return reading.apply(version);
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Free segments as of the last publication. */
    public int freeSegments() {
        return freeSegments;
    }

    @Override
    public String toString() {
        return "FlexDB[" + directory
                + (health.isUsable() ? "]" : ", " + health.current().state().label() + "]");
    }

    // ---- the end

    /**
     * Ends the store: writes that are under way finish, what is in memtables is committed, reads that are under way
     * finish, and the files are closed. Later calls throw. After a failure nothing is written; a store that is read-only
     * leaves its memtables to the write-ahead logs, which are forced.
     */
    @Override
    public void close() {
        try {
            closeOnce();
        } finally {
            health.endClose();
        }
    }

    private void closeOnce() {
        synchronized (closeLock) {
            if (released) {
                return;
            }
            released = true;
            long last = writer.refuseMore();
            try {
                finishCommits(last);
            } finally {
                while (epochs.hasReaders()) {
                    LockSupport.parkNanos(10_000);
                }
                release(() -> {});
            }
        }
    }

    /**
     * Ends a store whose recovery failed: nothing is written.
     *
     * @param discardCopies run when the files are closed, before others may open them
     */
    void abandon(Throwable cause, Runnable discardCopies) {
        synchronized (closeLock) {
            released = true;
            health.abandon(cause);
            refiner.stop();
            syncs.stop();
            logThread.stop();
            release(discardCopies);
        }
    }

    private void finishCommits(long last) {
        refiner.stop();
        syncs.stop();
        logThread.stop();
        if (!health.hasFailed()) {
            writer.awaitVisible(last);
        }
        commits.stop();
        if (!health.isReadOnly() && !health.hasFailed()) {
            try {
                commits.commitRest();
                restCommitted = true;
            } catch (StorageException e) {
                keepInLogs(last); // what could not be committed
                throw e;
            }
        }
        keepInLogs(last);
    }

    private void keepInLogs(long last) {
        if (!health.hasFailed()) {
            groupCommit.awaitDurable(last);
        }
    }

    private void release(Runnable atEnd) {
        try (lock) {
            try {
                releaseFiles();
            } finally { // does nothing to logs that were deleted
                memLogs.releaseAll();
                for (MemLog log : version.logs()) {
                    log.wal.release();
                }
                atEnd.run();
            }
        }
    }

    private void releaseFiles() {
        if (health.hasFailed() || !restCommitted) {
            engine.close();
            return;
        }
        engine.closeCleanly();
        try { // all data is safe from here on: what fails now costs space, or time at the next opening
            for (MemLog log : version.logs()) {
                memLogs.covered(log.wal);
            }
            memLogs.deleteAll();
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "Logs that are not needed stay in " + directory, e);
        }
        try {
            AnchorsFile.write(vfs, directory, index, engine);
        } catch (StorageException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The index of " + directory + " was not saved; opening will take longer",
                    e);
        }
    }
}
