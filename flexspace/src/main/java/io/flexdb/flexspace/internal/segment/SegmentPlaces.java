package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StoreFullException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.LongSupplier;

/**
 * Which segments there are, which of them are free, and which have their place in the data file. The writer opens one
 * after the other, and so may others, who {@linkplain StagedBytes stage} bytes: any thread.
 */
public final class SegmentPlaces {
    /*
     * The problem: the writer reserves segments before a change and must find them when it opens them, while others
     * take some meanwhile and wait for nobody.
     * The choice: one lock, taken for a segment and not for a byte. Beside it stands what the writer has reserved and
     * what is kept back, its promise, which others leave alone; they claim for each segment of theirs a place of its
     * own.
     * The cost: who comes while another claims a place waits for the file system.
     *
     * S1  A segment that is staged was taken by nobody else, and is not free before it was given back and noted.
     * S2  What was promised is there, as far as it was when it was promised: others take nothing of it. And before they
     *     take a segment some others have their place in the file, so that the writer can link what they stage, and
     *     remove things, on a disk that they have filled.
     *
     * Copies of the space may share the file: their directories have names of it, too (see SpaceCopy). They write
     * nothing to it. Their live data was alive here when they were made.
     *
     * S3  A segment that was in use when a copy was made, or, after an opening that finds the file with several names,
     *     any that was known then, is neither free again nor loses its place before the file has one name alone. When
     *     nothing lives there any more it is parked until then. Only the owner of the file makes names of it, so that
     *     there is one name alone can be known at any time.
     * S4  What is parked is the copies', not ours, and does not count below the cap.
     */
    private static final int LEFT_TO_WRITER = 6; // one to open, and as many as are kept back for garbage collection
    private static final int LEFT_BELOW_CAP = 2; // to fill with small changes before what is held can be let go of

    private final VfsFile file;
    private final SegmentFormat format;
    private final LongSupplier live;

    private volatile Segment[] segments = new Segment[8]; // changed under the lock
    private volatile int segmentCount; // written last
    private final BitSet free = new BitSet();
    private final BitSet placeless = new BitSet(); // free ones below claimedSegments that may lack their place
    private final BitSet kept = new BitSet(); // by a recovery, as neither free nor in use
    private final BitSet shared = new BitSet(); // with copies
    private final BitSet parked = new BitSet(); // of those shared, that would be free
    private int copiesBegun; // which may be about to share the file
    private int claimedSegments;
    private int opening = 1; // a greater one with each opening of the space

    private int maxSegments;
    private long maxLiveBytes = Long.MAX_VALUE;
    private int promisedPlaces;
    private int promisedBelowCap;
    private int heldCount;
    private long unlinkedBytes;

    /** @param live bytes of all segments, as of a moment ago */
    SegmentPlaces(VfsFile file, SegmentFormat format, LongSupplier live) {
        this.live = live;
        this.file = file;
        this.format = format;
        this.maxSegments = format.maxSegments;
    }

    // ---- which there are

    int segmentCount() {
        return segmentCount;
    }

    Segment segment(int number) {
        return segments[number];
    }

    /** All of them, and more room. */
    Segment[] segments() {
        return segments;
    }

    /** Takes a segment that a recovery knows of, in the place of what it knew before. */
    synchronized void put(Segment segment) {
        set(segment.number, segment);
    }

    private void set(int number, Segment segment) {
        Segment[] all = segments;
        if (number >= all.length) {
            all = Arrays.copyOf(all, Math.max(number + 1, 2 * all.length));
        }
        all[number] = segment;
        segments = all;
        segmentCount = Math.max(segmentCount, number + 1);
    }

    /**
     * Ends a recovery: those named free are.
     *
     * @param newOpening a positive number, greater than at any opening before
     */
    synchronized void recovered(int newOpening) {
        opening = newOpening;
        long whole = (file.size() - SegmentFormat.FIRST_SEGMENT_POSITION) >> format.segmentShift;
        int inUse = free.previousClearBit(segmentCount - 1) + 1;
        claimedSegments = (int) Math.max(inUse, Math.min(segmentCount, whole));
        placeless.or(free);
        placeless.clear(claimedSegments, Math.max(claimedSegments, placeless.length()));
    }

