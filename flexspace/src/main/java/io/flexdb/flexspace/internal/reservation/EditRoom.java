package io.flexdb.flexspace.internal.reservation;

import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;
import java.nio.file.Path;

/**
 * Sees that what edits write to the logical log and to the FlexTree file later finds its place on the disk, and what they
 * make in memory finds its place there. Writer only.
 */
public final class EditRoom {
    /*
     * The problem: an edit is refused or taken when it is made, but its log entry is written by a later commit, and its
     * nodes by a later checkpoint. The choice: both have their place in the files before the edit is taken. For the log
     * that is a frame with all edits that are waiting. For the FlexTree file it is a unit for each leaf that has no
     * image, two for each internal node, and the segment table. The log of the next version is kept ready, so that a
     * checkpoint begins on a full disk too.
     *
     * What frees space may use what a reserve is kept for: some log, and the paths of some edits. When that is used up, a
     * checkpoint makes it whole again: the log begins anew, and the units of the nodes replaced are free. So on a full
     * disk edits that free space go on, with more checkpoints the less room there is.
     */
    private static final int MIN_LOG_RESERVE = 16 << 10;
    private static final int MAX_LOG_RESERVE = 256 << 10;
    private static final int PATHS_KEPT = 4;
    /** Nodes of a level that an edit changes or makes at most: at both ends of its range, and their siblings. */
    private static final long NODES_OF_LEVEL = 8;

    private static final int ENTRIES_PER_SPLIT = 16; // at least, between two splits of a node
    private static final int MAX_TREE_CLAIM_UNITS = 1024;

    private final Vfs vfs;
    private final Path spare;
    private final TreeFile treeFile;
    private final FlexTree tree;
    private final SegmentStore store;
    private final LogBatch batch;
    private final GrantedRoom granted;
    private final DiskRoom disk;
    private final int logBufferBytes;
    private final long logReserve;
    private LogicalLog log;
    private boolean spareReady;
    private boolean keepSpare;
    private StoreFullException memoryRefusal;
    private long unitsSinceSeal; // that edits since the last version was sealed take at most

    public EditRoom(
            Vfs vfs,
            Path directory,
            TreeFile treeFile,
            FlexTree tree,
            SegmentStore store,
            LogBatch batch,
            GrantedRoom granted,
            DiskRoom disk,
            int logBufferBytes,
            long checkpointLogBytes) {
        this.vfs = vfs;
        this.spare = directory.resolve(LogicalLog.NAME_WHILE_MADE);
        this.treeFile = treeFile;
        this.tree = tree;
        this.store = store;
        this.batch = batch;
        this.granted = granted;
        this.disk = disk;
        this.logBufferBytes = logBufferBytes;
        this.logReserve = Math.max(MIN_LOG_RESERVE, Math.min(MAX_LOG_RESERVE, checkpointLogBytes / 16));
    }

    /** Begins with a log. */
    public void begin(LogicalLog first) {
        log = first;
    }

    /**
     * Claims what is missing of the reserve, if it is to be had.
     *
     * @return whether it was
     */
    public boolean restoreReserve() {
        return isThere(0, 0, GrantedRoom.CHANGES, true) || isThere(0, 0, 1, true);
    }

    /** The same for an opening that may still fail: a spare log that was found stays as it is, and is made anew later. */
    public boolean claimReserveToBegin() {
        keepSpare = vfs.exists(spare);
        try {
            return restoreReserve();
        } finally {
            keepSpare = false;
        }
    }

    /** Goes on with the next log, which has taken the place that was kept for it. */
    public void sealed(LogicalLog next) {
        log = next;
        spareReady = false;
        granted.revoke();
        unitsSinceSeal = 0;
    }

    /** Bytes of the file that is ready for the next log; 0 if there is none. */
    public long spareBytes() {
        return spareReady ? freshLogBytes() : 0;
    }

    private long freshLogBytes() {
        return LogFormat.FRAMES_OFFSET + logReserve;
    }

    /**
     * Whether edits find room; takes disk space for them if there is not enough. If not, {@link #memoryRefusal}
     * or else {@link DiskRoom#refusal} says why.
     *
     * @param edits log entries
     * @param extents that they add to the tree
     * @param places in the tree that they change
     * @param growing whether the reserve must stay whole
     */
    public boolean isThere(long edits, long extents, long places, boolean growing) {
        granted.revoke();
        if (!hasNodes(extents, places)) {
            return false;
        }
        long units = unitsFor(extents, places);
        boolean spareThere = hasSpare(); // made first: a checkpoint without it can't begin, and ends what is short
        boolean there = (spareThere || !growing) && hasLog(edits, growing) && hasTree(units, growing);
        if (there) {
            unitsSinceSeal += units;
        }
        return there;
    }

    /** To be called when the edits that were waiting are to become a frame of the log: that takes room of its own. */
    public void batchEnded() {
        granted.revoke();
    }

    /** Whether a checkpoint that begins now finds its place. If not, {@link DiskRoom#refusal} says why. */
    public boolean allowsCheckpoint() {
        return hasSpare() && hasTree(0, false);
    }

