package io.flexdb.flextree.internal.tree;

import static io.flexdb.flextree.internal.tree.NodeFormat.advance;
import static io.flexdb.flextree.internal.tree.NodeFormat.cachedChildAt;
import static io.flexdb.flextree.internal.tree.NodeFormat.child;
import static io.flexdb.flextree.internal.tree.NodeFormat.childStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.count;
import static io.flexdb.flextree.internal.tree.NodeFormat.end;
import static io.flexdb.flextree.internal.tree.NodeFormat.extentAt;
import static io.flexdb.flextree.internal.tree.NodeFormat.setChildStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.setCount;
import static io.flexdb.flextree.internal.tree.NodeFormat.setEnd;
import static io.flexdb.flextree.internal.tree.NodeFormat.start;
import static io.flexdb.flextree.internal.tree.NodeFormat.word;
import static io.flexdb.flextree.internal.tree.TreeNodes.insertChild;
import static io.flexdb.flextree.internal.tree.TreeNodes.removeChildren;
import static io.flexdb.flextree.internal.tree.TreeNodes.setExtent;
import static io.flexdb.flextree.internal.tree.TreeNodes.shift;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import java.nio.ByteBuffer;

/** The writer's state and its operations on it. Arguments have been checked by the caller. Writer only. */
public final class TreeWriter {
    /*
     * An insertion at a boundary goes to the node on the left of it. So the extent that it may continue is always in
     * the leaf where the insertion ends, and whether two extents are merged never depends on the shape of the tree.
     *
     * Each operation visits a node of its path once: on the way down it splits the child it will enter if that is full,
     * shifts the children after it, and goes on.
     */
    /** How many offsets {@link #willChange} takes at once. */
    public static final int TOUCHED_AT_ONCE = TreeReader.TOUCHED_AT_ONCE;

    private static final long MAX_NODES_CACHED = 4096; // 4 MiB: with more, to touch nodes first is faster (measured)

    /** See {@link #touchedEdit(int)}. */
    static final int UNTOUCHED = -1;

    private final TreeNodes nodes;
    private final NodePool pool;
    private final int maxExtentBytes;
    private final boolean mergeExtents;
    private final int[] path = new int[NodeFormat.MAX_LEVEL + 1];
    private final int[] pathIndex = new int[NodeFormat.MAX_LEVEL + 1];
    private final long[] pathStart = new long[NodeFormat.MAX_LEVEL + 1];

    private final long[] touchedOffsets = new long[TOUCHED_AT_ONCE];
    private final int[] touchedNodes = new int[TOUCHED_AT_ONCE];
    private final int[] touchedPath = new int[TOUCHED_AT_ONCE * (NodeFormat.MAX_LEVEL + 1)];
    private int touchedEdit = UNTOUCHED;

    private int root;
    private int level;
    private long size;
    private long extentCount;
    private int rightmostLeaf; // after an append, so that the next one need not descend; else 0
    private long touched; // what was read only to be read
    private int relative; // second result of the descent: the offset relative to the leaf

    /**
     * @param shape capacities and merging
     * @param epochs the readers
     * @param memory for the nodes
     */
    public TreeWriter(TreeShape shape, Epochs epochs, OffHeap memory) {
        this.nodes = new TreeNodes(epochs, shape.leafCapacity(), shape.internalCapacity(), memory);
        this.pool = nodes.pool;
        this.maxExtentBytes = shape.maxExtentBytes();
        this.mergeExtents = shape.mergeExtents();
    }

    /** Inserts extents that map {@code length} bytes from {@code logicalOffset} on. */
    public void insert(long logicalOffset, long length, long address, int flags) {
        nodes.refreshEpoch();
        long at = logicalOffset;
        long end = logicalOffset + length;
        for (long word = NodeFormat.word(address, flags); at < end; ) {
            int piece = (int) Math.min(end - at, mostBytes(word));
            if (at == size) {
                append(piece, word);
            } else {
                rightmostLeaf = 0;
                insertIntoLeaf(descend(at, piece), piece, word);
            }
            size += piece;
            at += piece;
            word = advance(word, piece);
        }
    }

