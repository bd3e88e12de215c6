package io.flexdb.flextree.internal.tree;

import static io.flexdb.flextree.internal.tree.NodeFormat.child;
import static io.flexdb.flextree.internal.tree.NodeFormat.childStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.count;
import static io.flexdb.flextree.internal.tree.NodeFormat.end;
import static io.flexdb.flextree.internal.tree.NodeFormat.start;
import static io.flexdb.flextree.internal.tree.NodeFormat.word;

import io.flexdb.base.memory.NodePool;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Proves the invariants of a tree, which {@code FlexTree} lists, or prints it. Writer only. */
public final class TreeChecker {
    // Each node's conditions are spelled out. A method that is given a message would cost more.
    private final TreeNodes nodes;
    private final NodePool pool;
    private final boolean checksImages;
    private final BitSet visited = new BitSet();
    private long extentCount;
    private long internalNodeCount;

    private TreeChecker(TreeWriter writer, boolean checksImages) {
        this.checksImages = checksImages;
        this.nodes = writer.nodes();
        this.pool = writer.pool();
    }

    /** Throws an {@link AssertionError} that names the first invariant found broken, and the node. */
    public static void check(TreeWriter writer) {
        TreeChecker checker = new TreeChecker(writer, true);
        long bytes = 0;
        if (writer.root() != 0) {
            long youngest = writer.nodes().epochs.writerEpoch();
            bytes = checker.checkNode(writer.root(), writer.level(), youngest, false);
            int rootCount = count(writer.pool().chunk(writer.root()), NodeFormat.base(writer.root()));
            require(writer.level() == 0 || rootCount > 1, "I1", writer.root(), "an internal root with one child");
        }
        long nodeCount = checker.visited.cardinality();
        String counts = bytes + " bytes, " + checker.extentCount + " extents, " + nodeCount + " nodes";
        require(
                bytes == writer.size()
                        && checker.extentCount == writer.extentCount()
                        && nodeCount == writer.nodeCount()
                        && checker.internalNodeCount == writer.internalNodeCount(),
                "I7",
                writer.root(),
                counts + " counted, but " + writer.size() + ", " + writer.extentCount() + ", " + writer.nodeCount());
        long live = writer.pool().liveCount();
        int retired = writer.pool().retiredCount();
        require(live == nodeCount + retired, "I8", writer.root(), live + " live, " + retired + " retired, " + counts);
    }

    /** Checks a version, of which the counts of nodes are not known. Any thread that may read it. */
    public static void check(TreeWriter writer, int root, int level, long size, long extentCount) {
        TreeChecker checker = new TreeChecker(writer, false); // a checkpoint may be giving images to nodes
        long bytes = root == 0 ? 0 : checker.checkNode(root, level, Long.MAX_VALUE, false);
        require(
                bytes == size && checker.extentCount == extentCount,
                "I7",
                root,
                bytes + " bytes, " + checker.extentCount + " extents counted, but " + size + ", " + extentCount);
    }

    private long checkNode(int node, int level, long youngest, boolean clean) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        long state = buffer.getLong(base);
        int count = count(buffer, base);
        require(!visited.get(node), "I5", node, "in the tree twice");
        visited.set(node);
        internalNodeCount += level > 0 ? 1 : 0;
        if (count < 1 || count > nodes.capacity(level)) {
            throw broken("I1", node, count + " entries");
        }
        if (NodeFormat.level(state) != level) {
            throw broken("I2", node, "level is not " + level);
        }
        for (int i = count; i < NodeFormat.MAX_CAPACITY; i++) {
            boolean isNone = level == 0
                    ? end(buffer, base, i) == Integer.MAX_VALUE
                    : childStart(buffer, base, i) == Long.MAX_VALUE;
            if (!isNone) {
                throw broken("I9", node, "position " + i + " of " + count + " is set");
            }
        }
        if (NodeFormat.birth(state) > youngest) {
            throw broken("I5", node, "younger than " + youngest);
        }
        boolean hasImage = NodeFormat.slot(buffer, base) != 0;
        require(hasImage || !clean || !checksImages, "I6", node, "no image, but its parent has one");
        return level == 0
                ? checkExtents(buffer, base, node, count)
                : checkChildren(buffer, base, node, level, NodeFormat.birth(state), hasImage);
    }

    private long checkChildren(ByteBuffer buffer, int base, int node, int level, long birth, boolean clean) {
        long end = 0;
        int count = count(buffer, base);
        for (int i = 0; i < count; i++) {
            if (childStart(buffer, base, i) != end) {
                throw broken("I3", node, "child " + i + " does not start at " + end);
            }
            end += checkNode(child(buffer, base, i), level - 1, birth, clean);
        }
        return end;
    }

    private long checkExtents(ByteBuffer leaf, int base, int node, int count) {
        for (int i = 0; i < count; i++) {
            int length = end(leaf, base, i) - start(leaf, base, i);
            long word = word(leaf, base, i);
            if (length <= 0 || length > NodeFormat.MAX_EXTENT_BYTES) {
                throw broken("I4", node, "extent of length " + length);
            }
            if (!NodeFormat.isHole(word) && NodeFormat.address(word) + length > NodeFormat.HOLE) {
                throw broken("I4", node, "extent " + i + " ends beyond the largest address");
            }
        }
        extentCount += count;
        return end(leaf, base, count - 1);
    }

    private static void require(boolean holds, String invariant, int node, String found) {
        if (!holds) {
            throw broken(invariant, node, found);
        }
    }

    private static AssertionError broken(String invariant, int node, String found) {
        return new AssertionError(invariant + " broken at node " + node + ": " + found);
    }

    /** The tree in words. */
    public static String dump(TreeWriter writer) {
        StringBuilder text = new StringBuilder();
        text.append("size ").append(writer.size()).append(", extents ").append(writer.extentCount());
        if (writer.root() == 0) {
            return text.append(", empty\n").toString();
        }
        text.append(", level ").append(writer.level()).append('\n');
        dumpNode(text, writer.pool(), writer.root(), writer.level(), 0, 0);
        return text.toString();
    }

    private static void dumpNode(StringBuilder text, NodePool pool, int node, int level, long nodeStart, int depth) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(buffer, base);
        String indent = "  ".repeat(depth);
        text.append(indent)
                .append(level == 0 ? "leaf at " : "node at ")
                .append(nodeStart)
                .append('\n');
        for (int i = 0; i < count; i++) {
            if (level > 0) {
                long shift = childStart(buffer, base, i);
                text.append(indent).append("  child at ").append(nodeStart + shift);
                text.append(" (shift +").append(shift).append(")\n");
                dumpNode(text, pool, child(buffer, base, i), level - 1, nodeStart + shift, depth + 2);
            } else {
                dumpExtent(text.append(indent).append("  "), buffer, base, i, nodeStart);
            }
        }
    }

    private static void dumpExtent(StringBuilder text, ByteBuffer leaf, int base, int i, long leafStart) {
        int partialOffset = start(leaf, base, i);
        long word = word(leaf, base, i);
        text.append(leafStart + partialOffset)
                .append(" (partial ")
                .append(partialOffset)
                .append(") length ")
                .append(end(leaf, base, i) - partialOffset);
        if (NodeFormat.isHole(word)) {
            text.append(" hole");
        } else {
            text.append(" address ").append(NodeFormat.address(word));
        }
        if (NodeFormat.flags(word) != 0) {
            text.append(" flags ").append(NodeFormat.flags(word));
        }
        text.append('\n');
    }
}
