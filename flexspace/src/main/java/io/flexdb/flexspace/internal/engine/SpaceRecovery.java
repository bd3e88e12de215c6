package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.SpaceOwner;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.segment.DataFile;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.MappedReads;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Opens the files of a space: the newest version of the FlexTree, then the log that extends it, then the one that
 * continues that log, if a checkpoint was cut before its header was durable. Changes no file until everything has been
 * read and found sound.
 */
final class SpaceRecovery {
    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final SpaceSettings settings;
    private final SpaceOwner owner;
    private final boolean isNew;

    TreeFile treeFile;
    FlexTree tree;
    SegmentStore store;
    FoundLogs logs;
    LogReplay replay;
    FoundData data;

    private VfsFile treeVfsFile; // what treeFile reads

    /** @param isNew whether this opening has just created the space */
    SpaceRecovery(Vfs vfs, Path directory, long storeId, SpaceSettings settings, SpaceOwner owner, boolean isNew) {
        this.isNew = isNew;
        this.owner = owner;
        this.settings = settings;
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
    }

    /** Reads and checks everything, and changes no file; after a failure nothing is left open. */
    void run() {
        try (BackgroundWorker beside = vfs.worker("flexdb-recovery")) {
            recover(beside);
        } catch (RuntimeException | Error e) {
            closeAll();
            throw e;
        }
    }

    private void recover(BackgroundWorker beside) {
        treeVfsFile = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.READ_WRITE);
        TreeHeader header = TreeHeader.readNewest(treeVfsFile, storeId);
        long id = header.storeId();
        treeFile = new TreeFile(treeVfsFile, header);
        SegmentFormat format = new SegmentFormat(header.sizes(), id);
        ByteBuffer table = treeFile.readTable();
        store = openStore(id, format, SegmentTable.count(table, format));
        tree = OwnedTrees.create(
                FlexTreeOptions.defaults().withMaxExtentBytes(format.maxExtentBytes), owner.epochs(), owner.memory());
        replay = new LogReplay(tree, store, header.tag());
        logs = new FoundLogs(vfs, directory, header);
        try (LogPieces log = logs.read(logs.opened(), beside);
                LogPieces next = logs.continuing() > 0 ? logs.read(logs.continuing(), beside) : null) {
            load(table, log, next);
        }
        new DataFileMatch(store).require();
        store.recovered(isNew ? logs.newest() - 1 : logs.newest()); // the log of this opening is there already
    }

    private SegmentStore openStore(long id, SegmentFormat format, int segments) {
        boolean toChange = settings.segmentBuffers > 0; // else nobody will write
        data = FoundData.open(vfs, directory, id, toChange, format, segments);
        VfsFile file = data.file();
        try {
            DataFile opened = new DataFile(file, format, settings.mappedReads ? new MappedReads(file) : null);
            BackgroundWorker worker = vfs.worker("flexdb-seal " + directory); // no thread yet
            return new SegmentStore(opened, owner.epochs(), worker, owner.memory(), settings.frameTableBytes);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /**
     * Loads the tree, while the logs are read beside that, as far as they fit the memory for that; then replays them.
     */
    private void load(ByteBuffer table, LogPieces log, LogPieces next) {
        restoreSegments(table);
        treeFile.load(tree, (logicalOffset, length, address, flags) -> {
            if (address != FlexTree.HOLE) {
                replay.checkExtent(treeVfsFile.path(), address, length);
                replay.addLive(treeVfsFile.path(), address, length);
            }
        });
        OwnedTrees.writer(tree).onlyWriterSees(true);
        replay.replay(logs.path(logs.opened()), logs.opened(), log);
        if (next != null) {
            checkContinued(log.frames());
            replay.replay(logs.path(logs.continuing()), logs.continuing(), next);
        }
        OwnedTrees.writer(tree).onlyWriterSees(false);
    }

    private void restoreSegments(ByteBuffer table) {
        String problem = SegmentTable.restore(table, store);
        if (problem != null) {
            throw new CorruptionException(
                    treeVfsFile.path(),
                    treeFile.header().table().position(),
                    "a segment table whose counts fit its length",
                    problem);
        }
    }

    private void checkContinued(long frames) {
        if (frames != logs.continuedSequence()) {
            throw new CorruptionException(
                    logs.path(logs.opened()),
                    LogFormat.FRAMES_OFFSET,
                    logs.continuedSequence() + " whole frames, which " + LogFormat.fileName(logs.continuing())
                            + " continues",
                    Long.toString(frames));
        }
    }

    /** The work to be done on the logs, once nothing is a reason any more to refuse the space. */
    LogRenewal renewal() {
        return new LogRenewal(vfs, directory, treeFile, logs, replay.replayed(), isNew);
    }

    /** Where the logs ended. */
    LogEnd logEnd() {
        List<LogReplay.Replayed> logs = replay.replayed();
        LogReplay.Replayed last = logs.get(logs.size() - 1);
        return new LogEnd(directory, last.generation(), last.frames(), last.endPosition());
    }

    /** Closes what was opened. */
    void closeAll() {
        try {
            if (store != null) {
                store.close();
            }
        } finally {
            try {
                if (treeVfsFile != null) {
                    treeVfsFile.close();
                }
            } finally {
                if (data != null) {
                    data.undo();
                }
            }
        }
    }
}