    /** Appends one extent. Nodes of the rightmost path are filled to the last entry before a new one is begun. */
    private void append(int length, long word) {
        if (root == 0) {
            root = leafOf(length, word);
            return;
        }
        if (rightmostLeaf != 0 && nodes.isWritable(rightmostLeaf) && appendToLeaf(rightmostLeaf, length, word)) {
            return; // whatever is above a writable leaf is writable
        }
        int node = root = nodes.writable(root);
        long nodeStart = 0;
        for (int at = level; at > 0; at--) {
            path[at] = node;
            pathStart[at] = nodeStart;
            ByteBuffer buffer = pool.chunk(node);
            int base = NodeFormat.base(node);
            int last = count(buffer, base) - 1;
            nodeStart += childStart(buffer, base, last);
            node = nodes.writableChild(buffer, base, last);
        }
        if (!appendToLeaf(node, length, word)) {
            node = leafOf(length, word);
            appendNode(node);
        }
        rightmostLeaf = node;
    }

    private boolean appendToLeaf(int node, int length, long word) {
        ByteBuffer leaf = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(leaf, base);
        int leafBytes = end(leaf, base, count - 1);
        if (continues(word(leaf, base, count - 1), leafBytes - start(leaf, base, count - 1), word, length)) {
            setEnd(leaf, base, count - 1, leafBytes + length);
        } else if (count < nodes.leafCapacity) {
            setExtent(leaf, base, count, leafBytes + length, word);
            setCount(leaf, base, count + 1);
            extentCount++;
        } else {
            return false;
        }
        return true;
    }

    private int leafOf(int length, long word) {
        int leaf = nodes.create(0);
        ByteBuffer buffer = pool.chunk(leaf);
        int base = NodeFormat.base(leaf);
        setExtent(buffer, base, 0, length, word);
        setCount(buffer, base, 1);
        extentCount++;
        return leaf;
    }

    private void appendNode(int leaf) {
        int right = leaf;
        for (int at = 1; at <= level; at++) {
            ByteBuffer buffer = pool.chunk(path[at]);
            int base = NodeFormat.base(path[at]);
            int count = count(buffer, base);
            if (count < nodes.internalCapacity) {
                insertChild(buffer, base, count, size - pathStart[at], right);
                return;
            }
            int parent = nodes.create(at);
            insertChild(pool.chunk(parent), NodeFormat.base(parent), 0, 0, right);
            right = parent;
        }
        growRoot();
        insertChild(pool.chunk(root), NodeFormat.base(root), 1, size, right);
    }

    private void growRoot() {
        if (level == NodeFormat.MAX_LEVEL) {
            throw new IllegalStateException("the tree has reached its greatest height");
        }
        int grown = nodes.create(level + 1);
        insertChild(pool.chunk(grown), NodeFormat.base(grown), 0, 0, root);
        root = grown;
        level++;
    }

    /**
     * Makes the path to the leaf that ends at an offset, or holds the byte before it, writable, splits what is full on
     * it, and shifts all nodes after the path.
     */
    private int descend(long logicalOffset, long shift) {
        int node = root = nodes.writable(root);
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        if (isFull(buffer, base, level)) {
            growRoot();
            nodes.split(pool.chunk(root), NodeFormat.base(root), 0, node, level - 1);
            node = root;
            buffer = pool.chunk(node);
            base = NodeFormat.base(node);
        }
        long offset = logicalOffset;
        for (int at = level; at > 0; at--) {
            int i = childOnPath(buffer, base, at, offset - 1);
            offset -= childStart(buffer, base, i);
            node = nodes.writableChild(buffer, base, i);
            ByteBuffer childBuffer = pool.chunk(node);
            int childBase = NodeFormat.base(node);
            if (isFull(childBuffer, childBase, at - 1)) {
                long median = nodes.split(buffer, base, i, node, at - 1);
                if (offset > median) {
                    i++;
                    offset -= median;
                    node = child(buffer, base, i);
                    childBuffer = pool.chunk(node);
                    childBase = NodeFormat.base(node);
                }
            }
            if (shift != 0) {
                shift(buffer, base, at, i + 1, count(buffer, base), shift);
            }
            buffer = childBuffer;
            base = childBase;
        }
        relative = (int) offset;
        return node;
    }

