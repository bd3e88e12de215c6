package io.flexdb.internal.load;

import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.commit.CommitThread;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.memlog.RecentWrites;
import io.flexdb.internal.version.PinnedVersion;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.write.RunGate;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The loads of a store that have not ended. Thread-safe. */
public final class Loads implements AutoCloseable {
    final SpaceEngine engine;
    final StoreVersions versions;
    final SparseIndex index;
    final CommitThread commits;
    final RunGate gate;
    final RecentWrites recentWrites;
    final LongTasks tasks;
    final Supplier<PinnedVersion> pinNewest;
    final Path dataFile;
    private final Set<StoreLoad> open = new HashSet<>(); // locked by itself

    /**
     * @param tasks that closing the store ends, before this is closed
     * @param pinNewest pins what is newest
     * @param dataFile for messages
     */
    public Loads(
            SpaceEngine engine,
            StoreVersions versions,
            SparseIndex index,
            CommitThread commits,
            RunGate gate,
            RecentWrites recentWrites,
            LongTasks tasks,
            Supplier<PinnedVersion> pinNewest,
            Path dataFile) {
        this.engine = engine;
        this.versions = versions;
        this.index = index;
        this.commits = commits;
        this.gate = gate;
        this.recentWrites = recentWrites;
        this.tasks = tasks;
        this.pinNewest = pinNewest;
        this.dataFile = dataFile;
    }

    /** Begins one. */
    public StoreLoad begin() {
        return tasks.run(task -> {
            engine.health().requireUsable();
            StoreLoad load = new StoreLoad(this);
            synchronized (open) {
                open.add(load);
            }
            return load;
        });
    }

    /** Has the segments of a load that has ended become free, but for those that the space has now. */
    void ended(StoreLoad load) {
        boolean wasOpen;
        synchronized (open) {
            wasOpen = open.remove(load);
        }
        if (wasOpen && engine.health().isUsable()) {
            try {
                tasks.run(task -> {
                    commits.takeGivenBack();
                    return null;
                });
            } catch (StorageException e) {
                // The store is closed or has failed, and what is not linked is free when it is opened again.
            }
        }
    }

    /** Ends all of them. Nobody is at work in one. */
    @Override
    public void close() {
        List<StoreLoad> ending;
        synchronized (open) {
            ending = List.copyOf(open);
        }
        ending.forEach(StoreLoad::close);
    }
}
