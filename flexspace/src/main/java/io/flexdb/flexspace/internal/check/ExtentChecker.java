package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** Checks that the extents of a view lie in segments and do not overlap. For one thread, while the view is pinned. */
final class ExtentChecker {
    /*
     * Whether extents overlap shows when those of a segment are sorted by position. That needs them in memory, 8 bytes
     * each; so it is done for some segments at a time, with a walk over the tree for each group.
     */
    private static final int EXTENTS_IN_GROUP = 1 << 22;
    private static final int POSITION_SHIFT = 32;

    private final FlexTreeView view;
    private final SegmentFormat format;
    private final int[] usedBytes; // of each segment, 0 if it is free
    private final Path treePath;
    private final Findings findings;
    private final BooleanSupplier ending;
    private final long[] live;
    private final int[] extents;

    /**
     * @param usedBytes bytes of each segment that extents may lie in
     * @param ending whether nobody wants to know any more
     */
    ExtentChecker(
            FlexTreeView view,
            SegmentFormat format,
            int[] usedBytes,
            Path treePath,
            Findings findings,
            BooleanSupplier ending) {
        this.view = view;
        this.format = format;
        this.usedBytes = usedBytes;
        this.treePath = treePath;
        this.findings = findings;
        this.ending = ending;
        this.live = new long[usedBytes.length];
        this.extents = new int[usedBytes.length];
    }

    /** Checks everything and returns the live bytes of each segment. */
    long[] check() {
        return check(EXTENTS_IN_GROUP);
    }

    /** Checks everything with so many extents in memory, or those of one segment. */
    long[] check(int extentsInGroup) {
        view.query(0, view.size(), this::count);
        for (int from = 0; from < live.length && !ending.getAsBoolean(); ) {
            int to = from;
            long inGroup = 0;
            do {
                inGroup += extents[to++];
            } while (to < live.length && inGroup + extents[to] <= extentsInGroup);
            if (inGroup > 0) {
                checkGroup(from, to, (int) inGroup);
            }
            from = to;
        }
        return live;
    }

    private void count(long logicalOffset, long length, long address, int flags) {
        if (address == FlexTree.HOLE) {
            return;
        }
        long number = address >>> format.segmentShift;
        if (!isInUse(address, length)) {
            findings.add(
                    treePath,
                    0,
                    "extents within segments in use",
                    "one at logical offset " + logicalOffset + ", " + length + " bytes at " + format.positionOf(address)
                            + " of segment " + number);
            return;
        }
        live[(int) number] += length;
        extents[(int) number]++;
    }

    private boolean isInUse(long address, long length) {
        long number = address >>> format.segmentShift;
        return number < usedBytes.length
                && length <= format.maxExtentBytes
                && format.positionOf(address) + length <= usedBytes[(int) number];
    }

    private void checkGroup(int from, int to, int count) {
        long[] sorted = new long[count];
        int[] end = new int[to - from];
        int at = 0;
        for (int number = from; number < to; number++) {
            end[number - from] = at;
            at += extents[number];
        }
        view.query(0, view.size(), (logicalOffset, length, address, flags) -> {
            int number = format.segmentOf(address); // none that there is if it is a hole
            if (number >= from && number < to && isInUse(address, length)) {
                sorted[end[number - from]++] = (long) format.positionOf(address) << POSITION_SHIFT | length;
            }
        });
        int first = 0;
        for (int number = from; number < to; number++) {
            Arrays.sort(sorted, first, first + extents[number]);
            checkSorted(number, sorted, first, first + extents[number]);
            first += extents[number];
        }
    }

    private void checkSorted(int number, long[] sorted, int from, int to) {
        int end = 0;
        for (int i = from; i < to; i++) {
            int position = (int) (sorted[i] >>> POSITION_SHIFT);
            if (position < end) {
                findings.add(
                        treePath,
                        0,
                        "extents that do not overlap",
                        "one at " + position + " of segment " + number + ", one before it ends at " + end);
            }
            end = Math.max(end, position + (int) sorted[i]);
        }
    }
}
