package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** After a recovery: puts what the logs held that were replayed into one new log, and drops all others. */
final class LogRenewal {
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final Vfs vfs;
    private final Path directory;
    private final TreeFile treeFile;
    private final FoundLogs found;
    private final List<LogReplay.Replayed> replayed;
    private final boolean isNew;
    private LogicalLog made; // or null

    /** @param isNew whether this opening has created the space, the log included */
    LogRenewal(
            Vfs vfs,
            Path directory,
            TreeFile treeFile,
            FoundLogs found,
            List<LogReplay.Replayed> replayed,
            boolean isNew) {
        this.isNew = isNew;
        this.vfs = vfs;
        this.directory = directory;
        this.treeFile = treeFile;
        this.found = found;
        this.replayed = replayed;
    }

    boolean isMade() {
        return made != null;
    }

    /**
     * Makes the log that changes will go to. A log that was replayed is never appended to: what was accepted goes into
     * a fresh one first (O8). It is read once more for that: it may not fit the memory. The new one is the newest from
     * then on, and holds what the others do; {@link #undo} takes that back, as long as nothing was appended. The log of
     * a space that this opening has created was forced by it, and is no other's, so it is the one.
     *
     * @throws CorruptionException if what is read then is not what was replayed
     */
    LogicalLog make() {
        if (isNew) {
            made = LogicalLog.goOn(vfs, directory, found.newest());
            return made;
        }
        if (found.otherVersions()) {
            treeFile.rewriteHeader(); // before the log of the other version goes
        }
        try {
            made = createLog();
        } catch (StoreFullException e) {
            // The spare log was made for a full disk, and holds nothing; nor does the end of the FlexTree file.
            made = createLogIf(vfs.deleteIfExists(directory.resolve(LogicalLog.NAME_WHILE_MADE)), e);
        }
        return made;
    }

    private LogicalLog createLogIf(boolean madeRoom, StoreFullException why) {
        if (madeRoom) {
            try {
                return createLog();
            } catch (StoreFullException e) {
                // There may be more to give back.
            }
        }
        if (!treeFile.giveBackEnd()) {
            throw refusal(why);
        }
        try {
            return createLog();
        } catch (StoreFullException e) {
            throw refusal(e);
        }
    }

    private StoreFullException refusal(StoreFullException why) {
        long bytes = 0;
        for (LogReplay.Replayed log : replayed) {
            bytes += log.endPosition();
        }
        StoreFullException refusal = new StoreFullException("no space to copy the logical log in " + directory
                + ", which takes up to " + bytes + " bytes (" + why.getMessage()
                + "); free as many on this volume, then"
                + " open again. Nothing is lost, and a read-only opening needs no space");
        refusal.initCause(why);
        return refusal;
    }

    private LogicalLog createLog() {
        TreeHeader header = treeFile.header();
        try (BackgroundWorker beside = vfs.worker("flexdb-recovery");
                ReplayedPayloads payloads = new ReplayedPayloads(beside)) {
            return LogicalLog.create(
                    vfs, directory, header.storeId(), found.newest() + 1, header.treeVersion(), payloads::next);
        }
    }

    /** Takes {@link #make} back, and what was claimed since, as the opening has failed. The log is closed. */
    void undo() {
        if (made == null) {
            return;
        }
        treeFile.cutToSizeFound();
        if (!isNew) {
            vfs.deleteIfExists(found.path(made.generation()));
        }
        made = null;
        if (!found.hasSpare()) {
            vfs.deleteIfExists(directory.resolve(LogicalLog.NAME_WHILE_MADE));
        }
    }

    /**
     * Deletes what the new log makes superfluous. Not synced: what comes back after a power cut is older than that log,
     * and deleted next time. If the first can't be deleted, nothing has changed; others are left to the next time.
     */
    void dropOthers() {
        if (isNew) {
            return; // there are none
        }
        boolean dropped = false;
        for (Path path : found.superfluous()) {
            try {
                vfs.delete(path);
                dropped = true;
            } catch (StorageException e) {
                if (!dropped) {
                    throw e;
                }
                LOG.log(System.Logger.Level.WARNING, "A log that is not needed stays in " + directory, e);
            }
        }
    }

    /** Reads what was replayed once more. */
    private final class ReplayedPayloads implements AutoCloseable {
        private final BackgroundWorker beside;
        private final Iterator<LogReplay.Replayed> logs = replayed.iterator();
        private LogReplay.Replayed expected;
        private LogPieces log; // null between two

        ReplayedPayloads(BackgroundWorker beside) {
            this.beside = beside;
        }

        List<ByteBuffer> next() {
            while (log != null || logs.hasNext()) {
                if (log == null) {
                    expected = logs.next();
                    log = found.read(expected.generation(), beside);
                }
                List<ByteBuffer> some = log.next();
                if (!some.isEmpty()) {
                    return some;
                }
                checkSame();
                close();
            }
            return List.of();
        }

        private void checkSame() {
            if (log.frames() != expected.frames() || log.digest() != expected.digest()) {
                throw new CorruptionException(
                        found.path(expected.generation()),
                        LogFormat.FRAMES_OFFSET,
                        "the " + expected.frames() + " frames that were replayed",
                        log.frames() + " frames when they were read once more");
            }
        }

        @Override
        public void close() {
            if (log != null) {
                log.close();
                log = null;
            }
        }
    }
}
