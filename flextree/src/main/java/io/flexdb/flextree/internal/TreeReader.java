package io.flexdb.flextree.internal;

import io.flexdb.flextree.ExtentConsumer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Reads a tree, given by its root, that does not change meanwhile. Stateless; any thread. */
public final class TreeReader {
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
     * Reads from the nodes that changes at some offsets will need, level by level: the processor waits for memory once for
     * several of them then.
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
                path[TreeWriter.TOUCHED_AT_ONCE * at + k] = i;
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

    /**
     * Hands over what [from, to) maps to; the first and the last extent are clipped.
     *
     * @param node the root
     * @param nodeStart what to add to offsets relative to the node: 0 for the root
     * @param from the first byte, relative to the node, at least 0
     * @param to the byte after the last one; more than the node has is as good as all it has
     */
    public static void query(
            NodePool pool, int node, int level, long nodeStart, long from, long to, ExtentConsumer consumer) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        if (level == 0) {
            queryLeaf(buffer, base, nodeStart, from, to, consumer);
            return;
        }
        int count = NodeFormat.count(buffer, base);
        for (int i = NodeFormat.childAt(buffer, base, from); i < count; i++) {
            long start = NodeFormat.childStart(buffer, base, i);
            if (start >= to) {
                return;
            }
            int child = NodeFormat.child(buffer, base, i);
            query(pool, child, level - 1, nodeStart + start, Math.max(from - start, 0), to - start, consumer);
        }
    }

    private static void queryLeaf(
            ByteBuffer leaf, int base, long leafStart, long from, long to, ExtentConsumer consumer) {
        int count = NodeFormat.count(leaf, base);
        NodeFormat.touchWords(leaf, base);
        int i = NodeFormat.extentAt(leaf, base, (int) from);
        for (long start = NodeFormat.start(leaf, base, i); i < count && start < to; i++) {
            long end = NodeFormat.end(leaf, base, i);
            long word = NodeFormat.word(leaf, base, i);
            long first = Math.max(start, from);
            consumer.accept(
                    leafStart + first,
                    Math.min(end, to) - first,
                    NodeFormat.addressAt(word, first - start),
                    NodeFormat.flags(word));
            start = end;
        }
    }
}
