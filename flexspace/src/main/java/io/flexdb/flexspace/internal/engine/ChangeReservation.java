package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.reservation.EditReservation;
import io.flexdb.flexspace.internal.reservation.SegmentReservation;
import io.flexdb.flexspace.internal.reservation.SpaceParts;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;
import java.util.function.BooleanSupplier;

/**
 * Reserves for a change before it begins: below the cap, and on the disk for its data, its log entries and the nodes of
 * the FlexTree that it makes. Where there is not as much, garbage is collected and the log is begun anew until there
 * is.
 *
 * <p>For an owner that wants a cap, or to outlive a full disk: it reserves before each change, outside of groups.
 * Writer only. After a method has thrown, the engine is of no use any more.
 */
public final class ChangeReservation {
    /*
     * Garbage collection gives the data file the space that it lacks. The data file gives back the space that the log
     * or the FlexTree file lack on a full disk: after a checkpoint, which often is enough, garbage is moved together,
     * and then what lies in the last segments goes to free ones before them, so that the end of the file can be cut.
     *
     * These sweeps need places in log and tree themselves, of what is kept back for changes that free space. A
     * checkpoint after each restores that. So for a change that grows the space no sweep begins unless a checkpoint can
     * follow; for one that frees space it is the last resort. The moves fill the open segment and others: so the data
     * are reserved for anew, and before the edits, since to move is no longer possible once these are granted (R2).
     */
    private static final int MAX_SWEEPS = 16;

    private final FlexTree tree;
    private final SegmentReservation segments;
    private final EditReservation edits;
    private final GarbageCollector collector;
    private final SpaceDurability durability;
    private final int maxExtentBytes;
    private StoreFullException refusal;
    private int sweepsLeft; // of those that one change may wait for

    ChangeReservation(
            SpaceParts space,
            SegmentReservation segments,
            EditReservation edits,
            GarbageCollector collector,
            SpaceDurability durability) {
        this.tree = space.content().tree();
        this.segments = segments;
        this.edits = edits;
        this.collector = collector;
        this.durability = durability;
        this.maxExtentBytes = space.content().store().format().maxExtentBytes;
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
        begin();
        return reserveEdits(entries, EditReservation.PLACES_OF_A_CHANGE, 0, growing, publish);
    }

    /**
     * Reserves for pieces that were staged, each to be linked at a place of its own.
     *
     * @param pieces how many
     * @param publish as in {@link #reserve}
     */
    public boolean reserveForLinks(long pieces, Runnable publish) {
        begin();
        return reserveEdits(2 * pieces, pieces, 0, true, publish);
    }

    /** Reserves for a checkpoint that begins now; if that returns false, {@link #refusal} says why. */
    public boolean reserveForCheckpoint() {
        segments.retryRefused();
        return durability.reserveCheckpoint() || refuses(segments.diskRefusal());
    }

    /** Whether room is so short that whatever can be gained is welcome. */
    public boolean isShort() {
        return segments.isShort();
    }

    /** Asks the disk once more for room for so many bytes, if room is short. */
    public void retry(long bytes) {
        if (segments.isShort()) {
            begin();
            segments.reserve(bytes, collector.segmentsToFill());
        }
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

    /** Follows that a change is reserved for. */
    private void begin() {
        durability.takeGivenBack();
        segments.changeBegins();
        sweepsLeft = MAX_SWEEPS;
    }

    private boolean reserveAll(
            long bytes, long entries, long places, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        begin();
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
        boolean there = sweepUntil(
                () -> segments.reserve(bytes, collector.segmentsToFill()), () -> collector.begin(true), publish);
        return there || refuses(segments.refusal());
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
        checkpoint(publish);
        if (edits.reserveForChange(entries, places, bytes, growing)) {
            return true;
        }
        boolean maySweep = edits.memoryRefusal() == null && (!growing || edits.reserveCheckpoint());
        boolean there = maySweep
                && sweepUntil(
                        () -> reserveFromData(entries, places, bytes, growing, publish),
                        () -> edits.memoryRefusal() == null && beginToShorten(bytes),
                        publish);
        return there || refuses(edits.memoryRefusal() != null ? edits.memoryRefusal() : segments.diskRefusal());
    }

    /** Makes a checkpoint if it can begin: the log is empty then, and the units of the nodes replaced are free. */
    private void checkpoint(Runnable publish) {
        if (durability.reserveCheckpoint()) {
            durability.checkpoint();
            publish.run();
        }
    }

    /** Reserves for edits with what the data file can give back, and for the data anew. */
    private boolean reserveFromData(long entries, long places, long bytes, boolean growing, Runnable publish) {
        if (collector.isSweeping()) {
            return false; // which needs what is free
        }
        checkpoint(publish);
        segments.giveBack(bytes);
        return (bytes == 0 || segments.reserve(bytes, 0)) && edits.reserveForChange(entries, places, bytes, growing);
    }

    /** Begins to move garbage together, or else free segments to the end of the file, which then is cut. */
    private boolean beginToShorten(long bytes) {
        int spare = segments.spareInside(bytes);
        return spare > 0 && segments.areRefused(spare) && collector.beginAtEnd(spare)
                || collector.begin(true)
                || spare > 0 && collector.beginAtEnd(spare);
    }

    /**
     * Collects garbage until there is what is wanted, or a sweep has gained nothing, or all of them next to nothing.
     *
     * @param begin begins a sweep, if it is worth it
     */
    private boolean sweepUntil(BooleanSupplier isThere, BooleanSupplier begin, Runnable publish) {
        long before = Long.MAX_VALUE;
        while (!isThere.getAsBoolean()) {
            collector.finishSweep();
            durability.sync(durability.tag());
            durability.finishCheckpoint(); // which pins what it writes, and the segments with it
            publish.run();
            if (isThere.getAsBoolean()) {
                break;
            }
            long taken = segments.bytesTaken();
            if (taken >= before || sweepsLeft-- == 0 || !begin.getAsBoolean()) {
                return false;
            }
            before = taken;
        }
        return true;
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
