package io.flexdb.internal.open;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.DirectMemory;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.SpaceOwner;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.LibraryVersion;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.ReaderNotes;
import io.flexdb.internal.interval.SavedDirectories;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.FoundWrites;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.MemtableSizes;
import io.flexdb.internal.log.WalRecovery;
import io.flexdb.internal.log.WalWriter;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.OvergrownKeys;
import io.flexdb.internal.read.DiskWaits;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.ReadContexts;
import io.flexdb.internal.write.Committer;
import io.flexdb.internal.write.IndexSampler;
import io.flexdb.internal.write.RecoveredLogs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Opens a store, and recovers it. In this order: the lock; the space, whose logical log is replayed; the sparse index;
 * the write-ahead logs, which are read to their ends. Only when all of this has been found sound is anything written,
 * and only to new files: the content of the logical log, and all writes of the write-ahead logs that no durable commit
 * covers; without space for that, old write-ahead logs serve on. When all of it is durable the old files go and the
 * store is used. Until then an opening that fails deletes the new files again, and leaves everything as it was; from
 * then on only want of memory can make it fail.
 */
public final class StoreOpener {
    // At a level that no logger prints unless asked to: a library that works says nothing.
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int RESERVED_SHARE = 16; // of what direct buffers may take: the cache leaves it alone

    final Vfs vfs;
    final Path directory;
    final StoreSettings settings; // with all that was derived
    final KeyspaceRegistry registry;
    final MergeCalls merges;
    final OvergrownKeys overgrown;
    final MemoryBudget budget;
    private final long ownBytes;
    final OffHeap memory;
    private final JvmMemory jvm;
    final Scheduler scheduler;
    final Epochs epochs = new Epochs();
    final Health health;
    final StoreClock clock;
    private final FoundLeases leases;
    VfsLock lock;
    SpaceEngine engine;
    IntervalCache cache;
    ReadContexts contexts;
    private final ReaderNotes notes = new ReaderNotes();
    long directoryBytes; // of the cache's
    IntervalReader reader;
    SavedDirectories savedDirectories; // null if there are none
    RangeFilters filters; // null if there are none
    Intervals intervals;
    Committer committer;
    MemLogs memLogs;
    LargeValues large;
    private WalRecovery recovery; // null until the logs are known
    private boolean begun;
    private boolean copiesCount;
    private final boolean sizeDerived; // nobody gave the size of memtables
    private long replayedWrites;
    private long replayedBytes; // of writes that no commit covers

    private StoreOpener(
            Vfs vfs,
            Path directory,
            StoreSettings settings,
            Scheduler scheduler,
            JvmMemory jvm,
            OffHeap.Source source) {
        this.vfs = vfs;
        this.directory = directory.toAbsolutePath().normalize();
        this.budget = MemoryBudget.of(settings, jvm);
        this.settings = budget.applyTo(settings);
        this.ownBytes = budget.ownBytes(settings, jvm);
        this.sizeDerived = settings.memtableBytes == StoreSettings.DERIVED;
        this.registry = new KeyspaceRegistry(settings);
        this.merges = new MergeCalls(registry);
        this.overgrown = new OvergrownKeys(this.settings.memtableBytes, this.settings.longestListBytes);
        this.jvm = jvm;
        this.memory = new OffHeap(source, jvm::directRoom, jvm.directBytes() / RESERVED_SHARE);
        this.scheduler = scheduler;
        this.clock = new StoreClock(settings.clock);
        this.leases = new FoundLeases(vfs, this.directory, System::currentTimeMillis);
        this.health = new Health("the store", this.directory, settings.healthListener);
    }

    /** Opens a store. */
    public static Store open(Vfs vfs, Path directory, StoreSettings settings, Scheduler scheduler) {
        JvmMemory jvm = JvmMemory.ofThisProcess();
        StoreOpener opener =
                new StoreOpener(vfs, directory, settings, scheduler, jvm, new DirectMemory(jvm::directRoom));
        return opener.open(resources(settings));
    }

