package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The nodes of a sparse index and their layout: what both its readers and its writer do with a single node.
 */
final class IndexNodes {
    /*
     * | field        | position | bytes      |                                                         |
     * |--------------|----------|------------|---------------------------------------------------------|
     * | word         | 0        | 8          | birth(48) | level(8) | count(8)                         |
     * | prefixLength | 8        | 4          | bytes that the keys of the entries 1.. all begin with    |
     * | reserved     | 12       | 4          |                                                         |
     * | window       | 16       | capacity*8 | eight bytes of the key behind the prefix, sign flipped   |
     *
     * leaf:     end long[], content long[], hint int[], ref int[]       63 entries of 32 bytes
     * internal: childStart long[], child int[], ref int[]               84 entries of 24 bytes
     *
     * Offsets are relative to the node. In a leaf `end` is where an interval ends, so it starts where the one before
     * it ends. `content` is content number(48) | pairs(16). `hint` is whatever a reader has noted there to find the
     * interval's directory again: it is no part of the index, and a reader may write it at any time, even into a node
     * that nobody else may change. In an internal node `childStart` is the shift of a child. The first entry of both starts at 0.
     *
     * A search compares only the entries from 1 on: it is in this node because its key is not below the first. The
     * first entry of an internal node therefore needs no key, and the common prefix is that of the others; the last key
     * holds it. The 8-byte windows are compared as signed numbers, hence the flip. A window is filled up with zeros,
     * and two keys with the same window are compared in full.
     *
     * The prefix is not always the longest. A search knows that the key sought begins with what the two pivots around
     * it in the parent have in common, and need not look at a key if the node's prefix is no longer than that, which it
     * mostly is by a byte or two. The prefix therefore gives up the bytes that the windows can do without: of the
     * eight, three are left behind those that neighbours have in common.
     *
     * 2 KiB: the writer copies a leaf about once a change when changes are far apart, which costs what is copied, and
     * shifts half the ends of a leaf. 4 KiB would save one level in four at 400,000 intervals, and cost twice that.
     */
    static final int NODE_BYTES = 2048;
    private static final int CONTENT_BITS = 48;
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int PREFIX_LENGTH = 8;
    private static final int WINDOWS = 16;
    private static final int SPARE_BYTES = 5; // of a window, before the byte that tells neighbours apart
    static final int LEAF_CAPACITY = (NODE_BYTES - WINDOWS) / 32;
    static final int INTERNAL_CAPACITY = (NODE_BYTES - WINDOWS) / 24;

    private static final int ENDS = WINDOWS + LEAF_CAPACITY * Long.BYTES;
    private static final int CONTENTS = ENDS + LEAF_CAPACITY * Long.BYTES;
    private static final int HINTS = CONTENTS + LEAF_CAPACITY * Long.BYTES;
    private static final int LEAF_REFS = HINTS + LEAF_CAPACITY * Integer.BYTES;

    private static final int STARTS = WINDOWS + INTERNAL_CAPACITY * Long.BYTES;
    private static final int CHILDREN = STARTS + INTERNAL_CAPACITY * Long.BYTES;
    private static final int INTERNAL_REFS = CHILDREN + INTERNAL_CAPACITY * Integer.BYTES;

    final NodePool pool;
    final KeyArena keys;
    private final Epochs epochs;

    IndexNodes(Epochs epochs, OffHeap memory) {
        this.epochs = epochs;
        this.pool = new NodePool(epochs, NODE_BYTES, memory, OffHeap.Use.INDEX);
        this.keys = new KeyArena(epochs, memory);
    }

    ByteBuffer chunk(int node) {
        return pool.chunk(node);
    }

    int base(int node) {
        return pool.base(node);
    }

    static int count(ByteBuffer b, int base) {
        return b.get(base) & 0xFF;
    }

    static int level(ByteBuffer b, int base) {
        return b.get(base + 1) & 0xFF;
    }

    static long birth(ByteBuffer b, int base) {
        return b.getLong(base) >>> 16;
    }

    static void setCount(ByteBuffer b, int base, int count) {
        b.put(base, (byte) count);
    }

    static int prefixLength(ByteBuffer b, int base) {
        return b.getInt(base + PREFIX_LENGTH);
    }

    static long window(ByteBuffer b, int base, int i) {
        return b.getLong(base + WINDOWS + i * Long.BYTES);
    }

    static long end(ByteBuffer b, int base, int i) {
        return b.getLong(base + ENDS + i * Long.BYTES);
    }

    /** Where an interval of a leaf starts. */
    static long start(ByteBuffer b, int base, int i) {
        return i == 0 ? 0 : end(b, base, i - 1);
    }

    /** The number of the content, and how many pairs it has. */
    static long contentWord(ByteBuffer b, int base, int i) {
        return b.getLong(base + CONTENTS + i * Long.BYTES);
    }

    static long content(ByteBuffer b, int base, int i) {
        return contentWord(b, base, i) >>> Short.SIZE;
    }