    /**
     * The child that holds the byte at an offset. If the edit was touched, it is most likely the one that was found
     * then: to make sure of that waits for nothing, as a search does.
     */
    private int childOnPath(ByteBuffer node, int base, int nodeLevel, long relative) {
        if (touchedEdit != UNTOUCHED) {
            int i = touchedPath[TOUCHED_AT_ONCE * nodeLevel + touchedEdit];
            // One branch for both. Beyond the last child that a node can hold is anything; either answer is right then.
            if (childStart(node, base, i) <= relative & relative < childStart(node, base, i + 1)) {
                return i;
            }
        }
        return cachedChildAt(node, base, relative);
    }

    /** Full means that a leaf has no room for two entries more: an insertion may also cut an extent in two. */
    private boolean isFull(ByteBuffer node, int base, int nodeLevel) {
        int count = count(node, base);
        return nodeLevel == 0 ? count > nodes.leafCapacity - 2 : count == nodes.internalCapacity;
    }

    private void insertIntoLeaf(int node, int length, long word) {
        ByteBuffer leaf = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(leaf, base);
        int at = relative;
        if (at == 0) {
            TreeNodes.openGap(leaf, base, 0, count, 1, length);
            setExtent(leaf, base, 0, length, word);
            setCount(leaf, base, count + 1);
            extentCount++;
            return;
        }
        if (touchedEdit == UNTOUCHED) {
            NodeFormat.touchWords(leaf, base);
        }
        int i = extentAt(leaf, base, at - 1);
        int extentStart = start(leaf, base, i);
        int extentEnd = end(leaf, base, i);
        long extentWord = word(leaf, base, i);
        boolean merges = continues(extentWord, at - extentStart, word, length);
        boolean cuts = extentEnd > at;
        int added = (merges ? 0 : 1) + (cuts ? 1 : 0);
        if (added > 0) {
            TreeNodes.openGap(leaf, base, i + 1, count, added, length);
            setCount(leaf, base, count + added);
            extentCount += added;
        } else {
            shift(leaf, base, 0, i + 1, count, length);
        }
        if (merges) {
            setEnd(leaf, base, i, at + length);
        } else {
            setEnd(leaf, base, i, at);
            setExtent(leaf, base, ++i, at + length, word);
        }
        if (cuts) {
            setExtent(leaf, base, i + 1, extentEnd + length, advance(extentWord, at - extentStart));
        }
    }

    /** Whether an extent can be made longer by another one. A hole and data never join, whatever the addresses. */
    private boolean continues(long word, int length, long nextWord, int nextLength) {
        return mergeExtents
                && (NodeFormat.isHole(nextWord)
                        ? word == nextWord
                        : word + length == nextWord && !NodeFormat.isHole(word))
                && length + nextLength <= mostBytes(nextWord);
    }

    /** Only data is cut to the owner's limit: a hole is stored nowhere, so any length that a leaf can tell will do. */
    private int mostBytes(long word) {
        return NodeFormat.isHole(word) ? NodeFormat.MAX_EXTENT_BYTES : maxExtentBytes;
    }

    /** Removes a range and shifts what follows back. */
    public void collapse(long logicalOffset, long length) {
        nodes.refreshEpoch();
        rightmostLeaf = 0;
        if (length == size) {
            dropSubtree(root, level);
            root = 0;
            level = 0;
        } else if (!collapseInOneLeaf(logicalOffset, length)) {
            root = nodes.writable(root);
            if (!collapse(root, level, size, logicalOffset, logicalOffset + length)) {
                // Both ends lie in one extent of a full leaf. Cut it at one of them, as an insertion would.
                cut(descend(logicalOffset + length, 0));
                collapse(root, level, size, logicalOffset, logicalOffset + length);
            }
            shrinkRoot();
        }
        size -= length;
    }

