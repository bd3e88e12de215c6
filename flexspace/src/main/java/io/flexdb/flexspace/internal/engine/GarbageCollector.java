package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.reservation.EditReservation;
import io.flexdb.flexspace.internal.reservation.SegmentReservation;
import io.flexdb.flexspace.internal.reservation.SpaceParts;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.SpaceEvents;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** Moves live extents out of segments that hold little of them (section 4.1 of the paper). Writer only. */
final class GarbageCollector {
    /*
     * The victims are the sealed segments with the fewest live bytes. Their extents are found by one sweep over the
     * tree in logical order, so that neighbours are moved together and what was fragmented becomes one extent. A sweep
     * costs a pass over all extents; it is paid by taking so many victims that more is freed than the pass costs, and
     * they are so few that what is moved fits the segments that are free.
     *
     * The sweep works in slices, between which the space changes. It remembers a logical position; what is inserted and
     * removed before it moves it along. An extent that comes to lie behind it all the same is missed by this sweep, and
     * its segment, which then keeps live bytes, is a candidate of the next one.
     *
     * Nearly all of the victims is read, here and there, so the kernel is told of it (WalkAhead), whoever else waits for
     * the disk: YCSB A of a store larger than memory is neither faster nor slower so.
     *
     * The pace follows what is written: by the time that half of the bytes to be freed, or of those that the cap still
     * leaves, have been used up, the sweep is over.
     *
     * For other files on a full disk the end of the data file is to be cut. Then the victims are the last segments,
     * however much lives there, and no more of them than are free before them.
     *
     * Segments that copies share are no victims, for they would not be free then, nor do they count for whether a sweep
     * is worth it.
     *
     * G1  A victim is marked in its Segment, of which each use of a segment has its own: what is written later is never
     *     taken for a victim's.
     * G2  A slice moves at most its budget and one extent, and looks at no more than MAX_SLICE_EXTENTS.
     */
    static final int MAX_SLICE_EXTENTS = 20_000;
    private static final Comparator<Segment> BY_LIVE_BYTES = Comparator.comparingInt(segment -> segment.liveBytes);
    private static final int MAX_SLICE_BYTES = 1 << 20;
    private static final int BYTES_PER_EXTENT_SCANNED = 12; // what looking at an extent costs, in bytes moved
    private static final int MIN_SEGMENTS = 8;
    private static final int MOVED_SEGMENTS = 64;
    private static final double GAINED = 0.05; // of utilization by a sweep: the more, the fuller the last victims are
    private static final double WORTHLESS_UTILIZATION = 0.95;
    private static final int GATHERED_EXTENTS = 1024;

    private final FlexTree tree;
    private final WriterPauses pauses;
    private final SpaceReads reads;
    private final ExtentRewriter rewriter;
    private final SegmentStore store;
    private final SegmentReservation segments;
    private final EditReservation edits;
    private final double minimumUtilization;
    private final WalkAhead ahead;
    private final ExtentCursor cursor = new ExtentCursor();
    private final long[] offsets = new long[GATHERED_EXTENTS];
    private final int[] lengths = new int[GATHERED_EXTENTS];
    private final int[] flags = new int[GATHERED_EXTENTS];
    private final int[] segmentNumbers = new int[GATHERED_EXTENTS];
    private final ByteBuffer moveBuffer; // from the beginning: without it no space would become free

    /** Of the sweep under way; no victims means that there is none. */
    private final List<Segment> victims = new ArrayList<>();

    private long position;
    private long bytesToMove;
    private EventSpan event = EventSpan.NONE;
    private long bytesMovedBefore;
    private long bytesToFree;
    private double pace; // budget for each byte that is written
    private double budget;
    private long consumedBefore;
    private long nextChoice;
    private int inUseBeforeSweep = Integer.MAX_VALUE; // segments, before the last sweep that slices have begun

    private long bytesMoved;
    private long extentsScanned;
    private long bytesFreed;
    private long segmentsFreed;
    private long sweepsEnded;

