package io.flexdb.flextree.internal.image;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.flextree.internal.tree.TreeNodes;
import io.flexdb.flextree.internal.tree.TreeWriter;
import java.nio.ByteBuffer;

/** Rebuilds the nodes of a tree from images, up to the first bad one. */
final class NodeLoader implements ImageWalk.Visitor {
    private final TreeWriter writer;
    private final TreeNodes nodes;
    private final NodePool pool;
    private final ImageWalk walk;
    private final SavedRoot root;
    private final ExtentConsumer eachExtent;

    // By level, since children come after their parent and in their order:
    private final int[] newest = new int[NodeFormat.MAX_LEVEL + 1];
    private final int[] childrenOfNewest = new int[NodeFormat.MAX_LEVEL + 1];

    /** @param source may throw {@link BadNodeException} */
    NodeLoader(TreeWriter writer, SavedRoot root, long seed, int maxSlot, NodeSource source, ExtentConsumer each) {
        this.writer = writer;
        this.nodes = writer.nodes();
        this.pool = writer.pool();
        this.root = root;
        this.eachExtent = each;
        ImageReader reader = new ImageReader(nodes.capacity(0), nodes.capacity(1), seed, maxSlot, source);
        this.walk = new ImageWalk(reader, source, root, this);
    }

    void load() {
        nodes.refreshEpoch();
        walk.run();
        if (root.slot() != 0) {
            writer.install(newest[root.level()], root.level(), root.size(), root.extentCount());
            nodes.epochs.advance(); // what has an image is never changed in place
        }
    }

    @Override
    public void visit(NodeImage image, long logicalOffset) {
        int level = image.level();
        int node = nodes.create(level, image.count());
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        NodeFormat.setImageOfNew(buffer, base, image.slot(), image.crc());
        newest[level] = node;
        childrenOfNewest[level] = 0;
        if (level < root.level()) {
            int parent = newest[level + 1];
            int i = childrenOfNewest[level + 1]++;
            NodeFormat.setChild(pool.chunk(parent), NodeFormat.base(parent), i, node);
        }
        if (level == 0) {
            image.copyExtents(buffer, base + NodeFormat.ENDS_OFFSET, base + NodeFormat.WORDS_OFFSET);
            tellExtents(image, logicalOffset);
        } else {
            for (int i = 0; i < image.count(); i++) {
                NodeFormat.setChildStart(buffer, base, i, image.childStart(i));
            }
        }
    }

    private void tellExtents(NodeImage image, long leafStart) {
        if (eachExtent == null) {
            return;
        }
        int start = 0;
        for (int i = 0; i < image.count(); i++) {
            int end = image.end(i);
            long word = image.word(i);
            eachExtent.accept(leafStart + start, end - start, NodeFormat.address(word), NodeFormat.flags(word));
            start = end;
        }
    }

    @Override
    public void problem(BadNodeException problem) {
        throw problem;
    }

    @Override
    public void unusable(BadNodeException problem, int level) {
        throw problem;
    }
}