    /**
     * The short way for a range within a leaf that neither overflows nor gets empty: one walk down, which shifts what
     * is after the path on the way. It is undone if the range turns out to be another.
     *
     * @return false, with nothing changed, if the range is none
     */
    private boolean collapseInOneLeaf(long logicalOffset, long length) {
        int node = root = nodes.writable(root);
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        long offset = logicalOffset;
        for (int at = level; at > 0; at--) {
            int i = childOnPath(buffer, base, at, offset);
            // The start beyond the last child is greater than any offset.
            if (i + 1 < NodeFormat.MAX_CAPACITY && offset + length > childStart(buffer, base, i + 1)) {
                undoShifts(at + 1, length);
                return false;
            }
            path[at] = node;
            pathIndex[at] = i;
            offset -= childStart(buffer, base, i);
            node = nodes.writableChild(buffer, base, i);
            shift(buffer, base, at, i + 1, count(buffer, base), -length);
            buffer = pool.chunk(node);
            base = NodeFormat.base(node);
        }
        int from = (int) offset;
        int to = (int) (offset + length);
        if (touchedEdit == UNTOUCHED) {
            NodeFormat.touchWords(buffer, base);
        }
        int countBefore = count(buffer, base);
        if (!collapseLeaf(buffer, base, from, to)) {
            undoShifts(1, length);
            return false;
        }
        if (passesMark(countBefore, count(buffer, base), nodes.leafCapacity)) {
            for (int at = 1; at <= level && isUnderfull(node, at - 1); at++) {
                node = path[at];
                mergeWithSiblings(pool.chunk(node), NodeFormat.base(node), pathIndex[at], at - 1);
            }
            shrinkRoot();
        }
        return true;
    }

    /** True every tenth time or so that a leaf loses an extent: often enough to try whether it can be merged. */
    private static boolean passesMark(int countBefore, int count, int capacity) {
        int step = Math.max(1, capacity / 8);
        return countBefore / step != count / step;
    }

    /** Makes up for the shifts of {@link #collapseInOneLeaf} in the path from the root down to a level. */
    private void undoShifts(int from, long length) {
        for (int at = from; at <= level; at++) {
            ByteBuffer buffer = pool.chunk(path[at]);
            int base = NodeFormat.base(path[at]);
            shift(buffer, base, at, pathIndex[at] + 1, count(buffer, base), length);
        }
    }

    private void cut(int node) {
        ByteBuffer leaf = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(leaf, base);
        int i = extentAt(leaf, base, relative - 1);
        TreeNodes.openGap(leaf, base, i, count, 1, 0);
        setEnd(leaf, base, i, relative);
        NodeFormat.setWord(leaf, base, i + 1, advance(word(leaf, base, i), relative - start(leaf, base, i)));
        setCount(leaf, base, count + 1);
        extentCount++;
    }

    private void shrinkRoot() {
        while (level > 0 && count(pool.chunk(root), NodeFormat.base(root)) == 1) {
            int child = child(pool.chunk(root), NodeFormat.base(root), 0);
            nodes.drop(root);
            root = child;
            level--;
        }
    }