    static int pairs(ByteBuffer b, int base, int i) {
        return (int) contentWord(b, base, i) & 0xFFFF;
    }

    static int hint(ByteBuffer b, int base, int i) {
        return (int) INT.getAcquire(b, base + HINTS + i * Integer.BYTES);
    }

    static long childStart(ByteBuffer b, int base, int i) {
        return b.getLong(base + STARTS + i * Long.BYTES);
    }

    static int child(ByteBuffer b, int base, int i) {
        return b.getInt(base + CHILDREN + i * Integer.BYTES);
    }

    static int ref(ByteBuffer b, int base, int level, int i) {
        return b.getInt(base + (level == 0 ? LEAF_REFS : INTERNAL_REFS) + i * Integer.BYTES);
    }

    static void setRef(ByteBuffer b, int base, int level, int i, int ref) {
        b.putInt(base + (level == 0 ? LEAF_REFS : INTERNAL_REFS) + i * Integer.BYTES, ref);
    }

    static void setEnd(ByteBuffer b, int base, int i, long end) {
        b.putLong(base + ENDS + i * Long.BYTES, end);
    }

    /** More pairs than the word has bits for are as many as it can tell, which stands for an unknown number. */
    static long contentWord(long content, int pairs) {
        assert content >>> CONTENT_BITS == 0;
        return content << Short.SIZE | Math.min(pairs, 0xFFFF);
    }

    static void setContentWord(ByteBuffer b, int base, int i, long word) {
        b.putLong(base + CONTENTS + i * Long.BYTES, word);
    }

    static void setHint(ByteBuffer b, int base, int i, int hint) {
        INT.setRelease(b, base + HINTS + i * Integer.BYTES, hint);
    }

    static void setChildStart(ByteBuffer b, int base, int i, long start) {
        b.putLong(base + STARTS + i * Long.BYTES, start);
    }

    static void setChild(ByteBuffer b, int base, int i, int child) {
        b.putInt(base + CHILDREN + i * Integer.BYTES, child);
    }

    /** Adds to the ends of a leaf's intervals from one on. */
    static void shiftEnds(ByteBuffer b, int base, int from, int count, long delta) {
        for (int at = base + ENDS + from * Long.BYTES, to = base + ENDS + count * Long.BYTES; at < to; at += 8) {
            b.putLong(at, b.getLong(at) + delta);
        }
    }

    /** Adds to the shifts of an internal node's children from one on. */
    static void shiftChildren(ByteBuffer b, int base, int from, int count, long delta) {
        for (int at = base + STARTS + from * Long.BYTES, to = base + STARTS + count * Long.BYTES; at < to; at += 8) {
            b.putLong(at, b.getLong(at) + delta);
        }
    }

    /** Moves the entries from {@code from} on to {@code to}; the count is the caller's. */
    static void move(ByteBuffer b, int base, int level, int from, int to, int count) {
        int moved = count - from;
        moveField(b, base + WINDOWS, Long.BYTES, from, to, moved);
        if (level == 0) {
            moveField(b, base + ENDS, Long.BYTES, from, to, moved);
            moveField(b, base + CONTENTS, Long.BYTES, from, to, moved);
            moveField(b, base + HINTS, Integer.BYTES, from, to, moved);
            moveField(b, base + LEAF_REFS, Integer.BYTES, from, to, moved);
        } else {
            moveField(b, base + STARTS, Long.BYTES, from, to, moved);
            moveField(b, base + CHILDREN, Integer.BYTES, from, to, moved);
            moveField(b, base + INTERNAL_REFS, Integer.BYTES, from, to, moved);
        }
    }

    private static void moveField(ByteBuffer b, int field, int bytes, int from, int to, int moved) {
        b.put(field + to * bytes, b, field + from * bytes, moved * bytes);
    }

    /** A node without entries, born in the writer's epoch. */
    int allocate(int level) {
        int node = pool.allocate();
        chunk(node).putLong(base(node), epochs.writerEpoch() << 16 | (long) level << 8);
        chunk(node).putLong(base(node) + PREFIX_LENGTH, 0);
        return node;
    }

    /** The node itself if the writer's epoch made it, and else a copy that replaces it. */
    int writable(int node) {
        ByteBuffer b = chunk(node);
        int base = base(node);
        long birth = birth(b, base);
        long epoch = epochs.writerEpoch();
        if (birth == epoch) {
            return node;
        }
        int copy = pool.allocate();
        ByteBuffer to = chunk(copy);
        int toBase = base(copy);
        to.put(toBase, b, base, NODE_BYTES);
        to.putLong(toBase, epoch << 16 | b.getLong(base) & 0xFFFF);
        pool.retire(node, birth);
        return copy;
    }

    void retire(int node) {
        pool.retire(node, birth(chunk(node), base(node)));
    }

    /** The last child that does not start behind an offset. */
    static int childAtOffset(ByteBuffer b, int base, long offset) {
        int i = count(b, base) - 1;
        while (i > 0 && childStart(b, base, i) > offset) {
            i--;
        }
        return i;
    }

