package io.flexdb.flexspace.internal.reservation;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentPlaces;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.StoreFullException;

/**
 * Reserves places in the data file for segments before a change begins, and knows how much of the disk there was not,
 * for the other files of a space too. Writer only.
 */
public final class SegmentReservation {
    /*
     * The problem: a change must not find the space full when half of it is done, and garbage collection needs space to
     * make space. The choice: before a change begins, the segments that it takes at most are reserved, and beyond them
     * some are kept back that only garbage collection may use.
     *
     * Below a cap of N segments, K = N / 8, at most 64, are kept back, and at most 30/32 of the others' bytes may be
     * live. Extents are at most 1/32 of a segment, so what is moved fills segments to 31/32 at least: a sweep over
     * segments that are filled no better than 30/32 gains space (section 4.1 of the paper).
     *
     * Without a cap, the addresses of 48 bits are a limit, and as much is kept back below it as of the disk.
     *
     * On the disk, segments have their place in the file before they are opened, and so have the few that are kept back
     * for garbage collection: one to move to, and one for what a sync pads.
     *
     * A space that has less than half of a segment claims of that what it needs, in steps, and nothing else: there is
     * nothing to collect in it yet.
     *
     * A claim of disk space that fails costs as much as one that does not, for what there is is taken, or filled with
     * zeros, before it is given back. And whoever finds no space tries less, another file, and the same again after
     * each piece of a sweep. So what the disk did not have is not tried again, nor is more, before there may be more:
     * when a file of the space has become shorter or was dropped, or when the next change is reserved for, since others
     * may have freed some.
     */
    private static final int MIN_SEGMENTS = 32;
    private static final int MAX_KEPT = 64;
    private static final int MIN_KEPT_ON_DISK = 2;
    private static final int MAX_KEPT_ON_DISK = 4;
    private static final int MIN_CUT = 8;
    private static final int STEPS = 16; // in which the first segment is claimed
    private static final int MIN_CLAIMED_IN_STEPS = 1 << 20; // bytes of a segment

    private final SegmentStore store;
    private final Runnable claimingOpen;
    private final SegmentFormat format;
    private final SegmentPlaces places;
    private final WriterPauses pauses;
    private final int maxSegments;
    private final int kept; // of them, for garbage collection
    private final long maxLiveBytes;
    private boolean used; // who does not reserve lets the file grow as it must
    private StoreFullException noSegments; // why the disk has none; null while it has
    private boolean addressable = true; // what was to be reserved last
    private long refusedBytes = Long.MAX_VALUE; // that the disk did not have
    private StoreFullException diskRefusal;

