package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class FlexTreeTest {
    private static final FlexTreeOptions SMALL =
            FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4);

    private FlexTree tree = new FlexTree(SMALL);

    @AfterEach
    void checkInvariants() {
        tree.checkInvariants();
    }

    private String extents() {
        List<String> extents = new ArrayList<>();
        tree.query(
                0,
                tree.size(),
                (logicalOffset, length, address, flags) -> extents.add(logicalOffset + "+" + length
                        + (address == FlexTree.HOLE ? " hole" : "@" + address) + (flags == 0 ? "" : " f" + flags)));
        return String.join(", ", extents);
    }

    private static void assertRefused(Class<? extends Exception> type, String message, Executable call) {
        Exception thrown = assertThrows(type, call);
        assertTrue(thrown.getMessage().contains(message), thrown.getMessage());
    }

    @Test
    void anEmptyTreeHasNothing() {
        assertEquals(0, tree.size());
        assertEquals(0, tree.extentCount());
        assertEquals(0, tree.nodeCount());
        assertEquals("", extents());
        assertFalse(tree.current().cursor().seek(0));
        assertEquals("size 0, extents 0, empty\n", tree.dump());
        assertRefused(IndexOutOfBoundsException.class, "size 0", () -> tree.lookup(0));
        assertRefused(IndexOutOfBoundsException.class, "size 0", () -> tree.collapseRange(0, 1));
    }

    @Test
    void contiguousExtentsOfTheSameFlagsBecomeOne() {
        tree.append(10, 100);
        tree.append(10, 110);
        tree.append(10, 120, 1);
        tree.append(10, 130, 1);
        tree.insertRange(10, 5, 500);
        tree.insertRange(15, 5, 505);
        assertEquals("0+10@100, 10+10@500, 20+10@110, 30+20@120 f1", extents());
    }

    @Test
    void anAppendFindsTheLastLeafAfterItsNodeHasBecomeAnother() {
        for (int i = 0; i < 7; i++) {
            tree.append(10, 100L * i);
        }
        tree.publish();
        tree.remap(60, 10, 5000, 0, null); // copies the last leaf
        for (int i = 0; i < 4; i++) {
            tree.publish(); // frees the node it was in before
        }
        tree.remap(0, 10, 6000, 0, null); // copies the first leaf, into that node or another
        tree.remap(40, 10, 7000, 0, null);
        tree.append(10, 8000);
        assertEquals(
                "0+10@6000, 10+10@100, 20+10@200, 30+10@300, 40+10@7000, 50+10@500, 60+10@5000, 70+10@8000", extents());
    }

    @Test
    void extentsAreMergedUpToTheGreatestLengthOnly() {
        tree = new FlexTree(SMALL.withMaxExtentBytes(20));
        tree.append(15, 0);
        tree.append(5, 15);
        tree.append(1, 20);
        assertEquals("0+20@0, 20+1@20", extents());
    }

    @Test
    void mergingCanBeSwitchedOff() {
        tree = new FlexTree(SMALL.withMergeExtents(false));
        tree.append(10, 100);
        tree.append(10, 110);
        tree.insertHole(20, 1);
        tree.insertHole(21, 1);
        assertEquals("0+10@100, 10+10@110, 20+1 hole, 21+1 hole", extents());
    }

    @Test
    void holesJoinHolesButNotDataThatEndsAtTheLargestAddress() {
        tree.append(10, FlexTree.HOLE - 10);
        tree.insertHole(10, 5);
        tree.insertHole(15, 5);
        assertEquals("0+10@" + (FlexTree.HOLE - 10) + ", 10+10 hole", extents());
        assertEquals(FlexTree.HOLE - 1, tree.lookup(9));
        assertEquals(FlexTree.HOLE, tree.lookup(10));
        assertEquals(FlexTree.HOLE, tree.lookup(19));
    }

    @Test
    void aLongRequestBecomesSeveralExtents() {
        tree = new FlexTree(SMALL.withMaxExtentBytes(10));
        tree.append(4, 90);
        tree.insertRange(2, 25, 0, 7);
        assertEquals("0+2@90, 2+10@0 f7, 12+10@10 f7, 22+5@20 f7, 27+2@92", extents());
    }

    @Test
    void aHoleIsCutOnlyAtTheLargestLengthOfAll() {
        tree = new FlexTree(SMALL.withMaxExtentBytes(10));
        tree.append(10, 90);
        tree.insertHole(5, 30);
        assertEquals("0+5@90, 5+30 hole, 35+5@95", extents());
        tree.insertHole(35, 2 * FlexTree.MAX_EXTENT_BYTES);
        assertEquals("0+5@90, 5+30 hole, 35+16777216 hole, 16777251+16777216 hole, 33554467+5@95", extents());
        tree.remap(0, 35, FlexTree.HOLE, 0, null);
        assertEquals("0+35 hole, 35+16777216 hole, 16777251+16777216 hole, 33554467+5@95", extents());
        tree.checkInvariants();
    }

    @Test
    void bothPartsOfACutExtentHaveItsFlags() {
        tree.append(10, 100, 3);
        tree.insertRange(4, 1, 50, 9);
        assertEquals("0+4@100 f3, 4+1@50 f9, 5+6@104 f3", extents());
        tree.collapseRange(2, 1);
        tree.collapseRange(6, 2);
        assertEquals("0+2@100 f3, 2+1@103 f3, 3+1@50 f9, 4+2@104 f3, 6+2@108 f3", extents());
    }

    @Test
    void aRangeInTheMiddleOfAnExtentOfAFullLeafCanBeRemoved() {
        tree = new FlexTree(FlexTreeOptions.defaults());
        for (int i = 0; i < 84; i++) {
            tree.append(10, 1000L * i);
        }
        assertEquals(1, tree.nodeCount());
        tree.collapseRange(405, 2);
        assertEquals(85, tree.extentCount());
        assertEquals(40_004, tree.lookup(404));
        assertEquals(40_007, tree.lookup(405));
        assertEquals(41_000, tree.lookup(408));
    }

    @Test
    void removingAllLeavesAnEmptyTreeThatCanBeFilledAgain() {
        for (int i = 0; i < 100; i++) {
            tree.append(1, 10L * i);
        }
        tree.collapseRange(0, 100);
        assertEquals(0, tree.nodeCount());
        assertEquals(0, tree.extentCount());
        tree.append(1, 5);
        assertEquals("0+1@5", extents());
    }

    @Test
    void appendsFillNodes() {
        for (int i = 0; i < 4 * 4 * 4; i++) {
            tree.append(1, 10L * i);
        }
        assertEquals(16 + 4 + 1, tree.nodeCount());
    }

    @Test
    void aTreeShrinksWhenItsExtentsGo() {
        for (int i = 0; i < 4000; i++) {
            tree.append(1, 10L * i);
        }
        long before = tree.nodeCount();
        for (int i = 0; i < 3990; i++) {
            tree.collapseRange((i * 7919L) % tree.size(), 1);
        }
        assertEquals(10, tree.size());
        assertTrue(tree.nodeCount() < 16, before + " nodes became " + tree.nodeCount());
    }

    @Test
    void remapKeepsTheSizeAndCutsAtBothEnds() {
        tree.append(10, 100, 1);
        tree.append(10, 200, 2);
        List<String> removed = new ArrayList<>();
        tree.remap(
                5,
                10,
                700,
                3,
                (logicalOffset, length, address, flags) ->
                        removed.add(logicalOffset + "+" + length + "@" + address + " f" + flags));
        assertEquals(List.of("5+5@105 f1", "10+5@200 f2"), removed);
        assertEquals("0+5@100 f1, 5+10@700 f3, 15+5@205 f2", extents());
        tree.remap(5, 10, 800, 4, null);
        assertEquals("0+5@100 f1, 5+10@800 f4, 15+5@205 f2", extents());
        tree.remap(0, 20, FlexTree.HOLE, 0, null);
        assertEquals("0+20 hole", extents());
    }

    @Test
    void anExtentThatIsReplacedWholeStaysAnExtentOfItsOwn() {
        tree.append(10, 100);
        tree.append(10, 300);
        tree.remap(10, 10, 110, 0, null);
        assertEquals("0+10@100, 10+10@110", extents());
        tree.remap(10, 5, 110, 0, null);
        assertEquals("0+15@100, 15+5@115", extents());
    }

    @Test
    void aConsumerThatThrowsLeavesTheTreeUnchanged() {
        tree.append(10, 100);
        ExtentConsumer failing = (logicalOffset, length, address, flags) -> {
            throw new UnsupportedOperationException();
        };
        assertThrows(UnsupportedOperationException.class, () -> tree.collapseRange(2, 3, failing));
        assertThrows(UnsupportedOperationException.class, () -> tree.remap(2, 3, 0, 0, failing));
        assertEquals("0+10@100", extents());
    }

    @Test
    void badArgumentsAreRefusedAndNothingChanges() {
        tree.append(10, 100);
        Class<IllegalArgumentException> argument = IllegalArgumentException.class;
        Class<IndexOutOfBoundsException> bounds = IndexOutOfBoundsException.class;
        assertRefused(argument, "length must be at least 1: 0", () -> tree.append(0, 1));
        assertRefused(argument, "address must be from 0 to 2^48-1: -1", () -> tree.append(1, -1));
        assertRefused(argument, "address", () -> tree.append(1, 1L << 48));
        assertRefused(argument, "would exceed 2^48-1", () -> tree.append(2, FlexTree.HOLE - 1));
        assertRefused(argument, "flags must be from 0 to 65535: 65536", () -> tree.append(1, 1, 65536));
        assertRefused(argument, "flags", () -> tree.append(1, 1, -1));
        assertRefused(bounds, "from 0 to the size 10: 11", () -> tree.insertRange(11, 1, 1));
        assertRefused(bounds, "-1", () -> tree.insertRange(-1, 1, 1));
        assertRefused(argument, "exceed 2^63-1", () -> tree.insertHole(5, Long.MAX_VALUE));
        assertRefused(argument, "length", () -> tree.collapseRange(0, 0));
        assertRefused(bounds, "length 6 at logicalOffset 5", () -> tree.collapseRange(5, 6));
        assertRefused(bounds, "logicalOffset -1", () -> tree.collapseRange(-1, 1));
        assertRefused(bounds, "size 10", () -> tree.collapseRange(9, Long.MAX_VALUE));
        assertRefused(bounds, "size 10", () -> tree.remap(9, 2, 0, 0, null));
        assertRefused(argument, "length", () -> tree.remap(9, -2, 0, 0, null));
        assertRefused(bounds, "size 10", () -> tree.lookup(10));
        assertRefused(bounds, "size 10", () -> tree.lookup(-1));
        assertRefused(argument, "length", () -> tree.query(0, -1, (o, l, a, f) -> {}));
        assertRefused(bounds, "size 10", () -> tree.query(0, 11, (o, l, a, f) -> {}));
        assertRefused(bounds, "size 10", () -> tree.current().lookup(10));
        assertRefused(bounds, "size 10", () -> tree.current().query(5, 6, (o, l, a, f) -> {}));
        assertRefused(bounds, "-1", () -> tree.current().cursor().seek(-1));
        assertEquals("0+10@100", extents());
    }

    @Test
    void optionsAreCheckedAndPrinted() {
        FlexTreeOptions defaults = FlexTreeOptions.defaults();
        assertRefused(IllegalArgumentException.class, "leafCapacity", () -> defaults.withLeafCapacity(3));
        assertRefused(IllegalArgumentException.class, "85", () -> defaults.withInternalCapacity(85));
        assertRefused(IllegalArgumentException.class, "maxExtentBytes", () -> defaults.withMaxExtentBytes(0));
        assertRefused(
                IllegalArgumentException.class,
                "maxExtentBytes",
                () -> defaults.withMaxExtentBytes(FlexTree.MAX_EXTENT_BYTES + 1));
        assertEquals(
                "FlexTreeOptions[leafCapacity=4, internalCapacity=84, maxExtentBytes=9, mergeExtents=false]",
                defaults.withLeafCapacity(4)
                        .withMaxExtentBytes(9)
                        .withMergeExtents(false)
                        .toString());
        assertSame(SMALL, tree.options());
    }

    @Test
    void sizesBeyondFourGibibytesAreShiftedRight() {
        tree = new FlexTree(FlexTreeOptions.defaults());
        long piece = FlexTree.MAX_EXTENT_BYTES;
        tree.append(1, 7);
        tree.insertRange(0, 1000 * piece, 0);
        tree.insertRange(500 * piece, 3000 * piece, 1L << 40);
        assertEquals(4000 * piece + 1, tree.size());
        assertEquals(7, tree.lookup(4000 * piece));
        assertEquals((1L << 40) + 2999 * piece, tree.lookup(3499 * piece));
        assertEquals(500 * piece, tree.lookup(3500 * piece));
        tree.collapseRange(1, 4000 * piece - 1);
        assertEquals("0+1@0, 1+1@7", extents());
    }

    @Test
    void aViewShowsTheVersionItWasTakenFrom() {
        assertEquals(0, tree.view().size());
        tree.append(10, 100);
        FlexTreeView published = tree.publish();
        FlexTreeView view = tree.view();
        assertEquals(published.version(), view.version());
        tree.collapseRange(0, 10);
        tree.append(3, 5);
        assertEquals(104, view.lookup(4));
        assertEquals(10, view.size());
        tree.publish();
        try (FlexTreeView next = tree.view()) {
            assertEquals(7, next.lookup(2));
        }
        tree.close();
        assertEquals(104, view.lookup(4));
        assertTrue(view.toString().contains("pinned"), view.toString());
        view.close();
        view.close();
        assertTrue(view.toString().contains("closed"), view.toString());
        assertRefused(IllegalStateException.class, "the view is closed", () -> view.lookup(4));
        assertRefused(IllegalStateException.class, "the view is closed", () -> view.query(0, 1, (o, l, a, f) -> {}));
        assertRefused(IllegalStateException.class, "the view is closed", view::cursor);
        assertRefused(IllegalStateException.class, "the tree is closed", () -> tree.append(1, 1));
        assertRefused(IllegalStateException.class, "the tree is closed", tree::view);
    }

    @Test
    void aPinnedViewKeepsItsNodesOnly() {
        for (int i = 0; i < 200; i++) {
            tree.append(1, 10L * i);
        }
        tree.publish();
        FlexTreeView view = tree.view();
        long nodes = tree.nodeCount();
        for (int round = 0; round < 100; round++) {
            tree.remap(round, 1, 7, 0, null);
            tree.publish();
        }
        // The old version has that many nodes; what came and went after it is not held back for long.
        assertTrue(tree.retiredNodeCount() <= nodes + 40, tree.toString());
        assertEquals(50, view.lookup(5));
        view.close();
        for (int i = 0; i < 4; i++) {
            tree.publish();
        }
        assertEquals(0, tree.retiredNodeCount());
    }

    @Test
    void anOwnerPublishesForItsTree() {
        Epochs epochs = new Epochs();
        try (FlexTree owned = OwnedTrees.create(SMALL, epochs, new OffHeap())) {
            owned.append(10, 100);
            FlexTreeView view = owned.current();
            assertFalse(owned.hasSealed(view));
            assertEquals(epochs.writerEpoch(), view.version());
            epochs.advance();
            owned.append(10, 900);
            assertTrue(owned.hasSealed(view));
            assertEquals(10, view.size());
            assertEquals(1, owned.retiredNodeCount());
            epochs.advance();
            epochs.advance();
            epochs.advance();
            owned.reclaim();
            assertEquals(0, owned.retiredNodeCount());
            assertRefused(IllegalStateException.class, "its owner", owned::publish);
            assertRefused(IllegalStateException.class, "its owner", owned::view);
        }
    }

    @Test
    void aViewReadTooLateDoesNoHarm() {
        for (int i = 0; i < 300; i++) {
            tree.append(1, 10L * i);
        }
        FlexTreeView stale = tree.publish();
        tree.collapseRange(0, 299);
        for (int i = 0; i < 300; i++) {
            tree.insertRange(i % 7, 1, 10L * i);
            tree.publish();
        }
        for (int i = 0; i < 300; i++) {
            long offset = i;
            try {
                stale.lookup(offset);
                stale.query(offset, 1, (o, l, a, f) -> {});
            } catch (RuntimeException expected) {
                assertFalse(expected instanceof IllegalStateException);
            }
        }
    }

    @Test
    void theTreeCanBePrinted() {
        for (int i = 0; i < 5; i++) {
            tree.append(2, 10L * i, i);
        }
        tree.insertHole(10, 1);
        assertEquals("""
                size 11, extents 6, level 1
                node at 0
                  child at 0 (shift +0)
                    leaf at 0
                      0 (partial 0) length 2 address 0
                      2 (partial 2) length 2 address 10 flags 1
                      4 (partial 4) length 2 address 20 flags 2
                      6 (partial 6) length 2 address 30 flags 3
                  child at 8 (shift +8)
                    leaf at 8
                      8 (partial 0) length 2 address 40 flags 4
                      10 (partial 2) length 1 hole
                """, tree.dump());
        assertTrue(tree.toString().startsWith("FlexTree[size=11, extents=6, level=1, nodes=3,"), tree.toString());
        assertTrue(tree.memoryBytes() >= tree.nodeCount() * 1024);
        assertTrue(tree.current().toString().startsWith("FlexTreeView[version=1, size=11, extents=6, level=1"));
    }
}