    GarbageCollector(
            SpaceParts space,
            SpaceReads reads,
            ExtentRewriter rewriter,
            SegmentReservation segments,
            EditReservation edits) {
        this.tree = space.content().tree();
        this.pauses = space.pauses();
        this.store = space.content().store();
        this.reads = reads;
        this.ahead = reads.newWalkAhead();
        this.rewriter = rewriter;
        this.segments = segments;
        this.edits = edits;
        this.minimumUtilization = space.settings().minimumUtilization;
        this.consumedBefore = store.bytesConsumed();
        this.moveBuffer =
                ByteBuffer.allocateDirect(store.format().maxExtentBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Does a slice of the work that there is until the segments in use are filled well enough, or nothing more is
     * gained.
     *
     * @param mostBytes what it moves at most, but for one extent more; see G2
     * @return whether there was any; if not, what there is from then on is work again
     */
    boolean slice(long mostBytes) {
        if (!isSweeping()) {
            int inUse = segmentsInUse();
            if (inUse >= inUseBeforeSweep || !begin(false)) {
                inUseBeforeSweep = Integer.MAX_VALUE;
                return false;
            }
            inUseBeforeSweep = inUse;
        }
        step(Math.min(mostBytes, maxSliceBytes()));
        return true;
    }

    /** Ends the sweep under way, however long that takes. */
    void finishSweep() {
        while (isSweeping()) {
            step(maxSliceBytes());
        }
    }

    /** Does as much of the work as what was written since the last call asks for. To be called outside of groups. */
    void keepPace() {
        long consumed = store.bytesConsumed();
        if (!isSweeping() && consumed >= nextChoice) {
            if (!begin(segments.isShort())) {
                nextChoice = consumed + store.format().dataBytes;
            }
        } else if (isSweeping()) {
            budget += (consumed - consumedBefore) * pace;
            if (budget >= Math.min(store.format().segmentBytes / 4, 64 << 10)) {
                budget = Math.max(0, budget - step((long) Math.min(budget, maxSliceBytes())));
            }
        }
        consumedBefore = store.bytesConsumed();
    }

    /** The most that a slice moves, but for one extent more. */
    int maxSliceBytes() {
        return Math.min(MAX_SLICE_BYTES, 8 * store.format().segmentBytes);
    }

    boolean isSweeping() {
        return !victims.isEmpty();
    }

    /** Segments that must stay free for what the sweep under way has still to move. */
    int segmentsToFill() {
        return isSweeping() ? segments.segmentsFor(bytesToMove) + 1 : 0;
    }

    private int segmentsInUse() {
        return store.segmentsInUse();
    }

    long sweepsEnded() {
        return sweepsEnded;
    }

    // ---- victims

    /**
     * Begins a sweep, if it is worth it.
     *
     * @param pressed whether anything gained is worth it, because little is left
     */
    boolean begin(boolean pressed) {
        assert !isSweeping();
        int dataBytes = store.format().dataBytes;
        BitSet shared = store.places().sharedInUse();
        int ownInUse = segmentsInUse() - shared.cardinality();
        long liveBytes = store.liveBytes();
        for (int number = shared.nextSetBit(0); number >= 0; number = shared.nextSetBit(number + 1)) {
            liveBytes -= store.segment(number).liveBytes;
        }
        long capacity = (long) ownInUse * dataBytes;
        boolean sparse = ownInUse >= MIN_SEGMENTS && liveBytes < minimumUtilization * capacity;
        if (!pressed && !sparse) {
            return false;
        }
        long sweepCost = tree.extentCount() * BYTES_PER_EXTENT_SCANNED;
        long wanted = pressed
                ? (long) segmentsInUse() * dataBytes
                : capacity - (long) (liveBytes / (minimumUtilization + GAINED));
        choose(candidates(pressed), wanted, sweepCost);
        boolean paid = pressed ? bytesToFree >= store.format().frameBytes : bytesToFree >= sweepCost;
        if (!paid) {
            victims.clear();
            return false;
        }
        beginWithVictims();
        double cost = (double) bytesToMove + sweepCost;
        pace = 2 * cost / Math.min(bytesToFree, segments.bytesLeft(segmentsToFill()));
        return true;
    }

    /**
     * Begins a sweep that moves what lies in the last segments of the file to those that are free before them, so that
     * the file can be cut: to be {@linkplain #finishSweep finished} at once.
     *
     * @param count of the last segments that have their place in the file. As many are free wherever they are, and some
     *     more for what does not fill a segment
     * @return false if nothing can be moved
     */
    boolean beginAtEnd(int count) {
        assert !isSweeping();
        int first = store.places().claimedSegments() - count;
        if (store.places().lastShared() >= first) {
            return false;
        }
        if (store.isOpenFrom(first) && edits.reservePlaces(1) > 0) {
            store.openAnother();
        }
        bytesToMove = 0;
        for (int number = first;
                number < Math.min(store.segmentCount(), store.places().claimedSegments());
                number++) {
            Segment segment = store.segment(number);
            if (isMovable(segment) && segment.takesTurn()) {
                victims.add(segment);
                bytesToMove += segment.liveBytes;
            }
        }
        beginWithVictims();
        return isSweeping();
    }

    private void beginWithVictims() {
        for (Segment victim : victims) {
            victim.victim = true;
            victim.liveBytesWhenChosen = victim.liveBytes;
        }
        event = isSweeping() ? SpaceEvents.collection(store.file().path()) : EventSpan.NONE;
        bytesMovedBefore = bytesMoved;
        ahead.begin();
        position = 0;
        budget = 0;
        consumedBefore = store.bytesConsumed();
    }

    private boolean isMovable(Segment segment) {
        return segment.isSealed()
                && segment.liveBytes > 0
                && !segment.isHeld()
                && !store.places().isShared(segment.number);
    }

    private List<Segment> candidates(boolean pressed) {
        List<Segment> candidates = new ArrayList<>();
        int dataBytes = store.format().dataBytes;
        // A segment filled but for less than an extent gains nothing when it is moved, however pressing it is.
        double most = pressed ? dataBytes - store.format().maxExtentBytes : WORTHLESS_UTILIZATION * dataBytes;
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (isMovable(segment) && segment.liveBytes < most && segment.takesTurn()) {
                candidates.add(segment);
            }
        }
        candidates.sort(BY_LIVE_BYTES);
        return candidates;
    }

    private void choose(List<Segment> candidates, long wanted, long sweepCost) {
        int dataBytes = store.format().dataBytes;
        long mostToMove = segments.bytesForMoves();
        bytesToMove = 0;
        bytesToFree = 0;
        for (Segment segment : candidates) {
            boolean enough = bytesToFree >= wanted
                    || bytesToFree >= 2 * sweepCost && bytesToMove >= (long) MOVED_SEGMENTS * dataBytes;
            if (enough || bytesToMove + segment.liveBytes > mostToMove) {
                break;
            }
            victims.add(segment);
            bytesToMove += segment.liveBytes;
            bytesToFree += dataBytes - segment.liveBytes;
        }
    }

    // ---- the sweep

    /** Follows an insertion, so that what the sweep has not seen stays behind its position. */
    void inserted(long logicalOffset, long length) {
        if (logicalOffset < position) {
            position += length;
        }
    }

    /** Follows a removal. */
    void collapsed(long logicalOffset, long length) {
        if (logicalOffset < position) {
            position = Math.max(logicalOffset, position - length);
        }
    }

    /** Goes on with the sweep until so much is spent, and returns what was spent. */
    private long step(long sliceBytes) {
        long movedBefore = bytesMoved;
        int scanned = 0;
        long spent = 0;
        while (isSweeping() && spent < sliceBytes && scanned < MAX_SLICE_EXTENTS) {
            pauses.between();
            scanned += moveSome(sliceBytes - spent, MAX_SLICE_EXTENTS - scanned);
            spent = bytesMoved - movedBefore + (long) scanned * BYTES_PER_EXTENT_SCANNED;
        }
        return spent;
    }

    /** Gathers extents of victims from the position on, then moves them. Returns how many extents it looked at. */
    private int moveSome(long bytes, int extents) {
        cursor.reset(tree.current());
        int scanned = 0;
        int count = 0;
        long gathered = 0;
        boolean found = cursor.seek(position);
        while (found && count < GATHERED_EXTENTS && gathered < bytes && scanned < extents) {
            position = cursor.logicalOffset() + cursor.length();
            if (!cursor.isHole() && isVictim(cursor.address())) {
                offsets[count] = cursor.logicalOffset();
                lengths[count] = cursor.length();
                flags[count] = cursor.flags();
                ahead.willRead(cursor.address(), cursor.length());
                segmentNumbers[count] = store.format().segmentOf(cursor.address());
                count++;
                gathered += cursor.length();
            }
            scanned++;
            gathered += BYTES_PER_EXTENT_SCANNED;
            found = cursor.next();
        }
        extentsScanned += scanned;
        if (!moveAll(count) || !found) {
            end(); // or the disk is full: the next sweep moves no more than what still fits
        }
        return scanned;
    }

    /** Moves what was gathered, in parts for which places can be reserved; false if there are none for the rest. */
    private boolean moveAll(int count) {
        for (int first = 0; first < count; ) {
            int end = segments.isUsed() ? first + edits.reservePlaces(count - first) : count;
            int bytes = Arrays.stream(lengths, first, end).sum();
            if (end == first || !segments.reserveForMoves(bytes)) {
                return false;
            }
            while (first < end) {
                first = move(first, end);
            }
        }
        return true;
    }

    private boolean isVictim(long address) {
        return store.segment(store.format().segmentOf(address)).victim;
    }

    /** Moves gathered extents that can become one; returns the index of the next one. */
    private int move(int first, int count) {
        int end = first + 1;
        int length = lengths[first];
        while (end < count && joins(end, length)) {
            length += lengths[end++];
        }
        StorageException problem = readForMove(offsets[first], length);
        if (problem == null) {
            rewriter.overwrite(offsets[first], moveBuffer, 0, length, flags[first]);
            bytesMoved += length;
            bytesToMove = Math.max(0, bytesToMove - length);
        } else {
            for (int i = first; i < end; i++) {
                store.segment(segmentNumbers[i]).leaveAlone(problem instanceof CorruptionException);
            }
        }
        return end;
    }

    /** Whether an extent can become one with those gathered before it. */
    private boolean joins(int index, int lengthBefore) {
        return flags[index] == ExtentRewriter.JOINABLE
                && flags[index - 1] == ExtentRewriter.JOINABLE
                && offsets[index - 1] + lengths[index - 1] == offsets[index]
                && lengthBefore + lengths[index] <= store.format().maxExtentBytes;
    }

    /**
     * Damage or a failed read of old data is nothing that a writer of new data should hear of, nor does it make the
     * store fail: whoever reads the data will be told. Data that can't be read stays where it is. Returns null if it
     * can.
     */
    private StorageException readForMove(long logicalOffset, int length) {
        try {
            reads.readToRewrite(logicalOffset, moveBuffer, 0, length);
            return null;
        } catch (CorruptionException | StoreIoException e) {
            return e;
        }
    }

    /** Victims that still have live bytes are candidates again. */
    private void end() {
        long freedBefore = segmentsFreed;
        for (Segment victim : victims) {
            victim.victim = false;
            if (victim.liveBytes == 0) {
                segmentsFreed++;
                bytesFreed += store.format().dataBytes - victim.liveBytesWhenChosen;
            }
        }
        victims.clear();
        sweepsEnded++;
        event.finish(segmentsFreed - freedBefore, bytesMoved - bytesMovedBefore);
        event = EventSpan.NONE;
        position = 0;
        bytesToMove = 0;
        nextChoice = store.bytesConsumed();
    }

    long bytesMoved() {
        return bytesMoved;
    }

    long extentsScanned() {
        return extentsScanned;
    }

    /** Dead bytes of segments that a sweep has emptied. */
    long bytesFreed() {
        return bytesFreed;
    }

    long segmentsFreed() {
        return segmentsFreed;
    }
}
