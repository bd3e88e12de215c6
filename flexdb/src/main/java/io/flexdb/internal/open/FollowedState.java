package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.SpaceOwner;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.ReaderNotes;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.WalFollower;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.read.DiskWaits;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.read.Holders;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.ReadContexts;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.internal.write.IndexSampler;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreReplacedException;
import java.nio.file.Path;

/**
 * The state that the files of a store had at one time, and the logs since. Any thread reads it; one at a time makes it,
 * goes on with it and closes it.
 */
public final class FollowedState implements AutoCloseable {
    /*
     * The files are those that an opening recovers from, read in an order of their own: see WalFollower. The writer may
     * reuse any part of the space before it is read. All bytes read are verified by checksums that no later use of the
     * same place can match, so reused places show as damage does; it is none if the logical log has gone on since
     * (SpaceEngine.isOvertaken).
     *
     * A bulk load is in the space alone, durably before anybody sees it, and the log tells of it with the first write
     * behind it. The space may have a load that came after the logs were read. So the logs are read on when the space
     * has been read, which brings all writes before the load. If they tell of a load then, the space has it unless it
     * has been overtaken; if it has, that is looked at again.
     */
    private static final int OLD_AT_LOADS = 20;

    private final FollowedStore store;
    private WalFollower follower; // null once a later state has it
    private final TailTables tables;
    private SpaceEngine engine;
    private Intervals intervals;
    private StoreVersions versions;
    private StoreReader reader;
    private ReadContexts contexts;
    private LargeValues large;
    private long firstVersion;
    private final long beganNanos;
    private final long beganMillis;
    private long loadNanos;
    private volatile boolean lost; // some of it

    private FollowedState(FollowedStore store, WalFollower follower, TailTables tables) {
        this.store = store;
        this.follower = follower;
        this.tables = tables;
        this.beganNanos = store.scheduler.nanoTime();
        this.beganMillis = store.lease.now();
    }

    /**
     * Reads the files as they are now. If the writer replaces them meanwhile, this fails in any way that damage does.
     *
     * @param usedContents numbers of contents that the cache may have
     * @param coveredSequence writes up to this number are known to be in the space; 0 if that is not known
     * @return the state; or one that {@link #gap} says to have read too early
     */
    static FollowedState load(FollowedStore store, long usedContents, long coveredSequence) {
        Path walDirectory = store.directory.resolve(StoreFiles.WAL_NAME);
        WalFollower follower = new WalFollower(store.vfs, walDirectory, store.storeId);
        TailTables tables = new TailTables(
                walDirectory, store.memory, store.settings.memtableBytes, new FoundKeyspaces(store.registry));
        FollowedState state = new FollowedState(store, follower, tables);
        try {
            follower.readAll(coveredSequence, tables); // before the space
            state.loadSpace(usedContents);
            tables.choose(follower.settle(state.engine.tag()));
            if (state.gap() == null) {
                state.followLoads();
                state.publish();
            }
            return state;
        } catch (Throwable e) {
            state.close();
            throw e;
        }
    }

    /**
     * Reads the space anew, and takes over an earlier state's logs and memtables. That state goes on no more.
     *
     * @param before a state that has just been led to the end of the logs
     */
    static FollowedState loadBehind(FollowedState before) {
        FollowedState state = new FollowedState(before.store, before.follower, before.tables);
        try {
            state.loadSpace(before.lastContent());
            state.requireNotBefore(before.engine.tag());
            if (!state.followLoads() && state.engine.tag() > state.follower.lastSequence()) {
                // The space has more than the logs that were read. It is enough; the next read shows where they go on.
                state.follower.settle(state.engine.tag());
            }
            state.publish();
            before.follower = null;
            return state;
        } catch (Throwable e) {
            state.follower = null; // the other state keeps it
            state.close();
            throw e;
        }
    }

    /**
     * Goes on to the end of the logs, so that all is there that came before a load which the space has. If they have
     * been used again by now, the next refresh reads everything anew.
     *
     * @return false if they lead no further
     * @throws ReaderOvertakenException if there is a load now that the space may lack
     */
    private boolean followLoads() {
        boolean leads = false;
        try {
            leads = follow();
        } catch (CorruptionException | StoreIoException e) {
            // real damage is found the next time, too
        }
        if (tables.hasMetLoad() && engine.isOvertaken()) {
            throw new ReaderOvertakenException(sequence(), null);
        }
        return leads;
    }

    private void requireNotBefore(long tag) {
        if (engine.tag() < tag) {
            throw new StoreReplacedException(
                    store.directory, "a commit of writes up to " + tag, "one up to " + engine.tag());
        }
    }

    private void loadSpace(long usedContents) {
        tables.readsSpace();
        boolean mapped = store.isMapped();
        SpaceSettings settings = OwnedSpaces.settings(store.settings.space).copy();
        settings.mappedReads = mapped;
        settings.cacheBytes = store.budget.frameBytes(mapped);
        settings.segmentBuffers = 0;
        Path space = store.directory.resolve(StoreFiles.SPACE_NAME);
        SpaceOwner owner = new SpaceOwner(store.epochs, store.health, store.memory);
        engine = SpaceEngine.recover(store.vfs, space, store.storeId, settings, owner, false);
        engine.reads().explainFailures(this::explain);
        // Without filters, which would have to be made anew with each state.
        intervals = new Intervals(new SparseIndex(store.epochs, store.memory), store.cache, null, usedContents);
        if (!IntervalsFile.load(
                store.vfs, store.directory.resolve(StoreFiles.INTERVALS_NAME), engine, intervals, null, null)) {
            StoreFiles.requireLogs(store.vfs, store.directory);
            IndexSampler.sample(engine, intervals, dataFile(), store.scheduler);
        }
    }

