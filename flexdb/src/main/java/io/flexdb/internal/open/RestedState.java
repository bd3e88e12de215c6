package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.write.RestSaver;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Saves, while nobody writes to an open store, what a clean close saves: so a store that has rested, and is killed, opens
 * as one that was closed. By the thread that commits.
 */
final class RestedState implements RestSaver {
    /*
     * The files are an {@link IntervalsFile} and a {@link DirectoriesFile} with names of their own, as those of a close
     * also prove that no write-ahead log is missing. They name version, generation and tag of the space.
     *
     * G1  While there is such a file of intervals, the content of the space is the one that it was written for. So it is
     *     deleted, durably, before the space's files get anything that a recovery would find.
     *
     * Of the directories those of the cache are saved alone, so that the work has a limit. Those that an earlier opening
     * has saved, and nobody has asked for since, are made anew after a kill.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final Vfs vfs;
    private final Path intervalsPath;
    private final Path directoriesPath;
    private final Intervals intervals;
    private final SpaceEngine engine;
    private boolean isSaved;

    RestedState(Vfs vfs, Path directory, Intervals intervals, SpaceEngine engine) {
        this.vfs = vfs;
        this.intervalsPath = intervalsOf(directory);
        this.directoriesPath = directoriesOf(directory);
        this.intervals = intervals;
        this.engine = engine;
    }

    static Path intervalsOf(Path directory) {
        return directory.resolve(StoreFiles.RESTED_INTERVALS_NAME);
    }

    static Path directoriesOf(Path directory) {
        return directory.resolve(StoreFiles.RESTED_DIRECTORIES_NAME);
    }

    @Override
    public boolean isWorthIt() {
        return DirectoriesFile.areWorthSaving(intervals) && vfs.replacesOpenFiles(); // one of them may be in use
    }

    @Override
    public long save(BooleanSupplier goOn) {
        forget();
        engine.sync(engine.tag()); // garbage collection may have written last
        if (engine.isCheckpointUnderWay()) {
            return 0; // it would name the version before
        }
        isSaved = true;
        long bytes;
        try {
            vfs.deleteIfExists(directoriesPath); // of an earlier opening, which may still be in use
            bytes = write(goOn);
        } catch (StorageException | OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "The index and directories were not saved for an opening after a kill",
                    e);
            bytes = FAILED;
        }
        if (bytes <= 0) {
            forget();
        }
        return bytes;
    }

    /** Returns how many bytes it has written; 0 if it did not go on. */
    private long write(BooleanSupplier goOn) {
        long ofDirectories = DirectoriesFile.writeFile(vfs, directoriesPath, intervals, null, engine, goOn);
        long ofIntervals =
                ofDirectories == 0 ? 0 : IntervalsFile.writeFile(vfs, intervalsPath, intervals, engine, goOn);
        return ofIntervals == 0 ? 0 : ofDirectories + ofIntervals;
    }

    @Override
    public void forget() {
        if (isSaved) {
            vfs.deleteIfExists(intervalsPath);
            vfs.deleteIfExists(directoriesPath);
            vfs.syncDirectory(intervalsPath.getParent()); // G1
            isSaved = false;
        }
    }

    /** Deletes what there is in the directory of a closed store, or one that is opened: it fits no later state. */
    static boolean delete(Vfs vfs, Path directory) {
        return IntervalsFile.delete(vfs, intervalsOf(directory)) | IntervalsFile.delete(vfs, directoriesOf(directory));
    }
}
