package io.flexdb.flextree.internal.tree;

import static io.flexdb.flextree.internal.tree.NodeFormat.ENDS_OFFSET;
import static io.flexdb.flextree.internal.tree.NodeFormat.SLOT_OFFSET;
import static io.flexdb.flextree.internal.tree.NodeFormat.STARTS_OFFSET;
import static io.flexdb.flextree.internal.tree.NodeFormat.child;
import static io.flexdb.flextree.internal.tree.NodeFormat.childStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.count;
import static io.flexdb.flextree.internal.tree.NodeFormat.end;
import static io.flexdb.flextree.internal.tree.NodeFormat.setChild;
import static io.flexdb.flextree.internal.tree.NodeFormat.setChildStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.setCount;
import static io.flexdb.flextree.internal.tree.NodeFormat.setEnd;
import static io.flexdb.flextree.internal.tree.NodeFormat.setWord;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import java.nio.ByteBuffer;

/** The writer's operations on single nodes and on pairs of siblings. Writer only. */
public final class TreeNodes {
    /*
     * Path copying: a node is changed in place if it was born in the writer's present epoch, else it is copied and the
     * original retired. A node's parent is made writable before the node, so that the parent can be told of the copy;
     * hence no node is younger than its parent.
     *
     * Images are made of nodes of earlier epochs only. So a node with one is never changed; when it is retired, its
     * slot goes to the listener. Whatever is below a node with an image has an image.
     *
     * While only the writer sees the tree, there is nobody to keep the original for: a node of an earlier epoch gives
     * up its image and is changed in place, as one of this epoch.
     */
    public final Epochs epochs;
    final NodePool pool;
    final int leafCapacity;
    final int internalCapacity;

    SlotListener slotListener = (slot, level) -> {};
    long nodeCount;
    long internalNodeCount;
    boolean onlyWriterSees;
    private long epoch;

    TreeNodes(Epochs epochs, int leafCapacity, int internalCapacity, OffHeap memory) {
        this.epochs = epochs;
        this.pool = new NodePool(epochs, NodeFormat.NODE_BYTES, memory, OffHeap.Use.TREE);
        this.leafCapacity = leafCapacity;
        this.internalCapacity = internalCapacity;
    }

    /** To be called before the first change after the epoch may have been advanced. */
    public void refreshEpoch() {
        epoch = epochs.writerEpoch();
    }

    public int capacity(int level) {
        return level == 0 ? leafCapacity : internalCapacity;
    }

    /** An empty node of this epoch. */
    public int create(int level) {
        return create(level, 0);
    }

    /** A node of this epoch, of so many entries, which the caller sets. */
    public int create(int level, int count) {
        int node = pool.allocate();
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        buffer.putLong(base, NodeFormat.state(epoch, level, count));
        buffer.putLong(base + SLOT_OFFSET, 0);
        clear(buffer, base, level, count, NodeFormat.MAX_CAPACITY);
        nodeCount++;
        internalNodeCount += level > 0 ? 1 : 0;
        return node;
    }

