package io.flexdb.flexspace.internal.engine;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.segment.DataFile;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentRestore;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.image.BadNodeException;
import io.flexdb.flextree.internal.image.NodeSalvage;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Opens a damaged space for reading what can be read of it, and changes no file. For one thread. */
public final class SpaceSalvage implements AutoCloseable {
    /*
     * As SpaceRecovery, but what is damaged is left out instead of being a reason to refuse the rest:
     *
     *   a node of the FlexTree      the range of the address space that its parent says it has is a hole
     *   the header of the newest version    the one before it, of which later changes have taken the place in part
     *   the segment table           generations are those that the footers are right with
     *   a log, from some frame on   the space is as it was after the frame before that
     *   a footer                    frames that have the checksum which stands there are sound all the same
     *
     * No byte is let out that is not verified by a checksum seeded with store, segment, generation and frame, so what is
     * out of date in this way can't be read, and is lost; but it is never another one's.
     */
    private static final int MAX_GENERATION_TRIED = 1 << 20;

    private final Vfs vfs;
    private final Path directory;
    private final List<StorageException> problems = new ArrayList<>();
    private final Epochs epochs = new Epochs();
    private VfsFile treeFile;
    private TreeHeader header;
    private SegmentStore store;
    private FlexTree tree;
    private SpaceReads reads;
    private long tag;
    private boolean complete = true;
    private CorruptionException cutLog; // null if the logs end where they should

    private SpaceSalvage(Vfs vfs, Path directory) {
        this.vfs = vfs;
        this.directory = directory;
    }

    /**
     * Opens a space.
     *
     * @throws CorruptionException if there is no header of the FlexTree that could be used
     */
    public static SpaceSalvage open(Vfs vfs, Path directory) {
        SpaceSalvage salvage = new SpaceSalvage(vfs, directory);
        try {
            salvage.open();
            return salvage;
        } catch (RuntimeException | Error e) {
            salvage.close();
            throw e;
        }
    }