    /** Follows that a recovery has found the file; before it says what is free. */
    synchronized void found() {
        if (file.linkCount() > 1) {
            long bytes = file.size() - SegmentFormat.FIRST_SEGMENT_POSITION + format.segmentBytes - 1;
            shared.set(0, (int) Math.max(0, Math.min(segmentCount, bytes >> format.segmentShift))); // S3
        }
    }

    /**
     * Has a segment stay as it is in the file, although nothing is known to live in it: it is not free until
     * {@link #letGoKept}. After {@link #recovered}, before anything is opened.
     *
     * @return false if it is not free, or not in the file
     */
    synchronized boolean keep(int number) {
        long end = format.filePosition(number, format.segmentBytes);
        boolean unknown = number >= segmentCount;
        if (unknown && (number >= format.maxSegments || end > file.size() + format.segmentBytes)) {
            return false;
        }
        while (number >= segmentCount) {
            Segment found = Segment.found(segmentCount, 0);
            found.usedBytes = format.dataBytes;
            free.set(segmentCount);
            placeless.set(segmentCount);
            set(segmentCount, found);
            found.becomeFree();
        }
        claimedSegments = Math.max(claimedSegments, number + 1);
        if (!free.get(number) && !parked.get(number)) {
            return kept.get(number);
        }
        free.clear(number);
        parked.clear(number);
        placeless.clear(number);
        kept.set(number);
        return true;
    }

    /** Lets all that was kept be free. */
    synchronized void letGoKept() {
        for (int number = kept.nextSetBit(0); number >= 0; number = kept.nextSetBit(number + 1)) {
            setFree(number);
        }
        placeless.or(kept);
        placeless.andNot(parked);
        kept.clear();
    }

    private void setFree(int number) {
        (shared.get(number) ? parked : free).set(number);
    }

    // ---- copies that share the file

    /** Follows that a copy is being made that is to share these segments, in which something lives. Any thread. */
    public synchronized void beginSharing(BitSet segmentsOfCopy) {
        copiesBegun++;
        shared.or(segmentsOfCopy);
    }

    /** Follows that its name of the file is there, or that there will be none. */
    public synchronized void endSharing() {
        copiesBegun--;
        endSharingIfAlone();
    }

    /** Lets what is parked be free if the file has one name alone. */
    synchronized void endSharingIfAlone() {
        if (shared.isEmpty() || copiesBegun > 0 || file.linkCount() != 1) {
            return;
        }
        free.or(parked);
        placeless.or(parked); // an earlier opening may have given their places back
        placeless.clear(claimedSegments, Math.max(claimedSegments, placeless.length()));
        parked.clear();
        shared.clear();
    }

    /** Whether a segment is shared, so that nothing is gained by moving away what lives there. */
    public synchronized boolean isShared(int number) {
        return shared.get(number);
    }

    /** The last segment that is shared, before which the file can't be cut; -1 if there is none. */
    public synchronized int lastShared() {
        return shared.length() - 1;
    }

    /** Segments that only copies need. */
    public synchronized int parkedCount() {
        return parked.cardinality();
    }

    /** Segments that are shared and in use. */
    public synchronized BitSet sharedInUse() {
        BitSet inUse = (BitSet) shared.clone();
        inUse.andNot(parked);
        return inUse;
    }

    /** How many segments there may be: those of the cap, and those parked. */
    private int mostSegments() {
        return (int) Math.min(format.maxSegments, maxSegments + (long) parked.cardinality()); // S4
    }

    // ---- to open them

    /** The next segment of the writer's. */
    synchronized Segment open(long birth) {
        promisedPlaces = Math.max(0, promisedPlaces - 1);
        promisedBelowCap = Math.max(0, promisedBelowCap - 1);
        return take(birth);
    }

