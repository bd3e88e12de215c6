package io.flexdb.flextree.internal.tree;

import io.flexdb.base.memory.NodePool;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Reads a tree, given by its root, that does not change meanwhile. Stateless; any thread. */
public final class TreeReader {
    // The way down to a leaf stands in two methods: to return a leaf and an offset as one number made lookups slower.
    /** How many offsets {@link #touch} takes at once: their leaves, and the nodes above, fit the first cache. */
    static final int TOUCHED_AT_ONCE = 16;

    private static final int CACHE_LINE_BYTES = 64;

    private TreeReader() {}

    /** The address of the byte at an offset below the tree's size. */
    public static long lookup(NodePool pool, int root, int level, long logicalOffset) {
        int node = root;
        long offset = logicalOffset;
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        for (int at = level; at > 0; at--) {
            int i = NodeFormat.childAt(buffer, base, offset);
            offset -= NodeFormat.childStart(buffer, base, i);
            node = NodeFormat.child(buffer, base, i);
            buffer = pool.chunk(node);
            base = NodeFormat.base(node);
        }
        int relative = (int) offset;
        NodeFormat.touchWords(buffer, base);
        int i = NodeFormat.extentAt(buffer, base, relative);
        return NodeFormat.addressAt(NodeFormat.word(buffer, base, i), relative - NodeFormat.start(buffer, base, i));
    }

    /** Whether the range from an offset below the tree's size on is one extent, neither more nor less. */
    public static boolean isExtent(NodePool pool, int root, int level, long logicalOffset, long length) {
        int node = root;
        long offset = logicalOffset;
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        for (int at = level; at > 0; at--) {
            int i = NodeFormat.childAt(buffer, base, offset);
            offset -= NodeFormat.childStart(buffer, base, i);
            node = NodeFormat.child(buffer, base, i);
            buffer = pool.chunk(node);
            base = NodeFormat.base(node);
        }
        int i = NodeFormat.extentAt(buffer, base, (int) offset);
        return NodeFormat.start(buffer, base, i) == offset && NodeFormat.end(buffer, base, i) == offset + length;
    }

    /**
     * Reads from the nodes that changes at some offsets will need, level by level: the processor waits for memory once
     * for several of them then.
     *
     * @param offsets from 0 to below the tree's size; overwritten
     * @param nodes for as many nodes
     * @param path is told the way to each offset: for each level as many indexes of children
     * @return anything that depends on all that was read, so that it is read
     */
    static long touch(NodePool pool, int root, int level, long[] offsets, int[] nodes, int count, int[] path) {
        Arrays.fill(nodes, 0, count, root);
        long sum = 0;
        for (int at = level; at > 0; at--) {
            for (int k = 0; k < count; k++) {
                ByteBuffer buffer = pool.chunk(nodes[k]);
                int base = NodeFormat.base(nodes[k]);
                int i = NodeFormat.childAt(buffer, base, offsets[k]);
                offsets[k] -= NodeFormat.childStart(buffer, base, i);
                nodes[k] = NodeFormat.child(buffer, base, i);
                path[TOUCHED_AT_ONCE * at + k] = i;
            }
            if (at <= 2) { // the nodes above are few
                for (int k = 0; k < count; k++) {
                    sum += touch(pool.chunk(nodes[k]), NodeFormat.base(nodes[k]));
                }
            }
        }
        return sum;
    }

    /** Reads words that lie in two cache lines each: no read waits for another. */
    private static long touch(ByteBuffer buffer, int base) {
        long sum = 0;
        int first = base + CACHE_LINE_BYTES - Integer.BYTES;
        for (int at = first; at < base + NodeFormat.NODE_BYTES; at += 2 * CACHE_LINE_BYTES) {
            sum += buffer.getLong(at);
        }
        return sum;
    }
}
