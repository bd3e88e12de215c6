package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogHeader;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.log.LogicalLogReader;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The logs in the directory of a space: the one that extends the newest tree, and the one that continues that log. */
final class FoundLogs {
    private record Found(LogHeader log, boolean hasFrames) {}

    private final Vfs vfs;
    private final Path directory;
    private final TreeHeader header;
    private long opened;
    private long continuing; // 0 if there is none
    private long continuedSequence;
    private long newest;
    private boolean otherVersions;
    private boolean spare;
    private final List<Path> superfluous = new ArrayList<>();

    /**
     * Looks for them, and reads their headers.
     *
     * @param header of the newest tree
     * @throws CorruptionException if one is missing, or damaged so that nobody knows what it holds
     */
    FoundLogs(Vfs vfs, Path directory, TreeHeader header) {
        this.vfs = vfs;
        this.directory = directory;
        this.header = header;
        find();
    }

    /** The generation of the log that extends the tree. */
    long opened() {
        return opened;
    }

    /** The generation of the log that continues that log; 0 if there is none. */
    long continuing() {
        return continuing;
    }

    /** The sequence of the last frame that the log before it must have. */
    long continuedSequence() {
        return continuedSequence;
    }

    /** The greatest generation of all logs. */
    long newest() {
        return newest;
    }

    /** Whether there are logs of other versions of the tree. */
    boolean otherVersions() {
        return otherVersions;
    }

    /** Whether there is a file for the next log, which holds nothing. */
    boolean hasSpare() {
        return spare;
    }

    /** The files that nobody needs once there is a new log. */
    List<Path> superfluous() {
        return superfluous;
    }

    Path path(long generation) {
        return directory.resolve(LogFormat.fileName(generation));
    }

    /** Begins to read one. */
    LogPieces read(long generation, BackgroundWorker beside) {
        return new LogPieces(vfs, path(generation), header.storeId(), generation, beside);
    }

    private void find() {
        List<Found> logs = new ArrayList<>();
        long damaged = 0;
        RuntimeException problem = null;
        for (String name : vfs.list(directory)) {
            long generation = LogFormat.generationOf(name);
            spare |= name.equals(LogicalLog.NAME_WHILE_MADE);
            if (generation > 0 || name.equals(TreeFileFormat.NAME_WHILE_MADE)) {
                superfluous.add(directory.resolve(name));
            }
            if (generation > 0) {
                newest = Math.max(newest, generation);
                try {
                    logs.add(readHeader(name, generation));
                } catch (CorruptionException e) {
                    if (generation > damaged) {
                        damaged = generation;
                        problem = e;
                    }
                }
            }
        }
        // The newest, if a recovery was cut before it dropped the older ones.
        for (Found found : logs) {
            if (found.log.treeVersion() == header.treeVersion()) {
                opened = Math.max(opened, found.log.generation());
            } else {
                otherVersions = true;
            }
        }
        for (Found found : logs) {
            if (found.log.treeVersion() > header.treeVersion()) {
                considerLater(found.log, found.hasFrames);
            }
        }
        if (problem != null && damaged > Math.max(opened, continuing)) {
            throw problem; // what it held may be newer than what the others hold
        }
        if (opened == 0) {
            throw new CorruptionException(
                    directory.resolve(TreeFileFormat.FILE_NAME),
                    TreeFileFormat.headerPosition(header.treeVersion()),
                    "a logical log that extends tree version " + header.treeVersion(),
                    "none; the header of a later version may be damaged");
        }
    }

    private Found readHeader(String name, long generation) {
        try (VfsFile file = vfs.open(directory.resolve(name), OpenMode.READ)) {
            LogicalLogReader reader = new LogicalLogReader(file, header.storeId(), generation);
            return new Found(reader.header(), reader.hasFrames());
        }
    }

    /**
     * A log of the next version is written to while that version is being saved. It continues the log of this version,
     * unless a recovery has copied both into a newer one. Any other log that has frames extends a version that was
     * durable once, whose header must be damaged.
     */
    private void considerLater(LogHeader log, boolean hasFrames) {
        boolean next = log.treeVersion() == header.treeVersion() + 1 && log.continues() > 0;
        if (next && log.continues() == opened) {
            continuing = log.generation();
            continuedSequence = log.continuesSequence();
        } else if (hasFrames && !(next && log.continues() < opened)) {
            Path tree = directory.resolve(TreeFileFormat.FILE_NAME);
            throw new CorruptionException(
                    tree,
                    TreeFileFormat.headerPosition(log.treeVersion()),
                    "the header of tree version " + log.treeVersion() + ", which "
                            + LogFormat.fileName(log.generation()) + " extends",
                    "version " + header.treeVersion() + " as the newest");
        }
    }
}
