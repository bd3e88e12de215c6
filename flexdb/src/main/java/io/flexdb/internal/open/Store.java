package io.flexdb.internal.open;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.LockWatch;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.HolderLog;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.SavedDirectories;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.DurableFutures;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.RecentWrites;
import io.flexdb.internal.log.RetiredTables;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.OvergrownKeys;
import io.flexdb.internal.read.Front;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.read.Holders;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.MovedTables;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.SpillArea;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.internal.read.Version;
import io.flexdb.internal.txn.Footprint;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.internal.txn.OwnWrites;
import io.flexdb.internal.write.CommitThread;
import io.flexdb.internal.write.Compactor;
import io.flexdb.internal.write.Loads;
import io.flexdb.internal.write.LogThread;
import io.flexdb.internal.write.Refiner;
import io.flexdb.internal.write.StoreLoad;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.internal.write.SyncThread;
import io.flexdb.internal.write.WritesLoad;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreLockedException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An open store: its parts, and the end. Writing is in {@link StoreWriter}, reading in {@link StoreReader}, work behind
 * the writers in {@link CommitThread}, and the readable versions (MVCC) in {@link StoreVersions}.
 */
public final class Store implements AutoCloseable {
    /*
     * Locks, always in this order: the write lock (sequence numbers, the active memtable; see WriteMonitor), that of
     * StoreVersions (one publication at a time; never held for anything slow).
     *
     * The parts are made from below to above, and none knows the store. Three have to reach something above them, and
     * get it as a function or an interface: CommitThread the writers, Refiner the commit thread, StoreWriter the thread
     * that makes logs.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int COPIES_BEGUN = 8; // where others write large values all the time, or load

    public final Operations operations = new Operations();
    final Health health;
    public final SpaceEngine engine;
    public final Intervals intervals;
    public final SparseIndex index; // theirs
    public final IntervalCache cache;
    private final SavedDirectories savedDirectories; // null if there are none
    public final RangeFilters filters; // null if there are none
    public final OffHeap memory;
    public final StripedPool<OwnWrites> ownWrites;
    public final MemLogs memLogs;
    public final SharedForce sharedForce;
    final IntervalReader intervalReader;
    final Refiner refiner;
    final StoreVersions versions;
    private final StoreSettings settings; // with all that was derived
    private final KeyspaceRegistry registry;
    private final MergeCalls merges;
    private final OvergrownKeys overgrown;
    private final RetiredTables retired;
    private final RecentWrites recentWrites;
    private final PinLimit pinLimit;
    private final MovedTables moved;
    private final Path directory;
    private final Vfs vfs;
    private final VfsLock lock;
    public final CommitThread commits;
    private final LockWatch lockWatch;
    private final SyncThread syncs;
    private final DurableFutures durableFutures;
    private final LogThread logThread;
    private final StoreWriter writer;
    private final StoreReader reader;
    private final KeyspaceDirectory keyspaces;
    private final Loads loads;
    private final Spills spills;

    private final LongTasks tasks = new LongTasks("the store");
    private boolean restCommitted; // by the closing thread
    private boolean released; // under the close lock
    private final ReentrantLock closeLock = new ReentrantLock(); // no monitor: its owner waits for virtual threads

    Store(StoreOpener opened) {
        this.vfs = opened.vfs;
        this.directory = opened.directory;
        this.lock = opened.lock;
        this.settings = opened.settings;
        this.registry = opened.registry;
        this.merges = opened.merges;
        this.overgrown = opened.overgrown;
        this.lockWatch = new LockWatch(lock, settings.nanoClock);
        this.health = opened.health;
        this.memory = opened.memory;
        this.spills = new Spills(health);
        this.ownWrites = new StripedPool<>(() -> new OwnWrites(memory, spills));
        this.engine = opened.engine;
        this.intervals = opened.intervals;
        this.index = intervals.index;
        this.cache = opened.cache;
        this.savedDirectories = opened.savedDirectories;
        this.filters = opened.filters;
        this.intervalReader = opened.reader;
        this.memLogs = opened.memLogs;
        long directoryBytes = opened.directoryBytes;
        this.recentWrites = new RecentWrites(settings.maxPinnedBytes / 2);
        this.retired =
                new RetiredTables(opened.epochs, memLogs, recentWrites, pinned -> makeRoom(pinned, directoryBytes));
        HolderLog holderLog = new HolderLog(directory, opened.scheduler);
        this.versions = new StoreVersions(engine, index, opened.clock, settings.holderTraces, holderLog);
        this.moved = new MovedTables(
                vfs, directory.resolve(StoreFiles.OLD_VERSIONS_NAME), memory, settings.maxPinnedFileBytes);
        this.pinLimit = new PinLimit(
                versions, retired, settings.maxPinnedBytes, settings.maxPinnedFileBytes == 0 ? null : moved);
        retired.afterRetiring(pinLimit::enforce);
        LargeValues large = opened.large;
        this.sharedForce =
                new SharedForce(versions.visibleSequence(), health, large::force, lockWatch::requireHeldNowAndThen);
        this.commits = new CommitThread(settings, versions, opened.committer, retired, sharedForce, opened.scheduler);
        memory.whenWanted(commits::wake);
        commits.serve(new RestedState(vfs, directory, intervals, engine));
        Path dataFile = directory.resolve(StoreFiles.SPACE_NAME).resolve("data");
        this.refiner = new Refiner(
                versions, engine, intervals, intervalReader.notes().coarse(), opened.scheduler, this::signalDivided);
        this.syncs = new SyncThread(settings, versions, sharedForce, opened.scheduler, directory);
        this.durableFutures = new DurableFutures(sharedForce, health, syncs::forceAtOnce, opened.scheduler, directory);
        this.writer = new StoreWriter(settings, versions, commits, syncs, this::startLogThread);
        this.logThread = new LogThread(writer, memLogs, retired, health, opened.scheduler, directory);
        writer.serve(refiner);
        index.setWriter(commits::isWriter);
        engine.setWriter(commits::isWriter);
        this.reader = new StoreReader(versions, intervalReader, opened.contexts, opened.merges, large, true);
        this.keyspaces = new KeyspaceDirectory(reader, writer, health, dataFile, registry);
        this.loads = new Loads(writer, reader, recentWrites, tasks, () -> pinNewest(HolderKind.LOAD));
        spills.loads = loads;
        health.onChange(versions::healthChanged); // first: a thread that waits there may hold the write lock
        health.onChange(writer::wake); // takes it
    }

    /** Has the caches make room for memtables that are held back, that of frames first. */
    private void makeRoom(long pinnedBytes, long directoryBytes) {
        long ofNodes = pinnedBytes == 0 ? 0 : versions.retiredNodeBytes();
        long left = settings.cacheBytes - pinnedBytes - ofNodes;
        cache.limit(Math.min(left, directoryBytes));
        engine.reads().limitCache(pinnedBytes == 0 ? Long.MAX_VALUE : Math.max(0, left - directoryBytes));
    }

