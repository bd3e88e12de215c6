package io.flexdb.flextree.internal.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The examples of the paper's section 3. Effective offsets are the paper's; partial offsets and shifts are those of the
 * normal form, in which each node is rebased to its first entry. The text does not mention the extents of the second
 * and the fifth leaf: they are made up.
 */
class PaperFiguresTest {
    private final FlexTree tree =
            new FlexTree(FlexTreeOptions.defaults().withLeafCapacity(8).withInternalCapacity(6));
    private final TreeWriter writer = OwnedTrees.writer(tree);
    private final TreeNodes nodes = writer.nodes();
    private long extentCount;

    @AfterEach
    void checkInvariants() {
        tree.checkInvariants();
    }

    private int leaf(long[]... extents) {
        nodes.refreshEpoch();
        int leaf = nodes.create(0);
        ByteBuffer buffer = nodes.pool.chunk(leaf);
        int base = nodes.pool.base(leaf);
        int end = 0;
        for (int i = 0; i < extents.length; i++) {
            end += (int) extents[i][0];
            TreeNodes.setExtent(buffer, base, i, end, NodeFormat.word(extents[i][1], 0));
            NodeFormat.setCount(buffer, base, i + 1);
        }
        extentCount += extents.length;
        return leaf;
    }

    private int internal(int level, long[] starts, int... children) {
        int node = nodes.create(level);
        for (int i = 0; i < children.length; i++) {
            TreeNodes.insertChild(nodes.pool.chunk(node), nodes.pool.base(node), i, starts[i], children[i]);
        }
        return node;
    }

    private static long[] extent(long length, long address) {
        return new long[] {length, address};
    }

    /** Figure 3b. */
    private void buildFigure3() {
        int left = internal(
                1,
                new long[] {0, 17, 30},
                leaf(extent(9, 0), extent(8, 31)),
                leaf(extent(6, 61), extent(7, 73)),
                leaf(extent(9, 12), extent(3, 39), extent(9, 50)));
        int right = internal(1, new long[] {0, 7}, leaf(extent(7, 42)), leaf(extent(4, 99), extent(5, 105)));
        int root = internal(2, new long[] {0, 51}, left, right);
        writer.install(root, 2, 67, extentCount);
    }

    private List<List<Long>> extents() {
        List<List<Long>> extents = new ArrayList<>();
        tree.query(
                0,
                tree.size(),
                (logicalOffset, length, address, flags) -> extents.add(List.of(logicalOffset, length, address)));
        return extents;
    }

