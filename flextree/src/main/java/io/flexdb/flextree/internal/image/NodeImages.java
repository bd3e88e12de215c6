package io.flexdb.flextree.internal.image;

import static io.flexdb.flextree.internal.tree.NodeFormat.child;
import static io.flexdb.flextree.internal.tree.NodeFormat.childStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.count;
import static io.flexdb.flextree.internal.tree.NodeFormat.end;
import static io.flexdb.flextree.internal.tree.NodeFormat.word;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.flextree.internal.tree.TreeWriter;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Saves the nodes that have changed since the last checkpoint, and loads saved trees. */
public final class NodeImages {
    /*
     * A node remembers the slot and the checksum of its image; its copy has none, and neither have the nodes above it.
     * So a walk that turns back at every node with an image visits the changed ones only, and their parents can name
     * the slots of all children.
     *
     * The nodes of a version that is not the writer's any more do not change. So they can be saved while the writer
     * works: all that the two share is the slot in a node's header.
     */
    private final NodePool pool;
    private final long seed;
    private final NodeSink sink;
    private final ByteBuffer image = NodeImageFormat.newHeapBuffer();
    private int lastCrc; // of the image stored last

    private NodeImages(NodePool pool, long seed, NodeSink sink) {
        this.pool = pool;
        this.seed = seed;
        this.sink = sink;
    }

    /**
     * Stores an image of every node of a version that has none yet, children before parents. By one thread at a time,
     * which need not be the writer's. If the sink throws, what it has stored stays known, and another call goes on from
     * there.
     *
     * @param tree the tree
     * @param view a version that is pinned, or otherwise kept until this returns, and from an epoch before the writer's
     * @param seed what the checksums are to be seeded with
     * @param sink stores the images
     * @return what is needed to load the tree
     */
    public static SavedRoot save(FlexTree tree, FlexTreeView view, long seed, NodeSink sink) {
        requireSealed(tree, view);
        int root = view.rootNode();
        if (root == 0) {
            return new SavedRoot(0, 0, 0, 0, 0);
        }
        NodePool pool = OwnedTrees.pool(view); // the tree is its writer's, who may be at work
        new NodeImages(pool, seed, sink).save(root, view.rootLevel());
        ByteBuffer buffer = pool.chunk(root);
        int base = NodeFormat.base(root);
        return new SavedRoot(
                NodeFormat.slot(buffer, base),
                buffer.getInt(base + NodeFormat.CRC_OFFSET),
                view.rootLevel(),
                view.size(),
                view.extentCount());
    }

