package io.flexdb.flextree.internal.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.flextree.internal.tree.TreeWriter;
import io.flexdb.testing.Effort;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class NodeImagesTest {
    private static final long SEED =
            Long.getLong("flexdb.test.seed", ThreadLocalRandom.current().nextLong());
    private static final FlexTreeOptions SMALL =
            FlexTreeOptions.defaults().withLeafCapacity(5).withInternalCapacity(4);

    private final ImageStore store = new ImageStore();

    static void change(FlexTree tree, SplittableRandom random, int operations) {
        for (int i = 0; i < operations; i++) {
            int kind = random.nextInt(4);
            if (kind < 2 || tree.size() < 100) {
                long address = random.nextInt(5) == 0 ? FlexTree.HOLE : random.nextLong(1L << 47);
                tree.insertRange(random.nextLong(tree.size() + 1), 1 + random.nextInt(20), address, random.nextInt(9));
            } else {
                long at = random.nextLong(tree.size());
                long length = Math.min(1 + random.nextInt(kind == 2 ? 40 : 10), tree.size() - at);
                if (kind == 2) {
                    tree.collapseRange(at, length);
                } else {
                    tree.remap(at, length, random.nextLong(1L << 47), 0, null);
                }
            }
        }
    }

    static List<List<Long>> extents(FlexTree tree) {
        List<List<Long>> extents = new ArrayList<>();
        tree.query(
                0,
                tree.size(),
                (logicalOffset, length, address, flags) ->
                        extents.add(List.of(logicalOffset, length, address, (long) flags)));
        return extents;
    }

    @Test
    void randomStepsAreSavedAndLoadedAndSlotsAccountedFor() {
        System.out.println("repeat with -Dflexdb.test.seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        for (FlexTreeOptions options : List.of(SMALL, FlexTreeOptions.defaults())) {
            ImageStore images = new ImageStore();
            FlexTree tree = new FlexTree(options);
            OwnedTrees.writer(tree).slotListener(images::retire);
            for (int step = 0; step < Effort.times(150); step++) {
                change(tree, random, random.nextInt(60));
                if (random.nextBoolean()) {
                    tree.publish();
                }
                if (random.nextInt(30) == 0 && tree.size() > 0) {
                    tree.collapseRange(0, tree.size());
                }
                if (random.nextInt(3) > 0) {
                    SavedRoot root = images.save(tree);
                    tree.checkInvariants();
                    FlexTree loaded = images.load(root, options);
                    assertEquals(tree.dump(), loaded.dump());
                    assertEquals(images.read, images.live, "slots reachable are those written and not retired");
                    assertEquals(loaded.nodeCount(), images.live.size());
                }
            }
        }
    }

    @Test
    void toSaveTakesNoDirectMemory() {
        FlexTree tree = new FlexTree(SMALL);
        change(tree, new SplittableRandom(4), 20);
        tree.publish();
        try (FlexTreeView view = tree.view()) {
            NodeImages.save(tree, view, ImageStore.SEED, store);
            long before = directBytes();
            for (int i = 0; i < 1000; i++) {
                NodeImages.save(tree, view, ImageStore.SEED, store);
            }
            long taken = directBytes() - before; // or less than nothing, if others have let go of some
            assertTrue(taken < 100 * NodeImageFormat.MAX_INTERNAL_BYTES, () -> taken + " bytes");
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void aCheckPrefetchesAllNodesButTheRootBeforeItReadsThem() {
        FlexTree tree = new FlexTree(SMALL);
        change(tree, new SplittableRandom(3), 2000);
        SavedRoot root = store.save(tree);
        assertEquals(List.of(), store.check(root, SMALL));
        assertTrue(store.read.size() > 100);
        Set<Integer> expected = new HashSet<>(store.read);
        expected.remove(root.slot());
        assertEquals(expected, store.prefetched);
    }

    @Test
    void theWriterGoesOnWhileAVersionIsSaved() {
        SplittableRandom random = new SplittableRandom(6);
        for (int round = 0; round < Effort.times(20); round++) {
            ImageStore images = new ImageStore();
            FlexTree tree = new FlexTree(SMALL);
            OwnedTrees.writer(tree).slotListener(images::retire);
            change(tree, random, 200);
            for (int checkpoint = 0; checkpoint < 5; checkpoint++) {
                tree.publish();
                try (FlexTreeView view = tree.view()) {
                    String dump = tree.dump();
                    SavedRoot saved = NodeImages.save(tree, view, ImageStore.SEED, new NodeSink() {
                        @Override
                        public int write(ByteBuffer image, int level) {
                            int slot = images.write(image, level);
                            if (random.nextInt(4) == 0) {
                                change(tree, random, 1 + random.nextInt(5));
                                tree.publish();
                            }
                            return slot;
                        }

                        @Override
                        public void superseded(int slot, int level) {
                            images.superseded(slot, level);
                        }
                    });
                    assertEquals(dump, images.load(saved, SMALL).dump());
                }
                tree.checkInvariants();
            }
            SavedRoot end = images.save(tree);
            assertEquals(tree.dump(), images.load(end, SMALL).dump());
            assertEquals(images.read, images.live, "slots reachable are those written and not given back");
        }
    }

    @Test
    void aLoadedTreeIsCleanAndGoesOn() {
        SplittableRandom random = new SplittableRandom(2);
        FlexTree tree = new FlexTree(SMALL);
        change(tree, random, 500);
        SavedRoot root = store.save(tree);
        FlexTree loaded = store.load(root, SMALL);
        OwnedTrees.writer(loaded).slotListener(store::retire);
        assertEquals(root, store.save(loaded));
        assertEquals(0, store.writes);
        change(loaded, random, 50);
        SavedRoot next = store.save(loaded);
        assertEquals(extents(loaded), extents(store.load(next, SMALL)));
        assertEquals(store.read, store.live);
    }

    /** As a recovery does: what was loaded is changed before anybody reads it. */
    @Test
    void aTreeThatOnlyItsWriterSeesIsChangedWithoutCopies() {
        for (FlexTreeOptions options : List.of(SMALL, FlexTreeOptions.defaults())) {
            for (int seed = 0; seed < Effort.times(20); seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                ImageStore images = new ImageStore();
                FlexTree tree = new FlexTree(options);
                change(tree, random, 1000);
                SavedRoot root = images.save(tree);
                FlexTree copying = images.load(root, options);
                FlexTree loaded = images.load(root, options);
                OwnedTrees.writer(loaded).slotListener(images::retire);
                OwnedTrees.writer(loaded).onlyWriterSees(true);
                change(loaded, new SplittableRandom(seed), 500);
                change(copying, new SplittableRandom(seed), 500);
                assertEquals(copying.dump(), loaded.dump());
                loaded.checkInvariants();
                // Some are merged, but none is copied.
                long retired = loaded.retiredNodeCount();
                long retiredByCopying = copying.retiredNodeCount();
                assertTrue(retired < retiredByCopying, retired + " nodes retired, else " + retiredByCopying);
                assertTrue(loaded.memoryBytes() <= copying.memoryBytes());
                OwnedTrees.writer(loaded).onlyWriterSees(false);
                SavedRoot next = images.save(loaded);
                assertEquals(loaded.dump(), images.load(next, options).dump());
                assertEquals(images.read, images.live, "slots reachable are those written and not retired");
                change(loaded, random, 100);
                loaded.checkInvariants();
            }
        }
    }

    @Test
    void toTellOfChangesChangesNothing() {
        FlexTree tree = new FlexTree(SMALL);
        SplittableRandom random = new SplittableRandom(8);
        long[] offsets = new long[TreeWriter.TOUCHED_AT_ONCE];
        OwnedTrees.writer(tree).willChange(offsets, offsets.length); // in an empty tree
        for (int i = 0; i < 20_000; i++) {
            tree.insertRange(random.nextLong(tree.size() + 1), 10, random.nextLong(1L << 40));
        }
        assertTrue(tree.nodeCount() > 4096, tree.nodeCount() + " nodes");
        String dump = tree.dump();
        for (int i = 0; i < 1000; i++) {
            for (int k = 0; k < offsets.length; k++) {
                offsets[k] = random.nextInt(4) == 0 ? random.nextLong() : random.nextLong(tree.size() + 1);
            }
            offsets[i % offsets.length] = i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
            long[] given = offsets.clone();
            OwnedTrees.writer(tree).willChange(offsets, 1 + i % offsets.length);
            assertArrayEquals(given, offsets);
        }
        assertEquals(dump, tree.dump());
        tree.checkInvariants();
    }

    @Test
    void savingCostsWhatHasChanged() {
        FlexTree tree = new FlexTree();
        OwnedTrees.writer(tree).slotListener(store::retire);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 100_000; i++) {
            tree.insertRange(random.nextLong(tree.size() + 1), 10, random.nextLong(1L << 40));
        }
        store.save(tree);
        assertEquals(tree.nodeCount(), store.writes);
        store.save(tree);
        assertEquals(0, store.writes);
        for (int operations : new int[] {1, 10, 100}) {
            for (int i = 0; i < operations; i++) {
                tree.insertRange(random.nextLong(tree.size()), 10, random.nextLong(1L << 40));
            }
            store.save(tree);
            // A path of three or four nodes each, and now and then a split.
            assertTrue(store.writes <= 6 * operations, store.writes + " images for " + operations + " operations");
        }
    }

    @Test
    void eachExtentIsHandedOverInOrder() {
        FlexTree tree = new FlexTree(SMALL);
        change(tree, new SplittableRandom(4), 300);
        SavedRoot root = store.save(tree);
        List<List<Long>> seen = new ArrayList<>();
        FlexTree loaded = new FlexTree(SMALL);
        NodeImages.load(
                loaded,
                root,
                ImageStore.SEED,
                ImageStore.MAX_SLOT,
                store,
                (offset, length, address, flags) -> seen.add(List.of(offset, length, address, (long) flags)));
        assertEquals(extents(tree), seen);
    }

    @Test
    void imagesHaveTheLengthTheFormatSays() {
        FlexTree tree = new FlexTree();
        for (int i = 0; i < 84 * 84; i++) {
            tree.append(1, 10L * i);
        }
        SavedRoot root = store.save(tree);
        assertEquals(1, root.level());
        assertEquals(16 + 84 * 16, NodeImageFormat.MAX_INTERNAL_BYTES);
        assertEquals(1024, NodeImageFormat.MAX_LEAF_BYTES);
        store.images.forEach((slot, image) -> assertEquals(slot == root.slot() ? 1360 : 1024, image.length));
    }

    @Test
    void anEmptyTreeHasNoImage() {
        SavedRoot root = store.save(new FlexTree());
        assertEquals(new SavedRoot(0, 0, 0, 0, 0), root);
        assertEquals(0, store.load(root, SMALL).size());
        BadNodeException e =
                assertThrows(BadNodeException.class, () -> store.load(new SavedRoot(0, 0, 0, 1, 1), SMALL));
        assertEquals(0, e.slot());
        assertEquals("nothing in an empty tree", e.expected());
        assertTrue(e.found().contains("size=1"), e.found());
    }

    @Test
    void aSinkThatFailsCanBeTriedAgain() {
        FlexTree tree = new FlexTree(SMALL);
        change(tree, new SplittableRandom(5), 300);
        int[] left = {10};
        NodeSink failing = (image, level) -> {
            if (left[0]-- == 0) {
                throw new UnsupportedOperationException();
            }
            return store.write(image, level);
        };
        assertThrows(
                UnsupportedOperationException.class,
                () -> NodeImages.save(tree, tree.publish(), ImageStore.SEED, failing));
        tree.checkInvariants();
        SavedRoot root = NodeImages.save(tree, tree.publish(), ImageStore.SEED, store);
        assertEquals(tree.nodeCount(), store.images.size());
        assertEquals(extents(tree), extents(store.load(root, SMALL)));
    }

    @Test
    void wrongCallsAreRefused() {
        FlexTree tree = new FlexTree();
        tree.append(1, 1);
        var sealed = tree.publish();
        assertThrows(IllegalArgumentException.class, () -> NodeImages.save(tree, tree.current(), 0, store));
        assertThrows(IllegalArgumentException.class, () -> NodeImages.save(new FlexTree(), sealed, 0, store));
        assertThrows(IllegalStateException.class, () -> NodeImages.save(tree, sealed, 0, (image, level) -> 0));
        SavedRoot root = store.save(tree);
        assertThrows(
                IllegalArgumentException.class,
                () -> NodeImages.load(tree, root, ImageStore.SEED, ImageStore.MAX_SLOT, store, null));
    }
}
