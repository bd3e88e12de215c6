package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flextree.FlexTree;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A walk through some segments tells the kernel of the next reads. */
class WalkAheadTest {
    private static final int PAGE = 4096;
    private static final int EXTENT = 150;

    private final SegmentFormat format = new SegmentFormat(4 << 20, PAGE, 1);
    private final List<long[]> told = new ArrayList<>(); // address, length
    private final WalkAhead ahead = newAhead(format);

    private WalkAhead newAhead(SegmentFormat of) {
        return new WalkAhead((address, length) -> told.add(new long[] {address, length}), of, () -> 64);
    }

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
            int before = told.size();
            ahead.willRead(address, EXTENT);
            for (long[] range : told.subList(before, told.size())) {
                assertTrue(range[0] >= address, "told of what was passed");
                long beyond = range[0] + range[1] - address - EXTENT;
                assertTrue(beyond <= WalkAhead.MAX_WINDOW_BYTES, beyond + " bytes ahead");
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
        int[] segments = {3, 4, 17, 32, 63, 64};
        int waits = pagesWaitedFor(segments, 10_000, 1);
        assertTrue(waits <= 3 * segments.length, waits + " waits");
        long all = (long) segments.length * format.dataBytes;
        assertTrue(toldBytes() <= all, toldBytes() + " bytes of " + all);
        assertTrue(told.size() < all / ReadAhead.PIECE_BYTES * 2, told.size() + " calls");
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
    void segmentsThatShareAPlaceAreTakenForEachOtherNever() {
        pagesWaitedFor(new int[] {5, 5 + 64}, 1000, 1);
        assertTrue(toldBytes() > 0);
    }

    @Test
    void aWalkThatBeginsAgainIsToldTheSameOnceMore() {
        SegmentFormat small = new SegmentFormat(16 << 10, 512, 1); // shorter than a short step
        WalkAhead walk = newAhead(small);
        long[] bytes = new long[3];
        for (int i = 0; i < bytes.length; i++) {
            told.clear();
            walk.begin();
            for (int at = 0; at + EXTENT < small.dataBytes; at += 1000) {
                walk.willRead(small.address(7, at), EXTENT);
            }
            bytes[i] = toldBytes();
        }
        assertTrue(bytes[0] > small.dataBytes / 2, bytes[0] + " bytes");
        assertEquals(bytes[0], bytes[1]);
        assertEquals(bytes[0], bytes[2]);
    }

    /** Else the page cache might lose what was told before the walk comes there. */
    @Test
    void soMuchIsToldThatMemoryHoldsIt() {
        SegmentFormat large = new SegmentFormat(64 << 20, PAGE, 1);
        WalkAhead walk = new WalkAhead((address, length) -> told.add(new long[] {address, length}), large, () -> 4000);
        for (int at = 0; at < 4 << 20; at += 10_000) {
            for (int segment = 0; segment < 4000; segment += 10) {
                walk.willRead(large.address(segment, at), EXTENT);
            }
            long reached = 400L * (at + EXTENT);
            assertTrue(toldBytes() <= reached + WalkAhead.MOST_AHEAD_BYTES, toldBytes() + " told, reached " + reached);
        }
        assertTrue(toldBytes() > 400L * (2 << 20), toldBytes() + " bytes");
    }

    /** Of an extent with many intervals each range is told by itself. */
    @Test
    void anExtentIsToldAsFarAsItIsInTheRange() {
        try (FlexTree tree = new FlexTree()) {
            int bytes = 128 << 10;
            tree.append(bytes, format.address(2, 0));
            for (int from = 0; from < bytes; from += bytes / 16) {
                ahead.willRead(tree.current(), from, bytes / 16);
            }
            long end = format.address(2, bytes);
            long first = told.get(0)[0];
            assertTrue(first <= format.address(2, bytes / 8), "told from " + first);
            assertTrue(told.get(told.size() - 1)[0] + told.get(told.size() - 1)[1] >= end);
        }
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
