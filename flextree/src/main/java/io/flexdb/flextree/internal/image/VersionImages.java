package io.flexdb.flextree.internal.image;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;

/**
 * Stores images of all nodes of a version in another file than the tree's own, for a copy of the whole. Changes nothing
 * in memory, so that any thread can do it beside the writer, checkpoints and others like it.
 */
public final class VersionImages {
    private final NodePool pool;
    private final long seed;
    private final NodeSink sink;
    private final ByteBuffer image = NodeImageFormat.newBuffer();
    private final int[][] slots; // of the children of the node at each level that is under way
    private final int[][] crcs;
    private int slot; // of the image stored last
    private int crc;

    private VersionImages(FlexTreeView view, int fanout, long seed, NodeSink sink) {
        this.pool = OwnedTrees.pool(view);
        this.seed = seed;
        this.sink = sink;
        this.slots = new int[view.rootLevel() + 1][fanout];
        this.crcs = new int[view.rootLevel() + 1][fanout];
    }

    /**
     * Stores an image of every node, children before parents.
     *
     * @param view a version that is pinned, and from an epoch before the writer's
     * @param seed what the checksums are to be seeded with
     * @return what is needed to load the tree
     */
    public static SavedRoot save(FlexTree tree, FlexTreeView view, long seed, NodeSink sink) {
        if (!tree.hasSealed(view)) {
            throw new IllegalArgumentException("not a version of the tree that stays as it is: " + view);
        }
        if (view.rootNode() == 0) {
            return new SavedRoot(0, 0, 0, 0, 0);
        }
        VersionImages images = new VersionImages(view, tree.options().internalCapacity(), seed, sink);
        images.save(view.rootNode(), view.rootLevel());
        return new SavedRoot(images.slot, images.crc, view.rootLevel(), view.size(), view.extentCount());
    }

    private void save(int node, int level) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = NodeFormat.count(buffer, base);
        for (int i = 0; level > 0 && i < count; i++) {
            save(NodeFormat.child(buffer, base, i), level - 1);
            slots[level][i] = slot;
            crcs[level][i] = crc;
        }
        NodeImageFormat.begin(image, level, count);
        if (level == 0) {
            putExtents(buffer, base, count);
        } else {
            putChildren(buffer, base, count, level);
        }
        crc = NodeImageFormat.finish(image, seed);
        slot = sink.write(image, level);
    }

    private void putExtents(ByteBuffer leaf, int base, int count) {
        for (int i = 0; i < count; i++) {
            image.putInt(NodeFormat.end(leaf, base, i));
        }
        for (int i = 0; i < count; i++) {
            image.putLong(NodeFormat.word(leaf, base, i));
        }
    }

    private void putChildren(ByteBuffer node, int base, int count, int level) {
        for (int i = 0; i < count; i++) {
            image.putLong(NodeFormat.childStart(node, base, i));
        }
        for (int i = 0; i < count; i++) {
            image.putInt(slots[level][i]);
        }
        for (int i = 0; i < count; i++) {
            image.putInt(crcs[level][i]);
        }
    }
}