    private void signalDivided() {
        writer.wake();
    }

    private void startLogThread() {
        logThread.start();
    }

    /** Begins to commit (flush) frozen memtables; after a recovery. */
    void start() {
        commits.start();
        if (versions.current().logs().length > 0) {
            writer.startThreads();
        }
        refiner.start();
        engine.scrubber().start(versions::pinNewest);
    }

    /** Divides all coarse intervals, on the caller's thread. For stores without threads. */
    public void refineHere() {
        health.requireReadable();
        refiner.refineHere(Integer.MAX_VALUE, commits::publish);
    }

    /** Makes all filters that are missing, on the caller's thread. For stores without threads. */
    public void buildFiltersHere() {
        health.requireReadable();
        commits.buildFiltersHere();
    }

    /** Writes all fragmented intervals in one piece, on the caller's thread. For stores without threads. */
    public void defragmentHere() {
        health.requireUsable();
        commits.defragmentHere();
    }

    /** Saves what an open store saves while nobody writes, on the caller's thread. For stores without threads. */
    public void saveAtRestHere() {
        health.requireUsable();
        commits.saveAtRestHere();
    }

    /** The path of writes. */
    public StoreWriter writer() {
        return writer;
    }

    /** The path of reads. */
    public StoreReader reader() {
        return reader;
    }

    /** Begins a bulk load. */
    public StoreLoad beginLoad() {
        return loads.begin();
    }

    /** Gives transactions areas to spill to, as long as the store is open: they may outlive it. */
    private static final class Spills implements Supplier<SpillArea> {
        private final Health health;
        private volatile Loads loads; // null once the store is closed

        private Spills(Health health) {
            this.health = health;
        }