    public SegmentReservation(SegmentStore store, WriterPauses pauses, long maxDataBytes) {
        this.store = store;
        this.claimingOpen = store::claimOpen; // made at opening, and not in a heap that may be full
        this.format = store.format();
        this.pauses = pauses;
        checkCap(maxDataBytes, format.segmentBytes);
        boolean capped = maxDataBytes != Long.MAX_VALUE;
        maxSegments =
                capped ? (int) Math.min(format.maxSegments, maxDataBytes >>> format.segmentShift) : Integer.MAX_VALUE;
        kept = capped ? Math.min(maxSegments / 8, MAX_KEPT) : 0;
        this.places = store.places();
        maxLiveBytes = capped ? (maxSegments - kept) * (long) format.dataBytes / 32 * 30 : Long.MAX_VALUE;
        places.limit(maxSegments, maxLiveBytes);
        places.promise(0, kept);
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
    private int freeBelowCap() {
        return maxSegments
                - store.segmentCount()
                + store.freeSegmentCount()
                + places.parkedCount(); // S4 of SegmentPlaces
    }

    private int keptOnDisk() {
        return Math.min(MAX_KEPT_ON_DISK, MIN_KEPT_ON_DISK + store.segmentCount() / 8);
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
    public boolean exceedsCap(long growth) {
        return growth > 0 && isCapped() && store.liveBytes() + store.stagedBytes() > maxLiveBytes - growth;
    }

    /**
     * Reserves what bytes take that are appended.
     *
     * @param segmentsToFill what the sweep under way still needs; 0 if there is none, and then as many segments must be
     *     left as are kept back
     * @return false if there is not as much; {@link #refusal} says why
     */
    public boolean reserve(long bytes, int segmentsToFill) {
        addressable = true;
        if (reserveInFirst(bytes)) {
            return true;
        }
        int needed = newSegmentsFor(bytes);
        if (needed == 0 && store.openIsClaimed()) {
            return true;
        }
        int neededBelowCap = isCapped() ? needed + (segmentsToFill > 0 ? segmentsToFill : kept) : needed;
        int wanted = needed + keptOnDisk();
        places.promise(wanted, neededBelowCap); // first: others may be taking some
        if (isCapped() && needed > 0 && freeBelowCap() < neededBelowCap) {
            return false;
        }
        addressable = wanted <= format.maxSegments - store.segmentCount() + store.freeSegmentCount();
        if (!addressable) {
            return false;
        }
        if (noSegments != null) {
            wanted = Math.max(wanted, needed + segmentsToFill);
        }
        claimSegments(wanted);
        return noSegments == null || store.openIsClaimed() && places.allocatable() >= wanted;
    }

    /** Reserves for a space that is small still; false if it is not, or there is not as much. */
    private boolean reserveInFirst(long bytes) {
        Segment open = store.openSegment();
        long end = bytes + (open == null ? 0 : open.usedBytes);
        if (!isInFirstSegment() || end > format.segmentBytes / 2) {
            return false;
        }
        int step = format.segmentBytes / STEPS;
        int target = (int) (end + step - 1) / step * step;
        if (open == null) {
            boolean[] isFirst = {true};
            boolean there = claim(
                    Math.max(step, target),
                    new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                        @Override
                        public void run() {
                            isFirst[0] = store.openFirst(Math.max(step, target));
                        }
                    });
            return there && isFirst[0];
        }
        boolean there = end <= store.openClaimedBytes()
                || claim(target - store.openClaimedBytes(), new Runnable() {
                    @Override
                    public void run() {
                        store.claimOpenTo(target);
                    }
                });
        noSegments = there ? null : diskRefusal;
        return there;
    }

    /** Whether nothing was ever written but to the open segment, the first one. */
    private boolean isInFirstSegment() {
        return !isCapped()
                && format.segmentBytes >= MIN_CLAIMED_IN_STEPS
                && store.segmentCount() <= 1
                && (store.segmentCount() == 0 || store.openSegment() != null);
    }

    /** Whether there is so little that the other files of the space had better be small, too. */
    boolean isSmall() {
        Segment open = store.openSegment();
        return isInFirstSegment() && (open == null || open.usedBytes <= format.segmentBytes / 2);
    }

    /**
     * Bytes that can be appended to the open segment, which has its place in the file, before anything must be asked
     * again. Not positive if that is nothing.
     */
    public long bytesInOpenSegment() {
        return Math.min(placeInOpenSegment(), maxLiveBytes - store.liveBytes() - store.stagedBytes());
    }

    /** Bytes of that which the cap does not count. */
    int placeInOpenSegment() {
        Segment open = store.openSegment();
        int claimed = open == null ? 0 : store.openClaimedBytes() - open.usedBytes;
        return Math.min(store.roomInOpenSegment(), claimed);
    }

    /** Claims what is missing of the open segment, and segments until so many can be opened: all of them, or none. */
    private void claimSegments(int wanted) {
        boolean there = (store.openIsClaimed() || claim(format.segmentBytes, claimingOpen)) && claimMissing(wanted);
        noSegments = there ? null : diskRefusal;
        if (!there) {
            cutFreeBeyond(wanted); // the open segment may find its place then, the next time
        }
    }

    private int mostSegments() {
        return (int) Math.min(format.maxSegments, maxSegments + (long) places.parkedCount());
    }

    private boolean claimMissing(int wanted) {
        int missing = Math.min(
                wanted - places.allocatable(), mostSegments() - places.claimedSegments() + places.placelessCount());
        return missing <= 0
                || claim(
                        (long) missing * format.segmentBytes,
                        new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                            @Override
                            public void run() {
                                places.claimNext(missing);
                            }
                        })
                || places.allocatable() >= wanted; // what was kept for others
    }

