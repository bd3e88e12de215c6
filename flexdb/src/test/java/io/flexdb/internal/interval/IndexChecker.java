package io.flexdb.internal.interval;

import io.flexdb.internal.base.KeyBytes;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** Checks the numbered invariants of {@link SparseIndex}. */
public final class IndexChecker {
    private final IndexNodes nodes;
    private final WriterPath path;
    private final Set<Integer> seenNodes = new HashSet<>();
    private final Set<Integer> seenKeys = new HashSet<>();
    private long intervals;
    private int lastAnchor;

    private IndexChecker(SparseIndex index) {
        this.nodes = index.nodes;
        this.path = index.path;
    }

    /** Checks I1 to I7, in O(n). By the writer. */
    public static void check(SparseIndex index) {
        new IndexChecker(index).check(index.current(), true);
    }

    /** Checks I1 to I6 of a view, in O(n). */
    static void check(SparseIndex index, IndexView view) {
        new IndexChecker(index).check(view, false);
    }

    private void check(IndexView view, boolean isCurrent) {
        long bytes = checkNode(view.root, view.level, 0, Long.MAX_VALUE, view.level);
        require(bytes == view.totalBytes(), "I3", view.root, "bytes " + bytes + ", not " + view.totalBytes());
        require(intervals == view.intervalCount(), "I1", view.root, intervals + " intervals in " + view);
        if (isCurrent) {
            long live = nodes.pool.liveCount() - nodes.pool.retiredCount();
            require(live == seenNodes.size(), "I7", view.root, live + " nodes live, " + seenNodes.size() + " reached");
            live = nodes.keys.liveCount() - nodes.keys.retiredCount();
            require(live == seenKeys.size(), "I7", view.root, live + " keys live, " + seenKeys.size() + " reached");
        }
    }

    private long checkNode(int node, int level, int pivot, long parentBirth, int rootLevel) {
        require(seenNodes.add(node), "I7", node, "reached twice");
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        int count = IndexNodes.count(b, base);
        int least = level == rootLevel && level > 0 ? 2 : 1;
        require(IndexNodes.level(b, base) == level, "I5", node, "level " + IndexNodes.level(b, base));
        require(count >= least && count <= path.capacity(level), "I5", node, "count " + count);
        long birth = IndexNodes.birth(b, base);
        require(birth <= parentBirth, "I6", node, "birth " + birth + ", parent's " + parentBirth);
        checkKeys(node, level, count, birth);
        return level == 0 ? checkLeaf(node, count, pivot) : checkChildren(node, level, pivot, rootLevel);
    }

    private void checkKeys(int node, int level, int count, long birth) {
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        for (int i = 0; i < count; i++) {
            int ref = IndexNodes.ref(b, base, level, i);
            if (ref == 0) {
                require(i == 0, "I1", node, "no key at " + i);
                continue;
            }
            require(seenKeys.add(ref), "I7", node, "key reached twice");
            require(nodes.keys.birth(ref) <= birth, "I6", node, "key younger than the node");
            if (i > 0) {
                checkWindow(node, level, count, i);
            }
        }
    }

    private void checkWindow(int node, int level, int count, int i) {
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        int ref = IndexNodes.ref(b, base, level, i);
        int last = IndexNodes.ref(b, base, level, count - 1);
        int prefixLength = IndexNodes.prefixLength(b, base);
        byte[] key = nodes.keys.toBytes(ref);
        require(nodes.keys.commonPrefix(ref, last) >= prefixLength, "I4", node, "prefix too long for key " + i);
        long window = KeyBytes.window(key, 0, key.length, prefixLength) ^ Long.MIN_VALUE;
        require(window == IndexNodes.window(b, base, i), "I4", node, "window of key " + i);
    }

    private long checkLeaf(int node, int count, int pivot) {
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        for (int i = 0; i < count; i++) {
            int anchor = IndexNodes.ref(b, base, 0, i);
            if (intervals == 0) {
                require(anchor == 0, "I1", node, "first anchor not empty");
            } else {
                require(anchor != 0 && nodes.keys.compare(lastAnchor, anchor) < 0, "I1", node, "anchor " + i);
            }
            if (i == 0) {
                require(nodes.keys.compare(pivot, anchor) == 0, "I2", node, "pivot is not the first anchor");
            }
            require(IndexNodes.end(b, base, i) >= IndexNodes.start(b, base, i), "I3", node, "end " + i);
            require(IndexNodes.pairs(b, base, i) >= 0, "I3", node, "pairs " + i);
            lastAnchor = anchor;
            intervals++;
        }
        return IndexNodes.end(b, base, count - 1);
    }

    private long checkChildren(int node, int level, int pivot, int rootLevel) {
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        long bytes = 0;
        require(IndexNodes.ref(b, base, level, 0) == 0, "I2", node, "the first entry has a pivot");
        for (int i = 0; i < IndexNodes.count(b, base); i++) {
            require(IndexNodes.childStart(b, base, i) == bytes, "I3", node, "shift " + i);
            int lower = i == 0 ? pivot : IndexNodes.ref(b, base, level, i);
            bytes += checkNode(IndexNodes.child(b, base, i), level - 1, lower, IndexNodes.birth(b, base), rootLevel);
        }
        return bytes;
    }

    private static void require(boolean holds, String invariant, int node, String what) {
        if (!holds) {
            throw new AssertionError(invariant + " does not hold at node " + node + ": " + what);
        }
    }
}
