package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.prefetch.ExtentPrefetcher;
import io.flexdb.flexspace.internal.segment.FrameCache;
import io.flexdb.flexspace.internal.segment.ReadScratch;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Reads ranges of an address space. Any number of threads, each inside an epoch that holds the view. */
final class SpaceReader {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(4096).asReadOnlyBuffer();

    private final SegmentStore store;
    private final LongSupplier nanoClock;
    private final StripedPool<ReadScratch> scratches;
    private final AtomicInteger scratchCount = new AtomicInteger(); // in use or kept

    /**
     * Reads what is in a store.
     *
     * @param nanoClock tells which reads have to wait for a disk
     */
    SpaceReader(SegmentStore store, LongSupplier nanoClock) {
        this(store, nanoClock, null);
    }

    /** @param cache keeps what is read from the file; null for none */
    SpaceReader(SegmentStore store, LongSupplier nanoClock, FrameCache cache) {
        this.store = store;
        this.nanoClock = nanoClock;
        this.scratches = new StripedPool<>(() -> {
            ReadScratch scratch = store.newScratch(cache);
            scratchCount.incrementAndGet();
            return scratch;
        });
    }

    /** Off-heap bytes that reads use, or leave to the next ones. Any thread. */
    long memoryBytes() {
        return scratchCount.get() * (long) store.reader().scratchBytes();
    }

    private void giveBack(ReadScratch scratch) {
        if (!scratches.giveBack(scratch)) {
            scratchCount.decrementAndGet();
        }
    }

    /** Copies bytes, each verified. */
    void read(FlexTreeView view, long logicalOffset, ByteBuffer destination, int destinationPosition, int length) {
        ReadScratch scratch = scratches.borrow();
        try {
            read(view, scratch.cursor, logicalOffset, destination, destinationPosition, length, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    /** The same with a cursor of the caller's, which may be anywhere then. */
    void read(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        ReadScratch scratch = scratches.borrow();
        try {
            read(view, cursor, logicalOffset, destination, destinationPosition, length, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    /**
     * Copies bytes, which nobody may have verified.
     *
     * @param cursor any, for this call
     * @return false if they can't be read without verifying them; the destination holds anything then
     */
    boolean readUnverified(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        cursor.reset(view);
        return readFromHere(view, cursor, logicalOffset, destination, destinationPosition, length);
    }

    /**
     * The same for a range that follows the one that was read last with this cursor, in the same view.
     *
     * @param cursor where that call has left it
     */
    boolean readOnUnverified(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        if (cursor.isPositioned() && cursor.logicalOffset() + cursor.length() == logicalOffset) {
            cursor.next();
        }
        return readFromHere(view, cursor, logicalOffset, destination, destinationPosition, length);
    }

    private boolean readFromHere(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        int done = 0;
        boolean found = length > 0 && (standsAt(cursor, logicalOffset) || cursor.seek(logicalOffset));
        while (done < length && found) {
            long skip = logicalOffset + done - cursor.logicalOffset();
            int piece = (int) Math.min(length - done, cursor.length() - skip);
            if (cursor.isHole()) {
                zero(destination, destinationPosition + done, piece);
                done += piece;
                found = done < length && cursor.next();
                continue;
            }
            long address = cursor.address() + skip;
            piece = withNeighbours(cursor, address, piece, length - done);
            if (!store.readUnverified(address, destination, destinationPosition + done, piece)) {
                return false;
            }
            done += piece;
            found = done < length && cursor.isPositioned();
        }
        requireAll(view, logicalOffset, done, length);
        return true;
    }

    private static boolean standsAt(ExtentCursor cursor, long logicalOffset) {
        return cursor.isPositioned()
                && logicalOffset >= cursor.logicalOffset()
                && logicalOffset - cursor.logicalOffset() < cursor.length();
    }

    private static void requireAll(FlexTreeView view, long logicalOffset, int done, int length) {
        if (done < length) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset " + logicalOffset + " + " + length + " is beyond the size " + view.size());
        }
    }

    /** Extents that lie one behind the other in the data file are read together. */
    private void read(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length,
            ReadScratch scratch) {
        cursor.reset(view);
        ExtentPrefetcher prefetcher = scratch.prefetcher;
        boolean sequential = prefetcher.begin(logicalOffset, length);
        boolean looksAtFirst = sequential && prefetcher.looks();
        int done = 0;
        boolean found = length > 0 && cursor.seek(logicalOffset);
        while (done < length && found) {
            long skip = logicalOffset + done - cursor.logicalOffset();
            int piece = (int) Math.min(length - done, cursor.length() - skip);
            if (cursor.isHole()) {
                zero(destination, destinationPosition + done, piece);
                done += piece;
                found = done < length && cursor.next();
                continue;
            }
            long address = cursor.address() + skip;
            piece = withNeighbours(cursor, address, piece, length - done);
            boolean looks = done == 0 && (looksAtFirst || piece < length);
            long start = looks ? nanoClock.getAsLong() : 0;
            long bytesBefore = scratch.bytesRead();
            store.read(address, destination, destinationPosition + done, piece, scratch);
            done += piece;
            found = done < length && cursor.isPositioned();
            if (looks) {
                long bytesRead = Math.max(piece, scratch.bytesRead() - bytesBefore); // with what is read ahead
                if (ExtentPrefetcher.isSlow(nanoClock.getAsLong() - start, bytesRead)) {
                    prefetcher.afterSlow(cursor, logicalOffset + done, sequential);
                    found = done < length && cursor.seek(logicalOffset + done);
                }
            }
        }
        requireAll(view, logicalOffset, done, length);
        if (sequential) {
            prefetcher.afterSequential(cursor);
        }
    }

    /**
     * Makes a piece longer by the extents behind it, as far as they follow it in the data file. Moves the cursor past
     * it.
     */
    private static int withNeighbours(ExtentCursor cursor, long address, int piece, int wanted) {
        int length = piece;
        while (length < wanted && cursor.next() && cursor.address() == address + length) {
            length += Math.min(wanted - length, cursor.length());
        }
        return length;
    }

    /** Copies a part of the extent on which a cursor stands, each byte verified. */
    void readExtent(ExtentCursor cursor, long skip, ByteBuffer destination, int position, int length) {
        if (cursor.isHole()) {
            zero(destination, position, length);
            return;
        }
        ReadScratch scratch = scratches.borrow();
        try {
            store.read(cursor.address() + skip, destination, position, length, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    private static void zero(ByteBuffer destination, int position, int length) {
        int done = 0;
        while (done < length) {
            int piece = Math.min(length - done, ZEROS.capacity());
            destination.put(position + done, ZEROS, 0, piece);
            done += piece;
        }
    }
}
