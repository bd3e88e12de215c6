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
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.storage.StoreFullException;
import java.nio.file.Path;

/**
 * Reserves places for edits before they are made: in the logical log and the FlexTree file, to which they are written
 * later, and in memory. Writer only.
 */
public final class EditReservation {
    /*
     * The problem: an edit is refused or taken when it is made, but its log entry is written by a later sync, and its
     * nodes by a later checkpoint. The choice: both have their place in the files before the edit is taken. For the log
     * that is a frame with all edits that are waiting. For the FlexTree file it is a unit for each leaf that has no
     * image, two for each internal node, and the segment table. The log of the next version is kept ready, so that a
     * checkpoint begins on a full disk too.
     *
     * Something is kept back for edits that free space: some log, and the paths of some edits. When that is used up, a
     * checkpoint restores it: the log begins anew, and the units of the nodes replaced are free. So on a full disk
     * edits that free space go on, with more checkpoints the less there is.
     *
     * To look for places in three files costs more than a small change does. So they are reserved for many small
     * changes at once, each of which then takes its part of what is granted.
     *
     * R1  What is granted is there: the bytes in the open segment, which has its place in the file; the edits and places
     *     of each change in the logical log and the FlexTree file, with all that is kept back. Bytes below the cap are
     *     asked for by each change: meanwhile others may have staged some, which count there.
     * R2  Whatever else takes of that revokes what is left: a log batch, since it pads data and log; a checkpoint,
     *     since it begins another log; and whoever reserves for edits, as garbage collection does before it moves.
     */
    /** Log entries of a small change, and extents that it adds to the tree, at most. */
    public static final int EDITS_OF_A_CHANGE = 4;
    /** Places of a change in the tree: where a hole ends, and where something is replaced. */
    public static final int PLACES_OF_A_CHANGE = 2;

    static final int GRANTED_CHANGES = 64;
    private static final int MIN_LOG_KEPT = 16 << 10;
    private static final int MAX_LOG_KEPT = 256 << 10;
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
    private final SegmentReservation segments;
    private final int batchBytes;
    private final long mostLogKept;
    private final Granted granted = new Granted();
    private LogicalLog log;
    private long logKept = MIN_LOG_KEPT; // what is kept back of it; the same while anything is granted (R1)
    private long spareBytes; // of the file for the next log; 0 if there is none
    private boolean keepSpare;
    private StoreFullException memoryRefusal;
    private long unitsSinceSeal; // that edits since the last version was sealed take at most

    /**
     * @param segments claims the disk space
     * @param batchBytes how many bytes of log entries wait before they are written without being asked for
     */
    public EditReservation(SpaceParts space, SegmentReservation segments, int batchBytes) {
        SpaceContent content = space.content();
        this.vfs = content.vfs();
        this.spare = content.directory().resolve(LogicalLog.NAME_WHILE_MADE);
        this.treeFile = content.treeFile();
        this.tree = content.tree();
        this.store = content.store();
        this.batch = space.batch();
        this.segments = segments;
        this.batchBytes = batchBytes;
        this.mostLogKept = Math.max(MIN_LOG_KEPT, Math.min(MAX_LOG_KEPT, space.settings().checkpointLogBytes / 16));
    }

    /** Begins with a log. */
    public void begin(LogicalLog first) {
        log = first;
    }

    /**
     * Claims what is missing of what is kept back, if it is to be had.
     *
     * @return whether it was
     */
    public boolean restoreKept() {
        return reserve(0, 0, GRANTED_CHANGES, true) || reserve(0, 0, 1, true);
    }

    /**
     * Does what {@link #restoreKept} does for an opening that may still fail: a spare log that was found stays as it is
     * until later.
     */
    public boolean restoreKeptToBegin() {
        keepSpare = vfs.exists(spare);
        try {
            return restoreKept();
        } finally {
            keepSpare = false;
        }
    }