    private void publish() {
        firstVersion = store.epochs.writerEpoch();
        versions =
                new StoreVersions(engine, intervals.index, store.clock, store.settings.holderTraces, store.holderLog);
        DiskWaits waits = new DiskWaits(store.settings.diskReads, System::nanoTime);
        IntervalReader ofIntervals =
                new IntervalReader(engine.reads(), intervals, new ReaderNotes(), dataFile(), waits);
        large = LargeValues.ofReader(engine, store.health); // to read those that wait for a commit
        contexts = new ReadContexts(store.memory, store.budget.buffers().readBytes());
        reader = new StoreReader(versions, ofIntervals, contexts, store.merges, large, false);
        tables.keyspaces().learn(reader);
        tables.publish(versions, references());
        loadNanos = store.scheduler.nanoTime() - beganNanos;
    }

    private TailTables.References references() {
        return new TailTables.References() {
            @Override
            public boolean areSound(Payload payload) {
                return large.areSound(payload);
            }

            @Override
            public boolean areThere(Payload payload) {
                if (large.keep(payload)) {
                    return true;
                }
                if (engine.isOvertaken()) {
                    throw new ReaderOvertakenException(sequence(), null);
                }
                return false;
            }
        };
    }

    /** The file of all pairs. */
    Path dataFile() {
        return engine.store().file().path();
    }

    /** Reports damage as overtaken if the writer may have used the place again since the state was read. */
    private StorageException explain(StorageException e) {
        boolean mayBe = e instanceof CorruptionException || e instanceof StoreIoException;
        if (!mayBe || !engine.isOvertaken()) {
            return e;
        }
        lost = true;
        store.wantTime();
        return new ReaderOvertakenException(sequence(), e);
    }

    /** Whether somebody has come to a part of it that was no longer there. */
    boolean isLost() {
        return lost;
    }

    /** The time when the reading of it began, by the clock of leases. */
    long beganMillis() {
        return beganMillis;
    }

    /** Whether it has been there for many times as long as it took to read it. */
    boolean isOld() {
        return store.scheduler.nanoTime() - beganNanos > OLD_AT_LOADS * loadNanos;
    }

    /** Whether it lacks a bulk load, and all writes since. */
    boolean isBehindLoad() {
        return tables.isHeldBack();
    }

    /** The {@link WalFollower#gap} of the logs. */
    CorruptionException gap() {
        return follower.gap();
    }

    /** Goes on with the logs; false if they lead no further. */
    boolean follow() {
        if (!follower.hasLog()) {
            store.requireSameStore(); // else a log that is still there tells
            if (engine.isOvertaken()) {
                return false; // a log that goes on where this state ends may be of another life of the store
            }
        }
        return follower.follow(tables);
    }

    /** Whether the space has gone on since it was read, so that reading it anew gives another one. */
    boolean isOvertaken() {
        return engine.isOvertaken();
    }

    /** Reads it. */
    public StoreReader reader() {
        return reader;
    }

    /** Leaves to others what reads keep for later ones; see {@link ReadContexts#leaveUnused}. */
    long leaveUnused(long wanted) {
        return contexts.leaveUnused(wanted);
    }

    /** Pins it as it is now. */
    public PinnedVersion pin(HolderKind kind) {
        return PinnedVersion.ofNewest(versions, kind);
    }

    /** The holders that keep it. */
    Holders holders() {
        return versions.holders;
    }

    /** The number of the last write that it has. */
    public long sequence() {
        StoreVersions now = versions;
        return now == null ? engine.tag() : now.visibleSequence();
    }

    /** The id of the first version that shows it. */
    long firstVersion() {
        return firstVersion;
    }

    /** Ends the epoch in which it came in the place of another one. */
    void publishAgain() {
        versions.publishRoots(versions.current().storeSequence());
    }

    /** The greatest number of a content that it has given out. */
    long lastContent() {
        return intervals.lastContent();
    }

    /** How many memtables it has. */
    int tableCount() {
        return tables.count();
    }

    /** Off-heap bytes of its memtables. */
    long tableBytes() {
        return tables.memoryBytes();
    }

    /** Off-heap bytes of it, roughly, without those that all states share. */
    long memoryBytes() {
        return tables.memoryBytes() + engine.figures().treeMemoryBytes() + intervals.index.memoryBytes();
    }

    SpaceEngine engine() {
        return engine;
    }

    /** Closes its files. Later reads throw that it is closed. */
    @Override
    public void close() {
        try {
            if (follower != null) {
                follower.close();
            }
        } finally {
            if (engine != null) {
                engine.close();
            }
        }
    }

    @Override
    public String toString() {
        return "FollowedState[" + sequence() + ", covered=" + engine.tag() + ", " + follower + "]";
    }
}
