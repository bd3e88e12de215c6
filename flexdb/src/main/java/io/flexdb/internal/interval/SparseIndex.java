package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * The sparse index of section 5.1 of the paper: an off-heap B+-tree from anchor keys to intervals, which lie in the
 * FlexSpace one behind the other in key order. The first interval begins below every key.
 *
 * <p>There is one writer. Any number of threads read {@linkplain #current() views}, without a lock and without being
 * disturbed by the writer. Publishing a view, and then advancing the epochs, is up to the owner. Every operation takes
 * O(log n), whatever it shifts. Nothing has to be closed: the memory goes with the object.
 */
public final class SparseIndex {
    /*
     * The tree is FlexTree's idea applied to keys: an interval's logical offset is the sum of the shifts on the way to
     * it and of a relative offset in the leaf, so that a resized interval touches one leaf and one node a level above.
     * Nodes are copied on the first change in an epoch (D1), so a view stays what it was.
     *
     * I1  The first interval's anchor is the empty key; all others ascend strictly.
     * I2  The pivot of a child is the first anchor below it, and a copy of its own. First entries have no pivot.
     * I3  In a leaf the ends do not descend; an internal node's first shift is 0, and the shift of each other child is
     *     that of the child before it and the bytes below that.
     * I4  The common prefix of a node is one of all its keys but the first, and each window is that of its key.
     * I5  A node has from 1 entry to its capacity, the root from 2 unless it is a leaf; levels descend by 1.
     * I6  No node and no key is younger than the node that refers to it.
     * I7  What is allocated and not retired is what the tree refers to, each node and key once.
     */
    private final Epochs epochs;
    final IndexNodes nodes;
    final WriterPath path;
    private final IndexGrowth growth;
    private final IndexShrinking shrinking;
    private final Interval neighbour = new Interval();
    private byte[] neighbourAnchor = new byte[64];
    private long totalBytes;
    private volatile long longest; // written by the writer
    private long intervalCount = 1;
    private boolean untouched = true;
    private IndexView view;
    private BooleanSupplier isWriter = () -> true; // asked by assertions

    /**
     * Creates an index of one empty interval.
     *
     * @param epochs the readers, shared with everything else that the owner publishes
     * @param memory for nodes and keys
     */
    public SparseIndex(Epochs epochs, OffHeap memory) {
        this(epochs, IndexNodes.LEAF_CAPACITY, IndexNodes.INTERNAL_CAPACITY, memory);
    }

    /** With smaller nodes, perhaps, for deep trees of few intervals. */
    SparseIndex(Epochs epochs, int leafCapacity, int internalCapacity, OffHeap memory) {
        if (leafCapacity < 4 || leafCapacity > IndexNodes.LEAF_CAPACITY) {
            throw new IllegalArgumentException("leafCapacity: " + leafCapacity);
        }
        if (internalCapacity < 4 || internalCapacity > IndexNodes.INTERNAL_CAPACITY) {
            throw new IllegalArgumentException("internalCapacity: " + internalCapacity);
        }
        this.epochs = epochs;
        this.nodes = new IndexNodes(epochs, memory);
        this.path = new WriterPath(nodes, leafCapacity, internalCapacity);
        this.growth = new IndexGrowth(path);
        this.shrinking = new IndexShrinking(path);
        ByteBuffer b = nodes.chunk(path.root);
        int base = nodes.base(path.root);
        IndexNodes.setEnd(b, base, 0, 0);
        IndexNodes.setContentWord(b, base, 0, 0);
        IndexNodes.setHint(b, base, 0, 0);
        IndexNodes.setRef(b, base, 0, 0, 0);
        IndexNodes.setCount(b, base, 1);
    }

    /** Has assertions ask whether the calling thread is the writer. */
    public void setWriter(BooleanSupplier test) {
        isWriter = test;
    }

    /** The index as it is now. Writer only; for other threads only once the owner has published it. */
    public IndexView current() {
        assert isWriter.getAsBoolean() : "only the writer asks for what is not published";
        IndexView known = view;
        if (known == null) {
            known = new IndexView(path.root, path.level, totalBytes, intervalCount, epochs.writerEpoch());
            view = known;
        }
        return known;
    }

    /** Finds the interval that a key belongs to. Any thread; O(log n). */
    public void find(IndexView in, byte[] key, int from, int length, Interval out) {
        int node = in.root;
        long start = 0;
        int known = 0;
        int upper = 0;
        for (int level = in.level; level > 0; level--) {
            ByteBuffer b = nodes.chunk(node);
            int base = nodes.base(node);
            int i = nodes.floor(b, base, key, from, length, known);
            if (i + 1 < IndexNodes.count(b, base)) {
                upper = IndexNodes.ref(b, base, level, i + 1);
            }
            known = IndexNodes.knownBelow(b, base, i, known);
            start += IndexNodes.childStart(b, base, i);
            node = IndexNodes.child(b, base, i);
        }
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        int i = nodes.floor(b, base, key, from, length, known);
        if (i + 1 < IndexNodes.count(b, base)) {
            upper = IndexNodes.ref(b, base, 0, i + 1);
        }
        out.set(nodes.keys, start, b, base, i, upper);
    }

    /** A cursor over views of this index; for one thread at a time. */
    public IntervalCursor cursor() {
        return new IntervalCursor(nodes);
    }

    /**
     * Puts one or more intervals in the place of the one that a key belongs to, and shifts all that follow by the
     * difference in bytes. Writer only; O(log n) for each leaf's worth of intervals.
     *
     * @param r the intervals; the anchors must lie between that of the one replaced and that of the next
     */
    public void replace(byte[] key, int from, int length, IntervalReplacement r) {
        if (r.count() == 0) {
            throw new IllegalArgumentException("an interval cannot be replaced by none");
        }
        changing();
        path.descend(key, from, length);
        assert inOrder(key, from, length, r) : "I1: anchors out of order";
        long delta = r.totalBytes() - path.lengthBytes();
        path.resize(delta);
        growth.divide(r);
        for (int part = 0; part < r.count(); part++) {
            noteLength(r.bytes(part));
        }
        totalBytes += delta;
        intervalCount += r.count() - 1;
    }

    /**
     * Joins the interval that a key belongs to with the one before it, or the first one with the one behind it. Writer
     * only; O(log n).
     *
     * @param contentNumber the number of the content they have together
     * @return false if there is only one interval
     */
    public boolean mergeWithPrevious(byte[] key, int from, int length, long contentNumber) {
        if (intervalCount == 1) {
            return false;
        }
        find(current(), key, from, length, neighbour);
        if (neighbour.anchorLength() == 0) {
            return mergeWithNext(key, from, length, contentNumber);
        }
        merge(key, from, length, contentNumber);
        return true;
    }

    /**
     * Joins the interval that a key belongs to with the one behind it. Writer only; O(log n).
     *
     * @param contentNumber the number of the content they have together
     * @return false if there is none behind it
     */
    public boolean mergeWithNext(byte[] key, int from, int length, long contentNumber) {
        find(current(), key, from, length, neighbour);
        int nextLength = neighbour.upperAnchorLength();
        if (nextLength < 0) {
            return false;
        }
        if (nextLength > neighbourAnchor.length) {
            neighbourAnchor = new byte[Math.max(nextLength, 2 * neighbourAnchor.length)];
        }
        neighbour.upperAnchor(neighbourAnchor);
        merge(neighbourAnchor, 0, nextLength, contentNumber);
        return true;
    }

    private void merge(byte[] key, int from, int length, long contentNumber) {
        changing();
        path.descend(key, from, length);
        shrinking.joinWithPrevious(contentNumber);
        intervalCount--;
    }

    /**
     * Removes intervals that follow the one that a key belongs to, with their bytes: one, or several that lie in the
     * same leaf as that one. Writer only; O(log n).
     */
    public void removeFollowing(byte[] key, int from, int length, int count) {
        changing();
        path.descend(key, from, length);
        if (path.index[0] + 1 < path.count(0)) {
            totalBytes -= shrinking.removeFollowing(count);
            intervalCount -= count;
            return;
        }
        assert count == 1 : "no more than one from another leaf";
        find(current(), key, from, length, neighbour);
        long bytes = neighbour.lengthBytes();
        long content = neighbour.contentNumber();
        int pairs = neighbour.pairCount();
        boolean merged = mergeWithNext(key, from, length, content);
        assert merged : "an interval follows";
        changing();
        path.descend(key, from, length);
        long removed = path.lengthBytes() - bytes;
        path.resize(-removed);
        IndexNodes.setContentWord(path.chunk(0), path.base(0), path.index[0], IndexNodes.contentWord(content, pairs));
        totalBytes -= removed;
    }

    /** Gives the interval that a key belongs to another content number. Writer only; O(log n). */
    public void renumber(byte[] key, int from, int length, long contentNumber) {
        changing();
        path.descend(key, from, length);
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int pairs = IndexNodes.pairs(b, base, path.index[0]);
        IndexNodes.setContentWord(b, base, path.index[0], IndexNodes.contentWord(contentNumber, pairs));
    }

    /**
     * Adds an interval behind all others, to build an index that has seen no other operation yet. Writer only.
     *
     * @param anchor above all anchors before it; that of the first interval counts as the empty key
     */
    public void appendInterval(
            byte[] anchor, int from, int length, long lengthBytes, int pairCount, long contentNumber) {
        if (lengthBytes < 0 || pairCount < 0) {
            throw new IllegalArgumentException(
                    "an interval cannot have " + lengthBytes + " bytes and " + pairCount + " pairs");
        }
        boolean first = untouched;
        changing();
        path.descendToLast();
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int last = path.index[0];
        if (first) {
            IndexNodes.setEnd(b, base, 0, lengthBytes);
            IndexNodes.setContentWord(b, base, 0, IndexNodes.contentWord(contentNumber, pairCount));
        } else {
            if (nodes.keys.compare(anchor, from, length, IndexNodes.ref(b, base, 0, last)) <= 0) {
                throw new IllegalArgumentException("the anchor appended is not above the last one");
            }
            growth.append(anchor, from, length, lengthBytes, pairCount, contentNumber);
            intervalCount++;
        }
        totalBytes += lengthBytes;
        noteLength(lengthBytes);
    }

    private void noteLength(long bytes) {
        if (bytes > longest) {
            longest = bytes;
        }
    }

    /** Bytes of the longest interval that was ever put in. Any thread. */
    public long longest() {
        return longest;
    }

    /**
     * Sees that a replacement needs no more memory, nor a merging after it. Writer only.
     *
     * @param intervals that will be put in the place of one, at most
     * @param anchorBytes bytes of their anchors, at most
     * @throws OutOfMemoryError if there is no memory for it; nothing has changed but for what the index holds
     */
    public void ensure(int intervals, long anchorBytes) {
        int leaves = 2 * intervals / path.leafCapacity + 2;
        int nodesChanged = 4 * (path.level + 2) + 2 * leaves; // the paths to two neighbours, and what is split off them
        nodes.pool.ensure(nodesChanged);
        long rounding = anchorBytes / 8 + 5L * intervals * Long.BYTES; // of a prefix for each, too
        nodes.keys.ensure(anchorBytes + rounding + (long) nodesChanged * nodes.keys.longestBlobBytes());
    }

    private void changing() {
        assert isWriter.getAsBoolean() : "only the writer changes the index";
        view = null;
        untouched = false;
    }

    private boolean inOrder(byte[] key, int from, int length, IntervalReplacement r) {
        find(new IndexView(path.root, path.level, 0, 0, 0), key, from, length, neighbour);
        int lower = IndexNodes.ref(path.chunk(0), path.base(0), 0, path.index[0]);
        byte[] anchors = r.anchors();
        for (int i = 1; i < r.count(); i++) {
            int at = r.anchorFrom[i];
            boolean above = i == 1
                    ? nodes.keys.compare(anchors, at, r.anchorLength[i], lower) > 0
                    : Arrays.compareUnsigned(
                                    anchors,
                                    at,
                                    at + r.anchorLength[i],
                                    anchors,
                                    r.anchorFrom[i - 1],
                                    r.anchorFrom[i - 1] + r.anchorLength[i - 1])
                            > 0;
            if (!above) {
                return false;
            }
        }
        int highest = r.count() - 1;
        return highest == 0 || neighbour.isBelowUpperAnchor(anchors, r.anchorFrom[highest], r.anchorLength[highest]);
    }

    /** Frees nodes and keys that nobody can see any more; returns how many. Writer only, after each epoch. */
    public int reclaim() {
        return nodes.pool.reclaim() + nodes.keys.reclaim();
    }

    /** Intervals as the writer has them. */
    public long intervalCount() {
        return intervalCount;
    }

    /** Bytes of all intervals as the writer has them. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Off-heap bytes of nodes that only readers of older versions may still see. Any thread, for which it is about so many. */
    public long retiredNodeBytes() {
        return (long) nodes.pool.retiredCount() * IndexNodes.NODE_BYTES;
    }

    /** Off-heap bytes held by nodes and keys, free ones included. */
    public long memoryBytes() {
        return nodes.pool.memoryBytes() + nodes.keys.memoryBytes();
    }

    /** Nodes and keys that wait for readers. */
    public int retiredCount() {
        return nodes.pool.retiredCount() + nodes.keys.retiredCount();
    }

    @Override
    public String toString() {
        return "SparseIndex[intervals=" + intervalCount + ", bytes=" + totalBytes + ", levels=" + (path.level + 1)
                + ", memory=" + memoryBytes() + "]";
    }
}