    /**
     * The next segment of one who stages, with its place in the file.
     *
     * @throws StoreFullException if there is none but what is promised; nothing has changed then
     */
    synchronized Segment openStaged(long birth) {
        int left = mostSegments() - segmentCount + free.cardinality();
        long liveBytes = live.getAsLong();
        if (left <= promisedBelowCap + LEFT_BELOW_CAP || liveBytes + unlinkedBytes > maxLiveBytes - format.dataBytes) {
            throw new StoreFullException("no room for large values or a run: " + liveBytes + " live bytes, and "
                    + unlinkedBytes + " that are not in the space yet, at most " + maxLiveBytes + " in " + maxSegments
                    + " segments of " + format.segmentBytes + " bytes, of which " + Math.max(0, left)
                    + " are free; remove data, end long reads or raise maxDataBytes");
        }
        int missing = Math.max(promisedPlaces, LEFT_TO_WRITER) + 1 - allocatable();
        int claimable = mostSegments() - claimedSegments + placeless.cardinality();
        if (missing > 0 && claimable > 0) {
            claimNext(Math.min(missing, claimable)); // S2
        }
        Segment segment = take(birth);
        hold(segment);
        return segment;
    }

    /** Has a segment be neither emptied nor moved. */
    synchronized void hold(Segment segment) {
        segment.hold();
        heldCount++;
    }

    /**
     * The writer's segment 0, if it was never opened, with its beginning in its place in the file; else null.
     *
     * @throws StoreFullException if there is not as much; nothing has changed then
     */
    synchronized Segment openFirst(long birth, int claimedBytes) {
        if (segmentCount > 0 || claimedSegments > 0) {
            return null;
        }
        long position = format.filePosition(0, 0);
        try {
            file.allocate(position, claimedBytes);
        } catch (StoreFullException e) {
            file.truncate(position); // a part of it, of use to others
            throw e;
        }
        return open(birth);
    }

    private Segment take(long birth) {
        int number = nextFree();
        int generation = opening;
        if (number >= 0) {
            free.clear(number);
            generation += segments[number].generation; // I6 of SegmentStore
        } else {
            number = segmentCount;
        }
        Segment segment = new Segment(number, generation, birth);
        segment.placed = number < claimedSegments && !placeless.get(number);
        segment.checksums = new int[format.dataFrames];
        placeless.clear(number);
        claimedSegments = Math.max(claimedSegments, number + 1);
        set(number, segment);
        return segment;
    }

    /**
     * The free segment with the lowest number, so that the end of the file becomes free, of those that have their place
     * if there are any; -1 if none is free.
     */
    private int nextFree() {
        int number = free.nextSetBit(0);
        if (placeless.isEmpty()) {
            return number;
        }
        int placed = number;
        while (placed >= 0 && placeless.get(placed)) {
            placed = free.nextSetBit(placed + 1);
        }
        return placed >= 0 && placed < claimedSegments ? placed : number;
    }

    /** Says that nobody holds a segment any more that was staged. */
    synchronized void letGo(Segment segment) {
        heldCount--;
        unlinkedBytes -= segment.unlinkedBytes;
        segment.unlinkedBytes = 0;
    }

    /** Counts bytes that were staged, or linked if that is negative. */
    synchronized void countUnlinked(Segment segment, int bytes) {
        segment.unlinkedBytes += bytes;
        unlinkedBytes += bytes;
    }

    /** Bytes that were staged and neither linked nor given back yet. */
    public synchronized long unlinkedBytes() {
        return unlinkedBytes;
    }

    /** Segments that are held by those who stage. */
    public synchronized int heldCount() {
        return heldCount;
    }

    synchronized void becomeFree(int number) {
        segments[number].becomeFree();
        setFree(number);
    }

    synchronized boolean isFree(int number) {
        return free.get(number) || parked.get(number);
    }

