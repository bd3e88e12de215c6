package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a walk through some segments tells of what it is going to read. */
class WalkAheadTest {
    private static final int PAGE = 4096;
    private static final int EXTENT = 150;

    private final SegmentFormat format = new SegmentFormat(4 << 20, PAGE, 1);
    private final List<long[]> told = new ArrayList<>(); // address, length
    private final WalkAhead ahead = new WalkAhead((address, length) -> told.add(new long[] {address, length}), format);

    private long toldBytes() {
        return told.stream().mapToLong(range -> range[1]).sum();
    }

    /** Walks through the given segments at once, to a next extent of one of them each time. */
    private int pagesWaitedFor(int[] segments, int stepBytes, int seed) {
        Random random = new Random(seed);
        BitSet there = new BitSet(); // pages that the kernel has
        int waits = 0;
        int[] at = new int[segments.length];
        int last = format.dataBytes - stepBytes - EXTENT;
        for (int ended = 0; ended < segments.length; ) {
            int i = random.nextInt(segments.length);
            if (at[i] > last) {
                continue;
            }
            long address = format.address(segments[i], at[i]);
            ahead.willRead(address, EXTENT);
            for (long[] range : told.subList(Math.max(0, told.size() - 1), told.size())) {
                there.set((int) (range[0] / PAGE), (int) ((range[0] + range[1] - 1) / PAGE) + 1);
            }
            int page = (int) (address / PAGE);
            waits += there.get(page) ? 0 : 1;
            there.set(page);
            at[i] += stepBytes;
            ended += at[i] > last ? 1 : 0;
        }
        return waits;
    }

    @Test
    void shortStepsThroughManySegmentsWaitForTheFirstPagesAlone() {
        int[] segments = {3, 4, 17, 100, 4095, 4097};
        int waits = pagesWaitedFor(segments, 10_000, 1);
        assertTrue(waits <= 3 * segments.length, waits + " waits");
        long all = (long) segments.length * format.dataBytes;
        assertTrue(toldBytes() <= all, toldBytes() + " bytes of " + all);
        assertTrue(told.size() < all / WalkAhead.MAX_WINDOW_BYTES * 6, told.size() + " calls");
        for (long[] range : told) {
            long end = format.positionOf(range[0]) + range[1];
            assertTrue(range[1] > 0 && end <= format.dataBytes, end + " is beyond a segment's data");
        }
    }

    @Test
    void longStepsTellNothing() {
        pagesWaitedFor(new int[] {1, 2}, WalkAhead.SHORT_STEP_BYTES + EXTENT + 1, 1);
        assertEquals(0, toldBytes());
    }

    @Test
    void segmentsThatShareAPlaceTellNothingWrong() {
        pagesWaitedFor(new int[] {5, 5 + 4096}, 1000, 1);
        for (long[] range : told) {
            int segment = format.segmentOf(range[0]);
            assertTrue(segment == 5 || segment == 5 + 4096, "segment " + segment);
        }
    }

    @Test
    void aWalkThatBeginsAgainTellsTheSameOnceMore() {
        pagesWaitedFor(new int[] {7}, 10_000, 1);
        long first = toldBytes();
        pagesWaitedFor(new int[] {7}, 10_000, 1);
        assertEquals(2 * first, toldBytes());
    }

    @Test
    void aRangeOfAViewIsItsExtentsWithoutHoles() {
        try (FlexTree tree = new FlexTree()) {
            for (int i = 0; i < 100; i++) {
                tree.append(EXTENT, format.address(2, i * 1000));
                tree.append(EXTENT, FlexTree.HOLE);
            }
            ahead.willRead(tree.current(), 0, tree.size());
            assertTrue(toldBytes() > 0);
            for (long[] range : told) {
                assertEquals(2, format.segmentOf(range[0]));
            }
            told.clear();
            ahead.willRead(tree.current(), 20 * EXTENT, 0);
            ahead.willRead(tree.current(), tree.size(), 100);
            assertEquals(0, toldBytes());
        }
    }
}
