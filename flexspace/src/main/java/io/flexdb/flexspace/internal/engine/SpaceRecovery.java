package io.flexdb.flexspace.internal.engine;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.log.LogicalLogReader;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.tree.TreeWriter;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Opens the files of a space: the newest version of the FlexTree, then the log that extends it, then the one that
 * continues that log, if a checkpoint was cut before its header was durable. Changes no file until
 * everything has been read and found sound.
 */
final class SpaceRecovery {
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int NEWEST_FRAMES = 8; // that are looked at to tell whether the data file is the right one

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final Epochs epochs;
    private final OffHeap memory;
    private final SpaceSettings settings;

    TreeFile treeFile;
    FlexTree tree;
    SegmentStore store;
    long tag;
    long openedLogGeneration;

    private VfsFile tableOf; // the FlexTree file
    private Path logPath;
    private long newestGeneration;
    private long continuingGeneration; // 0 if there is none
    private long continuedSequence; // which the log before it must reach
    private boolean otherVersionsFound;
    private boolean spareFound;
    private final List<Path> superfluous = new ArrayList<>(); // once there is a new log
    private final List<ReplayedLog> replayed = new ArrayList<>();
    private ExtentMover mover;
    private final long[] nextOffsets = new long[TreeWriter.TOUCHED_AT_ONCE];

    /** @param memory for segments and the tree */
    SpaceRecovery(Vfs vfs, Path directory, long storeId, Epochs epochs, OffHeap memory, SpaceSettings settings) {
        this.memory = memory;
        this.settings = settings;
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.epochs = epochs;
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
        tableOf = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.READ_WRITE);
        TreeHeader header = TreeHeader.readNewest(tableOf, storeId);
        long id = header.storeId();
        treeFile = new TreeFile(tableOf, header);
        SegmentFormat format = new SegmentFormat(header.segmentBytes(), header.frameBytes(), id);
        store = openStore(id, format);
        // Dead frames are written again, but not beside live ones that a power cut would take with them.
        if (settings.maxDataBytes != Long.MAX_VALUE && format.frameBytes >= vfs.blockBytes()) {
            store.enableRefills();
        }
        tree = new FlexTree(FlexTreeOptions.defaults().withMaxExtentBytes(format.maxExtentBytes), epochs, memory);
        mover = new ExtentMover(tree);
        tag = header.tag();