    /** Places that may be changed and still find room without any being made; 0 if there is none. */
    public int placesThatFit(int most) {
        int places = most;
        while (places > 0 && !isThere(places, 0, places, false)) {
            places /= 4;
        }
        return places;
    }

    // ---- the log

    /** Whether so many edits find room in the log, and the reserve stays whole, without anything being claimed. */
    public boolean logHolds(long edits) {
        return logBytesFor(edits) + logReserve / 2 <= log.claimedBytes();
    }

    /** The length of the log with the edits that wait, and so many more. */
    private long logBytesFor(long edits) {
        long payload = batch.bytes() + edits * LogBatch.EDIT_BYTES;
        long batches = 1 + payload / logBufferBytes;
        long notes = store.noteBytes(edits);
        return log.bytes() + payload + batches * (LogFormat.frameBytes(LogBatch.HEADER_BYTES) + 8 + notes);
    }

    private boolean hasLog(long edits, boolean growing) {
        long wanted = logBytesFor(edits) + (growing ? logReserve / 2 : 0);
        if (wanted <= log.claimedBytes()) {
            return true;
        }
        return claimLog(wanted + logReserve / 2) || claimLog(wanted);
    }

    private boolean claimLog(long bytes) {
        return disk.claim(bytes - log.claimedBytes(), () -> log.claim(bytes));
    }

    private boolean hasSpare() {
        if (keepSpare || !spareReady && treeFile.isSaving()) {
            return true; // there will be one when the old log is gone, and no checkpoint begins before
        }
        if (!spareReady) {
            spareReady = disk.claim(freshLogBytes(), () -> LogicalLog.makeSpare(vfs, spare, freshLogBytes()));
        }
        return spareReady;
    }

    // ---- the FlexTree file

    /**
     * Units of the nodes that edits change or make at most. In few places these are what each edit changes and makes. In
     * many places each node there is now is changed once, and split once before it has got so many entries more: what was
     * split is half full, and what was merged has three quarters. A leaf that is split is an entry more for the node above.
     */
    private long unitsFor(long extents, long places) {
        return leavesFor(extents, places) * TreeFileFormat.LEAF_UNITS
                + internalsFor(extents, places) * TreeFileFormat.INNER_UNITS;
    }

    private long splitsFor(long extents) {
        return tree.nodeCount() - tree.internalNodeCount() + extents / ENTRIES_PER_SPLIT;
    }

    private long leavesFor(long extents, long places) {
        long internals = tree.internalNodeCount();
        long leaves = tree.nodeCount() - internals;
        return Math.min(
                places * NODES_OF_LEVEL + extents / ENTRIES_PER_SPLIT, leaves + splitsFor(extents) + NODES_OF_LEVEL);
    }

    private long internalsFor(long extents, long places) {
        return Math.min(
                places * internalsOfPath() + extents / ENTRIES_PER_SPLIT / ENTRIES_PER_SPLIT,
                2 * tree.internalNodeCount() + splitsFor(extents) / ENTRIES_PER_SPLIT + internalsOfPath());
    }

    // ---- memory

    /** Whether the nodes that edits change or make at most, which are copies before they are changed, have memory. */
    private boolean hasNodes(long extents, long places) {
        memoryRefusal = null;
        try {
            tree.writer().ensure(leavesFor(extents, places) + internalsFor(extents, places));
            return true;
        } catch (OutOfMemoryError e) {
            memoryRefusal = new StoreFullException("no off-heap memory for nodes of the FlexTree, which has "
                    + tree.memoryBytes() + " bytes of it (" + e.getMessage()
                    + "); allow for more by -XX:MaxDirectMemorySize, or give the store a smaller cache");
            return false;
        }
    }

    /** That there was no memory, if this was why edits found no room the last time; else null. */
    public StoreFullException memoryRefusal() {
        return memoryRefusal;
    }

    /** Internal nodes that an edit changes or makes at most, should the tree grow. */
    private long internalsOfPath() {
        return NODES_OF_LEVEL * (tree.writer().level() + 1L);
    }

    /** Units of the nodes that an edit changes or makes at most. */
    private long pathUnits() {
        return NODES_OF_LEVEL * TreeFileFormat.LEAF_UNITS + internalsOfPath() * TreeFileFormat.INNER_UNITS;
    }

    private boolean hasTree(long units, boolean growing) {
        long extra = units + (growing ? PATHS_KEPT * pathUnits() : 0);
        int table = TreeFileFormat.unitsOfBytes(SegmentTable.mostBytes(store));
        long missing = treeFile.missingUnits(tree, extra, unitsSinceSeal, table);
        if (missing <= 0) {
            return true;
        }
        long more = Math.min(MAX_TREE_CLAIM_UNITS, Math.max(PATHS_KEPT * pathUnits(), treeFile.usedUnits() / 8));
        return claimTree(missing + more) || claimTree(missing);
    }

    private boolean claimTree(long units) {
        return disk.claim(units * TreeFileFormat.UNIT_BYTES, () -> treeFile.claim(units));
    }
}