    /** Goes on with the next log, which has taken the place that was kept for it. */
    public void checkpointBegun(LogicalLog next) {
        log = next;
        spareBytes = 0;
        granted.revoke();
        unitsSinceSeal = 0;
    }

    /** Bytes of the file that is ready for the next log; 0 if there is none. */
    public long spareBytes() {
        return spareBytes;
    }

    private long freshLogBytes() {
        return LogFormat.FRAMES_OFFSET + logKept;
    }

    /**
     * Reserves for a change, and for further ones if it is a small one that grows the space and they fit: these find
     * what they need {@linkplain #takeGranted granted}.
     *
     * @param edits log entries, and extents that they add to the tree
     * @param places in the tree that they change
     * @param bytes that the change appends
     * @param growing false for what frees space, which may use what is kept back
     * @return false if there is no place; {@link #memoryRefusal} or else {@link SegmentReservation#diskRefusal} says
     *     why
     */
    public boolean reserveForChange(long edits, long places, long bytes, boolean growing) {
        boolean small = edits <= EDITS_OF_A_CHANGE && places <= PLACES_OF_A_CHANGE;
        // Garbage collection reserves before it moves only once that was done for the data file (R2).
        if (small && growing && segments.isUsed()) {
            long manyEdits = (long) GRANTED_CHANGES * EDITS_OF_A_CHANGE;
            if (reserve(manyEdits, manyEdits, (long) GRANTED_CHANGES * PLACES_OF_A_CHANGE, true)) {
                granted.grant(GRANTED_CHANGES - 1, segments.bytesInOpenSegment() - bytes);
                return true;
            }
        }
        return reserve(edits, edits, places, growing);
    }

    private boolean reserve(long edits, long extents, long places, boolean growing) {
        granted.revoke();
        logKept = segments.isSmall() ? MIN_LOG_KEPT : mostLogKept;
        if (!reserveNodes(extents, places) || edits > 0 && !reserveBuffer()) {
            return false;
        }
        long units = unitsFor(extents, places);
        boolean spareThere = reserveSpare(); // made first: a checkpoint without it can't begin, and ends what is short
        boolean there = (spareThere || !growing) && reserveLog(edits, growing) && reserveTree(units, growing);
        if (there) {
            unitsSinceSeal += units;
        }
        return there;
    }

    /** Follows that the edits that were waiting become a frame of the log: that takes a place of its own. */
    public void batchEnded() {
        granted.revoke();
    }

    /**
     * Reserves for a checkpoint that begins now. If that returns false, {@link SegmentReservation#diskRefusal} says
     * why.
     */
    public boolean reserveCheckpoint() {
        return reserveSpare() && reserveTree(0, false);
    }

    /**
     * Reserves for changes in many places that add no extents, or in fewer if there is not as much; returns how many.
     */
    public int reservePlaces(int most) {
        int places = most;
        while (places > 0 && !reserve(places, 0, places, false)) {
            places /= 4;
        }
        return places;
    }

    // ---- what is granted

    /** Takes one change that appends so many bytes from what is granted, if that has it. */
    public boolean takeGranted(long bytes) {
        if (segments.exceedsCap(bytes) || !granted.take(bytes)) {
            return false;
        }
        assert granted.bytes + bytes <= Math.max(0, segments.placeInOpenSegment()) : "R1";
        assert logHolds((granted.changes + 1L) * EDITS_OF_A_CHANGE) : "R1";
        return true;
    }

    /** Small changes for which places are reserved. */
    static final class Granted {
        private int changes;
        private long bytes;

        boolean take(long appendedBytes) {
            if (changes == 0 || appendedBytes > bytes) {
                return false;
            }
            changes--;
            bytes -= appendedBytes;
            return true;
        }

        /** @param appendedBytes of all of them; none of them appends anything if this is not positive */
        void grant(int smallChanges, long appendedBytes) {
            changes = smallChanges;
            bytes = Math.max(0, appendedBytes);
        }