        @Override
        public SpillArea get() {
            Loads open = loads;
            if (open == null) {
                throw health.refusal();
            }
            return open.spills();
        }
    }

    /** Begins to bring in writes that are more than a memtable holds. */
    public WritesLoad loadWrites(Front front) {
        return loads.writes(front);
    }

    /** Its named keyspaces. */
    public KeyspaceDirectory keyspaces() {
        return keyspaces;
    }

    /** Pins the newest version, for a holder. */
    public PinnedVersion pinNewest(HolderKind kind) {
        return PinnedVersion.ofNewest(versions, kind);
    }

    /** The holders that are open now, the oldest first. */
    public Holders holders() {
        versions.holders.takeBackLost();
        return versions.holders;
    }

    /** Bytes of memtables that some holders keep together. */
    public long keptBytes(List<Holders.Open> some, List<RetiredTables.Kept> tables) {
        return PinLimit.bytes(some, tables);
    }

    /** Bytes of old versions that are in a file. */
    public long keptFileBytes() {
        return moved.fileBytes();
    }

    /** The time by the store's clock. */
    public long time() {
        return versions.clock.nowOrLatest();
    }

    /** Memtables that only holders may keep. */
    public List<RetiredTables.Kept> keptTables() {
        return retired.kept();
    }

    /** Counts a transaction that is about to begin, and returns the number to end it with. */
    public long beginTransaction() {
        return recentWrites.begin(versions::visibleSequence);
    }

    /** Notes that a transaction has ended, or was given up. */
    public void endTransaction(long begun) {
        recentWrites.end(begun);
    }

    /** Sorted runs that have been published: to be asked before a version is taken. */
    public long publishedRuns() {
        return recentWrites.publishedRuns();
    }

    /** A footprint for a transaction; empty so far. */
    public Footprint newFootprint() {
        return new Footprint(versions, recentWrites);
    }

    // ---- copies and checks

    /** Long work of users, which closing the store ends. */
    public LongTasks tasks() {
        return tasks;
    }

    /** The files of the store and of copies of it. */
    public Vfs vfs() {
        return vfs;
    }

    /**
     * Keeps the state that is visible now, to be copied. To be called, and used, in one of {@link #tasks}.
     */
    public StoreCopy beginCopy() {
        StoreCopy copy = beginCopy(false);
        try {
            for (int i = 0; i < COPIES_BEGUN && copy.largeBytes() > settings.memtableBytes / 2; i++) {
                copy.close();
                writer.runs().commitAll();
                copy = beginCopy(true);
            }
        } catch (StoreFullException e) { // then its logs have the large values
            copy = beginCopy(false);
        }
        return copy;
    }

    /** @param committed whether to have committed writes alone, if the space is as of one moment */
    private StoreCopy beginCopy(boolean committed) {
        memLogs.hold(); // first: a log covered from here on may be in the version that is pinned
        try {
            return committed
                    ? commits.onErrandBetween(() -> beginCopyHere(true))
                    : commits.onErrand(() -> beginCopyHere(false));
        } catch (Throwable e) {
            memLogs.letGo();
            throw e;
        }
    }

    private StoreCopy beginCopyHere(boolean committed) {
        health.requireUsable();
        try {
            engine.sync(engine.tag());
            commits.publish();
        } catch (Throwable e) { // files and memory may differ
            health.fail(e);
            throw e;
        }
        PinnedVersion pin =
                pinNewest(HolderKind.COPY); // its roots are those just published: nobody else publishes others
        try {
            long sequence = committed && commits.isBetweenCommits() ? engine.tag() : pin.sequence();
            SpaceCopy ofSpace = engine.beginCopy(pin.version().space());
            return new StoreCopy(vfs, pin, sequence, ofSpace, writer.large(), memLogs::letGo);
        } catch (Throwable e) {
            pin.close();
            throw e;
        }
    }

    /** Keeps the visible state, to be checked; the store need only be readable. For use in one of {@link #tasks}. */
    public StoreChecker beginCheck() {
        health.requireReadable();
        memLogs.hold();
        try {
            return commits.onErrand(this::beginCheckHere);
        } catch (Throwable e) {
            memLogs.letGo();
            throw e;
        }
    }

    private StoreChecker beginCheckHere() {
        commits.publish();
        PinnedVersion pin = pinNewest(HolderKind.CHECK);
        try {
            return new StoreChecker(vfs, directory, engine, index, pin, memLogs::letGo);
        } catch (Throwable e) {
            pin.close();
            throw e;
        }
    }

