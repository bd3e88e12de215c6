package io.flexdb.flextree.internal.image;

import static io.flexdb.flextree.internal.image.ImageReader.bad;
import static io.flexdb.flextree.internal.tree.NodeFormat.childStart;
import static io.flexdb.flextree.internal.tree.NodeFormat.setChild;
import static io.flexdb.flextree.internal.tree.NodeFormat.setChildStart;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.flextree.internal.tree.TreeNodes;
import io.flexdb.flextree.internal.tree.TreeWriter;
import java.nio.ByteBuffer;

/** Rebuilds the nodes of a tree from images that nobody trusts. */
final class NodeLoader {
    private final TreeWriter writer;
    private final TreeNodes nodes;
    private final NodePool pool;
    private final ImageReader reader;
    private final ExtentConsumer eachExtent;
    private long extentCount;
    private long loadedBytes; // second result of loadNode: what the node's subtree maps

    NodeLoader(TreeWriter writer, long seed, int maxSlot, NodeSource source, ExtentConsumer eachExtent) {
        this.writer = writer;
        this.nodes = writer.nodes();
        this.pool = writer.pool();
        this.reader = new ImageReader(nodes.capacity(0), nodes.capacity(1), seed, maxSlot, source);
        this.eachExtent = eachExtent;
    }

    void load(SavedRoot root) {
        int slot = root.slot();
        if (root.level() < 0 || root.level() > NodeFormat.MAX_LEVEL) {
            throw bad(slot, "a level from 0 to " + NodeFormat.MAX_LEVEL, root.level());
        }
        nodes.refreshEpoch();
        int node = loadNode(slot, root.level(), root.crc(), 0);
        int count = NodeFormat.count(pool.chunk(node), NodeFormat.base(node));
        if (root.level() > 0 && count == 1) {
            throw bad(slot, "two children of an internal root at least", count);
        }
        if (loadedBytes != root.size()) {
            throw bad(slot, "size " + root.size(), loadedBytes);
        }
        if (extentCount != root.extentCount()) {
            throw bad(slot, root.extentCount() + " extents", extentCount);
        }
        writer.install(node, root.level(), root.size(), root.extentCount());
        nodes.epochs.advance(); // what has an image is never changed in place
    }

    private int loadNode(int slot, int level, int crc, long nodeStart) {
        ByteBuffer image = reader.read(slot, level, crc);
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET);
        int node = nodes.create(level, count);
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        if (level == 0) {
            loadExtents(image, slot, buffer, base, count, nodeStart);
        } else {
            loadChildren(image, slot, buffer, base, level, nodeStart);
        }
        NodeFormat.setImageOfNew(buffer, base, slot, crc);
        return node;
    }

    private void loadExtents(ByteBuffer image, int slot, ByteBuffer leaf, int base, int count, long leafStart) {
        int endsAt = NodeImageFormat.HEADER_BYTES;
        int wordsAt = endsAt + count * Integer.BYTES;
        leaf.put(base + NodeFormat.ENDS_OFFSET, image, endsAt, count * Integer.BYTES);
        leaf.put(base + NodeFormat.WORDS_OFFSET, image, wordsAt, count * Long.BYTES);
        int start = 0;
        for (int i = 0; i < count; i++) {
            int end = image.getInt(endsAt + i * Integer.BYTES);
            long word = image.getLong(wordsAt + i * Long.BYTES);
            ImageReader.checkExtent(slot, start, end, word);
            if (eachExtent != null) {
                eachExtent.accept(leafStart + start, end - start, NodeFormat.address(word), NodeFormat.flags(word));
            }
            start = end;
        }
        extentCount += count;
        loadedBytes = start;
    }

    private void loadChildren(ByteBuffer image, int slot, ByteBuffer node, int base, int level, long nodeStart) {
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET);
        int startsAt = NodeImageFormat.HEADER_BYTES;
        int slotsAt = startsAt + count * Long.BYTES;
        int crcsAt = slotsAt + count * Integer.BYTES;
        for (int i = 0; i < count; i++) {
            setChildStart(node, base, i, image.getLong(startsAt + i * Long.BYTES));
        }
        long end = 0;
        for (int i = 0; i < count; i++) {
            long start = childStart(node, base, i);
            if (start != end) {
                throw bad(slot, "child " + i + " to start at " + end, start);
            }
            int childSlot = image.getInt(slotsAt + i * Integer.BYTES);
            int childCrc = image.getInt(crcsAt + i * Integer.BYTES);
            setChild(node, base, i, loadNode(childSlot, level - 1, childCrc, nodeStart + start));
            if (loadedBytes > Long.MAX_VALUE - nodeStart - end) {
                throw bad(slot, "a size below 2^63", "a greater one");
            }
            end += loadedBytes;
        }
        loadedBytes = end;
    }
}