        void revoke() {
            changes = 0;
        }

        int changes() {
            return changes;
        }

        long bytes() {
            return bytes;
        }
    }

    // ---- the log

    /** Whether the log has places for so many edits, and what is kept back of it, without anything being claimed. */
    private boolean logHolds(long edits) {
        return logBytesFor(edits) + logKept / 2 <= log.claimedBytes();
    }

    /** The length of the log with the edits that wait, and so many more. */
    private long logBytesFor(long edits) {
        long payload = batch.bytes() + edits * LogBatch.EDIT_BYTES;
        long batches = 1 + payload / batchBytes;
        long notes = store.noteBytes(edits);
        return log.bytes() + payload + batches * (LogFormat.frameBytes(LogBatch.HEADER_BYTES) + 8 + notes);
    }

    private boolean reserveLog(long edits, boolean growing) {
        long wanted = logBytesFor(edits) + (growing ? logKept / 2 : 0);
        if (wanted <= log.claimedBytes()) {
            return true;
        }
        return claimLog(wanted + logKept / 2) || claimLog(wanted);
    }

    private boolean claimLog(long bytes) {
        return segments.claim(bytes - log.claimedBytes(), () -> log.claim(bytes));
    }

    private boolean reserveSpare() {
        if (keepSpare || spareBytes == 0 && treeFile.isSaving()) {
            return true; // there will be one when the old log is gone, and no checkpoint begins before
        }
        if (spareBytes == 0) {
            long bytes = freshLogBytes();
            boolean made = segments.claim(bytes, () -> LogicalLog.makeSpare(vfs, spare, bytes));
            spareBytes = made ? bytes : 0;
        }
        return spareBytes > 0;
    }

    // ---- the FlexTree file

    /**
     * Units of the nodes that edits change or make at most. In few places these are what each edit changes and makes.
     * In many places each node there is now is changed once, and split once before it has got so many entries more:
     * what was split is half full, and what was merged has three quarters. A leaf that is split is an entry more for
     * the node above.
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

    /** Reserves memory for the nodes that edits change or make at most, which are copies before they are changed. */
    private boolean reserveNodes(long extents, long places) {
        memoryRefusal = null;
        try {
            OwnedTrees.writer(tree).ensure(leavesFor(extents, places) + internalsFor(extents, places));
            return true;
        } catch (OutOfMemoryError e) {
            memoryRefusal = new StoreFullException("no off-heap memory for nodes of the FlexTree, which has "
                    + tree.memoryBytes() + " bytes of it (" + e.getMessage()
                    + "); allow for more by -XX:MaxDirectMemorySize, or give the store a smaller cache");
            return false;
        }
    }

    /** Reserves memory for what is appended. */
    private boolean reserveBuffer() {
        try {
            store.buffers().ensureOne();
            return true;
        } catch (OutOfMemoryError e) {
            memoryRefusal = new StoreFullException("no off-heap memory for a segment of " + store.format().segmentBytes
                    + " bytes (" + e.getMessage()
                    + "); allow for more by -XX:MaxDirectMemorySize, or give the store a smaller cache");
            return false;
        }
    }

    /** That there was no memory, if that was why edits found no place the last time; else null. */
    public StoreFullException memoryRefusal() {
        return memoryRefusal;
    }

    /** Internal nodes that an edit changes or makes at most, should the tree grow. */
    private long internalsOfPath() {
        return NODES_OF_LEVEL * (OwnedTrees.writer(tree).level() + 1L);
    }

    /** Units of the nodes that an edit changes or makes at most. */
    private long pathUnits() {
        return NODES_OF_LEVEL * TreeFileFormat.LEAF_UNITS + internalsOfPath() * TreeFileFormat.INNER_UNITS;
    }

    private boolean reserveTree(long units, boolean growing) {
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
        return segments.claim(units * TreeFileFormat.UNIT_BYTES, () -> treeFile.claim(units));
    }
}
