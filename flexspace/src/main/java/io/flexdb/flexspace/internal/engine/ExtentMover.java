package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import java.util.Arrays;

/** Moves ranges to other logical offsets by moving their extents in the tree. Writer only. */
final class ExtentMover {
    /*
     * The extents are taken out and put in again with the addresses and flags they had. No byte is copied, and the live
     * bytes of segments stay as they are: were they taken away and added again, a segment could pass through none and
     * be freed with live data in it.
     *
     * One log entry moves a limited number of extents, so that the few bytes of an entry in a damaged log cannot ask
     * for more than so much work. A longer move takes several entries, each of which moves whole extents but for the
     * last.
     */
    static final int MAX_EXTENTS = 1 << 16;

    private final FlexTree tree;
    private final int maxExtents;
    private final ExtentCursor cursor = new ExtentCursor();
    private int[] lengths = new int[64];
    private long[] addresses = new long[64];
    private int[] flags = new int[64];
    private int count;

    ExtentMover(FlexTree tree) {
        this(tree, MAX_EXTENTS);
    }

    /** @param maxExtents how many extents one entry moves at most */
    ExtentMover(FlexTree tree, int maxExtents) {
        this.tree = tree;
        this.maxExtents = maxExtents;
    }

    /** Whether a range and a target lie within the space, and the target neither in the range nor at its ends. */
    boolean isMove(long logicalOffset, long length, long target) {
        long size = tree.size();
        return logicalOffset >= 0
                && length > 0
                && length <= size
                && logicalOffset <= size - length
                && target >= 0
                && target <= size
                && (target < logicalOffset || target > logicalOffset + length);
    }

    /** Moves a range and logs it. The target is an offset before the move; see {@link #isMove}. */
    void move(long logicalOffset, long length, long target, LogBatch log) {
        long from = logicalOffset;
        long to = target;
        for (long left = length; left > 0; ) {
            long moved = moveSome(from, left, to);
            log.move(from, moved, to);
            left -= moved;
            if (to < from) { // the rest stays where it is, and goes behind what has gone
                from += moved;
                to += moved;
            } // else the rest closes up, and the target, counted without what has gone, keeps its place behind it
        }
    }

    /**
     * Moves as much of a range, from its beginning on, as one log entry may.
     *
     * @param target where the range goes, as an offset before the move
     * @return the bytes moved, {@code length} if it was all
     */
    long moveSome(long logicalOffset, long length, long target) {
        long moved = gather(logicalOffset, length);
        tree.collapseRange(logicalOffset, moved);
        long at = target > logicalOffset ? target - moved : target;
        for (int i = 0; i < count; i++) {
            tree.insertRange(at, lengths[i], addresses[i], flags[i]);
            at += lengths[i];
        }
        return moved;
    }

    private long gather(long logicalOffset, long length) {
        cursor.reset(tree.current());
        count = 0;
        long gathered = 0;
        boolean found = cursor.seek(logicalOffset);
        while (found && gathered < length && count < maxExtents) {
            long skip = logicalOffset + gathered - cursor.logicalOffset();
            int piece = (int) Math.min(cursor.length() - skip, length - gathered);
            add(piece, cursor.isHole() ? FlexTree.HOLE : cursor.address() + skip, cursor.flags());
            gathered += piece;
            found = cursor.next();
        }
        return gathered;
    }

    private void add(int length, long address, int extentFlags) {
        if (count == lengths.length) {
            lengths = Arrays.copyOf(lengths, 2 * count);
            addresses = Arrays.copyOf(addresses, 2 * count);
            flags = Arrays.copyOf(flags, 2 * count);
        }
        lengths[count] = length;
        addresses[count] = address;
        flags[count] = extentFlags;
        count++;
    }
}
