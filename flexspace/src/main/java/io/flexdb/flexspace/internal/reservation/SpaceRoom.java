package io.flexdb.flexspace.internal.reservation;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;

/** How much of the data file may be used, and whether there is room for a change. Writer only. */
public final class SpaceRoom {
    /*
     * The problem: a change must not find the space full when half of it is done, and garbage collection needs room to
     * make room. The choice: before a change begins, it is asked whether the segments that it takes at most are there,
     * and beyond them a reserve that only garbage collection may use.
     *
     * Below a cap of N segments, R = N / 8, at most 64, are the reserve, and at most 30/32 of the others' bytes may be
     * live. Extents are at most 1/32 of a segment, so what is moved fills segments to 31/32 at least: a sweep over
     * segments that are filled no better than 30/32 gains room (section 4.1 of the paper).
     *
     * Dead frames that are written again take no segment. They count where a change as a whole fits one run of them, for
     * then it does whatever its pieces are; else what it needs are segments.
     *
     * Without a cap, the addresses of 48 bits are a limit, and the reserve below it that of the disk.
     *
     * On the disk, segments have their place in the file before they are opened, and so have those of a small reserve
     * for garbage collection: one to move to, and one for what commits pad.
     */
    private static final int MIN_SEGMENTS = 32;
    private static final int MAX_RESERVE = 64;
    private static final int MIN_DISK_RESERVE = 2;
    private static final int MAX_DISK_RESERVE = 4;
    private static final int MIN_CUT = 8;

    private final SegmentStore store;
    private final SegmentFormat format;
    private final DiskRoom disk;
    private final int maxSegments;
    private final int reserve;
    private final long maxLiveBytes;
    private boolean asked; // whoever does not ask for room lets the file grow as it must
    private StoreFullException diskFull; // null while it is not
    private boolean addressable = true; // what was asked for last

    public SpaceRoom(SegmentStore store, DiskRoom disk, long maxDataBytes) {
        this.store = store;
        this.format = store.format();
        this.disk = disk;
        checkCap(maxDataBytes, format.segmentBytes);
        boolean capped = maxDataBytes != Long.MAX_VALUE;
        maxSegments =
                capped ? (int) Math.min(format.maxSegments, maxDataBytes >>> format.segmentShift) : Integer.MAX_VALUE;
        reserve = capped ? Math.min(maxSegments / 8, MAX_RESERVE) : 0;
        maxLiveBytes = capped ? (maxSegments - reserve) * (long) format.dataBytes / 32 * 30 : Long.MAX_VALUE;
    }

    public static void checkCap(long maxDataBytes, int segmentBytes) {
        if (maxDataBytes / segmentBytes < MIN_SEGMENTS) {
            throw new IllegalArgumentException("maxDataBytes must be at least " + MIN_SEGMENTS + " segments of "
                    + segmentBytes + " bytes: " + maxDataBytes);
        }
        if (maxDataBytes != Long.MAX_VALUE && maxDataBytes > FlexTree.HOLE) {
            throw new IllegalArgumentException("maxDataBytes must be less than 2^48, which addresses can name, or "
                    + "Long.MAX_VALUE for no limit: " + maxDataBytes);
        }
    }

    private boolean isCapped() {
        return maxSegments != Integer.MAX_VALUE;
    }

    /** Segments that the cap leaves. */
    private int free() {
        return maxSegments - store.segmentCount() + store.freeSegmentCount();
    }

    private int diskReserve() {
        return Math.min(MAX_DISK_RESERVE, MIN_DISK_RESERVE + store.segmentCount() / 8);
    }

    /** Segments that bytes take if they are appended in extents of any sizes to new ones. */
    public int segmentsFor(long bytes) {
        int sure = format.dataBytes - format.maxExtentBytes;
        return (int) Math.min(Integer.MAX_VALUE / 2, (bytes + sure - 1) / sure);
    }

    private int newSegmentsFor(long bytes) {
        int open = store.roomInOpenSegment();
        if (bytes <= open && bytes <= format.maxExtentBytes) {
            return 0;
        }
        return segmentsFor(Math.max(0, bytes - Math.max(0, open - format.maxExtentBytes)));
    }

    // ---- for changes

    /** Whether there would be more live bytes than the cap allows. */
    public boolean wouldOverfill(long growth) {
        return growth > 0 && store.liveBytes() > maxLiveBytes - growth;
    }

    /**
     * Whether bytes can be appended.
     *
     * @param segmentsToFill what the sweep under way still needs; 0 if there is none, and then the reserve must be whole
     */
    public boolean isThere(long bytes, int segmentsToFill) {
        asked = true;
        addressable = true;
        int needed = newSegmentsFor(bytes);
        if (needed == 0 && store.openIsClaimed()) {
            return true;
        }
        if (bytes <= format.maxExtentBytes && store.refills().hasRoomFor((int) bytes)) {
            return true; // in frames that have their place in the file
        }
        if (isCapped() && needed > 0 && free() < needed + (segmentsToFill > 0 ? segmentsToFill : reserve)) {
            return false;
        }
        int kept = needed + diskReserve();
        addressable = kept <= format.maxSegments - store.segmentCount() + store.freeSegmentCount();
        if (!addressable) {
            return false;
        }
        if (diskFull != null) {
            kept = Math.max(kept, needed + segmentsToFill);
        }
        claim(kept);
        return diskFull == null || store.openIsClaimed() && store.allocatable() >= kept;
    }

