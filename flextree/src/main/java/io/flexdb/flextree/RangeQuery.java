package io.flexdb.flextree;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;

/**
 * Hands over the extents of a range of a tree, given by its root, that does not change meanwhile. Stateless; any
 * thread.
 */
final class RangeQuery {
    private RangeQuery() {}

    /**
     * Hands over what [from, to) maps to; the first and the last extent are clipped.
     *
     * @param node the root
     * @param nodeStart what to add to offsets relative to the node: 0 for the root
     * @param from the first byte, relative to the node, at least 0
     * @param to the byte after the last one; more than the node has is as good as all it has
     */
    static void query(NodePool pool, int node, int level, long nodeStart, long from, long to, ExtentConsumer consumer) {
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