    // ---- durability

    /** Makes every write so far durable. */
    public void sync() {
        health.requireReadable();
        sharedForce.awaitDurable(visibleSequence());
    }

    /** Makes every write up to a visible one durable. */
    public void awaitDurable(long sequence) {
        health.requireReadable();
        requireVisible(sequence);
        sharedForce.awaitDurable(sequence);
    }

    /** A future of the moment at which every write up to a visible one is durable; has that forced. */
    public CompletableFuture<Void> whenDurable(long sequence) {
        requireVisible(sequence);
        return health.isReadable() ? durableFutures.add(sequence) : CompletableFuture.failedFuture(health.refusal());
    }

    private void requireVisible(long sequence) {
        long visible = visibleSequence();
        if (sequence > visible) {
            throw new IllegalArgumentException(
                    "sequence " + sequence + " is of no write yet; the last one has " + visible);
        }
    }

    /** The sequence number up to which all writes are durable. */
    public long durableSequence() {
        health.requireReadable();
        return sharedForce.durableSequence();
    }

    /** The sequence number of the last visible write. */
    public long visibleSequence() {
        return versions.visibleSequence();
    }

    /** Has all earlier writes committed. */
    public void flush() {
        tasks.run(task -> {
            writer.runs().commitAll(task::goOn);
            return null;
        });
    }

    /**
     * Commits all earlier writes, writes the intervals of a range whole, without expired pairs, and gives free space
     * back.
     *
     * @param from a key, as it is stored, as is the next
     * @param to the first key behind the range; null if there is none
     */
    public void compact(byte[] from, byte[] to, Checkpoints.Progress progress) {
        tasks.run(task -> {
            writer.runs().commitAll(task::goOn);
            long ofBytes = reader.estimate(from, to).bytes();
            long bytes = 0;
            byte[] next = from;
            while (next != null) {
                Compactor.Step step = commits.compactSome(next, to);
                if (step.refusal() != null) {
                    throw step.refusal();
                }
                next = step.next();
                bytes += step.bytes();
                long done = bytes;
                task.tell(() -> progress.done(done, Math.max(done, ofBytes)));
            }
            do {
                while (commits.collectSome()) {
                    task.goOn();
                }
            } while (commits.shorten());
            return null;
        });
    }

    // ---- state

    /** The state of the store: whether it can be read and written. */
    public Health health() {
        return health;
    }

    /** Throws if a keyspace has no merge function, by its {@link io.flexdb.internal.base.KeyHeads#number}. */
    public void requireMerger(int keyspace) {
        if (!merges.canMerge(keyspace)) {
            String name = keyspaces.nameOf(keyspace);
            throw new IllegalStateException(
                    name == null
                            ? "the store was opened without a merge function; open it with FlexDBOptions.withMergeFunction"
                            : "the store was opened without a merge function for keyspace \"" + name
                                    + "\"; open it with FlexDBOptions.withKeyspace or withMergeFunction");
        }
    }

    /** The settings of its keyspaces. */
    public KeyspaceRegistry keyspaceRegistry() {
        return registry;
    }

    /** Whether keys may have no room for more operands, so that {@link #requireRoomToWait} is to be asked. */
    public boolean mayRefuseOperands() {
        return overgrown.hasSome() || haveLongValues();
    }

    /** Whether there may be values that leave little room in a pair. */
    private boolean haveLongValues() {
        return reader.longest() > overgrown.longestList() / 2;
    }

    /**
     * Throws if a key has no room for more operands: so many wait that no more may come, and the merge function fails
     * for them; or they could not wait in a pair, together with what is below them.
     *
     * @param stored the key as it is stored
     * @param operandBytes of those that are to come
     * @throws io.flexdb.storage.MergeException if it is so
     */
    public void requireRoomToWait(byte[] stored, long operandBytes) {
        if (haveLongValues()) {
            reader.requireRoomInPair(stored, operandBytes, overgrown.longestList());
        }
        if (overgrown.has(stored)) {
            reader.requireRoomToWait(stored, overgrown.mostBytes());
        }
    }

    /** Calls the merge function. */
    public MergeCalls merges() {
        return merges;
    }

    /** The settings. */
    public StoreSettings settings() {
        return settings;
    }