    private void save(int node, int level) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        if (NodeFormat.slot(buffer, base) != 0) {
            return;
        }
        int count = count(buffer, base);
        if (level > 0) {
            for (int i = 0; i < count; i++) {
                save(child(buffer, base, i), level - 1);
            }
        }
        NodeImageFormat.begin(image, level, count);
        if (level == 0) {
            putExtents(buffer, base, count);
        } else {
            putChildren(buffer, base, count);
        }
        int slot = store(level);
        if (!NodeFormat.setImage(buffer, base, slot, lastCrc)) {
            sink.superseded(slot, level);
        }
    }

    /**
     * Stores an image of every node of a version, children before parents, as if none had any: the nodes keep what they
     * know of the images that they have. The tree must not change until this returns.
     *
     * @param seed what the checksums are to be seeded with
     * @param sink stores the images
     * @return what is needed to load the tree
     */
    public static SavedRoot copy(FlexTreeView view, long seed, NodeSink sink) {
        int root = view.rootNode();
        if (root == 0) {
            return new SavedRoot(0, 0, 0, 0, 0);
        }
        int level = view.rootLevel();
        int[][] slots = new int[level + 1][NodeFormat.MAX_CAPACITY];
        int[][] crcs = new int[level + 1][NodeFormat.MAX_CAPACITY];
        NodeImages images = new NodeImages(OwnedTrees.pool(view), seed, sink);
        int slot = images.copy(root, level, slots, crcs);
        return new SavedRoot(slot, images.lastCrc, level, view.size(), view.extentCount());
    }

    /**
     * Stores an image of every node of a version in another file than the tree's own, as {@link #copy} does, for a copy
     * of the whole. Any thread can do it beside the writer, checkpoints and others like it.
     *
     * @param view a version that is pinned, and from an epoch before the writer's
     */
    public static SavedRoot copySealed(FlexTree tree, FlexTreeView view, long seed, NodeSink sink) {
        requireSealed(tree, view);
        return copy(view, seed, sink);
    }

    private static void requireSealed(FlexTree tree, FlexTreeView view) {
        if (!tree.hasSealed(view)) {
            throw new IllegalArgumentException("not a version of the tree that stays as it is: " + view);
        }
    }

    /** Returns the node's slot. */
    private int copy(int node, int level, int[][] slots, int[][] crcs) {
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        int count = count(buffer, base);
        for (int i = 0; level > 0 && i < count; i++) {
            slots[level][i] = copy(child(buffer, base, i), level - 1, slots, crcs);
            crcs[level][i] = lastCrc;
        }
        NodeImageFormat.begin(image, level, count);
        if (level == 0) {
            putExtents(buffer, base, count);
        } else {
            putChildStarts(buffer, base, count);
            putInts(slots[level], count);
            putInts(crcs[level], count);
        }
        return store(level);
    }

    private void putInts(int[] values, int count) {
        for (int i = 0; i < count; i++) {
            image.putInt(values[i]);
        }
    }

    /** Stores the image that was made and returns its slot. */
    private int store(int level) {
        lastCrc = NodeImageFormat.finish(image, seed);
        int slot = sink.write(image, level);
        if (slot <= 0) {
            throw new IllegalStateException("a slot must be positive: " + slot);
        }
        return slot;
    }

    private void putExtents(ByteBuffer leaf, int base, int count) {
        for (int i = 0; i < count; i++) {
            image.putInt(end(leaf, base, i));
        }
        for (int i = 0; i < count; i++) {
            image.putLong(word(leaf, base, i));
        }
    }

    private void putChildStarts(ByteBuffer node, int base, int count) {
        for (int i = 0; i < count; i++) {
            image.putLong(childStart(node, base, i));
        }
    }

    private void putChildren(ByteBuffer node, int base, int count) {
        putChildStarts(node, base, count);
        for (int i = 0; i < count; i++) {
            int child = child(node, base, i);
            image.putInt(NodeFormat.slot(pool.chunk(child), NodeFormat.base(child)));
        }
        for (int i = 0; i < count; i++) {
            int child = child(node, base, i);
            image.putInt(pool.chunk(child).getInt(NodeFormat.base(child) + NodeFormat.CRC_OFFSET));
        }
    }

    /**
     * Builds a tree from images. Every image is verified, by its checksum as well as by what it says, so that no
     * content whatever can do more than make this fail; each slot is read once at most.
     *
     * @param emptyTree the tree to fill; to be thrown away if this throws
     * @param root what {@link #save} returned
     * @param seed what the checksums were seeded with
     * @param maxSlot the largest slot there is
     * @param source reads the images
     * @param eachExtent takes every extent, in logical order, before the whole tree is known to be good; may be null
     * @throws BadNodeException if an image is not what it should be
     */
    public static void load(
            FlexTree emptyTree, SavedRoot root, long seed, int maxSlot, NodeSource source, ExtentConsumer eachExtent) {
        TreeWriter writer = OwnedTrees.writer(emptyTree);
        if (writer.root() != 0) {
            throw new IllegalArgumentException("not an empty tree: " + emptyTree);
        }
        new NodeLoader(writer, root, seed, maxSlot, source, eachExtent).load();
    }

    /**
     * Verifies the images that {@link #load} would read, but builds nothing, and goes on behind those that are bad: all
     * that can be reached are read. Images below a bad internal node can't be reached.
     *
     * @param options of the tree, for the capacities of nodes
     * @param source reads the images; may throw {@link BadNodeException} for one that it can't read; is told of the
     *     children of each node before the first of them is read
     * @param problems takes what is not as it should be
     */
    public static void check(
            FlexTreeOptions options,
            SavedRoot root,
            long seed,
            int maxSlot,
            NodeSource source,
            Consumer<BadNodeException> problems) {
        ImageReader reader = new ImageReader(options.leafCapacity(), options.internalCapacity(), seed, maxSlot, source);
        new ImageWalk(reader, source, root, new ImageChecker(problems)).run();
    }
}