    /** Follows that the owner reserves for a change: what the disk refused may be tried again. */
    public void changeBegins() {
        used = true;
        retryRefused();
    }

    /** Whether the owner reserves before a change. */
    public boolean isUsed() {
        return used;
    }

    /** Why bytes can't be appended. */
    public StoreFullException refusal() {
        if (!addressable) {
            return new StoreFullException("no room for the change: the data file has " + store.segmentCount()
                    + " segments of " + format.segmentBytes + " bytes, of which " + store.freeSegmentCount()
                    + " are free, and addresses of 48 bits name " + format.maxSegments
                    + " at most; remove data, or end long reads");
        }
        return noSegments != null ? noSegments : capRefusal();
    }

    /** The exception for a cap that leaves no room. */
    public StoreFullException capRefusal() {
        return new StoreFullException("no room for the change: " + store.liveBytes() + " live bytes, at most "
                + maxLiveBytes + " in " + maxSegments + " segments of " + format.segmentBytes + " bytes, of which "
                + Math.max(0, freeBelowCap()) + " are free; remove data, end long reads or raise maxDataBytes");
    }

    // ---- for garbage collection

    /**
     * Whether anything gained is welcome. Not earlier than needed: the longer it waits, the less lives in its victims.
     */
    public boolean isShort() {
        return noSegments != null || isCapped() && freeBelowCap() < kept + Math.max(2, kept / 8);
    }

    /** Bytes that can be written until changes are refused, at least those of an extent. */
    public long bytesLeft(int segmentsToFill) {
        return Math.max(format.maxExtentBytes, slack(segmentsToFill));
    }

    /** Bytes that can be written until changes are refused; negative if fewer segments are free than are kept back. */
    public long slack(int segmentsToFill) {
        int segments = Integer.MAX_VALUE;
        if (isCapped()) {
            segments = freeBelowCap() - (segmentsToFill > 0 ? segmentsToFill : kept);
        }
        if (noSegments != null) {
            segments = Math.min(segments, places.allocatable() - Math.max(segmentsToFill, keptOnDisk()));
        }
        return (long) segments * format.dataBytes + store.roomInOpenSegment();
    }

    /** The bytes that a sweep with any gain makes less: of segments in use, and of those that the file has. */
    public long bytesTaken() {
        return (segmentsInUse() + (long) places.claimedSegments()) * format.dataBytes - store.roomInOpenSegment();
    }