    /**
     * Bytes that can be appended to the open segment, which has its place in the file, before anything must be asked
     * again. Not positive if that is nothing.
     */
    public long bytesInOpenSegment() {
        return store.openIsClaimed() ? Math.min(store.roomInOpenSegment(), maxLiveBytes - store.liveBytes()) : 0;
    }

    /** Claims what is missing of the open segment, and segments until so many can be opened: all of them, or none. */
    private void claim(int wanted) {
        int missing = Math.min(
                wanted - store.allocatable(), Math.min(maxSegments, format.maxSegments) - store.claimedSegments());
        boolean there = (store.openIsClaimed() || disk.claim(format.segmentBytes, store::claimOpen))
                && (missing <= 0 || disk.claim((long) missing * format.segmentBytes, () -> store.claimNext(missing)));
        diskFull = there ? null : disk.refusal();
        if (!there) {
            cutBeyond(wanted); // the open segment may find its place then, the next time
        }
    }

    /** Whether the owner asks for room before a change. */
    public boolean isAsked() {
        return asked;
    }

    /** Why bytes can't be appended. */
    public StoreFullException refusal() {
        if (!addressable) {
            return new StoreFullException("no room for the change: the data file has " + store.segmentCount()
                    + " segments of " + format.segmentBytes + " bytes, of which " + store.freeSegmentCount()
                    + " are free, and addresses of 48 bits name " + format.maxSegments
                    + " at most; remove data, or end long reads");
        }
        return diskFull != null ? diskFull : capRefusal();
    }

    /** What is to be said when it is the cap that leaves no room. */
    public StoreFullException capRefusal() {
        return new StoreFullException("no room for the change: " + store.liveBytes() + " live bytes, at most "
                + maxLiveBytes + " in " + maxSegments + " segments of " + format.segmentBytes + " bytes, of which "
                + Math.max(0, free()) + " are free; remove data, end long reads or raise maxDataBytes");
    }

    // ---- for garbage collection

    /** Whether anything gained is welcome. Not earlier than needed: the longer it waits, the less lives in its victims. */
    public boolean isShort() {
        return diskFull != null || isCapped() && free() < reserve + Math.max(2, reserve / 8);
    }

    /** Bytes that can be written until changes are refused, at least those of an extent. */
    public long bytesLeft(int segmentsToFill) {
        return Math.max(format.maxExtentBytes, slack(segmentsToFill));
    }

    /** The same, but negative while the reserve is not whole. */
    public long slack(int segmentsToFill) {
        int segments = Integer.MAX_VALUE;
        if (isCapped()) {
            segments = free() - (segmentsToFill > 0 ? segmentsToFill : reserve);
        }
        if (diskFull != null) {
            segments = Math.min(segments, store.allocatable() - Math.max(segmentsToFill, diskReserve()));
        }
        return (long) segments * format.dataBytes + store.roomInOpenSegment();
    }

    /** How much a sweep may move before it frees anything, so that writes find room while it goes on. */
    public long bytesForMoves() {
        int segments = Integer.MAX_VALUE;
        if (isCapped()) {
            segments = Math.min(reserve, butAQuarter(free(), 2));
        }
        if (diskFull != null) {
            segments = Math.min(segments, butAQuarter(store.allocatable(), 1));
        }
        boolean reserveIsLent =
                isCapped() && free() < reserve || diskFull != null && store.allocatable() < diskReserve();
        if (reserveIsLent && store.awaitingReuse() > 0) {
            return 0; // readers hold what the last sweep emptied: another one would only use up the rest
        }
        if (segments == Integer.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        if (segments <= 0 && diskFull == null) {
            // Or a space full of garbage would refuse everything for ever. What is emptied is more than what this
            // takes,
            // commits that pad it included.
            long last = Math.max((long) free() * format.dataBytes, store.roomInOpenSegment());
            return Math.max(0, last - format.maxExtentBytes) / 2;
        }
        return Math.max(0, segments) * (long) (format.dataBytes - format.maxExtentBytes);
    }

    private static int butAQuarter(int segments, int least) {
        return segments - Math.max(least, segments / 4);
    }

    /** Claims what a slice of a sweep needs, if that is wanted; returns false if there is not as much. */
    public boolean claimForMoves(long bytes) {
        int needed = newSegmentsFor(bytes);
        if (!asked || needed == 0 && store.openIsClaimed()) {
            return true;
        }
        if (diskFull == null) {
            claim(needed);
        }
        return store.openIsClaimed() && store.allocatable() >= needed;
    }

    // ---- shrinking

    /** Cuts off the end of the file what is free and not needed for so many bytes, for others to use. */
    public void giveBack(long bytes) {
        cutBeyond(newSegmentsFor(bytes) + diskReserve());
    }

    private void cutBeyond(int wanted) {
        cutEnd(Math.min(store.freeAtEnd(), store.allocatable() - wanted));
    }

    /** Cuts free segments off the end of the file if there are many. */
    public void shrink() {
        int inUse = store.segmentCount() - store.freeSegmentCount();
        int kept = Math.max(MIN_CUT, inUse / 8) + 2 * diskReserve();
        int spare = Math.min(store.freeAtEnd(), store.allocatable() - kept);
        if (spare >= Math.max(MIN_CUT, inUse / 8)) {
            cutEnd(spare);
        }
    }

    private void cutEnd(int segments) {
        if (segments > 0) {
            store.cutEnd(segments);
            disk.mayHaveGrown();
        }
    }
}
