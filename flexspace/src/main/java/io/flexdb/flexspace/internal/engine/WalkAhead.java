package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.prefetch.ExtentPrefetcher;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.util.Arrays;

/**
 * Has the kernel bring what a walk is going to read that goes through an address space in logical order and reads some
 * of it here and there: a commit, a sweep of the garbage collector. For one thread.
 */
public final class WalkAhead {
    /*
     * The problem: neighbours in the address space lie all over the data file, and such a walk would wait for a disk
     * at each page in turn.
     * The choice: segments have been filled by such walks, so each has its extents in logical order. The next walk
     * comes through every segment from its beginning to its end, and through all at once, as a merge goes through
     * sorted runs. So it is remembered how far it has come in each. Where its steps are short it is told to the kernel
     * what follows, twice as much each time; where they are long nothing is, for a disk reads what lies between two
     * steps in no more time than it takes to go to another place only if that is little.
     * The cost: a look at each extent, and a system call for each window, in vain if the page cache has it.
     *
     * Segments share the places where this is remembered, if there are very many: who finds another one's begins anew.
     */
    static final int SHORT_STEP_BYTES = 64 << 10;
    static final int MIN_WINDOW_BYTES = 32 << 10;
    static final int MAX_WINDOW_BYTES = 512 << 10;

    private static final int PLACES = 4096;
    private static final int NONE = -1; // no segment

    private final ExtentPrefetcher.Target target;
    private final SegmentFormat format;
    private final ExtentCursor extents = new ExtentCursor();

    // At the place of each segment; made by the first walk:
    private int[] segments;
    private int[] reached; // position in the segment behind the last extent
    private int[] toldEnds; // position behind what the kernel was told
    private int[] windows; // bytes that it was told of last; 0 where steps are long

    WalkAhead(SegmentStore store) {
        this(store::prefetch, store.format());
    }

    WalkAhead(ExtentPrefetcher.Target target, SegmentFormat format) {
        this.target = target;
        this.format = format;
    }

    /** Says that a range of a view is going to be read. Inside an epoch that holds the view. */
    public void willRead(FlexTreeView view, long logicalOffset, long length) {
        extents.reset(view);
        long end = logicalOffset + length;
        boolean found = length > 0 && extents.seek(logicalOffset);
        while (found && extents.logicalOffset() < end) {
            if (!extents.isHole()) {
                willRead(extents.address(), extents.length());
            }
            found = extents.next();
        }
    }

    /** Says that an extent is going to be read. */
    void willRead(long address, int length) {
        if (segments == null && !makePlaces()) {
            return;
        }
        int segment = format.segmentOf(address);
        int place = segment % PLACES;
        int from = format.positionOf(address);
        int to = from + length;
        boolean isShort = segments[place] == segment && Math.abs(from - reached[place]) <= SHORT_STEP_BYTES;
        segments[place] = segment;
        reached[place] = to;
        if (!isShort) {
            windows[place] = 0;
            toldEnds[place] = to;
        } else if (to + windows[place] / 2 >= toldEnds[place]) {
            tell(place, Math.max(from, toldEnds[place]));
        }
    }

    /** Tells the kernel of a window behind what was reached, from a position on, that of the extent or a later one. */
    private void tell(int place, int from) {
        int segment = segments[place];
        int window = Math.min(Math.max(MIN_WINDOW_BYTES, 2 * windows[place]), MAX_WINDOW_BYTES);
        int end = Math.min(reached[place] + window, format.dataBytes);
        if (end > from) {
            target.prefetch(format.address(segment, from), end - from);
        }
        windows[place] = window;
        toldEnds[place] = end;
    }

    /** Returns false if the heap is full: a walk must not fail because of what only makes it faster. */
    private boolean makePlaces() {
        try {
            reached = new int[PLACES];
            toldEnds = new int[PLACES];
            windows = new int[PLACES];
            segments = new int[PLACES];
        } catch (OutOfMemoryError e) {
            return false;
        }
        Arrays.fill(segments, NONE);
        return true;
    }
}
