package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.reservation.DiskRoom;
import io.flexdb.flexspace.internal.reservation.EditRoom;
import io.flexdb.flexspace.internal.reservation.GrantedRoom;
import io.flexdb.flexspace.internal.reservation.SpaceRoom;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;

/**
 * Sees that a change finds room before it begins: below the cap, and on the disk for its data, its log entries and the
 * nodes of the FlexTree that it makes. Where there is none, garbage is collected and the log is begun anew until there is.
 *
 * <p>For an owner that wants a cap, or to outlive a full disk: it asks before each change, outside of groups. Writer
 * only. After a method has thrown, the engine is of no use any more.
 */
public final class ChangeRoom {
    private static final int MAX_SWEEPS = 16;

    private final FlexTree tree;
    private final SpaceRoom room;
    private final EditRoom editRoom;
    private final DiskRoom disk;
    private final GarbageCollector collector;
    private final SpaceCommits commits;
    private final GrantedRoom granted;
    private final int maxExtentBytes;
    private StoreFullException refusal;

    ChangeRoom(
            FlexTree tree,
            SegmentFormat format,
            SpaceRoom room,
            EditRoom editRoom,
            DiskRoom disk,
            GarbageCollector collector,
            SpaceCommits commits,
            GrantedRoom granted) {
        this.tree = tree;
        this.room = room;
        this.editRoom = editRoom;
        this.disk = disk;
        this.collector = collector;
        this.commits = commits;
        this.granted = granted;
        this.maxExtentBytes = format.maxExtentBytes;
    }

    /**
     * Sees that a change finds room which appends.
     *
     * @param bytes that will be appended
     * @param overwrittenOffset where bytes will be overwritten or removed
     * @param overwrittenBytes how many
     * @param holeBytes bytes of holes that will be inserted
     * @param publish publishes the state of now, and lets readers of earlier ones go if they don't take long
     * @return whether there is room; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean ensure(long bytes, long overwrittenOffset, long overwrittenBytes, long holeBytes, Runnable publish) {
        if (holeBytes == 0 && bytes <= maxExtentBytes && granted.take(bytes)) {
            assert isSound(bytes);
            return true;
        }
        // Each segment may begin with what is left of a piece.
        long edits = GrantedRoom.EDITS_OF_A_CHANGE + 2 * bytes / maxExtentBytes + holeBytes / FlexTree.MAX_EXTENT_BYTES;
        return find(bytes, edits, GrantedRoom.PLACES_OF_A_CHANGE, overwrittenOffset, overwrittenBytes, publish);
    }

    /**
     * Sees that many changes at once find room, each at a place of its own.
     *
     * @param bytes that will be appended
     * @param edits log entries, and extents added to the tree, at most
     * @param overwrittenOffset as in {@link #ensure}, and so are the others
     */
    public boolean ensureForBatch(
            long bytes, long edits, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        return find(bytes, edits, edits, overwrittenOffset, overwrittenBytes, publish);
    }

    /**
     * Sees that a change finds room which appends nothing.
     *
     * @param edits log entries, and extents added to the tree, at most
     * @param growing false for what frees space, which may use what is kept in reserve
     * @param publish as in {@link #ensure}
     * @return whether there is room; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean ensureForEdits(long edits, boolean growing, Runnable publish) {
        if (edits <= GrantedRoom.EDITS_OF_A_CHANGE && granted.take(0)) {
            assert isSound(0);
            return true;
        }
        disk.mayHaveGrown();
        return findForEdits(edits, GrantedRoom.PLACES_OF_A_CHANGE, 0, growing, publish);
    }

    /** Whether a checkpoint begun now finds its place on the disk; if not, {@link #refusal} says why. */
    public boolean allowsCheckpoint() {
        disk.mayHaveGrown();
        return commits.allowsCheckpoint() || refuses(disk.refusal());
    }

    /** Why there was no room, the last time that there was none. */
    public StoreFullException refusal() {
        return refusal;
    }

    /** Whether that was for want of memory, which others may free. */
    public boolean lacksMemory() {
        return refusal != null && refusal == editRoom.memoryRefusal();
    }