    private long[] starts(int node) {
        ByteBuffer buffer = nodes.pool.chunk(node);
        int base = nodes.pool.base(node);
        long[] starts = new long[NodeFormat.count(buffer, base)];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = NodeFormat.childStart(buffer, base, i);
        }
        return starts;
    }

    private int child(int node, int i) {
        return NodeFormat.child(nodes.pool.chunk(node), nodes.pool.base(node), i);
    }

    @Test
    void figure3EffectiveOffsetsAreTheSumsOfPartialOffsetsAndShifts() {
        buildFigure3();
        assertEquals(
                List.of(
                        List.of(0L, 9L, 0L),
                        List.of(9L, 8L, 31L),
                        List.of(17L, 6L, 61L),
                        List.of(23L, 7L, 73L),
                        List.of(30L, 9L, 12L),
                        List.of(39L, 3L, 39L),
                        List.of(42L, 9L, 50L),
                        List.of(51L, 7L, 42L),
                        List.of(58L, 4L, 99L),
                        List.of(62L, 5L, 105L)),
                extents());
        assertTrue(tree.dump().contains("39 (partial 9) length 3 address 39"), tree.dump());
    }

    @Test
    void figure4AnInsertionAtTheHeadShiftsThreePointers() {
        buildFigure3();
        tree.insertRange(0, 3, 89);
        assertEquals(List.of(0L, 3L, 89L), extents().get(0));
        assertEquals(List.of(3L, 9L, 0L), extents().get(1));
        assertEquals(List.of(12L, 8L, 31L), extents().get(2));
        assertEquals(List.of(33L, 9L, 12L), extents().get(5));
        assertEquals(List.of(54L, 7L, 42L), extents().get(8));
        // Two pointers of the left node and one of the root; nothing below them changes.
        assertArrayEquals(new long[] {0, 20, 33}, starts(child(writer.root(), 0)));
        assertArrayEquals(new long[] {0, 54}, starts(writer.root()));
        assertArrayEquals(new long[] {0, 7}, starts(child(writer.root(), 1)));
    }

    @Test
    void figure6AQueryWalksOverLeaves() {
        buildFigure3();
        tree.insertRange(0, 3, 89);
        List<List<Long>> found = new ArrayList<>();
        tree.query(36, 19, (logicalOffset, length, address, flags) -> found.add(List.of(address, length)));
        assertEquals(List.of(List.of(15L, 6L), List.of(39L, 3L), List.of(50L, 9L), List.of(42L, 1L)), found);
    }

    @Test
    void figure7ACollapseShiftsWhatFollowsBack() {
        buildFigure3();
        tree.insertRange(0, 3, 89);
        List<List<Long>> removed = new ArrayList<>();
        tree.collapseRange(
                33, 9, (logicalOffset, length, address, flags) -> removed.add(List.of(logicalOffset, length, address)));
        assertEquals(List.of(List.of(33L, 9L, 12L)), removed);
        assertEquals(List.of(33L, 3L, 39L), extents().get(5));
        assertEquals(List.of(36L, 9L, 50L), extents().get(6));
        assertEquals(List.of(45L, 7L, 42L), extents().get(7));
    }

    /** A parent whose second child is a node of level 1 that starts at an effective offset. */
    private int parentOf(long[] starts, int... children) {
        long[] all = new long[starts.length + 1];
        int[] allChildren = new int[children.length + 1];
        allChildren[0] = internal(1, new long[] {0}, leaf(extent(starts[0], 1000)));
        for (int i = 0; i < starts.length; i++) {
            all[i + 1] = starts[i];
            allChildren[i + 1] = children[i];
        }
        return internal(2, all, allChildren);
    }

    @Test
    void figure5ASplitKeepsEffectiveOffsets() {
        // Pivots 12, 33 and 45 below a pointer with the shift 5, whose pivot is 10: 17, 38 and 50 in effect.
        int full = internal(
                1,
                new long[] {0, 7, 28, 40},
                leaf(extent(7, 1)),
                leaf(extent(21, 2)),
                leaf(extent(12, 3)),
                leaf(extent(5, 4)));
        int parent = parentOf(new long[] {10}, full);
        writer.install(parent, 2, 55, extentCount);
        List<List<Long>> before = extents();
        long median = nodes.split(nodes.pool.chunk(parent), nodes.pool.base(parent), 1, full, 1);
        assertEquals(28, median);
        assertArrayEquals(new long[] {0, 10, 38}, starts(parent)); // the paper's new pivot: 5 + 33
        assertArrayEquals(new long[] {0, 7}, starts(full));
        assertArrayEquals(new long[] {0, 12}, starts(child(parent, 2)));
        assertEquals(before, extents());
    }

    @Test
    void figure8AMergeKeepsEffectiveOffsets() {
        // Pivot 12 below the shift 5, and 45 below the shift 8 of the pointer whose pivot is 41: 17, 41 and 53.
        int left = internal(1, new long[] {0, 7}, leaf(extent(7, 1)), leaf(extent(24, 2)));
        int right = internal(1, new long[] {0, 12}, leaf(extent(12, 3)), leaf(extent(5, 4)));
        int parent = parentOf(new long[] {10, 41}, left, right);
        writer.install(parent, 2, 58, extentCount);
        List<List<Long>> before = extents();
        assertTrue(nodes.mergeIfSmall(nodes.pool.chunk(parent), nodes.pool.base(parent), 1, 1));
        assertArrayEquals(new long[] {0, 10}, starts(parent));
        assertArrayEquals(new long[] {0, 7, 31, 43}, starts(left)); // at 10: 17, 41 (36 + 5) and 53 (48 + 5)
        assertEquals(before, extents());
    }
}
