package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.Epochs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;

/**
 * Opens the files of a space: the newest version of the FlexTree, then the log that extends it. Changes no file until
 * everything has been read and found sound.
 */
final class SpaceRecovery {
    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final Epochs epochs;

    TreeFile treeFile;
    FlexTree tree;
    SegmentStore store;
    long tag;
    long openedLogGeneration;

    private VfsFile tableOf; // the FlexTree file
    private Path logPath;
    private boolean otherVersionsFound;
    private List<ByteBuffer> payloads;
    private ExtentMover mover;

    SpaceRecovery(Vfs vfs, Path directory, long storeId, Epochs epochs) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.epochs = epochs;
    }

    /** Reads and checks everything, and changes no file; after a failure nothing is left open. */
    void run() {
        try {
            recover();
        } catch (RuntimeException | Error e) {
            closeAll();
            throw e;
        }
    }

    private void recover() {
        tableOf = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.READ_WRITE);
        TreeHeader header = TreeHeader.readNewest(tableOf, storeId);
        long id = header.storeId();
        treeFile = new TreeFile(tableOf, header);
        SegmentFormat format = new SegmentFormat(header.segmentBytes(), header.frameBytes(), id);
        store = new SegmentStore(SpaceFiles.openData(vfs, directory, id), format, epochs);
        tree = new FlexTree(FlexTreeOptions.defaults().withMaxExtentBytes(format.maxExtentBytes), epochs);
        mover = new ExtentMover(tree);
        tag = header.tag();

        long generation = findLog(header);
        openedLogGeneration = generation;
        restoreSegments(treeFile.readTable());
        treeFile.load(tree, (logicalOffset, length, address, flags) -> {
            if (address != FlexTree.HOLE) {
                checkExtent(tableOf.path(), address, length);
                addLive(tableOf.path(), address, length);
            }
        });
        payloads = readLog(id, generation);
        for (ByteBuffer payload : payloads) {
            replay(payload.duplicate().order(ByteOrder.LITTLE_ENDIAN));
        }
        store.recovered();
    }

    /**
     * Makes the space ready for changes. A log that was replayed is never appended to: what was accepted goes into a fresh
     * one first (O8).
     */
    LogicalLog beginLog() {
        TreeHeader header = treeFile.header();
        if (otherVersionsFound) {
            treeFile.recommit(); // before the log of the other version goes
        }
        LogicalLog log = LogicalLog.create(
                vfs, directory, header.storeId(), openedLogGeneration + 1, header.treeVersion(), payloads);
        payloads = null;
        try {
            dropOtherLogs(log.generation());
            return log;
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    private void dropOtherLogs(long generation) {
        for (String name : vfs.list(directory)) {
            long other = LogFormat.generationOf(name);
            if (other > 0 && other != generation) {
                vfs.delete(directory.resolve(name));
            }
        }
        vfs.deleteIfExists(directory.resolve(TreeFileFormat.NAME_WHILE_MADE));
        // Not synced: what comes back after a power cut is older than the new log, and deleted next time.
    }

    /** The log that extends the header's version; the newest, if a recovery was cut before it dropped the older one. */
    private long findLog(TreeHeader header) {
        long found = 0;
        long newest = 0;
        RuntimeException problem = null;
        for (String name : vfs.list(directory)) {
            long generation = LogFormat.generationOf(name);
            if (generation > 0) {
                try (VfsFile file = vfs.open(directory.resolve(name), OpenMode.READ)) {
                    LogicalLogReader reader = new LogicalLogReader(file, header.storeId(), generation);
                    if (reader.treeVersion() != header.treeVersion()) {
                        otherVersionsFound = true;
                        checkUnused(file, reader, header);
                    } else if (generation > found) {
                        found = generation;
                    }
                } catch (CorruptionException e) {
                    if (generation > newest) {
                        newest = generation;
                        problem = e;
                    }
                }
            }
        }
        if (problem != null && newest > found) {
            throw problem; // what it held may be newer than what the others hold
        }
        if (found == 0) {
            throw new CorruptionException(
                    directory.resolve(TreeFileFormat.FILE_NAME),
                    TreeFileFormat.headerPosition(header.treeVersion()),
                    "a logical log that extends tree version " + header.treeVersion(),
                    "none; the header of a later version may be damaged");
        }
        return found;
    }

    /** A log gets its first frame after the header that it extends is durable; so that header must be there. */
    private static void checkUnused(VfsFile log, LogicalLogReader reader, TreeHeader header) {
        if (reader.treeVersion() > header.treeVersion() && log.size() > LogFormat.FRAMES_OFFSET) {
            throw new CorruptionException(
                    log.path().resolveSibling(TreeFileFormat.FILE_NAME),
                    TreeFileFormat.headerPosition(reader.treeVersion()),
                    "the header of tree version " + reader.treeVersion() + ", which " + log.path() + " extends",
                    "version " + header.treeVersion() + " as the newest");
        }
    }

    private void restoreSegments(ByteBuffer table) {
        int segments = table.getInt();
        int open = table.getInt();
        int frames = table.getInt();
        SegmentFormat format = store.format();
        boolean sound = segments >= 0
                && open >= -1
                && open < segments
                && frames >= 0
                && (open >= 0 || frames == 0)
                && frames <= format.dataFrames
                && table.remaining() == ((long) segments + frames) * Integer.BYTES;
        if (!sound) {
            throw new CorruptionException(
                    tableOf.path(),
                    TreeFileFormat.slotPosition(treeFile.header().tableSlot()),
                    "a segment table whose counts fit its length",
                    segments + " segments, " + open + " open, " + frames + " frames");
        }
        for (int number = 0; number < segments; number++) {
            store.restore(number, table.getInt());
        }
        if (open >= 0) {
            store.restoreFrames(open, store.segment(open).generation, false, 0, table, frames);
        }
    }

    private void checkExtent(Path file, long address, long length) {
        if (!store.isExtent(address, length)) {
            throw new CorruptionException(
                    file,
                    0,
                    "an extent within a segment that is known",
                    length + " bytes at address " + address + " of " + store.segmentCount() + " segments");
        }
    }

    private void addLive(Path file, long address, long length) {
        store.addLive(address, length);
        Segment segment = store.segment(store.format().segmentOf(address));
        if (segment.liveBytes > segment.usedBytes) {
            throw new CorruptionException(file, 0, "extents that do not overlap", segment.toString());
        }
    }

    private List<ByteBuffer> readLog(long id, long generation) {
        logPath = directory.resolve(LogFormat.fileName(generation));
        try (VfsFile file = vfs.open(logPath, OpenMode.READ)) {
            return new LogicalLogReader(file, id, generation).payloads();
        }
    }

    private void replay(ByteBuffer payload) {
        tag = payload.getLong();
        int edits = payload.getInt();
        int notes = payload.getInt();
        if (edits < 0 || notes < 0 || payload.remaining() < (long) edits * LogBatch.EDIT_BYTES) {
            throw badBatch("counts that fit the length", edits + " edits, " + notes + " notes");
        }
        int firstEdit = payload.position();
        payload.position(firstEdit + edits * LogBatch.EDIT_BYTES);
        // The edits name segments that the notes behind them make known.
        for (int i = 0; i < notes; i++) {
            replayNote(payload);
        }
        if (payload.hasRemaining()) {
            throw badBatch("the end of the batch", payload.remaining() + " more bytes");
        }
        for (int i = 0; i < edits; i++) {
            int at = firstEdit + i * LogBatch.EDIT_BYTES;
            replayEdit(payload.getLong(at), payload.getLong(at + 8), payload.getLong(at + 16));
        }
    }

    private void replayNote(ByteBuffer payload) {
        if (payload.remaining() < LogBatch.NOTE_BYTES) {
            throw badBatch("a segment note", "end of the batch");
        }
        int number = payload.getInt();
        int generation = payload.getInt();
        int first = payload.getInt();
        int frames = payload.getInt();
        boolean sealed = first < 0;
        first &= ~LogBatch.SEALED;
        boolean sound = frames <= payload.remaining() / Integer.BYTES
                && store.isNote(number, generation, sealed, first, frames);
        if (!sound) {
            throw badBatch(
                    "a note that continues one of " + store.segmentCount() + " segments or begins a new one",
                    (sealed ? "sealed" : "open") + " segment " + number + ", generation " + generation
                            + ", frames from " + first + ", " + frames + " of them");
        }
        store.restoreFrames(number, generation, sealed, first, payload, frames);
    }

    private void replayEdit(long operationAndOffset, long where, long length) {
        long logicalOffset = operationAndOffset & LogBatch.OFFSET_MASK;
        int operation = LogBatch.operation(operationAndOffset);
        if (operation == LogBatch.MOVE) {
            replayMove(logicalOffset, length, where);
            return;
        }
        long address = where >>> 16;
        int flags = (int) where & 0xFFFF;
        long size = tree.size();
        boolean hole = address == FlexTree.HOLE;
        long available = operation == LogBatch.INSERT ? LogBatch.OFFSET_MASK - size : size - logicalOffset;
        if (hole && operation != LogBatch.COLLAPSE) {
            available = Math.min(available, SpaceEngine.MAX_HOLE_BYTES);
        }
        if (logicalOffset > size || length <= 0 || length > available) {
            throw badBatch(
                    "an edit within the " + size + " bytes of the space",
                    "operation " + operation + " at " + logicalOffset + ", " + length + " bytes");
        }
        if (operation != LogBatch.COLLAPSE && !hole) {
            checkExtent(logPath, address, length);
        }
        switch (operation) {
            case LogBatch.INSERT -> tree.insertRange(logicalOffset, length, address, flags);
            case LogBatch.COLLAPSE -> tree.collapseRange(logicalOffset, length, this::removed);
            default -> tree.remap(logicalOffset, length, address, flags, this::removed);
        }
        if (operation != LogBatch.COLLAPSE && !hole) {
            addLive(logPath, address, length);
        }
    }

    private void replayMove(long logicalOffset, long length, long target) {
        if (!mover.isMove(logicalOffset, length, target) || mover.moveSome(logicalOffset, length, target) < length) {
            throw badBatch(
                    "a move within the " + tree.size() + " bytes of the space, of " + ExtentMover.MAX_EXTENTS
                            + " extents at most",
                    length + " bytes from " + logicalOffset + " to " + target);
        }
    }

    private void removed(long logicalOffset, long length, long address, int flags) {
        if (address != FlexTree.HOLE) {
            store.removeLive(address, length);
        }
    }

    private CorruptionException badBatch(String expected, String found) {
        return new CorruptionException(logPath, 0, expected + " in a log batch", found);
    }

    private void closeAll() {
        if (store != null) {
            store.close();
        }
        if (tableOf != null) {
            tableOf.close();
        }
    }
}
