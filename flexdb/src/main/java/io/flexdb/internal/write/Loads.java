package io.flexdb.internal.write;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.interval.StagedPieces;
import io.flexdb.internal.log.RecentWrites;
import io.flexdb.internal.read.Front;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.SpillArea;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The loads of a store that have not ended. Thread-safe. */
public final class Loads implements AutoCloseable {
    final SpaceEngine engine;
    final StoreVersions versions;
    private final SparseIndex index;
    private final CommitThread commits;
    final RunGate gate;
    private final RecentWrites recentWrites;
    final LongTasks tasks;
    final Supplier<PinnedVersion> pinNewest;
    final StoreReader reader;
    private final OffHeap memory;
    private final Map<Object, Runnable> open = new IdentityHashMap<>(); // how to end each; locked by itself

    /**
     * @param tasks that closing the store ends, before this is closed
     * @param pinNewest pins what is newest
     */
    public Loads(
            StoreWriter writer,
            StoreReader reader,
            RecentWrites recentWrites,
            LongTasks tasks,
            Supplier<PinnedVersion> pinNewest) {
        this.reader = reader;
        this.versions = writer.versions;
        this.gate = writer.runs();
        this.commits = writer.commits;
        this.engine = commits.engine;
        this.index = commits.committer.index;
        this.memory = commits.committer.memory;
        this.recentWrites = recentWrites;
        this.tasks = tasks;
        this.pinNewest = pinNewest;
    }

    /** Begins one. */
    public StoreLoad begin() {
        return tasks.run(task -> {
            engine.health().requireUsable();
            StoreLoad load = new StoreLoad(this);
            begun(load, load::close);
            return load;
        });
    }

    /** Begins to spill what one user writes, who has pinned what he reads. */
    public SpillArea spills() {
        return tasks.run(task -> {
            engine.health().requireUsable();
            commits.takeGivenBack(); // which publishes: what is staged from now on is younger than his pin
            SpillArea area = new SpillArea(engine, versions, memory, this::stage, this::takeGivenBack, this::ended);
            begun(area, area::close);
            return area;
        });
    }

    /** Begins to bring in what was written in front of the store. */
    public WritesLoad writes(Front front) {
        return tasks.run(task -> {
            engine.health().requireUsable();
            WritesLoad load = new WritesLoad(this, front);
            begun(load, load::close);
            return load;
        });
    }

    /** A buffer for a {@link RunWriter}. */
    ByteBuffer newPiece() {
        return RunWriter.newPiece(memory, engine.maxExtentBytes());
    }

    /** The pairs that the space of a version has. */
    SpacePairs spacePairs(PinnedVersion pin) {
        return new SpacePairs(
                versions, engine.reads(), index, pin, engine.store().file().path());
    }

    /** Has a run of pieces that were staged in the store, durably, or throws and has nothing of it there. */
    long link(SortedRun run, StagedPieces staged, byte[] from, byte[] to) {
        staged.finishAndForce();
        return commits.link(run, () -> recentWrites.addRun(from, to), recentWrites::publishedRun);
    }

    StagedPieces stage() {
        return new StagedPieces(engine, tasks, commits::makeRoom);
    }

    private void takeGivenBack() {
        tasks.run(task -> {
            commits.takeGivenBack();
            return null;
        });
    }

    private void begun(Object user, Runnable close) {
        synchronized (open) {
            open.put(user, close);
        }
    }

    /** Has the segments of what has ended become free, but for those that the space has now. */
    void ended(Object user) {
        boolean wasOpen;
        synchronized (open) {
            wasOpen = open.remove(user) != null;
        }
        if (wasOpen && engine.health().isUsable()) {
            try {
                takeGivenBack();
            } catch (StorageException e) {
                // The store is closed or has failed, and what is not linked is free when it is opened again.
            }
        }
    }

    /** Ends all of them. Nobody is at work in one. */
    @Override
    public void close() {
        List<Runnable> ending;
        synchronized (open) {
            ending = List.copyOf(open.values());
        }
        ending.forEach(Runnable::run);
    }
}