    /** Has figures of this moment read, all within one short read of the version published last. */
    public <T> T figures(Function<Version, T> reading) {
        int ticket = versions.enter();
        try {
            return reading.apply(versions.current());
        } finally {
            versions.exit(ticket);
        }
    }

    /** Free segments as of the last publication. */
    public int freeSegments() {
        return versions.freeSegments();
    }

    /** The store's directory. */
    public Path directory() {
        return directory;
    }

    // ---- the end

    /**
     * Ends the store: writes that are under way finish, memtables are committed, reads that are under way finish, and
     * the files are closed. Later calls throw. After a failure nothing is written; a store that is read-only leaves its
     * memtables to the write-ahead logs, which are forced.
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
        closeLock.lock();
        try {
            if (released) {
                return;
            }
            released = true;
            try {
                tasks.end();
                writer.wake(); // some of them may wait for commits
                tasks.close();
                loads.close();
            } finally {
                finishAndRelease();
            }
            if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "Closed the store in " + directory + ": last sequence number " + visibleSequence() + ", "
                                + (restCommitted ? "all writes committed" : "writes stay in the write-ahead logs"));
            }
        } finally {
            closeLock.unlock();
        }
    }

    private void finishAndRelease() {
        try {
            long last = writer.refuseMore();
            writer.large().awaitStaging();
            finishCommits(last);
        } finally {
            durableFutures.end();
            versions.epochs.awaitNoReaders();
            release(() -> {});
        }
    }

    /**
     * Ends a store whose recovery failed: nothing is written.
     *
     * @param discardCopies run when the files are closed, before others may open them
     */
    void abandon(Throwable cause, Runnable discardCopies) {
        closeLock.lock();
        try {
            released = true;
            health.abandon(cause);
            refiner.stop();
            syncs.stop();
            logThread.stop();
            commits.stop();
            release(discardCopies);
        } finally {
            closeLock.unlock();
        }
    }

    private void finishCommits(long last) {
        refiner.stop();
        syncs.stop();
        logThread.stop();
        if (!health.hasFailed()) {
            versions.awaitVisible(last);
        }
        commits.stop();
        if (!health.hasFailed()) {
            failUnlessLockIsHeld();
        }
        if (!health.isReadOnly() && !health.hasFailed()) {
            try {
                commits.commitRest();
                restCommitted = true;
                engine.giveBackMemory(); // or others would have to wait for the garbage collector
            } catch (StorageException e) {
                keepInLogs(last); // writes that could not be committed
                throw e;
            }
        }
        keepInLogs(last);
    }

    private void failUnlessLockIsHeld() {
        try {
            lockWatch.requireHeld();
        } catch (StoreLockedException e) {
            health.fail(e);
            throw e;
        }
    }

    private void keepInLogs(long last) {
        if (!health.hasFailed()) {
            sharedForce.awaitDurable(last);
        }
    }

    private void release(Runnable atEnd) {
        try (lock) {
            try {
                releaseFiles();
            } finally { // does nothing to logs that were deleted
                memLogs.releaseAll();
                for (MemLog log : versions.current().logs()) {
                    log.wal.release();
                }
                closeMoved();
                closeSaved();
                memory.end();
                versions.holders.end();
                spills.loads = null;
                atEnd.run();
            }
        }
    }

    private void closeSaved() {
        try {
            if (savedDirectories != null) {
                savedDirectories.close();
            }
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A file of " + directory + " was not closed", e);
        }
    }

    private void closeMoved() {
        try {
            moved.close();
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A file that is not needed stays: " + moved.path(), e);
        }
    }

    private void releaseFiles() {
        if (health.hasFailed() || !restCommitted) {
            engine.close();
            return;
        }
        engine.closeCleanly();
        versions.clock.keepLastMark();
        try { // all data is safe from here on: a failure now costs space, or time at the next opening
            for (MemLog log : versions.current().logs()) {
                memLogs.covered(log.wal);
            }
            memLogs.deleteAll();
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "Logs that are not needed stay in " + directory, e);
        }
        try {
            IntervalsFile.write(vfs, directory.resolve(StoreFiles.INTERVALS_NAME), intervals, engine);
            DirectoriesFile.write(vfs, directory, intervals, savedDirectories, engine);
        } catch (StorageException | OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "What " + directory + " had in memory was not saved, or not all of it; it will be made anew",
                    e);
        }
        RestedState.delete(vfs, directory);
    }
}
