package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * Walks the intervals of a view in key order, in both directions. Reusable and without garbage; for one thread at a
 * time. The view must stay protected by its owner's short read or pin as long as the cursor is used on it.
 */
public final class IntervalCursor {
    private final IndexNodes nodes;
    private final int[] node = new int[WriterPath.MAX_LEVELS];
    private final int[] index = new int[WriterPath.MAX_LEVELS];
    private final long[] start = new long[WriterPath.MAX_LEVELS];
    private int level = -1;
    private ByteBuffer leaf;
    private int leafBase;
    private int leafCount;
    private boolean valid;

    IntervalCursor(IndexNodes nodes) {
        this.nodes = nodes;
    }

    /** Goes to the interval that a key belongs to, which there always is. */
    public void seek(IndexView view, byte[] key, int from, int length) {
        begin(view);
        int known = 0;
        for (int at = level; ; at--) {
            ByteBuffer b = nodes.chunk(node[at]);
            int base = nodes.base(node[at]);
            index[at] = nodes.floor(b, base, at, key, from, length, known);
            if (at == 0) {
                enterLeaf();
                return;
            }
            known = IndexNodes.knownBelow(b, base, index[at], known);
            enterChild(at);
        }
    }

    /**
     * Goes to the interval that has the byte at a logical offset.
     *
     * @param logicalOffset below {@link IndexView#totalBytes()}
     */
    public void seekOffset(IndexView view, long logicalOffset) {
        begin(view);
        long left = logicalOffset;
        for (int at = level; at > 0; at--) {
            ByteBuffer b = nodes.chunk(node[at]);
            int base = nodes.base(node[at]);
            index[at] = IndexNodes.childAtOffset(b, base, left);
            left -= IndexNodes.childStart(b, base, index[at]);
            enterChild(at);
        }
        enterLeaf();
        index[0] = IndexNodes.intervalAtOffset(leaf, leafBase, left);
    }

    /** Goes to the first interval. */
    public void first(IndexView view) {
        begin(view);
        descend(level, false);
    }

    /** Goes to the last interval. */
    public void last(IndexView view) {
        begin(view);
        descend(level, true);
    }

    private void begin(IndexView view) {
        level = view.level;
        node[level] = view.root;
        start[level] = 0;
        valid = true;
    }

    private void descend(int fromLevel, boolean toLast) {
        for (int at = fromLevel; ; at--) {
            index[at] = toLast ? IndexNodes.count(nodes.chunk(node[at]), nodes.base(node[at])) - 1 : 0;
            if (at == 0) {
                enterLeaf();
                return;
            }
            enterChild(at);
        }
    }

    private void enterChild(int at) {
        ByteBuffer b = nodes.chunk(node[at]);
        int base = nodes.base(node[at]);
        node[at - 1] = IndexNodes.child(b, base, index[at]);
        start[at - 1] = start[at] + IndexNodes.childStart(b, base, index[at]);
    }

    private void enterLeaf() {
        leaf = nodes.chunk(node[0]);
        leafBase = nodes.base(node[0]);
        leafCount = IndexNodes.count(leaf, leafBase);
    }

    /** Goes one interval on; false, and no longer valid, behind the last one. */
    public boolean next() {
        assert valid;
        if (index[0] + 1 < leafCount) {
            index[0]++;
            return true;
        }
        int at = levelWithNext();
        valid = at <= level;
        if (valid) {
            index[at]++;
            enterChild(at);
            descend(at - 1, false);
        }
        return valid;
    }

    /** Goes one interval back; false, and no longer valid, before the first one. */
    public boolean previous() {
        assert valid;
        if (index[0] > 0) {
            index[0]--;
            return true;
        }
        int at = 1;
        while (at <= level && index[at] == 0) {
            at++;
        }
        valid = at <= level;
        if (valid) {
            index[at]--;
            enterChild(at);
            descend(at - 1, true);
        }
        return valid;
    }

    /** The lowest level above the leaf that has an entry behind the cursor's, or one above the root's. */
    private int levelWithNext() {
        int at = 1;
        while (at <= level && index[at] + 1 == IndexNodes.count(nodes.chunk(node[at]), nodes.base(node[at]))) {
            at++;
        }
        return at;
    }

    /** Whether an interval follows, in the same leaf. */
    public boolean isInLeafWithNext() {
        assert valid;
        return index[0] + 1 < leafCount;
    }

    /** Whether the cursor is at an interval. */
    public boolean isValid() {
        return valid;
    }

    /** Lets go of the view. */
    public void reset() {
        valid = false;
        leaf = null;
    }

    /** Where the interval begins in the FlexSpace. */
    public long logicalOffset() {
        assert valid;
        return start[0] + IndexNodes.start(leaf, leafBase, index[0]);
    }

    /** Bytes of the interval. */
    public long lengthBytes() {
        assert valid;
        return IndexNodes.end(leaf, leafBase, index[0]) - IndexNodes.start(leaf, leafBase, index[0]);
    }

    /** The number of its content. */
    public long contentNumber() {
        assert valid;
        return IndexNodes.content(leaf, leafBase, index[0]);
    }

    /** Its KV pairs. */
    public int pairCount() {
        assert valid;
        return IndexNodes.pairs(leaf, leafBase, index[0]);
    }

    /** The hint of this interval, see {@link IntervalRef#hint}. */
    public int hint() {
        assert valid;
        return IndexNodes.hint(leaf, leafBase, index[0]);
    }

    /** Sets the hint of this interval, see {@link IntervalRef#setHint}. */
    public void setHint(int hint) {
        assert valid;
        IndexNodes.setHint(leaf, leafBase, index[0], hint);
    }

    private int anchorRef() {
        assert valid;
        return IndexNodes.ref(leaf, leafBase, 0, index[0]);
    }

    private int upperRef() {
        assert valid;
        if (index[0] + 1 < leafCount) {
            return IndexNodes.ref(leaf, leafBase, 0, index[0] + 1);
        }
        int at = levelWithNext();
        return at > level ? 0 : IndexNodes.ref(nodes.chunk(node[at]), nodes.base(node[at]), at, index[at] + 1);
    }

    /** Bytes of the anchor; 0 for the first interval. */
    public int anchorLength() {
        return nodes.keys.length(anchorRef());
    }

    /** Copies the anchor to the start of an array with room for it, and returns its length. */
    public int copyAnchor(byte[] destination) {
        return nodes.keys.copyTo(anchorRef(), destination);
    }

    /** Whether an interval follows. */
    public boolean hasNext() {
        return index[0] + 1 < leafCount || levelWithNext() <= level;
    }

    /** Bytes of the next interval's anchor, or -1 if there is none. */
    public int upperAnchorLength() {
        int ref = upperRef();
        return ref == 0 ? -1 : nodes.keys.length(ref);
    }

    /** Copies the next interval's anchor to the start of an array with room for it: its length, or -1 if none. */
    public int copyUpperAnchor(byte[] destination) {
        int ref = upperRef();
        return ref == 0 ? -1 : nodes.keys.copyTo(ref, destination);
    }

    /** Whether a key not below this interval's anchor belongs to this interval. */
    public boolean isBelowUpperAnchor(byte[] key, int from, int length) {
        int ref = upperRef();
        return ref == 0 || nodes.keys.compare(key, from, length, ref) < 0;
    }

    @Override
    public String toString() {
        return valid
                ? "IntervalCursor[offset=" + logicalOffset() + ", bytes=" + lengthBytes() + ", content="
                        + contentNumber() + ", pairs=" + pairCount() + "]"
                : "IntervalCursor[invalid]";
    }
}