    /** The interval of a leaf that ends behind an offset, or the last one. */
    static int intervalAtOffset(ByteBuffer b, int base, long offset) {
        int last = count(b, base) - 1;
        int i = 0;
        while (i < last && end(b, base, i) <= offset) {
            i++;
        }
        return i;
    }

    /**
     * The last entry whose key is not above the one sought, or the first entry.
     *
     * @param known how many bytes the key sought is known to share with all keys of this node, zeros after the end of
     *     a key included
     */
    int floor(ByteBuffer b, int base, byte[] key, int from, int length, int known) {
        int count = count(b, base);
        int prefixLength = prefixLength(b, base);
        if (prefixLength > known && count > 1) {
            int last = ref(b, base, level(b, base), count - 1);
            int order = keys.comparePrefix(key, from, length, last, prefixLength);
            if (order != 0) {
                return order < 0 ? 0 : count - 1;
            }
        }
        long sought = KeyBytes.window(key, from, length, prefixLength) ^ Long.MIN_VALUE;
        int low = floorOfWindow(b, base, count, sought);
        return low > 0 && window(b, base, low) == sought ? floorOfTied(b, base, low, key, from, length) : low;
    }

    /** The last entry whose window is not above the one sought, or the first entry. */
    private static int floorOfWindow(ByteBuffer b, int base, int count, long sought) {
        // Counting, first every eighth and then within eight. Halving would need fewer steps, but each has to wait for
        // the one before it, by a mispredicted branch or by the memory it reads; these can all be under way at once.
        int low = 0;
        for (int i = 8; i < count; i += 8) {
            low += window(b, base, i) <= sought ? 8 : 0;
        }
        int end = Math.min(low + 8, count);
        int floor = low;
        for (int i = low + 1; i < end; i++) {
            floor += window(b, base, i) <= sought ? 1 : 0;
        }
        return floor;
    }

    /** The floor among the entries up to this one whose window is the same, or the entry before them. */
    private int floorOfTied(ByteBuffer b, int base, int last, byte[] key, int from, int length) {
        int level = level(b, base);
        long window = window(b, base, last);
        int low = last;
        while (low > 1 && window(b, base, low - 1) == window) {
            low--;
        }
        int high = last + 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keys.compare(key, from, length, ref(b, base, level, middle)) >= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /**
     * How many bytes a key sought shares with everything below an entry: with what the two keys around it share, if it
     * has two.
     */
    static int knownBelow(ByteBuffer b, int base, int i, int known) {
        if (i == 0 || i + 1 >= count(b, base)) {
            return known;
        }
        long difference = window(b, base, i) ^ window(b, base, i + 1);
        return Math.max(known, prefixLength(b, base) + (Long.numberOfLeadingZeros(difference) >>> 3));
    }

    /** Makes the common prefix and the windows right again after the keys from one entry to before another are new. */
    void keysInserted(ByteBuffer b, int base, int level, int from, int to) {
        int count = count(b, base);
        if (count < 2) {
            return;
        }
        int prefixLength = prefixLength(b, base);
        if (from <= 1 && to >= count) {
            rebuildWindows(b, base, level); // these are the first keys, so they may have more in common
            return;
        }
        if (from <= 1 || to >= count) {
            int common = keys.commonPrefix(ref(b, base, level, 1), ref(b, base, level, count - 1));
            if (common < prefixLength) {
                rebuildWindows(b, base, level);
                return;
            }
        }
        fillWindows(b, base, level, Math.max(1, from), to, prefixLength);
    }

    /** Finds the common prefix of a node's keys anew. */
    void rebuildWindows(ByteBuffer b, int base, int level) {
        int count = count(b, base);
        int common = 0;
        if (count > 1) {
            common = keys.commonPrefix(ref(b, base, level, 1), ref(b, base, level, count - 1));
        }
        fillWindows(b, base, level, 1, count, common);
        int prefixLength = Math.max(0, common - Math.max(0, SPARE_BYTES - sharedInWindows(b, base, count)));
        if (prefixLength < common) {
            fillWindows(b, base, level, 1, count, prefixLength);
        }
        b.putInt(base + PREFIX_LENGTH, prefixLength);
    }

    /** The most bytes that the windows of two neighbours begin with in common. */
    private static int sharedInWindows(ByteBuffer b, int base, int count) {
        int most = 0;
        for (int i = 2; i < count; i++) {
            long difference = window(b, base, i - 1) ^ window(b, base, i);
            most = Math.max(most, Long.numberOfLeadingZeros(difference) >>> 3);
        }
        return most;
    }

    private void fillWindows(ByteBuffer b, int base, int level, int from, int to, int prefixLength) {
        for (int i = from; i < to; i++) {
            long window = keys.window(ref(b, base, level, i), prefixLength);
            b.putLong(base + WINDOWS + i * Long.BYTES, window ^ Long.MIN_VALUE);
        }
    }
}
