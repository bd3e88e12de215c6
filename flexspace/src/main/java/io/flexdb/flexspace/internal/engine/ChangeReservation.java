package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.reservation.EditReservation;
import io.flexdb.flexspace.internal.reservation.SegmentReservation;
import io.flexdb.flexspace.internal.reservation.SpaceParts;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;

/**
 * Reserves for a change before it begins: below the cap, and on the disk for its data, its log entries and the nodes of
 * the FlexTree that it makes. Where there is not as much, garbage is collected and the log is begun anew until there
 * is.
 *
 * <p>For an owner that wants a cap, or to outlive a full disk: it reserves before each change, outside of groups.
 * Writer only. After a method has thrown, the engine is of no use any more.
 */
public final class ChangeReservation {
    private static final int MAX_SWEEPS = 16;

    private final FlexTree tree;
    private final SegmentReservation segments;
    private final EditReservation edits;
    private final GarbageCollector collector;
    private final SpaceDurability durability;
    private final int maxExtentBytes;
    private StoreFullException refusal;

    ChangeReservation(
            SpaceParts space,
            SegmentReservation segments,
            EditReservation edits,
            GarbageCollector collector,
            SpaceDurability durability) {
        this.tree = space.tree();
        this.segments = segments;
        this.edits = edits;
        this.collector = collector;
        this.durability = durability;
        this.maxExtentBytes = space.store().format().maxExtentBytes;
    }

    /**
     * Reserves for a change that appends.
     *
     * @param bytes that will be appended
     * @param overwrittenOffset where bytes will be overwritten or removed
     * @param overwrittenBytes how many
     * @param holeBytes bytes of holes that will be inserted
     * @param publish publishes the state of now, and lets readers of earlier ones go if they don't take long
     * @return whether there is as much; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean reserve(
            long bytes, long overwrittenOffset, long overwrittenBytes, long holeBytes, Runnable publish) {
        if (holeBytes == 0 && bytes <= maxExtentBytes && edits.takeGranted(bytes)) {
            return true;
        }
        // Each segment may begin with what is left of a piece.
        long entries =
                EditReservation.EDITS_OF_A_CHANGE + 2 * bytes / maxExtentBytes + holeBytes / FlexTree.MAX_EXTENT_BYTES;
        return reserveAll(
                bytes, entries, EditReservation.PLACES_OF_A_CHANGE, overwrittenOffset, overwrittenBytes, publish);
    }

    /**
     * Reserves for many changes at once, each at a place of its own.
     *
     * @param bytes that will be appended
     * @param entries of the log, and extents added to the tree, at most
     * @param overwrittenOffset as in {@link #reserve}, and so are the others
     */
    public boolean reserveForBatch(
            long bytes, long entries, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        return reserveAll(bytes, entries, entries, overwrittenOffset, overwrittenBytes, publish);
    }

    /**
     * Reserves for a change that appends nothing.
     *
     * @param entries of the log, and extents added to the tree, at most
     * @param growing false for what frees space, which may use what is kept back
     * @param publish as in {@link #reserve}
     * @return whether there is as much; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean reserveForEdits(long entries, boolean growing, Runnable publish) {
        if (entries <= EditReservation.EDITS_OF_A_CHANGE && edits.takeGranted(0)) {
            return true;
        }
        segments.retryRefused();
        return reserveEdits(entries, EditReservation.PLACES_OF_A_CHANGE, 0, growing, publish);
    }

    /** Reserves for a checkpoint that begins now; if that returns false, {@link #refusal} says why. */
    public boolean reserveForCheckpoint() {
        segments.retryRefused();
        return durability.reserveCheckpoint() || refuses(segments.diskRefusal());
    }

    /** Why there was not as much, the last time that there was not. */
    public StoreFullException refusal() {
        return refusal;
    }

    /** Whether that was for want of memory, which others may free. */
    public boolean lacksMemory() {
        return refusal != null && refusal == edits.memoryRefusal();
    }

    /** Returns false. */
    private boolean refuses(StoreFullException why) {
        refusal = why;
        return false;
    }

    private boolean reserveAll(
            long bytes, long entries, long places, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        segments.retryRefused();
        durability.finishCheckpointIfDone();
        if (segments.exceedsCap(bytes)
                && segments.exceedsCap(bytes - mappedBytes(overwrittenOffset, overwrittenBytes))) {
            return refuses(segments.capRefusal());
        }
        return reserveData(bytes, publish) && reserveEdits(entries, places, bytes, true, publish);
    }

    private boolean reserveData(long bytes, Runnable publish) {
        if (segments.reserve(bytes, collector.segmentsToFill())) {
            return true;
        }
        if (!collector.isSweeping()) {
            collector.begin(true); // whose moves take less than there is: the rest is for changes meanwhile
        }
        long slack = Long.MIN_VALUE / 2;
        int sweeps = 0;
        while (!segments.reserve(bytes, collector.segmentsToFill())) {
            collector.finishSweep();
            durability.sync(durability.tag());
            durability.finishCheckpoint(); // which pins what it writes, and the segments with it
            publish.run();
            if (segments.reserve(bytes, 0)) {
                break;
            }
            long slackNow = segments.slack(0);
            if (slackNow <= slack || sweeps++ == MAX_SWEEPS || !collector.begin(true)) {
                return refuses(segments.refusal()); // the last sweep has gained nothing, or all of them next to nothing
            }
            slack = slackNow;
        }
        return true;
    }

    private boolean reserveEdits(long entries, long places, long bytes, boolean growing, Runnable publish) {
        if (edits.reserveForChange(entries, places, bytes, growing)) {
            return true;
        }
        durability.finishCheckpoint();
        if (edits.reserveForChange(entries, places, bytes, growing)) {
            return true;
        }
        segments.giveBack(bytes);
        if (durability.reserveCheckpoint()) {
            durability.checkpoint(); // after which the log is empty and the units of the nodes replaced are free
            publish.run();
        }
        if (edits.reserveForChange(entries, places, bytes, growing)) {
            return true;
        }
        return refuses(edits.memoryRefusal() != null ? edits.memoryRefusal() : segments.diskRefusal());
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
