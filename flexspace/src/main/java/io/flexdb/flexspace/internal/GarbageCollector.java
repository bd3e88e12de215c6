package io.flexdb.flexspace.internal;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** Moves live extents out of segments that hold little of them (section 4.1 of the paper). Writer only. */
final class GarbageCollector {
    /*
     * The victims are the sealed segments with the fewest live bytes. Their extents are found by one sweep over the
     * tree in logical order, so that neighbours are moved together and what was fragmented becomes one extent. A sweep
     * costs a pass over all extents; it is paid by taking so many victims that a good part of the garbage goes at once.
     *
     * The sweep works in slices: it gathers some extents from the tree, moves them, and goes on behind them; a move
     * changes no logical offset.
     */
    private static final int MIN_SEGMENTS = 8;
    private static final double WORTHLESS_UTILIZATION = 0.95;
    private static final int SLICE_EXTENTS = 1024;

    private final SpaceEngine engine;
    private final SegmentStore store;
    private final double minimumUtilization;
    private final ExtentCursor cursor = new ExtentCursor();
    private final long[] offsets = new long[SLICE_EXTENTS];
    private final int[] lengths = new int[SLICE_EXTENTS];
    private final int[] flags = new int[SLICE_EXTENTS];
    private final int[] segments = new int[SLICE_EXTENTS];
    private ByteBuffer moveBuffer;
    private long bytesMoved;

    GarbageCollector(SpaceEngine engine, SegmentStore store, double minimumUtilization) {
        this.engine = engine;
        this.store = store;
        this.minimumUtilization = minimumUtilization;
    }

    /** Collects if the segments in use are filled less than the minimum. Returns the bytes moved. */
    long run() {
        BitSet victims = chooseVictims();
        if (victims.isEmpty()) {
            return 0;
        }
        if (moveBuffer == null) {
            moveBuffer =
                    ByteBuffer.allocateDirect(store.format().maxExtentBytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        long before = bytesMoved;
        long next = 0;
        while (next < engine.size()) {
            next = moveSlice(victims, next);
        }
        return bytesMoved - before;
    }

    private BitSet chooseVictims() {
        BitSet victims = new BitSet();
        int dataBytes = store.format().dataBytes;
        int inUse = store.segmentCount() - store.freeSegmentCount() - store.awaitingReuse();
        if (inUse < MIN_SEGMENTS || store.liveBytes() >= minimumUtilization * inUse * dataBytes) {
            return victims;
        }
        List<Segment> candidates = new ArrayList<>();
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            boolean movable = segment.sealed && segment.liveBytes > 0 && !segment.unreadable;
            if (movable && segment.liveBytes < WORTHLESS_UTILIZATION * dataBytes) {
                candidates.add(segment);
            }
        }
        candidates.sort(Comparator.comparingInt(segment -> segment.liveBytes));
        long wanted = inUse * (long) dataBytes - (long) (store.liveBytes() / (minimumUtilization + 0.1));
        for (Segment segment : candidates) {
            if (wanted <= 0) {
                break;
            }
            victims.set(segment.number);
            wanted -= dataBytes - segment.liveBytes;
        }
        return victims;
    }

    private long moveSlice(BitSet victims, long from) {
        cursor.reset(engine.tree().current());
        int count = 0;
        long next = from;
        boolean found = cursor.seek(from);
        while (found && count < SLICE_EXTENTS) {
            next = cursor.logicalOffset() + cursor.length();
            if (!cursor.isHole() && victims.get(store.format().segmentOf(cursor.address()))) {
                offsets[count] = cursor.logicalOffset();
                lengths[count] = cursor.length();
                flags[count] = cursor.flags();
                segments[count] = store.format().segmentOf(cursor.address());
                count++;
            }
            found = cursor.next();
        }
        int first = 0;
        while (first < count) {
            int end = first + 1;
            int length = lengths[first];
            while (end < count && joins(end, length)) {
                length += lengths[end++];
            }
            if (readForMove(offsets[first], length)) {
                engine.overwrite(offsets[first], moveBuffer, 0, length, flags[first]);
                bytesMoved += length;
            } else {
                for (int i = first; i < end; i++) {
                    store.segment(segments[i]).unreadable = true;
                }
            }
            first = end;
        }
        return next;
    }

    /** Whether an extent can become one with those gathered before it: neighbours that all begin with a record. */
    private boolean joins(int index, int lengthBefore) {
        return flags[index] == 0
                && flags[index - 1] == 0
                && offsets[index - 1] + lengths[index - 1] == offsets[index]
                && lengthBefore + lengths[index] <= store.format().maxExtentBytes;
    }

    /**
     * Damage or a failed read of old data is nothing that a writer of new data should hear of, nor does it make the
     * store fail: whoever reads the data will be told. What can't be read stays where it is.
     */
    private boolean readForMove(long logicalOffset, int length) {
        try {
            engine.read(engine.tree().current(), cursor, logicalOffset, moveBuffer, 0, length);
            return true;
        } catch (CorruptionException | StoreIoException e) {
            return false;
        }
    }

    long bytesMoved() {
        return bytesMoved;
    }
}
