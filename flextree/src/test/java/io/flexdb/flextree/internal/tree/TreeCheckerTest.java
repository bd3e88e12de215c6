package io.flexdb.flextree.internal.tree;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A checker that never finds anything proves nothing. */
class TreeCheckerTest {
    private final FlexTree tree =
            new FlexTree(FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4));
    private final TreeWriter writer = OwnedTrees.writer(tree);
    private ByteBuffer root;
    private int rootBase;
    private ByteBuffer leaf;
    private int leafBase;

    @BeforeEach
    void fill() {
        for (int i = 0; i < 12; i++) {
            tree.append(10, 100L * i);
        }
        tree.checkInvariants();
        root = writer.pool().chunk(writer.root());
        rootBase = writer.pool().base(writer.root());
        int child = NodeFormat.child(root, rootBase, 1);
        leaf = writer.pool().chunk(child);
        leafBase = writer.pool().base(child);
    }

    private void assertBroken(String invariant) {
        AssertionError error = assertThrows(AssertionError.class, tree::checkInvariants);
        assertTrue(error.getMessage().startsWith(invariant + " broken at node"), error.getMessage());
    }

    @Test
    void anEmptyNodeIsFound() {
        NodeFormat.setCount(leaf, leafBase, 0);
        assertBroken("I1");
    }

    @Test
    void anInternalRootOfOneChildIsFound() {
        TreeNodes.clear(root, rootBase, 1, 1, NodeFormat.count(root, rootBase));
        NodeFormat.setCount(root, rootBase, 1);
        assertBroken("I1");
    }

    @Test
    void aPositionBeyondTheLastEntryIsFound() {
        int count = NodeFormat.count(leaf, leafBase);
        NodeFormat.setEnd(leaf, leafBase, count, 1000);
        assertBroken("I9");
    }

    @Test
    void aWrongLevelIsFound() {
        leaf.put(leafBase + 1, (byte) 1);
        assertBroken("I2");
    }

    @Test
    void aWrongShiftIsFound() {
        NodeFormat.setChildStart(root, rootBase, 1, 41);
        assertBroken("I3");
    }

    @Test
    void anExtentWithoutBytesIsFound() {
        NodeFormat.setEnd(leaf, leafBase, 1, 10);
        assertBroken("I4");
    }

    @Test
    void anAddressThatIsTooLargeIsFound() {
        NodeFormat.setWord(leaf, leafBase, 1, FlexTree.HOLE - 9);
        assertBroken("I4");
    }

    @Test
    void aNodeFromTheFutureIsFound() {
        leaf.putLong(leafBase, NodeFormat.state(2, 0, 4));
        assertBroken("I5");
    }

    @Test
    void aNodeThatIsInTheTreeTwiceIsFound() {
        NodeFormat.setChild(root, rootBase, 0, NodeFormat.child(root, rootBase, 1));
        assertBroken("I5");
    }

    @Test
    void aChangedNodeBelowAnUnchangedOneIsFound() {
        root.putInt(rootBase + NodeFormat.SLOT_OFFSET, 1);
        assertBroken("I6");
    }

    @Test
    void aWrongCountIsFound() {
        writer.install(writer.root(), writer.level(), writer.size(), writer.extentCount() + 1);
        assertBroken("I7");
    }

    @Test
    void aVersionIsCheckedThoughTheWriterHasGoneOn() {
        tree.publish();
        try (FlexTreeView view = tree.view()) {
            tree.collapseRange(0, 110);
            tree.publish();
            tree.checkInvariants(view);
            NodeFormat.setEnd(leaf, leafBase, 1, 10);
            AssertionError error = assertThrows(AssertionError.class, () -> tree.checkInvariants(view));
            assertTrue(error.getMessage().startsWith("I4 broken at node"), error.getMessage());
            tree.checkInvariants();
        }
    }

    @Test
    void aLostNodeIsFound() {
        writer.pool().allocate();
        assertBroken("I8");
    }
}
