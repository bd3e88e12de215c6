package io.flexdb.flextree.internal.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Nodes are used again: all of them, and none while a view reaches it. */
class NodeReuseTest {
    private static final long NODE_BYTES = NodeFormat.NODE_BYTES;
    private static final FlexTreeOptions DEEP =
            FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4);
    // What was retired in the last few versions waits for short reads that may be under way, pins or not.
    private static final int VERSIONS_IN_FLIGHT = 4;

    private final SplittableRandom random = new SplittableRandom(20260301);

    /** A view that is open, and what it needs. */
    private record OpenView(FlexTreeView view, BitSet nodes, long contents) {}

    private static FlexTree treeOf(FlexTreeOptions options, int extents, SplittableRandom random) {
        FlexTree tree = new FlexTree(options);
        for (int i = 0; i < extents; i++) {
            tree.insertRange(random.nextLong(tree.size() + 1), 10, random.nextLong(1L << 40));
        }
        return tree;
    }

    /** Keeps the number of extents and bytes about where it is. */
    private void change(FlexTree tree) {
        long at = random.nextLong(tree.size() - 10);
        if (random.nextBoolean()) {
            tree.collapseRange(at, 10);
            tree.insertRange(random.nextLong(tree.size()), 10, random.nextLong(1L << 40));
        } else {
            tree.remap(at, 10, random.nextLong(1L << 40), random.nextInt(1 << 16), null);
        }
        if (random.nextInt(1000) == 0) {
            long some = tree.size() / 5;
            tree.collapseRange(random.nextLong(tree.size() - some), some);
            while (some > 0) {
                tree.append(10, random.nextLong(1L << 40));
                some -= 10;
            }
        }
    }

    private static BitSet nodesOf(NodePool pool, int root, int level) {
        BitSet nodes = new BitSet();
        collect(pool, root, level, nodes);
        return nodes;
    }

    private static void collect(NodePool pool, int node, int level, BitSet nodes) {
        assertFalse(nodes.get(node), "a node is in a version twice");
        nodes.set(node);
        ByteBuffer buffer = pool.chunk(node);
        int base = pool.base(node);
        assertEquals(level, NodeFormat.level(buffer.getLong(base)));
        for (int i = 0; level > 0 && i < NodeFormat.count(buffer, base); i++) {
            collect(pool, NodeFormat.child(buffer, base, i), level - 1, nodes);
        }
    }

    private static long contentsOf(FlexTreeView view) {
        long[] hash = {view.size()};
        view.query(
                0,
                view.size(),
                (logicalOffset, length, address, flags) ->
                        hash[0] = (hash[0] * 31 + length) * 0x9e3779b97f4a7c15L + address * 31 + flags);
        return hash[0];
    }

    private static void publish(FlexTree tree, int times) {
        for (int i = 0; i < times; i++) {
            tree.publish();
        }
    }

    /** How many nodes there are with a number up to this one: the first chunks are shorter than their numbers. */
    private static long nodesUpTo(int node) {
        long before = 0;
        for (int chunk = 0; chunk < node / NodePool.NODES_IN_CHUNK; chunk++) {
            before += Math.min(NodePool.NODES_IN_CHUNK, 16L << Math.min(chunk, 4));
        }
        return before + node % NodePool.NODES_IN_CHUNK;
    }

    /** Takes every free node, spoils it, and gives it back. */
    private static BitSet spoilFreeNodes(Epochs epochs, NodePool pool) {
        long live = pool.liveCount();
        BitSet free = new BitSet();
        // Nodes that were never used come last and in order: then as many are live as the number of the newest says. By
        // chance that may be so earlier; then a few free nodes are left as they are.
        for (int node = 0; nodesUpTo(node) != pool.liveCount(); ) {
            node = pool.allocate();
            assertFalse(free.get(node), "a node is free twice");
            free.set(node);
            ByteBuffer buffer = pool.chunk(node);
            for (int at = 0; at < NODE_BYTES; at += Long.BYTES) {
                buffer.putLong(pool.base(node) + at, -1);
            }
        }
        free.stream().forEach(node -> pool.retire(node, epochs.writerEpoch())); // free at once: in no version
        assertEquals(live, pool.liveCount());
        return free;
    }

    @Test
    void noNodeThatAnOpenViewReachesIsEverFree() {
        Epochs epochs = new Epochs();
        FlexTree tree = OwnedTrees.create(DEEP, epochs, new OffHeap());
        for (int i = 0; i < 400; i++) {
            tree.append(10, random.nextLong(1L << 40));
        }
        NodePool pool = OwnedTrees.writer(tree).pool();
        List<OpenView> open = new ArrayList<>();
        long reused = 0;
        for (int version = 0; version < Effort.times(1000); version++) {
            for (int i = random.nextInt(30); i > 0; i--) {
                change(tree);
            }
            FlexTreeView published = tree.current();
            int root = OwnedTrees.writer(tree).root();
            int level = OwnedTrees.writer(tree).level();
            epochs.advance();
            if (random.nextInt(3) == 0) {
                epochs.pin(published.version());
                open.add(new OpenView(published, nodesOf(pool, root, level), contentsOf(published)));
            }
            if (open.size() > random.nextInt(12)) {
                epochs.unpin(open.remove(random.nextInt(open.size())).view.version());
            }
            tree.reclaim();
            BitSet free = spoilFreeNodes(epochs, pool);
            reused += free.cardinality();
            assertFalse(free.intersects(nodesOf(pool, root, level)), "the tree has lost a node");
            for (OpenView each : open) {
                assertFalse(each.nodes.intersects(free), () -> each.view + " has lost a node");
                assertEquals(each.contents, contentsOf(each.view));
            }
            tree.checkInvariants();
        }
        assertTrue(reused > 1000, "hardly any node was ever free: " + reused);
    }

    @Test
    void allNodesComeBackOnceTheViewsAreClosed() {
        FlexTree tree = treeOf(DEEP, 1000, random);
        NodePool pool = OwnedTrees.writer(tree).pool();
        for (int round = 0; round < Effort.times(50); round++) {
            List<FlexTreeView> views = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                for (int j = random.nextInt(50); j > 0; j--) {
                    change(tree);
                }
                tree.publish();
                views.add(tree.view());
            }
            assertTrue(pool.retiredCount() > 0);
            while (!views.isEmpty()) {
                views.remove(random.nextInt(views.size())).close();
            }
            publish(tree, VERSIONS_IN_FLIGHT);
            assertEquals(0, pool.retiredCount());
            assertEquals(tree.nodeCount(), pool.liveCount());
            tree.checkInvariants();
        }
    }

    @Test
    void freedNodesAreWhatIsAllocatedNext() {
        FlexTree tree = treeOf(DEEP, 2000, random);
        NodePool pool = OwnedTrees.writer(tree).pool();
        tree.publish();
        BitSet nodes = nodesOf(
                pool, OwnedTrees.writer(tree).root(), OwnedTrees.writer(tree).level());
        tree.collapseRange(0, tree.size());
        publish(tree, VERSIONS_IN_FLIGHT);
        assertEquals(0, pool.liveCount());
        for (int left = nodes.cardinality(); left > 0; left--) {
            int node = pool.allocate();
            assertTrue(nodes.get(node), "a node that was never used, though others were free");
            nodes.clear(node);
        }
        assertTrue(nodes.isEmpty());
    }

    /** Each view is held for eight versions. All that a version replaces is small beside the tree. */
    @Test
    void memoryDoesNotGrowWhileViewsComeAndGo() {
        FlexTree tree = treeOf(FlexTreeOptions.defaults(), 50_000, random);
        Deque<FlexTreeView> views = new ArrayDeque<>();
        int updates = Effort.times(1_000_000);
        long memoryEarly = 0;
        for (int i = 0; i <= updates; i++) {
            change(tree);
            if (i % 50 == 0) {
                tree.publish();
                views.add(tree.view());
                if (views.size() > 8) {
                    views.remove().close();
                }
            }
            if (i == 50_000) {
                memoryEarly = tree.memoryBytes();
            } else if (i > 50_000 && i % 50_000 == 0) {
                String grown = memoryEarly + " bytes early, then after " + i + " updates " + tree;
                assertTrue(tree.memoryBytes() <= memoryEarly + memoryEarly / 4, grown);
                assertTrue(tree.memoryBytes() <= 3 * tree.nodeCount() * NODE_BYTES, grown);
            }
        }
    }

    @Test
    void oneOldViewHoldsOnlyWhatItReaches() {
        FlexTree tree = treeOf(FlexTreeOptions.defaults(), 50_000, random);
        NodePool pool = OwnedTrees.writer(tree).pool();
        tree.publish();
        long nodesOfView = tree.nodeCount();
        try (FlexTreeView view = tree.view()) {
            long contents = contentsOf(view);
            long mostLive = 0;
            long mostNodes = nodesOfView;
            for (int i = 0; i < Effort.times(500_000); i++) {
                change(tree);
                mostNodes = Math.max(mostNodes, tree.nodeCount());
                if (i % 20 == 0) {
                    tree.publish();
                    mostLive = Math.max(mostLive, pool.liveCount());
                }
            }
            assertTrue(mostLive > nodesOfView * 3 / 2, "the view was hardly replaced");
            // A change copies two paths, and a version of twenty copies no more than the tree has.
            long inFlight = VERSIONS_IN_FLIGHT * Math.min(20L * 2 * 4, mostNodes);
            assertTrue(
                    mostLive <= nodesOfView + mostNodes + inFlight,
                    mostLive + " nodes held, " + nodesOfView + " of the view, " + tree);
            publish(tree, VERSIONS_IN_FLIGHT);
            assertTrue(pool.liveCount() <= nodesOfView + tree.nodeCount(), tree::toString);
            assertEquals(contents, contentsOf(view));
        }
        publish(tree, 1);
        assertEquals(tree.nodeCount(), pool.liveCount());
    }
}