    /** Returns false. */
    private boolean refuses(StoreFullException why) {
        refusal = why;
        return false;
    }

    /** R1, when a change that appends so many bytes has been taken from what is granted. */
    private boolean isSound(long bytes) {
        int changes = granted.changes() + 1;
        return granted.bytes() + bytes <= Math.max(0, room.bytesInOpenSegment())
                && editRoom.logHolds((long) changes * GrantedRoom.EDITS_OF_A_CHANGE);
    }

    private boolean find(
            long bytes, long edits, long places, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        disk.mayHaveGrown();
        commits.finishCheckpointIfDone();
        if (room.wouldOverfill(bytes) && room.wouldOverfill(bytes - mappedBytes(overwrittenOffset, overwrittenBytes))) {
            return refuses(room.capRefusal());
        }
        return findForData(bytes, publish) && findForEdits(edits, places, bytes, true, publish);
    }

    private boolean findForData(long bytes, Runnable publish) {
        if (room.isThere(bytes, collector.segmentsToFill())) {
            return true;
        }
        if (!collector.isSweeping()) {
            if (bytes <= maxExtentBytes) {
                commits.refillFor(publish);
                if (room.isThere(bytes, 0)) {
                    return true;
                }
            }
            collector.begin(true); // whose moves take less than there is: the rest is for changes meanwhile
        }
        long slack = Long.MIN_VALUE / 2;
        int sweeps = 0;
        while (!room.isThere(bytes, collector.segmentsToFill())) {
            collector.finishSweep();
            commits.commit(commits.tag());
            commits.finishCheckpoint(); // which pins what it writes, and the segments with it
            publish.run();
            if (room.isThere(bytes, 0)) {
                break;
            }
            long slackNow = room.slack(0);
            if (slackNow <= slack || sweeps++ == MAX_SWEEPS || !collector.begin(true)) {
                return refuses(room.refusal()); // the last sweep has gained nothing, or all of them next to nothing
            }
            slack = slackNow;
        }
        return true;
    }

    private boolean findForEdits(long edits, long places, long bytes, boolean growing, Runnable publish) {
        if (editsFit(edits, places, bytes, growing)) {
            return true;
        }
        commits.finishCheckpoint();
        if (editsFit(edits, places, bytes, growing)) {
            return true;
        }
        room.giveBack(bytes);
        if (commits.allowsCheckpoint()) {
            commits.checkpoint(); // after which the log is empty and the units of the nodes replaced are free
            publish.run();
        }
        if (editsFit(edits, places, bytes, growing)) {
            return true;
        }
        return refuses(editRoom.memoryRefusal() != null ? editRoom.memoryRefusal() : disk.refusal());
    }

    /** Also grants changes like a small one that grows the space, if they fit. */
    private boolean editsFit(long edits, long places, long bytes, boolean growing) {
        boolean small = edits <= GrantedRoom.EDITS_OF_A_CHANGE && places <= GrantedRoom.PLACES_OF_A_CHANGE;
        // Garbage collection asks before it moves only once room has been asked for in the data file (R2).
        if (small && growing && room.isAsked() && manySmallFit()) {
            granted.grant(GrantedRoom.CHANGES - 1, room.bytesInOpenSegment() - bytes);
            return true;
        }
        return editRoom.isThere(edits, edits, places, growing);
    }

    private boolean manySmallFit() {
        long edits = (long) GrantedRoom.CHANGES * GrantedRoom.EDITS_OF_A_CHANGE;
        long places = (long) GrantedRoom.CHANGES * GrantedRoom.PLACES_OF_A_CHANGE;
        return editRoom.isThere(edits, edits, places, true);
    }

    private long mappedBytes(long logicalOffset, long length) {
        long[] mapped = {0};
        if (length > 0) {
            tree.query(logicalOffset, length, (offset, extentLength, address, flags) -> {
                mapped[0] += address == FlexTree.HOLE ? 0 : extentLength;
            });
        }
        return mapped[0];
    }
}
