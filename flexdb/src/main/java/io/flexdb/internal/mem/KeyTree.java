package io.flexdb.internal.mem;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The anchors of a memtable in key order: a B+-tree at the upper end of the arena. Any number of threads insert and
 * search; nothing is ever removed.
 */
final class KeyTree {
    /*
     * Problem: cache misses are the cost of an ordered structure of this size, a dozen and more in a skip list. Choice:
     * a B+-tree whose nodes hold, for each key, 64 bits of it as a number, so a search reads a few lines of each of
     * three or four nodes and then one entry. The keys of a store tend to be alike. The bits are therefore those in
     * which the last memtable's keys differ (KeyNumbers). Equal numbers say nothing, and the keys are compared.
     *
     * Each node has a version, odd while a writer changes the node. Readers take no lock: they note the version, read,
     * and check that it is still the same before they use what they read, in particular before they follow it; else
     * they start again from the root. A writer goes down like a reader, splits every full node that it meets, so that
     * there is always room for a separator above, and locks only what it changes: one leaf, or a full node and its
     * parent.
     *
     * Splitting in halves leaves at least 32 keys in a leaf and 24 children in an inner node. At the right edge, where
     * ascending keys arrive, the left part stays nearly full, so only the rightmost node of each level can hold less.
     *
     * T1 Keys ascend strictly within a leaf and from leaf to leaf.
     * T2 A separator is the least key below the child to its right.
     * T3 A number is that of the key it stands for.
     * T4 All leaves are on level 0, and linked in the order of their keys.
     *
     * OFFSET  SIZE    FIELD of a leaf            OFFSET  SIZE    FIELD of an inner node
     * 0       4       version                    0       4       version
     * 4       4       level << 16 | count        4       4       level << 16 | count of separators
     * 8       4       next leaf, 0 none          8       4       first child
     * 12      4       unused                     12      4       unused
     * 16      8 * 64  numbers                    16      8 * 48  numbers of separators
     * 528     4 * 64  anchors                    400     4 * 48  anchors that are separators
     *                                            592     4 * 48  children to their right
     */
    static final int NODE_BYTES = 784;
    static final int LEAF_CAPACITY = 64;
    static final int INNER_CAPACITY = 48;
    /** Arena bytes that a key can cost here at worst. */
    static final int MAX_BYTES_PER_KEY = 26;
    /** Arena bytes on top of that: the root, and the rightmost node of each level. */
    static final int MAX_EXTRA_BYTES = 8 * NODE_BYTES;

    private static final int META = 4;
    private static final int LINK = 8; // the next leaf, or the first child
    private static final int NUMBERS = 16;
    private static final int LEAF_ANCHORS = NUMBERS + 8 * LEAF_CAPACITY;
    private static final int INNER_ANCHORS = NUMBERS + 8 * INNER_CAPACITY;
    private static final int CHILDREN = INNER_ANCHORS + 4 * INNER_CAPACITY;
    private static final int MOVED_AT_EDGE = 4; // what a new rightmost node begins with
    private static final int SPINS_BEFORE_YIELD = 64;
    private static final int SAMPLE = 256;
    /** Instead of an index: what was read may be inconsistent. */
    static final int CHANGED = -1;

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle FREE;

