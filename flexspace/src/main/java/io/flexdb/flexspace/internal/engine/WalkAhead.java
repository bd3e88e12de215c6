package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.prefetch.ExtentPrefetcher;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * Has the kernel bring what a walk is going to read that goes through an address space in logical order and reads some
 * of it here and there: a commit, a sweep of the garbage collector. By the writer.
 */
public final class WalkAhead {
    /*
     * The problem: neighbours in the address space lie all over the data file, and such a walk would wait for a disk
     * at each page in turn.
     * The choice: segments have been filled by such walks, so each has its extents in logical order. The next walk
     * comes through every segment from its beginning to its end, and through many at once, as a merge goes through
     * sorted runs. So it is remembered how far it has come in each. Behind a short step the kernel is told what
     * follows, twice as much each time. Behind a long one it is told nothing: a disk gets to another place faster than
     * it reads all that lies between.
     * The cost: a look at each extent, and some system calls for each window, in vain if the page cache has it.
     *
     * W1  No more than MOST_AHEAD_BYTES have been told and not been reached, or the page cache might lose them before.
     *
     * Segments share the places where this is remembered if there are very many of them: where a step leads to another
     * segment than the last one at its place, it counts as a long one.
     */
    static final int SHORT_STEP_BYTES = 64 << 10;
    static final int MIN_WINDOW_BYTES = 32 << 10;
    static final int MAX_WINDOW_BYTES = 512 << 10;
    static final long MOST_AHEAD_BYTES = 64 << 20;

    private static final int MIN_PLACES = 64;
    private static final int MAX_PLACES = 64 << 10;
    private static final int NONE = -1; // no segment

    private final ExtentPrefetcher.Target target;
    private final SegmentFormat format;
    private final IntSupplier segmentCount;
    private final ExtentCursor extents = new ExtentCursor();
    private long ahead; // bytes told, in all segments, that have not been reached

    // At the place of each segment; made by the first walk:
    private int[] segments;
    private int[] reached; // position in the segment behind the last extent
    private int[] toldEnds; // position behind what the kernel was told
    private int[] windows; // bytes that it was told of last; 0 behind a long step

    WalkAhead(SegmentStore store) {
        this(store::prefetch, store.format(), store::segmentCount);
    }

    WalkAhead(ExtentPrefetcher.Target target, SegmentFormat format, IntSupplier segmentCount) {
        this.target = target;
        this.format = format;
        this.segmentCount = segmentCount;
    }

    /** Begins a walk, for which nothing has been told. */
    public void begin() {
        ahead = 0;
        if (segments == null || segments.length < places()) {
            segments = null;
        } else {
            Arrays.fill(segments, NONE);
        }
    }

    /** Says that a range of a view is going to be read. */
    public void willRead(FlexTreeView view, long logicalOffset, long length) {
        extents.reset(view);
        long end = logicalOffset + length;
        boolean found = length > 0 && extents.seek(logicalOffset);
        while (found && extents.logicalOffset() < end) {
            if (!extents.isHole()) {
                long skipped = Math.max(0, logicalOffset - extents.logicalOffset());
                long inRange = Math.min(extents.length(), end - extents.logicalOffset()) - skipped;
                willRead(extents.address() + skipped, (int) inRange);
            }
            found = extents.next();
        }
    }

    /** Says that bytes of a segment are going to be read. */
    void willRead(long address, int length) {
        if (segments == null && !makePlaces()) {
            return;
        }
        int segment = format.segmentOf(address);
        int place = segment & segments.length - 1;
        int from = format.positionOf(address);
        int to = from + length;
        boolean isShort = segments[place] == segment && Math.abs(from - reached[place]) <= SHORT_STEP_BYTES;
        if (segments[place] != NONE) {
            ahead -= Math.max(0, toldEnds[place] - reached[place]);
        }
        segments[place] = segment;
        reached[place] = to;
        if (!isShort) {
            windows[place] = 0;
            toldEnds[place] = to;
        }
        ahead += Math.max(0, toldEnds[place] - to);
        if (isShort && to + windows[place] / 2 >= toldEnds[place]) {
            tell(place, Math.max(from, toldEnds[place]));
        }
    }

    /** Tells the kernel of a window behind what was reached, from a position on, that of the extent or a later one. */
    private void tell(int place, int from) {
        int wanted = Math.min(Math.max(MIN_WINDOW_BYTES, 2 * windows[place]), MAX_WINDOW_BYTES);
        int window = (int) Math.min(wanted, MOST_AHEAD_BYTES - ahead); // W1
        int end = Math.min(reached[place] + window, format.dataBytes);
        if (window < MIN_WINDOW_BYTES || end <= toldEnds[place]) {
            return;
        }
        target.prefetch(format.address(segments[place], from), end - from);
        ahead += end - Math.max(reached[place], toldEnds[place]);
        windows[place] = window;
        toldEnds[place] = end;
    }

    private int places() {
        int wanted = Math.min(Math.max(MIN_PLACES, segmentCount.getAsInt()), MAX_PLACES);
        return Integer.highestOneBit(2 * wanted - 1);
    }

    /** Returns false if the heap is full: a walk must not fail because of what only makes it faster. */
    private boolean makePlaces() {
        int count = places();
        try {
            reached = new int[count];
            toldEnds = new int[count];
            windows = new int[count];
            segments = new int[count];
        } catch (OutOfMemoryError e) {
            segments = null;
            return false;
        }
        Arrays.fill(segments, NONE);
        return true;
    }
}