    /**
     * Removes [from, to), which is not all of it, from a writable node of {@code bytes} bytes.
     *
     * @return false, with nothing changed, if a leaf has no room for the extent that this cuts in two
     */
    private boolean collapse(int node, int nodeLevel, long bytes, long from, long to) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        if (nodeLevel == 0) {
            return collapseLeaf(buffer, base, (int) from, (int) to);
        }
        int count = count(buffer, base);
        int first = cachedChildAt(buffer, base, from);
        int last = cachedChildAt(buffer, base, to - 1);
        long firstStart = childStart(buffer, base, first);
        long lastStart = childStart(buffer, base, last);
        long lastEnd = last + 1 < count ? childStart(buffer, base, last + 1) : bytes;
        boolean keepFirst = from > firstStart;
        boolean keepLast = to < lastEnd;
        if (first == last && (keepFirst || keepLast)) {
            int child = nodes.writableChild(buffer, base, first);
            if (!collapse(child, nodeLevel - 1, lastEnd - firstStart, from - firstStart, to - firstStart)) {
                return false;
            }
            shift(buffer, base, nodeLevel, first + 1, count, from - to);
            if (isUnderfull(child, nodeLevel - 1)) {
                mergeWithSiblings(buffer, base, first, nodeLevel - 1);
            }
            return true;
        }
        if (keepFirst) {
            int child = nodes.writableChild(buffer, base, first);
            long childBytes = childStart(buffer, base, first + 1) - firstStart;
            collapse(child, nodeLevel - 1, childBytes, from - firstStart, childBytes);
        }
        if (keepLast) {
            int child = nodes.writableChild(buffer, base, last);
            collapse(child, nodeLevel - 1, lastEnd - lastStart, 0, to - lastStart);
            setChildStart(buffer, base, last, from);
        }
        shift(buffer, base, nodeLevel, last + 1, count, from - to);
        int dropFrom = keepFirst ? first + 1 : first;
        int dropTo = keepLast ? last : last + 1;
        for (int i = dropFrom; i < dropTo; i++) {
            dropSubtree(child(buffer, base, i), nodeLevel - 1);
        }
        removeChildren(buffer, base, dropFrom, dropTo);
        // The children on both sides of the seam, changed or not, may be small together now.
        for (int i = dropFrom; i >= dropFrom - 2; i--) {
            nodes.mergeIfSmall(buffer, base, i, nodeLevel - 1);
        }
        return true;
    }

    /** Whether to look at the siblings, which costs cache misses. */
    private boolean isUnderfull(int node, int nodeLevel) {
        return count(pool.chunk(node), NodeFormat.base(node)) * 8 <= nodes.capacity(nodeLevel) * 3;
    }

    private void mergeWithSiblings(ByteBuffer parent, int base, int i, int childLevel) {
        nodes.mergeIfSmall(parent, base, i, childLevel);
        nodes.mergeIfSmall(parent, base, i - 1, childLevel);
    }

    /**
     * Removes [from, to) from a writable leaf.
     *
     * @return false, with nothing changed, if that is all of it, or there is no room for the extent that this cuts in two
     */
    private boolean collapseLeaf(ByteBuffer leaf, int base, int from, int to) {
        int first = extentAt(leaf, base, from);
        int last = to <= end(leaf, base, first) ? first : extentAt(leaf, base, to - 1);
        int lastEnd = end(leaf, base, last);
        boolean keepFirst = from > start(leaf, base, first);
        int kept = (keepFirst ? 1 : 0) + (to < lastEnd ? 1 : 0);
        int added = kept - (last - first + 1); // mostly negative
        int count = count(leaf, base);
        if (count + added == 0 || count + added > nodes.leafCapacity) {
            return false;
        }
        long rest = advance(word(leaf, base, last), to - start(leaf, base, last));
        if (added < 0) {
            TreeNodes.closeGap(leaf, base, last + 1, count, -added, to - from);
        } else if (added > 0) {
            TreeNodes.openGap(leaf, base, last + 1, count, added, from - to);
        } else {
            shift(leaf, base, 0, last + 1, count, from - to);
        }
        if (keepFirst) {
            setEnd(leaf, base, first, from);
        }
        if (to < lastEnd) {
            setExtent(leaf, base, last + added, lastEnd - (to - from), rest);
        }
        setCount(leaf, base, count + added);
        extentCount += added;
        return true;
    }

    private void dropSubtree(int node, int nodeLevel) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(buffer, base);
        if (nodeLevel == 0) {
            extentCount -= count;
        } else {
            for (int i = 0; i < count; i++) {
                dropSubtree(child(buffer, base, i), nodeLevel - 1);
            }
        }
        nodes.drop(node);
    }

    /** Maps a range anew. An extent that is replaced whole by one extent stays an extent of its own. */
    public void remap(long logicalOffset, long length, long address, int flags) {
        if (length <= mostBytes(NodeFormat.word(address, flags))
                && TreeReader.isExtent(pool, root, level, logicalOffset, length)) {
            nodes.refreshEpoch();
            int node = descendWithoutSplits(logicalOffset);
            ByteBuffer leaf = pool.chunk(node);
            int base = NodeFormat.base(node);
            int i = extentAt(leaf, base, relative);
            NodeFormat.setWord(leaf, base, i, NodeFormat.word(address, flags));
            return;
        }
        collapse(logicalOffset, length);
        insert(logicalOffset, length, address, flags);
    }

    /** Makes the path to the leaf that holds the byte at an offset writable. */
    private int descendWithoutSplits(long logicalOffset) {
        rightmostLeaf = 0; // it may be copied
        int node = root = nodes.writable(root);
        long offset = logicalOffset;
        for (int at = level; at > 0; at--) {
            ByteBuffer buffer = pool.chunk(node);
            int base = NodeFormat.base(node);
            int i = cachedChildAt(buffer, base, offset);
            offset -= childStart(buffer, base, i);
            node = nodes.writableChild(buffer, base, i);
        }
        relative = (int) offset;
        return node;
    }

    /** Takes a tree that was built from images. */
    public void install(int newRoot, int newLevel, long newSize, long newExtentCount) {
        root = newRoot;
        level = newLevel;
        size = newSize;
        extentCount = newExtentCount;
    }

    public TreeNodes nodes() {
        return nodes;
    }

    /** The memory of the nodes. */
    public NodePool pool() {
        return pool;
    }

    /** Says who hears of images that are no longer in use. */
    public void slotListener(SlotListener listener) {
        nodes.slotListener = listener;
    }

    /**
     * Says whether only the writer sees the tree, as after it was loaded and before the first version is published: no
     * version is read by anybody else, pinned or saved. Then no node is copied to be changed.
     */
    public void onlyWriterSees(boolean only) {
        nodes.onlyWriterSees = only;
    }

    /**
     * Sees that so many nodes can be made without more memory.
     *
     * @throws OutOfMemoryError if there is no memory for them; the tree is as it was
     */
    public void ensure(long newNodes) {
        pool.ensure(newNodes);
    }

    /** Whether the tree is so large that changes at random places wait for memory. */
    boolean outgrowsCaches() {
        return nodes.nodeCount > MAX_NODES_CACHED;
    }

    /**
     * Tells of changes that will be made next, at random places: what they need is brought into the processor's caches.
     * No more than a hint.
     *
     * @param logicalOffsets any, {@link #TOUCHED_AT_ONCE} at most
     * @return whether it is worth it
     */
    public boolean willChange(long[] logicalOffsets, int count) {
        if (!outgrowsCaches()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            touchedOffsets[i] = clamp(logicalOffsets[i] - 1, size - 1);
        }
        touched += TreeReader.touch(pool, root, level, touchedOffsets, touchedNodes, count, touchedPath);
        return true;
    }

    /**
     * The nearest number from 0 to {@code most}. There is no branch for the JIT to bet on until it is taken at last.
     */
    private static long clamp(long number, long most) {
        long over = number - most;
        long atMost = number - (over & ~(over >> 63));
        return atMost & ~(atMost >> 63);
    }

    /**
     * Says which of the changes that {@link #willChange} was told of last the next one is, {@link #UNTOUCHED} if none.
     * To be taken back after it.
     */
    void touchedEdit(int number) {
        touchedEdit = number;
    }

    /** The root, 0 if the tree is empty. */
    public int root() {
        return root;
    }

    /** The root's level. */
    public int level() {
        return level;
    }

    /** Bytes of the logical address space. */
    public long size() {
        return size;
    }

    /** Extents in the tree. */
    public long extentCount() {
        return extentCount;
    }

    /** Nodes that the tree consists of. */
    public long nodeCount() {
        return nodes.nodeCount;
    }

    /** Those of them that are internal. */
    public long internalNodeCount() {
        return nodes.internalNodeCount;
    }
}