    /** The resources that a store names, or those of this JVM. */
    public static StoreResources resources(StoreSettings settings) {
        return settings.resources == null ? JvmResources.SHARED : settings.resources;
    }

    /**
     * Opens a store as in a JVM with other limits, and with other memory.
     *
     * @param source of all off-heap memory
     */
    public static Store open(
            Vfs vfs,
            Path directory,
            StoreSettings settings,
            Scheduler scheduler,
            JvmMemory jvm,
            OffHeap.Source source) {
        return new StoreOpener(vfs, directory, settings, scheduler, jvm, source).open(settings.resources);
    }

    /** @param shared the source of memory; null for a budget of its own */
    private Store open(StoreResources shared) {
        long begun = System.nanoTime();
        EventSpan event = StoreEvents.open(directory);
        EventSpan recoveryEvent = StoreEvents.recovery(directory);
        StoreFiles.checkOpenable(vfs, directory);
        SpaceEngine.makeDirectory(vfs, directory);
        lock = vfs.lock(directory.resolve(StoreFiles.LOCK_NAME));
        Store store = null;
        try {
            if (shared != null) {
                memory.share(shared.memory, shared.isLimited ? 0 : ownBytes, settings.space.segmentBytes());
            }
            memory.collectEnded(budget.totalBytes());
            StoreClasses.initialize();
            StoreFiles.Found found = StoreFiles.openOrCreate(vfs, directory, settings);
            long storeId = found.storeId();
            for (Path ours : StoreFiles.directories(directory)) {
                vfs.grant(ours);
            }
            clock.beginAt(TimeMark.read(vfs, directory), time -> TimeMark.write(vfs, directory, time));
            Path walDirectory = directory.resolve(StoreFiles.WAL_NAME);
            recovery = WalRecovery.open(vfs, walDirectory, storeId);
            boolean wasClosed = recoverSpace(found);
            if (!wasClosed) {
                StoreFiles.requireLogs(vfs, directory);
                if (!found.isNew()) {
                    vfs.syncDirectory(directory); // its creation may have been killed before that
                }
            }
            recovery.check(large::keep);
            FoundKeyspaces keyspaces = new FoundKeyspaces(registry);
            recovery.replay(engine.tag(), (first, payload) -> {
                replayedWrites++;
                replayedBytes += payload.length();
                FoundWrites.requireSound(walDirectory, payload, keyspaces);
            });
            prepareToBegin();
            if (!vfs.exists(walDirectory)) {
                SpaceEngine.createDirectory(vfs, walDirectory);
            }
            int memtables = budget.memtables().count();
            memLogs = new MemLogs(
                    vfs,
                    walDirectory,
                    recovery.highest(),
                    sizeDerived
                            ? MemtableSizes.derived(settings.memtableBytes, memtables, scheduler)
                            : new MemtableSizes(settings.memtableBytes, false, memtables),
                    memory,
                    settings.force == Force.BEFORE_RETURN);
            memLogs.beginWith(replayedBytes);
            memLogs.whenFull(this::makeRoom);
            store = new Store(this);
            keyspaces.learn(store.reader());
            if (filters != null) {
                filters.forgetUnwanted(intervals.index);
            }
            replay(recovery, store);
            memLogs.whenFull(() -> false);
            recovery.deleteBehindGap();
            store.writer().endRecovery();
            StoreFiles.goToWrittenFormat(vfs, directory, found);
            begin();
            copiesCount = true; // they are not taken back any more
            boolean none = found.isNew() || wasClosed && recovery.hasNone();
            if ((none || recovery.deleteReplayed()) && !recovery.hasAdopted()) {
                engine.letGoKept(); // else a log that is left would refer to it
            }
            deleteSaved();
            leases.oldest(); // deletes leases that readers have left behind
            long intervalsFound = intervals.index.intervalCount(); // before others change it
            long bytesFound = engine.size();
            store.start();
            if (!wasClosed && !found.isNew()) {
                recoveryEvent.finish(replayedWrites, replayedBytes);
            }
            event.finish(intervalsFound, bytesFound);
            if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
                logOpening(intervalsFound, bytesFound, found.isNew(), wasClosed, begun);
            }
            return store;
        } catch (RuntimeException | Error e) {
            long held = memory.heldBytes();
            closeAfter(e, store);
            Throwable reason = e instanceof StorageException ? e.getCause() : e;
            if (reason instanceof OutOfMemoryError wantOfMemory) {
                throw new StoreMemoryException(directory, needed(held), wantOfMemory);
            }
            throw e;
        }
    }

    private void logOpening(long intervalCount, long bytes, boolean isNew, boolean wasClosed, long begun) {
        String recovered = "recovered from a crash, " + replayedWrites + " writes of " + replayedBytes
                + " bytes replayed from write-ahead logs";
        LOG.log(
                System.Logger.Level.DEBUG,
                "Opened the store in " + directory + " with FlexDB " + LibraryVersion.get() + " in "
                        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) + " ms: format "
                        + FormatVersion.LADDER.written() + ", "
                        + bytes + " bytes in " + intervalCount + " intervals, "
                        + (isNew ? "new" : wasClosed ? "closed before" : recovered));
    }

    /** Describes the memory that an opening takes, roughly: indexes are about as large as in their files. */
    private String needed(long held) {
        long tree = fileBytes(directory.resolve(StoreFiles.SPACE_NAME).resolve("tree"));
        long index =
                fileBytes(directory.resolve(StoreFiles.INTERVALS_NAME)); // outlines are about as large as its nodes
        long buffers = budget.buffers().segmentBytes() + 2 * MemTable.tableBytes(settings.memtableBytes);
        return "about " + Math.max(held, tree + index + buffers) + " bytes of direct memory (FlexTree " + tree
                + ", sparse index " + (index == 0 ? "not known" : index) + ", segments and memtables " + buffers
                + "), where "
                + (settings.resources == null
                        ? "the JVM allows " + jvm.directBytes()
                        : "the resources that it shares with others have " + settings.resources.memory.budgetBytes()
                                + ", and the JVM allows " + jvm.directBytes());
    }

    private long fileBytes(Path path) {
        try {
            if (vfs.exists(path)) {
                try (VfsFile file = vfs.open(path, OpenMode.READ)) {
                    return file.size();
                }
            }
        } catch (StorageException e) {
            // The size is for a message only.
        }
        return 0;
    }

    /** Returns whether the store was closed after its last write, and not killed. */
    private boolean recoverSpace(StoreFiles.Found found) {
        Path space = directory.resolve(StoreFiles.SPACE_NAME);
        boolean mapped = settings.mappedReads && vfs.mapsSafely(directory);
        SpaceSettings ofSpace = OwnedSpaces.settings(settings.space).copy();
        ofSpace.mappedReads = mapped;
        ofSpace.buffersWithFirstChange = true;
        ofSpace.cacheBytes = budget.frameBytes(mapped);
        ofSpace.maxLeasedBytes = settings.maxLeasedBytes;
        ofSpace.leases = settings.maxLeasedBytes > 0 ? leases : null;
        engine = SpaceEngine.recover(
                vfs, space, found.storeId(), ofSpace, new SpaceOwner(epochs, health, memory), found.isNew());
        directoryBytes = budget.directoryBytes(mapped);
        cache = new IntervalCache(epochs, directoryBytes, memory);
        contexts = new ReadContexts(memory, budget.buffers().readBytes());
        memory.giver(new OffHeap.Giver() {
            @Override
            public long giveBack(long bytes) {
                return StoreOpener.this.giveBack(bytes);
            }

            @Override
            public long tryGiveBack(long bytes) {
                long given = engine.reads().giveBackCache(bytes);
                return given < bytes ? given + cache.tryGiveBack(bytes - given) : given;
            }

            @Override
            public long uses() {
                return cache.uses();
            }
        });
        filters = registry.hasSomeFilter() ? new RangeFilters(epochs, memory, notes.unfiltered()::add, registry) : null;
        DiskWaits waits = new DiskWaits(settings.diskReads, settings.nanoClock);
        intervals = new Intervals(new SparseIndex(epochs, memory), cache, filters);
        reader = new IntervalReader(engine.reads(), intervals, notes, space.resolve("data"), waits);
        large = new LargeValues(engine, health, settings.largeValueBytes);
        committer = new Committer(engine, reader, merges, overgrown, settings.stitchingThresholdBytes, large);
        Path saved = directory.resolve(StoreFiles.INTERVALS_NAME);
        boolean wasClosed = IntervalsFile.load(vfs, saved, engine, intervals, cache, filters);
        boolean isKnown = wasClosed
                || IntervalsFile.load(vfs, RestedState.intervalsOf(directory), engine, intervals, cache, filters);
        if (isKnown) {
            Path directories =
                    wasClosed ? directory.resolve(StoreFiles.DIRECTORIES_NAME) : RestedState.directoriesOf(directory);
            savedDirectories = DirectoriesFile.open(vfs, directories, engine, intervals.index, cache);
            reader.restoreFrom(savedDirectories);
        } else {
            IndexSampler.sample(engine, intervals, engine.store().file().path(), scheduler);
        }
        return wasClosed;
    }

    private void prepareToBegin() {
        try {
            engine.prepareToBegin();
        } catch (StoreFullException e) {
            if (!makeRoom()) {
                throw e;
            }
            engine.prepareToBegin();
        }
    }

    /** Deletes early, on a full disk, files whose content is not lost; returns whether there were any. */
    private boolean makeRoom() {
        if (savedDirectories != null) {
            reader.restoreFrom(null); // nobody reads yet
            savedDirectories.close();
            savedDirectories = null;
        }
        return deleteSaved() | recovery.deleteEmpty();
    }

    /** Deletes what was saved of the intervals, which was loaded, and old versions; returns whether any existed. */
    private boolean deleteSaved() {
        return vfs.deleteIfExists(directory.resolve(StoreFiles.OLD_VERSIONS_NAME))
                | IntervalsFile.delete(vfs, directory.resolve(StoreFiles.INTERVALS_NAME))
                | IntervalsFile.delete(vfs, RestedState.intervalsOf(directory))
                | (savedDirectories == null // else it is in use
                        && DirectoriesFile.delete(vfs, directory)
                                | IntervalsFile.delete(vfs, RestedState.directoriesOf(directory)));
    }

    /**
     * Gives memory back: of the caches, frames first (the file has them, and directories tell which to read), and then
     * what reads keep for later ones.
     */
    private long giveBack(long bytes) {
        long given = engine.reads().giveBackCache(bytes);
        given += given < bytes ? cache.giveBack(bytes - given) : 0;
        return given < bytes ? given + contexts.leaveUnused(bytes - given) : given;
    }

    private void replay(WalRecovery recovery, Store store) {
        RecoveredLogs logs = new RecoveredLogs() {
            @Override
            public void beforeCommit() {
                begin();
            }

            @Override
            public WalWriter adopt() {
                return memLogs.adopt(recovery);
            }
        };
        recovery.replay(engine.tag(), (first, payload) -> store.writer().writeRecovered(payload, first, logs));
        store.sharedForce.sync();
    }

    /**
     * From here on the space may change, for good. This step comes last, unless the logs hold more than memory does and
     * have to be committed meanwhile. The old logs hold all writes until the end, so copies of them may go.
     */
    private void begin() {
        if (!begun) {
            engine.begin();
            begun = true;
        }
    }

    /** Deletes new files that were made, as long as the old ones are there. */
    private void discardCopies() {
        if (!copiesCount) {
            recovery.deleteCopies();
        }
    }

    private void closeAfter(Throwable cause, Store store) {
        try {
            if (store != null) {
                store.abandon(cause, this::discardCopies);
                return;
            }
            try {
                if (engine != null) {
                    engine.close();
                }
            } finally {
                if (savedDirectories != null) {
                    savedDirectories.close();
                }
                memory.end();
                lock.close();
            }
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
