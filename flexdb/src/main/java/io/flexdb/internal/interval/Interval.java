package io.flexdb.internal.interval;

import io.flexdb.internal.base.KeyBytes;
import java.nio.ByteBuffer;

/**
 * An interval of the sparse index (FlexDB, section 5.1 of the paper): where it lies in the FlexSpace, how large it is,
 * which content it has, and between which anchors its keys are. {@link SparseIndex#find} and {@link IntervalCursor} set
 * it. Reused by its owner; not for several threads. Anchors and hint are read from the index, so they must be asked for
 * while the view they came from is still protected.
 *
 * <p>An interval is coarse if it is larger than it may be, or if nobody has counted its pairs yet, because its anchor
 * was sampled. An interval of a single pair may have any size. The committer makes no coarse intervals; opening a store
 * may find some.
 */
public class Interval {
    /** The most bytes of an interval of more than one pair. */
    public static final int MAX_BYTES = 16 << 10;

    /** The most pairs: they bound the work of a search, and what a cursor may ask of a directory at once. */
    public static final int MAX_PAIRS = 56;

    /** Pairs of an interval that has not been read since its anchor was sampled. */
    public static final int UNKNOWN_PAIRS = 0xFFFF;

    /** An interval is fragmented if it has more pieces than one for so many pairs. */
    private static final int PAIRS_OF_A_PIECE = 4;

    private KeyArena keys;
    private long logicalOffset;
    private long lengthBytes;
    private long contentNumber;
    private int pairCount;
    private int anchorRef;
    private int upperRef;
    private ByteBuffer leaf;
    private int leafBase;
    private int index;

    /**
     * Sets it to an interval of a leaf.
     *
     * @param leafOffset where the leaf's first interval begins in the FlexSpace
     * @param upperRef the next interval's anchor, or 0 if there is none
     */
    final void set(KeyArena keys, long leafOffset, ByteBuffer leaf, int leafBase, int index, int upperRef) {
        long start = IndexNodes.start(leaf, leafBase, index);
        this.keys = keys;
        this.logicalOffset = leafOffset + start;
        this.lengthBytes = IndexNodes.end(leaf, leafBase, index) - start;
        this.contentNumber = IndexNodes.content(leaf, leafBase, index);
        this.pairCount = IndexNodes.pairs(leaf, leafBase, index);
        this.anchorRef = IndexNodes.ref(leaf, leafBase, 0, index);
        this.upperRef = upperRef;
        this.leaf = leaf;
        this.leafBase = leafBase;
        this.index = index;
    }

    /** Lets go of the view. */
    final void clear() {
        leaf = null;
    }

    /** Where the interval begins in the FlexSpace. */
    public final long logicalOffset() {
        return logicalOffset;
    }

    /** Its bytes, possibly none. */
    public final long lengthBytes() {
        return lengthBytes;
    }

    /** The number of its content, which no other content has or will have. */
    public final long contentNumber() {
        return contentNumber;
    }

    /** Its KV pairs. */
    public final int pairCount() {
        return pairCount;
    }

    /**
     * A note on this content, or on an earlier one of this interval; 0 if there is none. The reader must check it
     * against certain knowledge. While the view that it was found in is protected, as is {@link #setHint}.
     */
    public final int hint() {
        return IndexNodes.hint(leaf, leafBase, index);
    }

    /** Notes something for whoever comes next. Any thread, at any time. */
    public final void setHint(int hint) {
        IndexNodes.setHint(leaf, leafBase, index, hint);
    }

    /** Whether an interval follows. */
    public final boolean hasNext() {
        return upperRef != 0;
    }

    /** Bytes of the anchor; 0 for the first interval. */
    public final int anchorLength() {
        return keys.length(anchorRef);
    }

    /** Copies the anchor to the start of an array with room for it, and returns its length. */
    public final int anchor(byte[] destination) {
        return keys.copyTo(anchorRef, destination);
    }

    /** Bytes of the next interval's anchor, or -1 if there is none. */
    public final int upperAnchorLength() {
        return upperRef == 0 ? -1 : keys.length(upperRef);
    }

    /** Copies the next interval's anchor to the start of an array with room for it: its length, or -1 if none. */
    public final int upperAnchor(byte[] destination) {
        return upperRef == 0 ? -1 : keys.copyTo(upperRef, destination);
    }