    static {
        try {
            FREE = MethodHandles.lookup().findVarHandle(KeyTree.class, "free", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Nodes nodes;
    private final ByteBuffer memory;
    private final int limit;
    private KeyNumbers numbers = KeyNumbers.OF_ANY;
    private volatile int root;
    private volatile int lastLeaf; // or one that was
    private volatile int free; // tree nodes lie from here to the limit

    KeyTree(Nodes nodes, int limit) {
        this.nodes = nodes;
        this.memory = nodes.arena;
        this.limit = limit;
    }

    /** Empties the tree. Nobody else may use it meanwhile. */
    void reset(KeyNumbers newNumbers) {
        numbers = newNumbers;
        free = limit;
        root = allocate(0);
        lastLeaf = root;
    }

    private int allocate(int level) {
        int node = (int) FREE.getAndAdd(this, -NODE_BYTES) - NODE_BYTES;
        memory.putInt(node, 0);
        memory.putInt(node + META, level << 16);
        memory.putInt(node + LINK, 0);
        return node;
    }

    KeyNumbers numbers() {
        return numbers;
    }

    int root() {
        return root;
    }

    /** Where the tree begins in the arena. */
    int start() {
        return free;
    }

    /** The number of a key: of two keys the lesser never has the greater number. */
    long number(byte[] key, int offset, int length) {
        return numbers.of(key, offset, length);
    }

    // Nodes

    /** The version of a node that no writer is changing. */
    int stableVersion(int node) {
        for (int spins = 1; ; spins++) {
            int version = (int) INTS.getAcquire(memory, node);
            if ((version & 1) == 0) {
                return version;
            }
            if (spins % SPINS_BEFORE_YIELD == 0) {
                Thread.yield(); // the writer may wait for this very core
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Whether all that was read since a version was noted is of that version. */
    boolean isStill(int node, int version) {
        VarHandle.loadLoadFence();
        return (int) INTS.getOpaque(memory, node) == version;
    }

    private boolean lock(int node, int version) {
        boolean locked = INTS.compareAndSet(memory, node, version, version + 1);
        VarHandle.storeStoreFence(); // readers that see a change below also see the version odd
        return locked;
    }

    private void unlock(int node, int version) {
        INTS.setRelease(memory, node, version + 2);
    }

    int count(int node) {
        return memory.getInt(node + META) & 0xffff;
    }

    int level(int node) {
        return memory.getInt(node + META) >>> 16;
    }

    /** The next leaf, or the first child of an inner node. */
    int link(int node) {
        return memory.getInt(node + LINK);
    }

    int anchor(int leaf, int index) {
        return memory.getInt(leaf + LEAF_ANCHORS + 4 * index);
    }

    int separator(int inner, int index) {
        return memory.getInt(inner + INNER_ANCHORS + 4 * index);
    }

    /** The child to the right of {@code index} separators. */
    int child(int inner, int index) {
        return index == 0 ? link(inner) : memory.getInt(inner + CHILDREN + 4 * (index - 1));
    }

    long numberAt(int node, int index) {
        return memory.getLong(node + NUMBERS + 8 * index);
    }

    // Searching

    /** Some anchors from all over the tree, a few hundred at most; all if there are few. Others may write meanwhile. */
    int[] sample() {
        int top = root;
        int[] below = level(top) == 0 ? new int[] {top} : children(top);
        int each = Math.max(1, SAMPLE / below.length);
        int[] anchors = new int[Math.min(LEAF_CAPACITY, each) * below.length];
        int found = 0;
        for (int node : below) {
            found = sample(node, Math.min(LEAF_CAPACITY, each), anchors, found);
        }
        return Arrays.copyOf(anchors, found);
    }

    /** Adds some of a node's anchors to others, and returns how many there are then. */
    private int sample(int node, int most, int[] anchors, int found) {
        while (true) {
            int version = stableVersion(node);
            int count = count(node);
            int step = (count + most - 1) / most;
            int end = found;
            for (int i = 0; i < count; i += step) {
                anchors[end++] = level(node) == 0 ? anchor(node, i) : separator(node, i);
            }
            if (isStill(node, version)) {
                return end;
            }
        }
    }

    private int[] children(int inner) {
        while (true) {
            int version = stableVersion(inner);
            int[] children = new int[count(inner) + 1];
            for (int i = 0; i < children.length; i++) {
                children[i] = child(inner, i);
            }
            if (isStill(inner, version)) {
                return children;
            }
        }
    }

    /**
     * The number of a node's keys before a key, or, if {@code inclusive}, at or before it; {@link #CHANGED} if the node
     * is no longer of that version.
     */
    int rank(int node, int version, boolean inclusive, long number, byte[] key, int offset, int length) {
        int meta = memory.getInt(node + META);
        int anchors = node + (meta >>> 16 == 0 ? LEAF_ANCHORS : INNER_ANCHORS);
        int low = 0;
        int high = meta & 0xffff;
        while (low < high) {
            int middle = low + high >>> 1;
            long other = memory.getLong(node + NUMBERS + 8 * middle);
            boolean before = other < number;
            if (other == number) {
                int anchor = memory.getInt(anchors + 4 * middle);
                if (!isStill(node, version)) {
                    return CHANGED;
                }
                int order = nodes.compareKey(anchor, key, offset, length);
                before = inclusive ? order <= 0 : order < 0;
            }
            if (before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Goes down to the leaf of a key and returns it in the upper half and its version in the lower half. With
     * {@code before} returns the leaf that holds the last key before it, if any, else the one that holds the key or
     * would.
     */
    long findLeaf(boolean before, long number, byte[] key, int offset, int length) {
        while (true) {
            int node = root;
            int version = stableVersion(node);
            boolean changed = node != root;
            while (!changed && level(node) != 0) {
                int rank = rank(node, version, !before, number, key, offset, length);
                int child = rank == CHANGED ? 0 : child(node, rank);
                changed = rank == CHANGED || !isStill(node, version);
                if (!changed) {
                    int childVersion = stableVersion(child);
                    changed = !isStill(node, version);
                    node = child;
                    version = childVersion;
                }
            }
            if (!changed && isStill(node, version)) {
                return (long) node << 32 | version & 0xffff_ffffL;
            }
        }
    }

    /** The anchor of a key, or {@link Nodes#NONE}. */
    int find(byte[] key, int offset, int length) {
        long number = number(key, offset, length);
        while (true) {
            long leafAndVersion = findLeaf(false, number, key, offset, length);
            int leaf = (int) (leafAndVersion >>> 32);
            int version = (int) leafAndVersion;
            int rank = rank(leaf, version, false, number, key, offset, length);
            int anchor = rank == CHANGED || rank == count(leaf) ? Nodes.NONE : anchor(leaf, rank);
            if (rank != CHANGED && isStill(leaf, version)) {
                boolean found = anchor != Nodes.NONE && nodes.compareKey(anchor, key, offset, length) == 0;
                return found ? anchor : Nodes.NONE;
            }
        }
    }

    /** The first or the last leaf and its version, as {@link #findLeaf} returns them. */
    long findEdge(boolean last) {
        while (true) {
            int node = root;
            int version = stableVersion(node);
            if (node != root) {
                continue;
            }
            while (node != 0 && level(node) != 0) {
                int child = child(node, last ? count(node) : 0);
                if (!isStill(node, version)) {
                    node = 0;
                    break;
                }
                int childVersion = stableVersion(child);
                boolean unchanged = isStill(node, version);
                node = unchanged ? child : 0;
                version = childVersion;
            }
            if (node != 0 && isStill(node, version)) {
                return (long) node << 32 | version & 0xffff_ffffL;
            }
        }
    }

    // Inserting

    /** Inserts an anchor unless its key has one already, and returns the one it has. */
    int insert(int anchor, byte[] key, int offset, int length) {
        long number = number(key, offset, length);
        int found = tryAppend(anchor, number, key, offset, length);
        while (found == Nodes.NONE) {
            found = tryInsert(anchor, number, key, offset, length);
            if (found == Nodes.NONE) {
                Thread.onSpinWait();
            }
        }
        return found;
    }

    /**
     * Appends an ascending key without a way down. Returns the key's anchor, or {@link Nodes#NONE} if the key is no
     * such one.
     */
    private int tryAppend(int anchor, long number, byte[] key, int offset, int length) {
        int leaf = lastLeaf;
        int version = stableVersion(leaf);
        int count = count(leaf);
        boolean fits = count > 0 && count < LEAF_CAPACITY && link(leaf) == 0 && numberAt(leaf, count - 1) < number;
        return fits ? insertIntoLeaf(leaf, version, count, anchor, number, key, offset, length) : Nodes.NONE;
    }

    /**
     * Tries to insert on one way down. Returns {@link Nodes#NONE} if it had to split a node, or another thread changed
     * one.
     */
    private int tryInsert(int anchor, long number, byte[] key, int offset, int length) {
        int parent = 0;
        int parentVersion = 0;
        int node = root;
        int version = stableVersion(node);
        if (node != root) {
            return Nodes.NONE;
        }
        boolean atRightEdge = true;
        while (true) {
            int meta = memory.getInt(node + META);
            boolean leaf = meta >>> 16 == 0;
            int count = meta & 0xffff;
            int rank = rank(node, version, !leaf, number, key, offset, length);
            if (rank == CHANGED || !isStill(node, version)) {
                return Nodes.NONE;
            }
            atRightEdge &= rank == count;
            if (count == (leaf ? LEAF_CAPACITY : INNER_CAPACITY)) {
                split(parent, parentVersion, node, version, atRightEdge);
                return Nodes.NONE;
            }
            if (leaf) {
                return insertIntoLeaf(node, version, rank, anchor, number, key, offset, length);
            }
            int child = child(node, rank);
            if (!isStill(node, version)) {
                return Nodes.NONE;
            }
            int childVersion = stableVersion(child);
            if (!isStill(node, version)) {
                return Nodes.NONE;
            }
            parent = node;
            parentVersion = version;
            node = child;
            version = childVersion;
        }
    }

    private int insertIntoLeaf(
            int leaf, int version, int index, int anchor, long number, byte[] key, int offset, int length) {
        if (!lock(leaf, version)) {
            return Nodes.NONE;
        }
        int count = count(leaf);
        boolean present = index < count
                && numberAt(leaf, index) == number
                && nodes.compareKey(anchor(leaf, index), key, offset, length) == 0;
        int found = present ? anchor(leaf, index) : anchor;
        if (!present) {
            openGap(leaf + NUMBERS, index, count, 8);
            openGap(leaf + LEAF_ANCHORS, index, count, 4);
            memory.putLong(leaf + NUMBERS + 8 * index, number);
            memory.putInt(leaf + LEAF_ANCHORS + 4 * index, anchor);
            memory.putInt(leaf + META, count + 1);
        }
        unlock(leaf, version);
        return found;
    }

    private void openGap(int array, int index, int count, int width) {
        if (index < count) {
            move(array + width * index, array + width * (index + 1), width * (count - index));
        }
    }

    private void move(int from, int to, int bytes) {
        memory.put(to, memory, from, bytes);
    }

    /** Splits a full node, unless somebody else has changed it or its parent. */
    private void split(int parent, int parentVersion, int node, int version, boolean atRightEdge) {
        if (parent != 0 && !lock(parent, parentVersion)) {
            return;
        }
        if (!lock(node, version)) {
            if (parent != 0) {
                INTS.setRelease(memory, parent, parentVersion); // nothing was changed
            }
            return;
        }
        int level = level(node);
        int right = allocate(level);
        if (level == 0) {
            splitLeaf(parent, node, right, atRightEdge ? LEAF_CAPACITY - MOVED_AT_EDGE : LEAF_CAPACITY / 2);
        } else {
            splitInner(parent, node, right, atRightEdge ? INNER_CAPACITY - MOVED_AT_EDGE : INNER_CAPACITY / 2);
        }
        unlock(node, version);
        if (parent != 0) {
            unlock(parent, parentVersion);
        }
    }

    private void splitLeaf(int parent, int left, int right, int kept) {
        int moved = LEAF_CAPACITY - kept;
        move(left + NUMBERS + 8 * kept, right + NUMBERS, 8 * moved);
        move(left + LEAF_ANCHORS + 4 * kept, right + LEAF_ANCHORS, 4 * moved);
        memory.putInt(right + META, moved);
        int next = link(left);
        memory.putInt(right + LINK, next);
        if (next == 0) {
            lastLeaf = right;
        }
        memory.putInt(left + LINK, right);
        memory.putInt(left + META, kept);
        insertSeparator(parent, left, right, numberAt(right, 0), anchor(right, 0));
    }

    private void splitInner(int parent, int left, int right, int kept) {
        int level = level(left);
        int moved = INNER_CAPACITY - kept - 1; // the separator between the halves moves up
        long number = numberAt(left, kept);
        int separator = separator(left, kept);
        move(left + NUMBERS + 8 * (kept + 1), right + NUMBERS, 8 * moved);
        move(left + INNER_ANCHORS + 4 * (kept + 1), right + INNER_ANCHORS, 4 * moved);
        move(left + CHILDREN + 4 * (kept + 1), right + CHILDREN, 4 * moved);
        memory.putInt(right + LINK, child(left, kept + 1));
        memory.putInt(right + META, level << 16 | moved);
        memory.putInt(left + META, level << 16 | kept);
        insertSeparator(parent, left, right, number, separator);
    }

    private void insertSeparator(int parent, int left, int right, long number, int separator) {
        int node = parent;
        int index = 0;
        if (parent == 0) {
            node = allocate(level(left) + 1);
            memory.putInt(node + LINK, left);
        } else {
            while (child(node, index) != left) {
                index++;
            }
        }
        int count = count(node);
        openGap(node + NUMBERS, index, count, 8);
        openGap(node + INNER_ANCHORS, index, count, 4);
        openGap(node + CHILDREN, index, count, 4);
        memory.putLong(node + NUMBERS + 8 * index, number);
        memory.putInt(node + INNER_ANCHORS + 4 * index, separator);
        memory.putInt(node + CHILDREN + 4 * index, right);
        memory.putInt(node + META, memory.getInt(node + META) + 1);
        if (parent == 0) {
            root = node;
        }
    }
}
