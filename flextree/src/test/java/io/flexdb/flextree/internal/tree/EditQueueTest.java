package io.flexdb.flextree.internal.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.testing.Effort;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EditQueueTest {
    private static final FlexTreeOptions SMALL = FlexTreeOptions.defaults()
            .withLeafCapacity(5)
            .withInternalCapacity(4)
            .withMaxExtentBytes(1000);

    /** Two trees are given the same edits: one makes each at once, the other when it is looked at. */
    @Test
    void editsThatWaitMakeTheSameTree() {
        for (FlexTreeOptions options : new FlexTreeOptions[] {SMALL, SMALL.withMergeExtents(false)}) {
            for (long seed = 0; seed < Effort.times(5); seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                TreeWriter atOnce = new TreeWriter(shapeOf(options), new Epochs(), new OffHeap());
                FlexTree waiting = new FlexTree(options);
                long crowd =
                        1 + random.nextLong(1L << random.nextInt(4, 21)); // all edits are close together, or anywhere
                for (int look = 0; look < 60; look++) {
                    for (int i = random.nextInt(look < 10 ? 5000 : 1 + look); i >= 0; i--) {
                        edit(random, crowd, atOnce, waiting);
                        assertEquals(atOnce.size(), waiting.size());
                    }
                    assertEquals(atOnce.extentCount(), waiting.extentCount());
                    assertEquals(atOnce.nodeCount(), waiting.nodeCount());
                    if (look % 10 == 9) {
                        waiting.checkInvariants();
                        assertEquals(TreeChecker.dump(atOnce), waiting.dump());
                    }
                }
                assertTrue(waiting.nodeCount() > 4096, waiting.nodeCount() + " nodes, so that edits wait");
            }
        }
    }

    private static void edit(SplittableRandom random, long crowd, TreeWriter atOnce, FlexTree waiting) {
        long size = atOnce.size();
        long at = switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> size;
            default -> random.nextLong(Math.min(size, crowd) + 1);
        };
        long length = 1 + random.nextInt(random.nextInt(20) == 0 ? 3000 : 100);
        if (random.nextInt(4) > 0 || at == size) {
            long address = random.nextInt(8) == 0 ? FlexTree.HOLE : random.nextLong(1L << 30);
            int flags = random.nextInt(3);
            atOnce.insert(at, length, address, flags);
            waiting.insertRange(at, length, address, flags);
        } else {
            atOnce.collapse(at, Math.min(length, size - at));
            waiting.collapseRange(at, Math.min(length, size - at));
        }
    }

    @Test
    void everyLookSeesWhatWaits() {
        FlexTree tree = new FlexTree(SMALL);
        long extents = 20_000;
        for (int i = 0; i < extents; i++) {
            tree.append(10, 20L * i);
        }
        assertTrue(tree.nodeCount() > 4096, tree.nodeCount() + " nodes, so that edits wait");
        long size = 10 * extents;
        long nodes = tree.nodeCount();
        tree.publish();

        tree.insertRange(5, 7, 1 << 30);
        assertEquals(size += 7, tree.size());
        assertEquals((1 << 30) + 1, tree.lookup(6));

        tree.collapseRange(0, 6);
        size -= 6;
        assertEquals(extents += 1, tree.extentCount());

        tree.insertHole(1, 4);
        size += 4;
        long[] first = new long[1];
        tree.query(4, 1, (offset, length, address, flags) -> first[0] = address);
        assertEquals(FlexTree.HOLE, first[0]);

        tree.insertRange(100, 1, 1 << 20);
        size++;
        try (FlexTreeView view = tree.view()) {
            assertEquals(10 * 20_000, view.size(), "a view shows what was published");
        }
        assertEquals(1 << 20, tree.current().lookup(100));

        tree.collapseRange(100, 1);
        size--;
        assertEquals(size, tree.publish().size());

        tree.insertRange(100, 3, 1 << 20);
        size += 3;
        tree.remap(100, 3, 1 << 21, 0, (offset, length, address, flags) -> first[0] = address);
        assertEquals(1 << 20, first[0]);

        tree.insertRange(100, 2, 1 << 22);
        tree.append(5, 1 << 23);
        assertEquals(1 << 22, tree.lookup(100));
        assertEquals(1 << 23, tree.lookup(size + 2));
        size += 7;

        for (int i = 0; i < 15; i++) {
            tree.insertRange(1000, 2, (1 << 24) + 4 * i);
        }
        assertTrue(tree.nodeCount() > nodes, "leaves were split");
        tree.collapseRange(1000, 30);

        tree.collapseRange(3, size - 3);
        tree.collapseRange(0, 3);
        assertEquals(0, tree.size());
        assertEquals(0, tree.nodeCount());
        assertEquals(0, tree.publish().extentCount());
    }

    @Test
    void anEditThatFailedIsTold() {
        TreeWriter writer = new TreeWriter(shapeOf(SMALL), new Epochs(), new OffHeap());
        EditQueue edits = new EditQueue(writer);
        for (int i = 0; i < 20_000; i++) {
            edits.insert(0, 10, 20L * i, 0);
        }
        edits.makeAll();
        edits.insert(5, 10, 1 << 20, 0);
        writer.install(-1, 3, writer.size(), 20_000); // a root that is none
        Throwable cause = assertThrows(RuntimeException.class, edits::makeAll);
        assertEquals(
                cause, assertThrows(IllegalStateException.class, edits::makeAll).getCause());
    }

    private static TreeShape shapeOf(FlexTreeOptions options) {
        return new TreeShape(
                options.leafCapacity(), options.internalCapacity(), options.maxExtentBytes(), options.mergeExtents());
    }
}