    /** How many bytes all keys that belong to the interval begin with in common, at least. */
    public final int commonPrefix() {
        return upperRef == 0 || keys.length(anchorRef) == 0 ? 0 : keys.commonPrefix(anchorRef, upperRef);
    }

    /**
     * How many bytes all keys begin with in common, at least, that belong to one of the intervals that come in the place
     * of this one: what its anchor and the next one have in common.
     */
    public final int commonPrefix(IntervalReplacement in, int part) {
        boolean isLast = part == in.count() - 1;
        if (part == 0) {
            return isLast ? commonPrefix() : commonPrefix(in, part + 1, anchorRef);
        }
        if (isLast) {
            return upperRef == 0 ? 0 : commonPrefix(in, part, upperRef);
        }
        return KeyBytes.commonPrefix(
                in.anchors(),
                in.anchorFrom[part],
                in.anchorLength[part],
                in.anchors(),
                in.anchorFrom[part + 1],
                in.anchorLength[part + 1]);
    }

    private int commonPrefix(IntervalReplacement in, int part, int ref) {
        return keys.commonPrefix(in.anchors(), in.anchorFrom[part], in.anchorLength[part], ref);
    }

    /** Whether a key is the anchor. */
    public final boolean isAnchor(byte[] key) {
        return anchorLength() == key.length && keys.compare(key, 0, key.length, anchorRef) == 0;
    }

    /** Whether a key belongs to an interval before this one. */
    public final boolean isBelowAnchor(byte[] key, int from, int length) {
        return anchorLength() > 0 && keys.compare(key, from, length, anchorRef) < 0;
    }

    /** Whether a key not below this interval's anchor belongs to this interval. */
    public final boolean isBelowUpperAnchor(byte[] key, int from, int length) {
        return upperRef == 0 || keys.compare(key, from, length, upperRef) < 0;
    }

    /** Whether it is to be divided, or at least to be counted. */
    public final boolean isCoarse() {
        return isCoarse(lengthBytes, pairCount);
    }

    /** Whether its pairs lie in so many pieces in the data file that reading all of them pays for it. */
    public final boolean isFragmented(int pieces) {
        return areFragmented(pieces, pairCount);
    }

    /** Whether pairs lie in so many pieces in the data file that who reads all of them pays for it. */
    public static boolean areFragmented(int pieces, int pairs) {
        return pieces > 2 && pieces * PAIRS_OF_A_PIECE > pairs;
    }

    /** Whether an interval is to be divided, or at least to be counted. */
    public static boolean isCoarse(long bytes, int pairs) {
        return pairs > MAX_PAIRS && bytes > 0 || bytes > MAX_BYTES && pairs != 1;
    }

    /** Whether these pairs make more than one interval. */
    public static boolean areDivided(int pairs, long bytes) {
        return pairs > MAX_PAIRS || bytes > MAX_BYTES && pairs > 1;
    }

    /**
     * How many of these pairs each interval gets, so that all get about as many. Pairs that make an interval alone say
     * nothing of the others.
     *
     * @param starts where each pair begins
     * @param end where the last one ends
     */
    public static int pairsEach(long[] starts, int from, int to, long end) {
        int pairs = to - from;
        long bytes = pairs == 0 ? 0 : end - starts[from];
        for (int pair = from; pair < to && bytes > MAX_BYTES; pair++) {
            long length = (pair + 1 < to ? starts[pair + 1] : end) - starts[pair];
            if (length > MAX_BYTES) {
                pairs--;
                bytes -= length;
            }
        }
        long intervals = Math.max((pairs + MAX_PAIRS - 1) / MAX_PAIRS, (bytes + MAX_BYTES - 1) / MAX_BYTES);
        return intervals == 0 ? 1 : (int) ((pairs + intervals - 1) / intervals);
    }

    /**
     * Where the interval ends that begins with a pair.
     *
     * @param starts where each pair begins
     * @param bytes where the last one ends
     * @return the pair behind it
     */
    public static int endOfInterval(long[] starts, int pairs, long bytes, int first, int pairsEach) {
        int end = first + 1;
        while (end < pairs
                && end - first < pairsEach
                && (end + 1 < pairs ? starts[end + 1] : bytes) - starts[first] <= MAX_BYTES) {
            end++;
        }
        return end;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[offset=" + logicalOffset + ", bytes=" + lengthBytes + ", content="
                + contentNumber + ", pairs=" + pairCount + "]";
    }
}