        findLogs(header);
        try (LogPieces log = readLog(beside, openedLogGeneration);
                LogPieces next = continuingGeneration > 0 ? readLog(beside, continuingGeneration) : null) {
            load(log, next);
        }
        requireDataFile();
        store.recovered(newestGeneration);
    }

    private SegmentStore openStore(long id, SegmentFormat format) {
        VfsFile data = SpaceFiles.openData(vfs, directory, id);
        try {
            return new SegmentStore(
                    data, format, epochs, vfs.worker("flexdb-seal"), memory, settings.frameTableBytes); // no thread yet
        } catch (RuntimeException | Error e) {
            data.close();
            throw e;
        }
    }

    /**
     * Loads the tree, while the logs are read beside that, as far as they fit the memory for that; then replays them.
     */
    private void load(LogPieces log, LogPieces next) {
        restoreSegments(treeFile.readTable());
        treeFile.load(tree, (logicalOffset, length, address, flags) -> {
            if (address != FlexTree.HOLE) {
                checkExtent(tableOf.path(), address, length);
                addLive(tableOf.path(), address, length);
            }
        });
        tree.writer().onlyWriterSees(true);
        replayLog(openedLogGeneration, log);
        if (next != null) {
            checkContinued(log.frames());
            replayLog(continuingGeneration, next);
        }
        tree.writer().onlyWriterSees(false);
    }

    /**
     * Tells damage, which is found when it is read, from a data file that is not the one of this tree and this log, as
     * when it was cut short or restored from an earlier day: then nothing may be changed, so that the right one can be
     * put in its place. What was forced last, the last frames of the open segment, is not in an earlier file.
     */
    private void requireDataFile() {
        long bytes = store.file().size();
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment != null && segment.liveBytes > 0) {
                boolean whole = segment.isSealed() && segment.refill == null;
                int used = whole ? store.format().segmentBytes : segment.usedBytes;
                long end = store.format().filePosition(number, used);
                if (end > bytes) {
                    throw new CorruptionException(
                            store.file().path(),
                            bytes,
                            "a data file of " + end + " bytes at least, of which segment " + number + " is the last",
                            bytes + " bytes");
                }
            }
        }
        Segment open = store.openSegment();
        if (open != null && open.liveBytes > 0) {
            requireNewestFrames(open);
        }
    }

    /**
     * One damaged frame is damage. These were never written: two at the end that are both wrong, one that is zero, and
     * one that is wrong like the footer of another segment.
     */
    private void requireNewestFrames(Segment open) {
        SegmentFormat format = store.format();
        int end = open.usedBytes >>> format.frameShift;
        int frames = Math.min(NEWEST_FRAMES, end);
        int first = end - frames;
        ByteBuffer buffer = ByteBuffer.allocateDirect(frames << format.frameShift);
        store.reader().readFrames(open, first, frames, buffer, 0);
        CRC32C crc = new CRC32C();
        int wrong = 0;
        boolean neverWritten = false;
        int found = 0;
        int newest = end - 1;
        for (int frame = end - 1; frame >= first; frame--) {
            int position = frame - first << format.frameShift;
            int checksum = format.checksum(open.number, open.generation, frame, buffer, position, crc);
            boolean zero = isZero(buffer, position, format.frameBytes);
            if (checksum != open.checksums[frame]) {
                if (wrong++ == 0) {
                    newest = frame;
                    found = checksum;
                }
                neverWritten |= zero;
            } else if (!zero) { // padding tells nothing
                break;
            }
        }
        if (wrong > 1 || neverWritten || wrong == 1 && hasWrongFooter()) {
            throw new CorruptionException(
                    store.file().path(),
                    format.filePosition(open.number, newest << format.frameShift),
                    "checksum " + Integer.toHexString(open.checksums[newest])
                            + " of the frame written last; the file may be that of another day",
                    Integer.toHexString(found));
        }
    }

    private boolean hasWrongFooter() {
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment != null && segment.liveBytes > 0 && segment.isSealed() && segment.refill == null) {
                try {
                    store.reader().readFooter(segment);
                } catch (CorruptionException e) {
                    return true;
                } catch (StoreIoException e) {
                    // tells nothing
                }
            }
        }
        return false;
    }

    private static boolean isZero(ByteBuffer buffer, int from, int bytes) {
        buffer.clear();
        for (int at = from; at < from + bytes; at += Long.BYTES) {
            if (buffer.getLong(at) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Makes the log that changes will go to. A log that was replayed is never appended to: what was accepted goes into
     * a fresh one first (O8). It is read once more for that: it may not fit the memory. The new one is the newest from
     * then on, and holds what the others do; {@link #discard} takes that back, as long as nothing was appended.
     *
     * @throws CorruptionException if what is read then is not what was replayed
     */
    LogicalLog makeLog() {
        TreeHeader header = treeFile.header();
        if (otherVersionsFound) {
            treeFile.rewriteHeader(); // before the log of the other version goes
        }
        LogicalLog log;
        try {
            log = createLog(header);
        } catch (StoreFullException e) {
            // The spare log was made for a full disk, and holds nothing.
            if (!vfs.deleteIfExists(directory.resolve(LogicalLog.NAME_WHILE_MADE))) {
                throw e;
            }
            log = createLog(header);
        }
        return log;
    }

    private LogicalLog createLog(TreeHeader header) {
        try (BackgroundWorker beside = vfs.worker("flexdb-recovery");
                ReplayedPayloads payloads = new ReplayedPayloads(beside)) {
            return LogicalLog.create(
                    vfs, directory, header.storeId(), newestGeneration + 1, header.treeVersion(), payloads::next);
        }
    }

    /** Takes {@link #makeLog} back, and what was claimed since, as the opening has failed. The log is closed. */
    void discard(LogicalLog log) {
        treeFile.cutToSizeFound();
        vfs.deleteIfExists(directory.resolve(LogFormat.fileName(log.generation())));
        if (!spareFound) {
            vfs.deleteIfExists(directory.resolve(LogicalLog.NAME_WHILE_MADE));
        }
    }

    /**
     * Deletes what the new log makes superfluous. Not synced: what comes back after a power cut is older than that log,
     * and deleted next time. If the first can't be deleted, nothing has changed; others are left to the next time.
     */
    void dropOtherLogs() {
        boolean dropped = false;
        for (Path path : superfluous) {
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

    private record FoundLog(long generation, long treeVersion, long continues, long continuesSequence, boolean used) {}

    /** Finds the log that extends the header's version, and the one that continues it. */
    private void findLogs(TreeHeader header) {
        List<FoundLog> logs = new ArrayList<>();
        long damaged = 0;
        RuntimeException problem = null;
        for (String name : vfs.list(directory)) {
            long generation = LogFormat.generationOf(name);
            spareFound |= name.equals(LogicalLog.NAME_WHILE_MADE);
            if (generation > 0 || name.equals(TreeFileFormat.NAME_WHILE_MADE)) {
                superfluous.add(directory.resolve(name));
            }
            if (generation > 0) {
                newestGeneration = Math.max(newestGeneration, generation);
                try {
                    logs.add(readHeader(name, generation, header.storeId()));
                } catch (CorruptionException e) {
                    if (generation > damaged) {
                        damaged = generation;
                        problem = e;
                    }
                }
            }
        }
        // The newest, if a recovery was cut before it dropped the older ones.
        for (FoundLog log : logs) {
            if (log.treeVersion == header.treeVersion()) {
                openedLogGeneration = Math.max(openedLogGeneration, log.generation);
            } else {
                otherVersionsFound = true;
            }
        }
        for (FoundLog log : logs) {
            if (log.treeVersion > header.treeVersion()) {
                considerLater(log, header);
            }
        }
        if (problem != null && damaged > Math.max(openedLogGeneration, continuingGeneration)) {
            throw problem; // what it held may be newer than what the others hold
        }
        if (openedLogGeneration == 0) {
            throw new CorruptionException(
                    directory.resolve(TreeFileFormat.FILE_NAME),
                    TreeFileFormat.headerPosition(header.treeVersion()),
                    "a logical log that extends tree version " + header.treeVersion(),
                    "none; the header of a later version may be damaged");
        }
    }

    private FoundLog readHeader(String name, long generation, long id) {
        try (VfsFile file = vfs.open(directory.resolve(name), OpenMode.READ)) {
            LogicalLogReader reader = new LogicalLogReader(file, id, generation);
            return new FoundLog(
                    generation,
                    reader.treeVersion(),
                    reader.continues(),
                    reader.continuesSequence(),
                    reader.hasFrames());
        }
    }

    /**
     * A log of the next version is written to while that version is being saved. It continues the log of this version,
     * unless a recovery has copied both into a newer one. Any other log that has frames extends a version that was
     * durable once, whose header must be damaged.
     */
    private void considerLater(FoundLog log, TreeHeader header) {
        boolean next = log.treeVersion == header.treeVersion() + 1 && log.continues > 0;
        if (next && log.continues == openedLogGeneration) {
            continuingGeneration = log.generation;
            continuedSequence = log.continuesSequence;
        } else if (log.used && !(next && log.continues < openedLogGeneration)) {
            Path tree = directory.resolve(TreeFileFormat.FILE_NAME);
            throw new CorruptionException(
                    tree,
                    TreeFileFormat.headerPosition(log.treeVersion),
                    "the header of tree version " + log.treeVersion + ", which " + LogFormat.fileName(log.generation)
                            + " extends",
                    "version " + header.treeVersion() + " as the newest");
        }
    }

    private void restoreSegments(ByteBuffer table) {
        String problem = SegmentTable.restore(table, store);
        if (problem != null) {
            throw new CorruptionException(
                    tableOf.path(),
                    TreeFileFormat.slotPosition(treeFile.header().tableSlot()),
                    "a segment table whose counts fit its length",
                    problem);
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
        if (!store.addLive(address, length)) {
            Segment segment = store.segment(store.format().segmentOf(address));
            throw new CorruptionException(file, 0, "extents that do not overlap", segment.toString());
        }
    }

    private LogPieces readLog(BackgroundWorker beside, long generation) {
        Path path = directory.resolve(LogFormat.fileName(generation));
        return new LogPieces(vfs, path, treeFile.header().storeId(), generation, beside);
    }

    private record ReplayedLog(long generation, long frames, long digest) {}

    private void replayLog(long generation, LogPieces log) {
        logPath = directory.resolve(LogFormat.fileName(generation));
        for (List<ByteBuffer> some = log.next(); !some.isEmpty(); some = log.next()) {
            for (ByteBuffer payload : some) {
                replay(payload.duplicate().order(ByteOrder.LITTLE_ENDIAN));
            }
        }
        replayed.add(new ReplayedLog(generation, log.frames(), log.digest()));
    }

    private void checkContinued(long frames) {
        if (frames != continuedSequence) {
            throw new CorruptionException(
                    logPath,
                    LogFormat.FRAMES_OFFSET,
                    continuedSequence + " whole frames, which " + LogFormat.fileName(continuingGeneration)
                            + " continues",
                    Long.toString(frames));
        }
    }

    /** Reads what was replayed once more. */
    private final class ReplayedPayloads implements AutoCloseable {
        private final BackgroundWorker beside;
        private final Iterator<ReplayedLog> logs = replayed.iterator();
        private ReplayedLog expected;
        private LogPieces log; // null between two

        ReplayedPayloads(BackgroundWorker beside) {
            this.beside = beside;
        }

        List<ByteBuffer> next() {
            while (log != null || logs.hasNext()) {
                if (log == null) {
                    expected = logs.next();
                    log = readLog(beside, expected.generation);
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
            if (log.frames() != expected.frames || log.digest() != expected.digest) {
                throw new CorruptionException(
                        directory.resolve(LogFormat.fileName(expected.generation)),
                        LogFormat.FRAMES_OFFSET,
                        "the " + expected.frames + " frames that were replayed",
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
        for (int first = 0; first < edits; first += nextOffsets.length) {
            int count = Math.min(edits - first, nextOffsets.length);
            replayEdits(payload, firstEdit + first * LogBatch.EDIT_BYTES, count);
        }
    }

    private void replayEdits(ByteBuffer payload, int firstEdit, int count) {
        int insertions = 0;
        for (int i = 0; i < count; i++) {
            long operationAndOffset = payload.getLong(firstEdit + i * LogBatch.EDIT_BYTES);
            nextOffsets[i] = operationAndOffset & LogBatch.OFFSET_MASK;
            insertions += LogBatch.operation(operationAndOffset) == LogBatch.INSERT ? 1 : 0;
        }
        if (insertions <= count / 2) { // else the tree does it
            tree.writer().willChange(nextOffsets, count);
        }
        for (int i = 0; i < count; i++) {
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
        int flagsAndFirst = payload.getInt();
        int frames = payload.getInt();
        int first = flagsAndFirst & LogBatch.FRAME_MASK;
        int flags = flagsAndFirst - first;
        boolean sound =
                frames <= payload.remaining() / Integer.BYTES && store.isNote(number, generation, flags, first, frames);
        if (!sound) {
            throw badBatch(
                    "a note that continues one of " + store.segmentCount() + " segments or begins a new one",
                    kindOf(flags) + " segment " + number + ", generation " + generation + ", frames from " + first
                            + ", " + frames + " of them");
        }
        store.restoreFrames(number, generation, flags, first, payload, frames);
    }

    private static String kindOf(int flags) {
        return switch (flags) {
            case 0 -> "open";
            case LogBatch.SEALED -> "sealed";
            case LogBatch.REFILLED -> "refilled";
            default -> "contradictory";
        };
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
            available = Math.min(available, LogFormat.MAX_HOLE_BYTES);
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

    /** Closes what was opened. */
    void closeAll() {
        try {
            if (store != null) {
                store.close();
            }
        } finally {
            if (tableOf != null) {
                tableOf.close();
            }
        }
    }
}