    synchronized int freeCount() {
        return free.cardinality();
    }

    // ---- the place in the file

    /** Says how many segments there may be. */
    public synchronized void limit(int most, long mostLiveBytes) {
        maxSegments = Math.min(most, format.maxSegments);
        maxLiveBytes = mostLiveBytes;
    }

    /**
     * Keeps free segments for the writer, in the place of what was promised before.
     *
     * @param places that have their place in the file, or will be claimed by the writer
     * @param belowCap of those that the cap leaves
     */
    public synchronized void promise(int places, int belowCap) {
        promisedPlaces = places;
        promisedBelowCap = belowCap;
    }

    /** Keeps so many at least. */
    public synchronized void promiseAtLeast(int places) {
        promisedPlaces = Math.max(promisedPlaces, places);
        promisedBelowCap = Math.max(promisedBelowCap, places);
    }

    /**
     * Gives the next segments their place in the file, so that writing them later finds space.
     *
     * @throws StoreFullException if there is not as much; but for free segments that have their place again nothing has
     *     changed then
     */
    public synchronized void claimNext(int segmentsToClaim) {
        endSharingIfAlone();
        int atEnd = segmentsToClaim;
        for (int number = placeless.nextSetBit(0); number >= 0 && atEnd > 0; number = placeless.nextSetBit(number)) {
            file.allocate(format.filePosition(number, 0), format.segmentBytes);
            placeless.clear(number);
            atEnd--;
        }
        if (atEnd == 0) {
            return;
        }
        long position = format.filePosition(claimedSegments, 0);
        try {
            file.allocate(position, (long) atEnd * format.segmentBytes);
        } catch (StoreFullException e) {
            file.truncate(position); // a part of it, of use to others
            throw e;
        }
        claimedSegments += atEnd;
    }

    /** Segments that can be opened without the file becoming longer. */
    public synchronized int allocatable() {
        int count = segmentCount;
        int placed = claimedSegments - placeless.cardinality();
        if (claimedSegments >= count) {
            return free.cardinality() + placed - count;
        }
        return free.get(0, claimedSegments).cardinality() + placed - claimedSegments;
    }

    /** Free segments before the end of the file that may lack their place in it. */
    public synchronized int placelessCount() {
        return placeless.cardinality();
    }

    /** Segments that have their place in the file. */
    public synchronized int claimedSegments() {
        return claimedSegments;
    }

    /** Free segments at the end of those that have their place in the file. */
    public synchronized int freeAtEnd() {
        int lastInUse = free.previousClearBit(Math.min(claimedSegments, segmentCount) - 1);
        return claimedSegments - lastInUse - 1;
    }

    /** Cuts free segments off the end of the file, or fewer if others have taken some meanwhile. */
    synchronized void cutEnd(int segmentsToCut) {
        int cut = Math.min(segmentsToCut, freeAtEnd());
        if (cut > 0) {
            file.truncate(format.filePosition(claimedSegments - cut, 0));
            claimedSegments -= cut;
            placeless.clear(claimedSegments, Math.max(claimedSegments, placeless.length()));
        }
    }

    /** Gives back to the disk what the file has for segments in which nothing lives, but for one. */
    synchronized void giveBackFree(Segment open) {
        endSharingIfAlone();
        int end = Math.min(segmentCount, claimedSegments);
        while (end > 0 && isEmpty(end - 1, open)) {
            end--;
        }
        long fileEnd = format.filePosition(end, 0);
        if (file.size() > fileEnd) {
            file.truncate(fileEnd);
        }
        for (int number = 0; number < end; ) {
            int from = number;
            while (number < end && isEmpty(number, open)) {
                number++;
            }
            if (number > from) {
                file.giveBack(format.filePosition(from, 0), (long) (number - from) * format.segmentBytes);
            }
            number++;
        }
    }

    private boolean isEmpty(int number, Segment open) {
        return segments[number].liveBytes == 0 && segments[number] != open && !shared.get(number);
    }
}
