package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * Walks the intervals of a view in key order, in both directions, and is the one that it stands on. Reusable and
 * without garbage; for one thread at a time. The view must stay protected by its owner's short read or pin as long as
 * the cursor is used on it.
 */
public final class IntervalCursor extends Interval {
    private final IndexNodes nodes;
    private final int[] node = new int[WriterPath.MAX_LEVELS];
    private final int[] entry = new int[WriterPath.MAX_LEVELS];
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
            entry[at] = nodes.floor(b, base, key, from, length, known);
            if (at == 0) {
                enterLeaf();
                stand();
                return;
            }
            known = IndexNodes.knownBelow(b, base, entry[at], known);
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
            entry[at] = IndexNodes.childAtOffset(b, base, left);
            left -= IndexNodes.childStart(b, base, entry[at]);
            enterChild(at);
        }
        enterLeaf();
        entry[0] = IndexNodes.intervalAtOffset(leaf, leafBase, left);
        stand();
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
            entry[at] = toLast ? IndexNodes.count(nodes.chunk(node[at]), nodes.base(node[at])) - 1 : 0;
            if (at == 0) {
                enterLeaf();
                stand();
                return;
            }
            enterChild(at);
        }
    }

    private void enterChild(int at) {
        ByteBuffer b = nodes.chunk(node[at]);
        int base = nodes.base(node[at]);
        node[at - 1] = IndexNodes.child(b, base, entry[at]);
        start[at - 1] = start[at] + IndexNodes.childStart(b, base, entry[at]);
    }

    private void enterLeaf() {
        leaf = nodes.chunk(node[0]);
        leafBase = nodes.base(node[0]);
        leafCount = IndexNodes.count(leaf, leafBase);
    }

    private void stand() {
        set(nodes.keys, start[0], leaf, leafBase, entry[0], nextAnchor());
    }

    /** The anchor of the interval that follows, or 0 if there is none. */
    private int nextAnchor() {
        if (entry[0] + 1 < leafCount) {
            return IndexNodes.ref(leaf, leafBase, 0, entry[0] + 1);
        }
        int at = levelWithNext();
        return at > level ? 0 : IndexNodes.ref(nodes.chunk(node[at]), nodes.base(node[at]), at, entry[at] + 1);
    }

    /** Goes one interval on; false, and no longer valid, behind the last one. */
    public boolean next() {
        assert valid;
        if (entry[0] + 1 < leafCount) {
            entry[0]++;
            stand();
            return true;
        }
        int at = levelWithNext();
        valid = at <= level;
        if (valid) {
            entry[at]++;
            enterChild(at);
            descend(at - 1, false);
        }
        return valid;
    }

    /** Goes one interval back; false, and no longer valid, before the first one. */
    public boolean previous() {
        assert valid;
        if (entry[0] > 0) {
            entry[0]--;
            stand();
            return true;
        }
        int at = 1;
        while (at <= level && entry[at] == 0) {
            at++;
        }
        valid = at <= level;
        if (valid) {
            entry[at]--;
            enterChild(at);
            descend(at - 1, true);
        }
        return valid;
    }

    /** The lowest level above the leaf that has an entry behind the cursor's, or one above the root's. */
    private int levelWithNext() {
        int at = 1;
        while (at <= level && entry[at] + 1 == IndexNodes.count(nodes.chunk(node[at]), nodes.base(node[at]))) {
            at++;
        }
        return at;
    }

    /** Whether an interval follows, in the same leaf. */
    public boolean isInLeafWithNext() {
        assert valid;
        return entry[0] + 1 < leafCount;
    }

    /** Whether the cursor is at an interval. */
    public boolean isValid() {
        return valid;
    }

    /** Lets go of the view. */
    public void reset() {
        valid = false;
        leaf = null;
        clear();
    }

    @Override
    public String toString() {
        return valid ? super.toString() : "IntervalCursor[invalid]";
    }
}