    private void open() {
        treeFile = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.READ);
        header = newestHeader();
        tag = header.tag();
        SegmentFormat format = new SegmentFormat(header.sizes(), header.storeId());
        OffHeap memory = new OffHeap();
        store = openStore(format, memory);
        tree = OwnedTrees.create(FlexTreeOptions.defaults().withMaxExtentBytes(format.maxExtentBytes), epochs, memory);
        readTable(format);
        readTree();
        replayLogs();
        restoreFooters(format);
        reads = new SpaceReads(store, tree, new WriterPauses(() -> 0), null);
    }

    private TreeHeader newestHeader() {
        TreeHeader newest = null;
        StorageException problem = null;
        for (int slot = 0; slot < 2; slot++) {
            try {
                TreeHeader found = TreeHeader.read(treeFile, (long) slot * TreeFileFormat.SLOT_BYTES, 0);
                newest = newest == null || found.treeVersion() > newest.treeVersion() ? found : newest;
            } catch (StorageException e) {
                problem = e; // of the second slot in any new space: told if there is no header, or no log
            }
        }
        if (newest == null) {
            throw problem;
        }
        return newest;
    }

    /** The data file, by the name that it was found by. */
    public Path dataFile() {
        return store.file().path();
    }

    private SegmentStore openStore(SegmentFormat format, OffHeap memory) {
        VfsFile data = FoundData.openToRead(vfs, directory);
        try {
            FilePreamble.check(data.path(), 0, FilePreamble.read(data, 0), FilePreamble.Kind.DATA, 0, header.storeId());
        } catch (StorageException e) {
            problems.add(e); // frames have checksums of their own
        }
        BackgroundWorker worker = vfs.worker("flexdb-seal"); // no thread: nothing is sealed
        long frameTableBytes = new SpaceSettings().frameTableBytes;
        return new SegmentStore(new DataFile(data, format, null), epochs, worker, memory, frameTableBytes);
    }

    private void readTable(SegmentFormat format) {
        String problem;
        try {
            problem = SegmentTable.restore(header.table().read(treeFile), store);
        } catch (StorageException e) {
            problems.add(e);
            findGenerations(format);
            return;
        }
        if (problem != null) {
            problems.add(new CorruptionException(
                    treeFile.path(),
                    header.table().position(),
                    "a segment table whose counts fit its length",
                    problem));
            findGenerations(format);
        }
    }

    /** Tries which generation each footer is right with. The open segment has none, and is lost. */
    private void findGenerations(SegmentFormat format) {
        SegmentRestore restore = new SegmentRestore(store);
        long bytes = store.file().size() - SegmentFormat.FIRST_SEGMENT_POSITION;
        ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
        int last = format.footerBytes - Integer.BYTES;
        for (int number = 0; (number + 1L) << format.segmentShift <= bytes; number++) {
            int generation = 0;
            try {
                store.file().readFully(footer.clear(), format.filePosition(number, format.dataBytes));
                int crc = FilePreamble.crc(footer, 0, last);
                int expected = footer.getInt(last);
                for (int tried = 1; tried < MAX_GENERATION_TRIED && generation == 0; tried++) {
                    generation = format.seal(crc, number, tried, format.dataFrames) == expected ? tried : 0;
                }
            } catch (StorageException e) {
                problems.add(e);
            }
            restore.restore(number, generation);
        }
    }

    private void readTree() {
        long size = treeFile.size();
        long units = (size - TreeFileFormat.UNITS_OFFSET) / TreeFileFormat.UNIT_BYTES;
        NodeSalvage.read(
                header.root(),
                header.storeId(),
                (int) Math.max(0, Math.min(Integer.MAX_VALUE, units)),
                this::readNode,
                (logicalOffset, length, address, flags) -> {
                    if (address == FlexTree.HOLE || !store.isExtent(address, length)) {
                        tree.insertHole(logicalOffset, length);
                    } else {
                        tree.insertRange(logicalOffset, length, address, flags);
                        store.addLive(address, length);
                    }
                },
                (logicalOffset, length, cause) -> {
                    tree.insertHole(logicalOffset, length);
                    problems.add(new CorruptionException(
                            treeFile.path(),
                            TreeFileFormat.slotPosition(Math.max(1, cause.slot())),
                            cause.expected(),
                            cause.found()));
                    complete = false;
                });
    }

    private void readNode(int slot, int level, ByteBuffer destination) {
        try {
            treeFile.readFully(destination, TreeFileFormat.slotPosition(slot));
        } catch (StorageException e) {
            if (destination.position() == 0) {
                throw new BadNodeException(slot, "a node that can be read", String.valueOf(e.getMessage()));
            } // an image may be shorter than the longest, at the end of the file
        }
    }

    private void replayLogs() {
        LogReplay replay = new LogReplay(tree, store, header.tag());
        try (BackgroundWorker beside = vfs.worker("flexdb-recovery")) {
            FoundLogs logs = new FoundLogs(vfs, directory, header);
            long frames;
            try (LogPieces log = logs.read(logs.opened(), beside)) {
                replay.replay(logs.path(logs.opened()), logs.opened(), log);
                frames = log.frames();
                noteEnd(logs.path(logs.opened()), log);
            }
            if (logs.continuing() > 0) {
                cutLog = null; // of this one it is known how many frames it had
                if (frames != logs.continuedSequence()) {
                    throw new CorruptionException(
                            logs.path(logs.opened()),
                            0,
                            logs.continuedSequence() + " whole frames",
                            Long.toString(frames));
                }
                try (LogPieces next = logs.read(logs.continuing(), beside)) {
                    replay.replay(logs.path(logs.continuing()), logs.continuing(), next);
                    noteEnd(logs.path(logs.continuing()), next);
                }
            }
        } catch (StorageException e) {
            problems.add(e);
            complete = false;
        }
        tag = replay.tag();
    }

    private void noteEnd(Path path, LogPieces log) {
        if (log.mayLackFrames()) {
            cutLog = new CorruptionException(
                    path,
                    log.position(),
                    "frame " + (log.frames() + 1) + ", or the end of the log",
                    "other bytes: a batch that a crash has cut, or one that is damaged");
        }
    }

    /** Takes checksums out of footers that are damaged: a frame that has the one that stands there is sound. */
    private void restoreFooters(SegmentFormat format) {
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (segment == null || segment.liveBytes == 0 || segment.checksums != null) {
                continue;
            }
            try {
                store.reader().readFooter(segment);
            } catch (CorruptionException e) {
                problems.add(e);
                segment.checksums = rawChecksums(segment, format);
            } catch (StorageException e) {
                problems.add(e);
                segment.checksums = new int[format.dataFrames];
            }
        }
    }

    private int[] rawChecksums(Segment segment, SegmentFormat format) {
        int[] sums = new int[format.dataFrames];
        try {
            ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
            store.file().readFully(footer, format.filePosition(segment.number, format.dataBytes));
            footer.flip();
            for (int frame = 0; frame < sums.length; frame++) {
                sums[frame] = footer.getInt();
            }
        } catch (StorageException e) {
            // the file is too short: nothing is there
        }
        return sums;
    }

    /** The problems found. */
    public List<StorageException> problems() {
        return problems;
    }

    /**
     * Whether the tree and its logs are whole. If not, the space may be as it was at an earlier moment, in part; and
     * what was removed since is there.
     */
    public boolean isComplete() {
        return complete;
    }

    /**
     * Tells of bytes behind the last whole frame of the logs; null if there are none. A crash may have cut that frame,
     * and then all its writes are in write-ahead logs; or it was whole, and is damaged.
     */
    public CorruptionException cutLog() {
        return cutLog;
    }

    /** The id of the store. */
    public long storeId() {
        return header.storeId();
    }

    /** The tag of the last commit that the space has. */
    public long tag() {
        return tag;
    }

    /** The address space; what is lost of it are holes, or can't be read. */
    public FlexTreeView view() {
        return tree.current();
    }

    /** Reads it. */
    public SpaceReads reads() {
        return reads;
    }

    /** The longest extent; 0 if that is not known. */
    public int maxExtentBytes() {
        return store == null ? 0 : store.format().maxExtentBytes;
    }

    /** Reads bytes at an address, which may be any, unverified: the caller has a checksum. False if there are none. */
    public boolean readUnverified(long address, ByteBuffer destination) {
        return store.readFromFile(address, destination);
    }

    /** Closes the files. */
    @Override
    public void close() {
        try {
            if (store != null) {
                store.close();
            }
        } finally {
            if (treeFile != null) {
                treeFile.close();
            }
        }
    }
}
