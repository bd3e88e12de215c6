package io.flexdb.internal.write;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.util.BitSet;

/** The pairs of an interval that stay where they are when it is written anew. For one thread. */
final class Stitches {
    /*
     * Pairs are stitched that have not changed, if those that follow each other lie together in the data file and have
     * the threshold's bytes, or if one alone has.
     */
    private final BitSet stitched = new BitSet();
    private final BitSet begins = new BitSet(); // a run of them
    private final ExtentCursor extents = new ExtentCursor();
    private int pairs;

    /**
     * Looks for them.
     *
     * @param content has all its pairs in memory
     * @param intervalOffset where the old content is
     */
    void find(MergedContent content, FlexTreeView space, long intervalOffset, int thresholdBytes) {
        stitched.clear();
        begins.clear();
        pairs = content.pairs();
        if (thresholdBytes == IntervalEditor.NO_STITCHES) {
            return;
        }
        extents.reset(space);
        int first = 0; // of a run
        long end = -1; // of the run, in the data file
        for (int pair = 0; pair < pairs; pair++) {
            int oldStart = content.oldStart(pair);
            long address = oldStart < 0 ? -1 : address(intervalOffset + oldStart);
            if (address < 0 || address != end || !follow(content, pair)) {
                stitch(content, first, pair, thresholdBytes);
                first = pair;
            }
            end = address < 0
                    ? -1
                    : address
                            + content.directory().start(pair + 1)
                            - content.directory().start(pair);
        }
        stitch(content, first, pairs, thresholdBytes);
    }

    /** Whether a pair and the one before it did so in the old content. */
    private static boolean follow(MergedContent content, int pair) {
        long bytesBefore = content.directory().start(pair) - content.directory().start(pair - 1);
        return content.oldStart(pair) == content.oldStart(pair - 1) + bytesBefore;
    }

    /** In the data file; the extents are behind those of the last call, or the same. */
    private long address(long logicalOffset) {
        boolean found = extents.isPositioned() || extents.seek(logicalOffset);
        while (found && extents.logicalOffset() + extents.length() <= logicalOffset) {
            found = extents.next();
        }
        assert found : "no extent at " + logicalOffset;
        return extents.address() + logicalOffset - extents.logicalOffset();
    }

    private void stitch(MergedContent content, int first, int end, int thresholdBytes) {
        if (first < end
                && content.oldStart(first) >= 0
                && content.directory().start(end) - content.directory().start(first) >= thresholdBytes) {
            stitched.set(first, end);
            begins.set(first);
        }
    }

    /** The first stitched pair from one on; the number of pairs if there is none. */
    int firstFrom(int pair) {
        int first = stitched.nextSetBit(pair);
        return first < 0 ? pairs : first;
    }

    /** The pair behind the run of stitched pairs that one begins, which were as many bytes before. */
    int endFrom(int pair) {
        if (pair == pairs) {
            return pairs;
        }
        int next = begins.nextSetBit(pair + 1);
        int end = stitched.nextClearBit(pair);
        return next < 0 ? end : Math.min(end, next);
    }
}
