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

/**
 * Reads ranges of an address space, each byte verified, and prefetches what of them a disk will be waited for. Any
 * number of threads, each inside an epoch that holds the view.
 */
final class SpaceReader {
    private final SegmentStore store;
    private final LongSupplier nanoClock;
    private final StripedPool<Scratch> scratches;
    private final AtomicInteger scratchCount = new AtomicInteger(); // in use or kept

    /** The scratch of a read, left to the next one, most likely of the same thread. */
    private static final class Scratch {
        final SpaceRange range = new SpaceRange(); // of who has none
        final ReadScratch segments;
        final ExtentPrefetcher prefetcher;

        Scratch(ReadScratch segments, ExtentPrefetcher prefetcher) {
            this.segments = segments;
            this.prefetcher = prefetcher;
        }
    }

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
        ExtentPrefetcher.Target prefetching = store::prefetch; // made at opening, and not in a heap that may be full
        this.scratches = new StripedPool<>(() -> {
            Scratch scratch = new Scratch(store.newScratch(cache), new ExtentPrefetcher(prefetching));
            scratchCount.incrementAndGet();
            return scratch;
        });
    }

    /** Off-heap bytes that reads use, or leave to the next ones. Any thread. */
    long memoryBytes() {
        return scratchCount.get() * (long) store.reader().scratchBytes();
    }

    private void giveBack(Scratch scratch) {
        if (!scratches.giveBack(scratch)) {
            scratchCount.decrementAndGet();
        }
    }

    /** Copies bytes of a view. */
    void read(FlexTreeView view, long logicalOffset, ByteBuffer destination, int position, int length) {
        Scratch scratch = scratches.borrow();
        try {
            SpaceRange range = scratch.range;
            if (range.isOf(view)) {
                range.goOn(logicalOffset, length);
            } else {
                range.set(view, logicalOffset, length);
            }
            read(range, destination, position, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    /** Copies the bytes of a range. */
    void read(SpaceRange range, ByteBuffer destination, int position) {
        Scratch scratch = scratches.borrow();
        try {
            read(range, destination, position, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    private void read(SpaceRange range, ByteBuffer destination, int position, Scratch scratch) {
        ExtentPrefetcher prefetcher = scratch.prefetcher;
        boolean sequential = prefetcher.begin(range.logicalOffset(), range.length()) && !range.isLast();
        scratch.segments.setEndsWalk(range.isLast());
        boolean looksAtFirst = sequential && prefetcher.looks();
        range.begin();
        while (range.next(destination, position)) {
            boolean looks = range.done() == 0 && (looksAtFirst || range.pieceBytes() < range.length());
            boolean slow = readPiece(
                    range.pieceAddress(), destination, position + range.done(), range.pieceBytes(), scratch, looks);
            if (looks && slow) {
                prefetcher.afterSlow(range.extents(), range.pieceEnd(), sequential);
                range.comeBack();
            }
        }
        scratch.segments.setEndsWalk(false);
        if (sequential) {
            prefetcher.afterSequential(range.extents());
        }
    }

    /** Tells the kernel of the pieces of a range that will be read, and returns where those end. */
    long prefetch(SpaceRange range, long length) {
        Scratch scratch = scratches.borrow();
        try {
            long from = range.logicalOffset();
            return scratch.prefetcher.prefetchRange(range.extents(), from, from + length);
        } finally {
            giveBack(scratch);
        }
    }

    /** Copies bytes of one segment. */
    void readAddress(long address, ByteBuffer destination, int position, int length) {
        Scratch scratch = scratches.borrow();
        try {
            readPiece(address, destination, position, length, scratch, false);
        } finally {
            giveBack(scratch);
        }
    }

    /** Copies the first bytes of the extent under a cursor. */
    void readExtent(ExtentCursor extent, ByteBuffer destination, int position, int length) {
        if (extent.isHole()) {
            SpaceRange.zero(destination, position, length);
            return;
        }
        Scratch scratch = scratches.borrow();
        try {
            readPiece(extent.address(), destination, position, length, scratch, false);
        } finally {
            giveBack(scratch);
        }
    }

    /**
     * Copies what lies together.
     *
     * @param looks whether the caller wants to know how long that took
     * @return whether it took as long as only a disk takes; false if nobody has looked
     */
    private boolean readPiece(
            long address, ByteBuffer destination, int position, int length, Scratch scratch, boolean looks) {
        ReadScratch segments = scratch.segments;
        boolean scratchLooks = segments.looks();
        if (!looks && !scratchLooks) {
            store.read(address, destination, position, length, segments);
            return false;
        }
        long start = nanoClock.getAsLong();
        long bytesBefore = segments.bytesRead();
        store.read(address, destination, position, length, segments);
        long ofFile = segments.bytesRead() - bytesBefore; // with what is read ahead
        boolean slow = ExtentPrefetcher.isSlow(nanoClock.getAsLong() - start, Math.max(length, ofFile));
        if (scratchLooks) {
            segments.looked(slow);
        }
        return slow;
    }
}