    /** Whether a node may be changed, and with it those above it. */
    boolean isWritable(int node) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        return NodeFormat.birth(buffer.getLong(base)) == epoch;
    }

    /** The node itself if it may be changed, else the copy that takes its place. */
    int writable(int node) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        long state = buffer.getLong(base);
        if (NodeFormat.birth(state) == epoch) {
            return node;
        }
        if (onlyWriterSees) {
            renew(buffer, base, state);
            return node;
        }
        int copy = pool.allocate();
        ByteBuffer copyBuffer = pool.chunk(copy);
        int copyBase = NodeFormat.base(copy);
        copyBuffer.put(copyBase, buffer, base, NodeFormat.NODE_BYTES);
        copyBuffer.putLong(copyBase, state & 0xffff | epoch << 16);
        copyBuffer.putLong(copyBase + SLOT_OFFSET, 0);
        retire(node, buffer, base, state);
        return copy;
    }

    private void retire(int node, ByteBuffer buffer, int base, long state) {
        giveUpImage(NodeFormat.retireSlot(buffer, base), state);
        pool.retire(node, NodeFormat.birth(state));
    }

    private void giveUpImage(int slot, long state) {
        if (slot != 0) {
            slotListener.slotRetired(slot, NodeFormat.level(state));
        }
    }

    /** Makes a node one of this epoch without an image. Nobody saves it meanwhile. */
    private void renew(ByteBuffer buffer, int base, long state) {
        giveUpImage(NodeFormat.slot(buffer, base), state);
        buffer.putLong(base, state & 0xffff | epoch << 16);
        buffer.putLong(base + SLOT_OFFSET, 0);
    }

    /** Makes child i of a writable node writable and returns it. */
    int writableChild(ByteBuffer parent, int parentBase, int i) {
        int child = child(parent, parentBase, i);
        int writable = writable(child);
        if (writable != child) {
            setChild(parent, parentBase, i, writable);
        }
        return writable;
    }

    /** Retires a node that the tree no longer holds. */
    void drop(int node) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        long state = buffer.getLong(base);
        nodeCount--;
        internalNodeCount -= NodeFormat.level(state) > 0 ? 1 : 0;
        retire(node, buffer, base, state);
    }

    /** Copies a node's entries from one on to a place in a node of the same kind; the counts are the caller's. */
    private static void copyEntries(ByteBuffer source, int sourceBase, int from, ByteBuffer target, int base, int to) {
        int level = NodeFormat.level(source.getLong(sourceBase));
        int entries = count(source, sourceBase) - from;
        // The two arrays of both kinds of nodes: first the one that tells positions, then the one that tells contents.
        int firstBytes = level == 0 ? Integer.BYTES : Long.BYTES;
        int secondBytes = level == 0 ? Long.BYTES : Integer.BYTES;
        int first = level == 0 ? ENDS_OFFSET : STARTS_OFFSET;
        int second = level == 0 ? NodeFormat.WORDS_OFFSET : NodeFormat.CHILDREN_OFFSET;
        target.put(
                base + first + to * firstBytes, source, sourceBase + first + from * firstBytes, entries * firstBytes);
        target.put(
                base + second + to * secondBytes,
                source,
                sourceBase + second + from * secondBytes,
                entries * secondBytes);
    }

    /** Makes the positions of the entries [from, to) those of no entries. */
    static void clear(ByteBuffer buffer, int base, int level, int from, int to) {
        for (int i = from; i < to; i++) {
            if (level == 0) {
                setEnd(buffer, base, i, Integer.MAX_VALUE);
            } else {
                setChildStart(buffer, base, i, Long.MAX_VALUE);
            }
        }
    }

    /** Adds to the positions of the entries [from, to): the shift of the paper, in both kinds of nodes. */
    static void shift(ByteBuffer buffer, int base, int level, int from, int to, long bytes) {
        if (level == 0) {
            int delta = (int) bytes;
            int stop = base + ENDS_OFFSET + to * Integer.BYTES;
            for (int at = base + ENDS_OFFSET + from * Integer.BYTES; at < stop; at += Integer.BYTES) {
                buffer.putInt(at, buffer.getInt(at) + delta);
            }
        } else {
            int at = base + STARTS_OFFSET + from * Long.BYTES;
            int stop = base + STARTS_OFFSET + to * Long.BYTES;
            for (; at < stop; at += Long.BYTES) {
                buffer.putLong(at, buffer.getLong(at) + bytes);
            }
        }
    }

    /**
     * Moves the extents from index {@code from} on up by {@code by} entries, and shifts their ends in the same pass.
     */
    static void openGap(ByteBuffer leaf, int base, int from, int count, int by, int bytes) {
        moveWords(leaf, base, from, count, by); // first: they are less likely to be in a cache than the ends
        int distance = by * Integer.BYTES;
        int first = base + ENDS_OFFSET + from * Integer.BYTES;
        for (int at = base + ENDS_OFFSET + (count - 1) * Integer.BYTES; at >= first; at -= Integer.BYTES) {
            leaf.putInt(at + distance, leaf.getInt(at) + bytes);
        }
    }

    /**
     * Moves the extents from index {@code from} on down by {@code by} entries, and shifts their ends in the same pass.
     */
    static void closeGap(ByteBuffer leaf, int base, int from, int count, int by, int bytes) {
        moveWords(leaf, base, from, count, -by);
        int distance = by * Integer.BYTES;
        int stop = base + ENDS_OFFSET + count * Integer.BYTES;
        for (int at = base + ENDS_OFFSET + from * Integer.BYTES; at < stop; at += Integer.BYTES) {
            leaf.putInt(at - distance, leaf.getInt(at) - bytes);
        }
        clear(leaf, base, 0, count - by, count);
    }

    private static void moveWords(ByteBuffer leaf, int base, int from, int count, int by) {
        int word = base + NodeFormat.WORDS_OFFSET + from * Long.BYTES;
        leaf.put(word + by * Long.BYTES, leaf, word, (count - from) * Long.BYTES);
    }

    static void setExtent(ByteBuffer leaf, int base, int i, int end, long word) {
        setEnd(leaf, base, i, end);
        setWord(leaf, base, i, word);
    }

    static void insertChild(ByteBuffer node, int base, int i, long start, int child) {
        int count = count(node, base);
        copyEntries(node, base, i, node, base, i + 1);
        setChildStart(node, base, i, start);
        setChild(node, base, i, child);
        setCount(node, base, count + 1);
    }

    static void removeChildren(ByteBuffer node, int base, int from, int to) {
        int count = count(node, base);
        copyEntries(node, base, to, node, base, from);
        clear(node, base, 1, count - (to - from), count);
        setCount(node, base, count - (to - from));
    }

    /**
     * Moves the upper half of a writable child's entries to a new sibling. Their positions are rebased to the start of
     * the sibling, which becomes the parent's next child and starts where the median entry did.
     *
     * @return the sibling's start relative to the child
     */
    long split(ByteBuffer parent, int parentBase, int i, int child, int level) {
        ByteBuffer left = pool.chunk(child);
        int leftBase = NodeFormat.base(child);
        int count = count(left, leftBase);
        int kept = count / 2;
        int sibling = create(level);
        ByteBuffer right = pool.chunk(sibling);
        int rightBase = NodeFormat.base(sibling);
        long median = level == 0 ? end(left, leftBase, kept - 1) : childStart(left, leftBase, kept);
        copyEntries(left, leftBase, kept, right, rightBase, 0);
        shift(right, rightBase, level, 0, count - kept, -median);
        setCount(right, rightBase, count - kept);
        clear(left, leftBase, level, kept, count);
        setCount(left, leftBase, kept);
        insertChild(parent, parentBase, i + 1, childStart(parent, parentBase, i) + median, sibling);
        return median;
    }

    /** Merges child i + 1 of a writable node into child i if both exist and fill three quarters of a node at most. */
    boolean mergeIfSmall(ByteBuffer parent, int parentBase, int i, int level) {
        if (i < 0 || i + 1 >= count(parent, parentBase)) {
            return false;
        }
        int sibling = child(parent, parentBase, i + 1);
        ByteBuffer right = pool.chunk(sibling);
        int rightBase = NodeFormat.base(sibling);
        int rightCount = count(right, rightBase);
        int left = child(parent, parentBase, i);
        int leftCount = count(pool.chunk(left), NodeFormat.base(left));
        if ((leftCount + rightCount) * 4 > capacity(level) * 3) {
            return false;
        }
        left = writableChild(parent, parentBase, i);
        ByteBuffer leftBuffer = pool.chunk(left);
        int leftBase = NodeFormat.base(left);
        // Offsets relative to the right node become relative to the left one.
        long rebase = childStart(parent, parentBase, i + 1) - childStart(parent, parentBase, i);
        copyEntries(right, rightBase, 0, leftBuffer, leftBase, leftCount);
        shift(leftBuffer, leftBase, level, leftCount, leftCount + rightCount, rebase);
        setCount(leftBuffer, leftBase, leftCount + rightCount);
        drop(sibling);
        removeChildren(parent, parentBase, i + 1, i + 2);
        return true;
    }
}