    /** How much a sweep may move before it frees anything, so that writes find room while it goes on. */
    public long bytesForMoves() {
        boolean diskIsFull = noSegments != null || refusedBytes != Long.MAX_VALUE; // for whichever file
        int segments = Integer.MAX_VALUE;
        if (isCapped()) {
            segments = Math.min(kept, withoutAQuarter(freeBelowCap(), 2));
        }
        if (diskIsFull) {
            segments = Math.min(segments, withoutAQuarter(places.allocatable(), 1));
        }
        boolean keptIsLent = isCapped() && freeBelowCap() < kept || diskIsFull && places.allocatable() < keptOnDisk();
        if (keptIsLent && store.emptied().count() > 0) {
            return 0; // readers hold what the last sweep emptied: another one would only use up the rest
        }
        if (segments == Integer.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        if (segments <= 0 && !diskIsFull) {
            // Or a space full of garbage would refuse everything for ever. More is emptied than this takes, the padding
            // of syncs included.
            long last = Math.max((long) freeBelowCap() * format.dataBytes, store.roomInOpenSegment());
            return Math.max(0, last - format.maxExtentBytes) / 2;
        }
        return Math.max(0, segments) * (long) (format.dataBytes - format.maxExtentBytes);
    }

    private static int withoutAQuarter(int segments, int least) {
        return segments - Math.max(least, segments / 4);
    }

    /** Reserves what a slice of a sweep needs, if the owner reserves; returns false if there is not as much. */
    public boolean reserveForMoves(long bytes) {
        int needed = newSegmentsFor(bytes);
        if (!used || needed == 0 && store.openIsClaimed()) {
            return true;
        }
        places.promiseAtLeast(needed);
        if (noSegments == null) {
            claimSegments(needed);
        }
        return store.openIsClaimed() && places.allocatable() >= needed;
    }

    // ---- the disk

    /**
     * Takes disk space for a file of the space, unless it is known that there is not as much.
     *
     * @param bytes of it, at least 1
     * @param claim takes it; throws StoreFullException, and leaves all as it was, if it is not there
     * @return false if it is not there; {@link #diskRefusal} says why
     */
    boolean claim(long bytes, Runnable claim) {
        assert bytes > 0 : bytes;
        if (bytes >= refusedBytes) {
            return false;
        }
        pauses.begin();
        try {
            claim.run();
            refusedBytes -= refusedBytes == Long.MAX_VALUE ? 0 : bytes;
            return true;
        } catch (StoreFullException e) {
            refusedBytes = bytes;
            diskRefusal = e;
            store.emptied().giveUpLeased(); // for segments, or to be cut off for other files
            return false;
        } finally {
            pauses.end();
        }
    }

    /** Lets what the disk refused be tried again, for it may have more now. */
    public void retryRefused() {
        refusedBytes = Long.MAX_VALUE;
    }

    /** Whether so many segments have as many bytes as the disk has refused. */
    public boolean areRefused(int segmentCount) {
        return (long) segmentCount * format.segmentBytes >= refusedBytes;
    }

    /** Why the last claim of disk space that failed did. */
    public StoreFullException diskRefusal() {
        return diskRefusal;
    }

    // ---- shrinking

    /** Cuts off the end of the file what is free and not needed for so many bytes, for others to use. */
    public void giveBack(long bytes) {
        cutFreeBeyond(newSegmentsFor(bytes) + keptOnDisk());
    }

    /** Free segments that are not needed for so many bytes but were not given back, since what is in use follows. */
    public int spareInside(long bytes) {
        return places.allocatable() - newSegmentsFor(bytes) - keptOnDisk();
    }

    private void cutFreeBeyond(int wanted) {
        cutEnd(Math.min(places.freeAtEnd(), places.allocatable() - wanted));
    }

    /**
     * Cuts off the end of the file what is free and more than is kept, and returns how many segments more could be cut if
     * nothing in use followed them: none if it is not worth to move that.
     *
     * @param wholly whether to keep no more than is always kept, and to cut off however little; else as much is kept as
     *     the next commits take, perhaps
     */
    public int cutSpare(boolean wholly) {
        int worth = wholly ? 1 : worthCutting();
        int wanted = keptOnDisk() + (wholly ? 0 : forNextCommits());
        if (places.allocatable() - wanted >= worth) {
            cutFreeBeyond(wanted);
        }
        int left = places.allocatable() - wanted;
        return left >= worth ? left : 0;
    }

    /** Whether {@link #cutSpare} has something to do once emptied segments are free, without wholly. */
    public boolean maySpare() {
        int most = places.allocatable() + store.emptied().count();
        return most - keptOnDisk() - forNextCommits() >= worthCutting();
    }

    private int forNextCommits() {
        return Math.max(MIN_CUT, segmentsInUse() / 8);
    }

    /**
     * Data that is moved so that the file can be cut costs writes, and takes from readers in other processes what they
     * are about to read. So it takes a good part of the file, which commits that go on at one size don't reach.
     */
    private int worthCutting() {
        return Math.max(MIN_CUT, segmentsInUse() / 4);
    }

    private int segmentsInUse() {
        return store.segmentCount() - store.freeSegmentCount() - places.parkedCount();
    }

    /** Cuts free segments off the end of the file if there are many. */
    public void shrink() {
        int kept = forNextCommits() + 2 * keptOnDisk();
        int spare = Math.min(places.freeAtEnd(), places.allocatable() - kept);
        if (spare >= forNextCommits()) {
            cutEnd(spare);
        }
    }

    private void cutEnd(int segments) {
        if (segments > 0) {
            store.cutEnd(segments);
            retryRefused();
        }
    }
}
