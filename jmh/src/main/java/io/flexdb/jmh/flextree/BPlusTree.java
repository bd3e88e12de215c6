package io.flexdb.jmh.flextree;

import static io.flexdb.jmh.flextree.BPlusNodes.address;
import static io.flexdb.jmh.flextree.BPlusNodes.base;
import static io.flexdb.jmh.flextree.BPlusNodes.child;
import static io.flexdb.jmh.flextree.BPlusNodes.childAt;
import static io.flexdb.jmh.flextree.BPlusNodes.count;
import static io.flexdb.jmh.flextree.BPlusNodes.extentAt;
import static io.flexdb.jmh.flextree.BPlusNodes.position;
import static io.flexdb.jmh.flextree.BPlusNodes.setChild;
import static io.flexdb.jmh.flextree.BPlusNodes.setCount;
import static io.flexdb.jmh.flextree.BPlusNodes.setExtent;
import static io.flexdb.jmh.flextree.BPlusNodes.setPosition;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A B+-tree of extents without shift values (the paper's Figure 3a): FlexTree with absolute offsets. An insertion or a
 * removal adds its length to every later offset, in all leaves and all internal nodes. For one thread at a time.
 */
final class BPlusTree implements ExtentIndex {
    /*
     * Everything but the offsets is as in FlexTree: nodes of 1 KiB, the same search, splits on the way down, leaves and
     * internal nodes filled to the last entry by appends, small siblings merged at the same mark. What follows from
     * the absolute offsets is that an extent takes 16 bytes, not 12, so that a leaf has room for 62, not 84.
     *
     * Leaves have no links to their neighbours: whoever goes over leaves in order goes over their parents, which name
     * the next leaves before they are needed. Nodes are changed in place; nobody reads meanwhile.
     *
     * I1  A node has one entry at least and no more than its capacity; an internal root has two at least.
     * I2  A child starts where the one before it ends.
     * I3  The ends of a leaf grow, by maxExtentBytes at most, or for a hole by what FlexTree allows.
     */
    private static final int MAX_LEVEL = 31;

    private final BPlusNodes nodes = new BPlusNodes();
    private final int leafCapacity;
    private final int internalCapacity;
    private final int maxExtentBytes;
    private final int[] path = new int[MAX_LEVEL + 1];

    private int root; // 0 if the tree is empty
    private int level;
    private long size;
    private long extentCount;
    private long leafStart; // second result of the descent

    BPlusTree() {
        this(BPlusNodes.LEAF_CAPACITY, BPlusNodes.INTERNAL_CAPACITY, FlexTree.MAX_EXTENT_BYTES);
    }

    /**
     * @param leafCapacity extents a leaf holds at most, 4 to {@link BPlusNodes#LEAF_CAPACITY}
     * @param internalCapacity children an internal node holds at most, 4 to {@link BPlusNodes#INTERNAL_CAPACITY}
     * @param maxExtentBytes bytes an extent has at most
     */
    BPlusTree(int leafCapacity, int internalCapacity, int maxExtentBytes) {
        this.leafCapacity = leafCapacity;
        this.internalCapacity = internalCapacity;
        this.maxExtentBytes = maxExtentBytes;
    }

    @Override
    public void insert(long logicalOffset, long length, long address) {
        Objects.checkFromToIndex(logicalOffset, size, size);
        long end = logicalOffset + length;
        long pieceAddress = address;
        for (long at = logicalOffset; at < end; ) {
            long piece = Math.min(end - at, Extents.mostBytes(address, maxExtentBytes));
            if (at == size) {
                appendPiece(piece, pieceAddress);
            } else {
                insertIntoLeaf(descend(at, piece), at, piece, pieceAddress);
            }
            size += piece;
            at += piece;
            pieceAddress = Extents.advance(pieceAddress, piece);
        }
    }

    @Override
    public void append(long length, long address) {
        insert(size, length, address);
    }

    private void appendPiece(long length, long address) {
        if (root == 0) {
            root = leafOf(length, address);
            return;
        }
        int node = root;
        long start = 0;
        for (int at = level; at > 0; at--) {
            path[at] = node;
            ByteBuffer buffer = nodes.chunk(node);
            int last = count(buffer, base(node)) - 1;
            start = position(buffer, base(node), last);
            node = child(buffer, base(node), last);
        }
        ByteBuffer leaf = nodes.chunk(node);
        int base = base(node);
        int count = count(leaf, base);
        long lastStart = count == 1 ? start : position(leaf, base, count - 2);
        if (Extents.continues(address(leaf, base, count - 1), size - lastStart, address, length, maxExtentBytes)) {
            setPosition(leaf, base, count - 1, size + length);
        } else if (count < leafCapacity) {
            setExtent(leaf, base, count, size + length, address);
            setCount(leaf, base, count + 1);
            extentCount++;
        } else {
            appendNode(leafOf(size + length, address));
        }
    }

    private int leafOf(long end, long address) {
        int leaf = nodes.allocate();
        setExtent(nodes.chunk(leaf), base(leaf), 0, end, address);
        setCount(nodes.chunk(leaf), base(leaf), 1);
        extentCount++;
        return leaf;
    }

    private void appendNode(int leaf) {
        int right = leaf;
        for (int at = 1; at <= level; at++) {
            if (nodes.count(path[at]) < internalCapacity) {
                insertChild(path[at], nodes.count(path[at]), size, right);
                return;
            }
            int parent = nodes.allocate();
            insertChild(parent, 0, size, right);
            right = parent;
        }
        growRoot();
        insertChild(root, 1, size, right);
    }

    private void growRoot() {
        if (level == MAX_LEVEL) {
            throw new IllegalStateException("the tree has reached its greatest height");
        }
        int grown = nodes.allocate();
        insertChild(grown, 0, 0, root);
        root = grown;
        level++;
    }

    private void insertChild(int node, int i, long start, int child) {
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        int count = count(buffer, base);
        nodes.copyEntries(node, i, node, i + 1, 1, count - i);
        setChild(buffer, base, i, start, child);
        setCount(buffer, base, count + 1);
    }

    /**
     * Goes to the leaf that ends at an offset, or holds the byte before it, splits what is full on the path, and shifts
     * everything after the path.
     */
    private int descend(long logicalOffset, long shift) {
        int node = root;
        if (isFull(node, level)) {
            growRoot();
            split(root, 0, node, level - 1);
            node = root;
        }
        long start = 0;
        for (int at = level; at > 0; at--) {
            ByteBuffer buffer = nodes.chunk(node);
            int base = base(node);
            int i = childAt(buffer, base, Math.max(0, logicalOffset - 1));
            int child = child(buffer, base, i);
            if (isFull(child, at - 1)) {
                split(node, i, child, at - 1);
                if (logicalOffset > position(buffer, base, i + 1)) {
                    i++;
                    child = child(buffer, base, i);
                }
            }
            start = position(buffer, base, i);
            shiftChildren(node, at, i + 1, shift);
            node = child;
        }
        leafStart = start;
        return node;
    }

    /** Adds to the offsets of the children from {@code from} on, and to all that is below them. */
    private void shiftChildren(int node, int nodeLevel, int from, long bytes) {
        if (bytes == 0) {
            return;
        }
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        int count = count(buffer, base);
        nodes.shift(node, from, count, bytes);
        for (int i = from; i < count; i++) {
            int child = child(buffer, base, i);
            if (nodeLevel == 1) {
                nodes.shift(child, 0, nodes.count(child), bytes);
            } else {
                shiftChildren(child, nodeLevel - 1, 0, bytes);
            }
        }
    }

    /** Full means that a leaf has no room for two entries more: an insertion may also cut an extent in two. */
    private boolean isFull(int node, int nodeLevel) {
        int count = nodes.count(node);
        return nodeLevel == 0 ? count > leafCapacity - 2 : count == internalCapacity;
    }

    private void split(int parent, int i, int child, int childLevel) {
        ByteBuffer left = nodes.chunk(child);
        int base = base(child);
        int count = count(left, base);
        int kept = count / 2;
        long median = position(left, base, childLevel == 0 ? kept - 1 : kept);
        int sibling = nodes.allocate();
        nodes.copyEntries(child, kept, sibling, 0, childLevel, count - kept);
        setCount(nodes.chunk(sibling), base(sibling), count - kept);
        setCount(left, base, kept);
        insertChild(parent, i + 1, median, sibling);
    }

    private void insertIntoLeaf(int node, long at, long length, long address) {
        ByteBuffer leaf = nodes.chunk(node);
        int base = base(node);
        int count = count(leaf, base);
        if (at == 0) {
            nodes.copyEntries(node, 0, node, 1, 0, count);
            nodes.shift(node, 1, count + 1, length);
            setExtent(leaf, base, 0, length, address);
            setCount(leaf, base, count + 1);
            extentCount++;
            return;
        }
        int i = extentAt(leaf, base, at - 1);
        long cutStart = i == 0 ? leafStart : position(leaf, base, i - 1);
        long cutEnd = position(leaf, base, i);
        long cutAddress = address(leaf, base, i);
        boolean merges = Extents.continues(cutAddress, at - cutStart, address, length, maxExtentBytes);
        boolean cuts = cutEnd > at;
        int added = (merges ? 0 : 1) + (cuts ? 1 : 0);
        if (added > 0) {
            nodes.copyEntries(node, i + 1, node, i + 1 + added, 0, count - i - 1);
            setCount(leaf, base, count + added);
            extentCount += added;
        }
        nodes.shift(node, i + 1 + added, count + added, length);
        if (merges) {
            setPosition(leaf, base, i, at + length);
        } else {
            setPosition(leaf, base, i, at);
            setExtent(leaf, base, ++i, at + length, address);
        }
        if (cuts) {
            setExtent(leaf, base, i + 1, cutEnd + length, Extents.advance(cutAddress, at - cutStart));
        }
    }

    @Override
    public void collapse(long logicalOffset, long length) {
        Objects.checkFromIndexSize(logicalOffset, length, size);
        if (length == size) {
            dropSubtree(root, level);
            root = 0;
            level = 0;
        } else {
            if (!collapse(root, level, 0, size, logicalOffset, logicalOffset + length, -length)) {
                // Both ends lie in one extent of a full leaf. Cut it at one of them, as an insertion would.
                cut(descend(logicalOffset + length, 0), logicalOffset + length);
                collapse(root, level, 0, size, logicalOffset, logicalOffset + length, -length);
            }
            shrinkRoot();
        }
        size -= length;
    }

    private void cut(int node, long at) {
        ByteBuffer leaf = nodes.chunk(node);
        int base = base(node);
        int count = count(leaf, base);
        int i = extentAt(leaf, base, at - 1);
        long start = i == 0 ? leafStart : position(leaf, base, i - 1);
        long end = position(leaf, base, i);
        long rest = Extents.advance(address(leaf, base, i), at - start);
        nodes.copyEntries(node, i, node, i + 1, 0, count - i);
        setPosition(leaf, base, i, at);
        setExtent(leaf, base, i + 1, end, rest);
        setCount(leaf, base, count + 1);
        extentCount++;
    }

    private void shrinkRoot() {
        while (level > 0 && nodes.count(root) == 1) {
            int child = child(nodes.chunk(root), base(root), 0);
            nodes.free(root);
            root = child;
            level--;
        }
    }

    /**
     * Removes [from, to), which is not all of it, from a node that maps [start, end), and shifts what follows in it.
     *
     * @param shift what to add to the offsets after the whole range, of which [from, to) may be a part
     * @return false, with nothing changed, if a leaf has no room for the extent that this cuts in two
     */
    private boolean collapse(int node, int nodeLevel, long start, long end, long from, long to, long shift) {
        if (nodeLevel == 0) {
            return collapseLeaf(node, start, from, to, shift);
        }
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        int count = count(buffer, base);
        int first = childAt(buffer, base, from);
        int last = childAt(buffer, base, to - 1);
        long firstStart = position(buffer, base, first);
        long lastStart = position(buffer, base, last);
        long lastEnd = last + 1 < count ? position(buffer, base, last + 1) : end;
        boolean keepFirst = from > firstStart;
        boolean keepLast = to < lastEnd;
        if (first == last && (keepFirst || keepLast)) {
            int child = child(buffer, base, first);
            if (!collapse(child, nodeLevel - 1, firstStart, lastEnd, from, to, shift)) {
                return false;
            }
            if (!keepFirst) {
                setPosition(buffer, base, first, to + shift);
            }
            shiftChildren(node, nodeLevel, first + 1, shift);
            mergeIfUnderfull(node, first, nodeLevel - 1, child);
            return true;
        }
        if (keepFirst) {
            long firstEnd = position(buffer, base, first + 1);
            collapse(child(buffer, base, first), nodeLevel - 1, firstStart, firstEnd, from, firstEnd, shift);
        }
        if (keepLast) {
            collapse(child(buffer, base, last), nodeLevel - 1, lastStart, lastEnd, lastStart, to, shift);
            setPosition(buffer, base, last, to + shift);
        }
        shiftChildren(node, nodeLevel, last + 1, shift);
        int dropFrom = keepFirst ? first + 1 : first;
        int dropTo = keepLast ? last : last + 1;
        for (int i = dropFrom; i < dropTo; i++) {
            dropSubtree(child(buffer, base, i), nodeLevel - 1);
        }
        removeChildren(node, dropFrom, dropTo);
        for (int i = dropFrom; i >= dropFrom - 2; i--) {
            mergeIfSmall(node, i, nodeLevel - 1);
        }
        return true;
    }

    private boolean collapseLeaf(int node, long leafStart, long from, long to, long shift) {
        ByteBuffer leaf = nodes.chunk(node);
        int base = base(node);
        int count = count(leaf, base);
        int first = extentAt(leaf, base, from);
        int last = extentAt(leaf, base, to - 1);
        long firstStart = first == 0 ? leafStart : position(leaf, base, first - 1);
        long lastStart = last == 0 ? leafStart : position(leaf, base, last - 1);
        long lastEnd = position(leaf, base, last);
        boolean keepFirst = from > firstStart;
        boolean keepLast = to < lastEnd;
        int added = (keepFirst ? 1 : 0) + (keepLast ? 1 : 0) - (last - first + 1);
        if (count + added > leafCapacity) {
            return false;
        }
        long rest = Extents.advance(address(leaf, base, last), to - lastStart);
        nodes.copyEntries(node, last + 1, node, last + 1 + added, 0, count - last - 1);
        nodes.shift(node, last + 1 + added, count + added, shift);
        if (keepFirst) {
            setPosition(leaf, base, first, from);
        }
        if (keepLast) {
            setExtent(leaf, base, last + added, lastEnd + shift, rest);
        }
        setCount(leaf, base, count + added);
        extentCount += added;
        return true;
    }

    private void removeChildren(int node, int from, int to) {
        int count = nodes.count(node);
        nodes.copyEntries(node, to, node, from, 1, count - to);
        setCount(nodes.chunk(node), base(node), count - (to - from));
    }

    private void mergeIfUnderfull(int parent, int i, int childLevel, int child) {
        if (nodes.count(child) * 8 <= capacity(childLevel) * 3) {
            mergeIfSmall(parent, i, childLevel);
            mergeIfSmall(parent, i - 1, childLevel);
        }
    }

    /** Merges child i + 1 into child i if both exist and fill three quarters of a node at most. */
    private void mergeIfSmall(int parent, int i, int childLevel) {
        if (i < 0 || i + 1 >= nodes.count(parent)) {
            return;
        }
        int left = child(nodes.chunk(parent), base(parent), i);
        int right = child(nodes.chunk(parent), base(parent), i + 1);
        int leftCount = nodes.count(left);
        int rightCount = nodes.count(right);
        if ((leftCount + rightCount) * 4 <= capacity(childLevel) * 3) {
            nodes.copyEntries(right, 0, left, leftCount, childLevel, rightCount);
            setCount(nodes.chunk(left), base(left), leftCount + rightCount);
            nodes.free(right);
            removeChildren(parent, i + 1, i + 2);
        }
    }

    private int capacity(int nodeLevel) {
        return nodeLevel == 0 ? leafCapacity : internalCapacity;
    }

    private void dropSubtree(int node, int nodeLevel) {
        int count = nodes.count(node);
        if (nodeLevel == 0) {
            extentCount -= count;
        } else {
            for (int i = 0; i < count; i++) {
                dropSubtree(child(nodes.chunk(node), base(node), i), nodeLevel - 1);
            }
        }
        nodes.free(node);
    }

    @Override
    public long lookup(long logicalOffset) {
        Objects.checkIndex(logicalOffset, size);
        int node = root;
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        long start = 0;
        for (int at = level; at > 0; at--) {
            int i = childAt(buffer, base, logicalOffset);
            start = position(buffer, base, i);
            node = child(buffer, base, i);
            buffer = nodes.chunk(node);
            base = base(node);
        }
        BPlusNodes.touchAddresses(buffer, base);
        int i = extentAt(buffer, base, logicalOffset);
        long extentStart = i == 0 ? start : position(buffer, base, i - 1);
        return Extents.advance(address(buffer, base, i), logicalOffset - extentStart);
    }

    @Override
    public void query(long logicalOffset, long length, ExtentConsumer consumer) {
        Objects.checkFromIndexSize(logicalOffset, length, size);
        if (length > 0) {
            query(root, level, 0, logicalOffset, logicalOffset + length, consumer);
        }
    }

    private void query(int node, int nodeLevel, long nodeStart, long from, long to, ExtentConsumer consumer) {
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        int count = count(buffer, base);
        if (nodeLevel > 0) {
            for (int i = childAt(buffer, base, from); i < count; i++) {
                long start = position(buffer, base, i);
                if (start >= to) {
                    return;
                }
                query(child(buffer, base, i), nodeLevel - 1, start, from, to, consumer);
            }
            return;
        }
        BPlusNodes.touchAddresses(buffer, base);
        int i = extentAt(buffer, base, from);
        for (long start = i == 0 ? nodeStart : position(buffer, base, i - 1); i < count && start < to; i++) {
            long end = position(buffer, base, i);
            long first = Math.max(start, from);
            long address = Extents.advance(address(buffer, base, i), first - start);
            consumer.accept(first, Math.min(end, to) - first, address, 0);
            start = end;
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long extentCount() {
        return extentCount;
    }

    @Override
    public long memoryBytes() {
        return nodes.memoryBytes();
    }

    /** Visits every node and throws an {@link AssertionError} that names the first broken invariant and the node. */
    void checkInvariants() {
        long[] found = new long[2]; // nodes, extents
        if (root != 0) {
            check(level == 0 || nodes.count(root) > 1, "I1", root);
            check(checkNode(root, level, 0, found) == size, "I2", root);
        }
        check(found[0] == nodes.liveCount(), "count of nodes", root);
        check(found[1] == extentCount, "count of extents", root);
    }

    private long checkNode(int node, int nodeLevel, long start, long[] found) {
        ByteBuffer buffer = nodes.chunk(node);
        int base = base(node);
        int count = count(buffer, base);
        check(count > 0 && count <= capacity(nodeLevel), "I1", node);
        found[0]++;
        found[1] += nodeLevel == 0 ? count : 0;
        long end = start;
        for (int i = 0; i < count; i++) {
            long position = position(buffer, base, i);
            if (nodeLevel > 0) {
                check(position == end, "I2", node);
                end = checkNode(child(buffer, base, i), nodeLevel - 1, position, found);
            } else {
                int most = Extents.mostBytes(address(buffer, base, i), maxExtentBytes);
                check(position > end && position - end <= most, "I3", node);
                end = position;
            }
        }
        return end;
    }

    private static void check(boolean holds, String invariant, int node) {
        if (!holds) {
            throw new AssertionError(invariant + " does not hold at node " + node);
        }
    }

    @Override
    public String toString() {
        return "BPlusTree[size=" + size + ", extents=" + extentCount + ", level=" + level + ", nodes="
                + nodes.liveCount() + ", memoryBytes=" + memoryBytes() + "]";
    }
}
