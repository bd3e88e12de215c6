package io.flexdb.flextree.internal;

import static io.flexdb.flextree.internal.NodeFormat.childStart;
import static io.flexdb.flextree.internal.NodeFormat.setChild;
import static io.flexdb.flextree.internal.NodeFormat.setChildStart;
import static io.flexdb.flextree.internal.NodeFormat.setCount;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Rebuilds the nodes of a tree from images that nobody trusts. */
final class NodeLoader {
    // Checks are spelled out, not left to a method that is given a message: messages cost more than checks.
    private final TreeWriter writer;
    private final TreeNodes nodes;
    private final NodePool pool;
    private final long seed;
    private final int maxSlot;
    private final NodeSource source;
    private final ExtentConsumer eachExtent;
    private final BitSet visited = new BitSet();
    private final ByteBuffer[] images = new ByteBuffer[NodeFormat.MAX_LEVEL + 1]; // a parent's is needed for long
    private long extentCount;
    private long loadedBytes; // second result of loadNode: what the node's subtree maps

    NodeLoader(TreeWriter writer, long seed, int maxSlot, NodeSource source, ExtentConsumer eachExtent) {
        this.writer = writer;
        this.nodes = writer.nodes();
        this.pool = writer.pool();
        this.seed = seed;
        this.maxSlot = maxSlot;
        this.source = source;
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
        if (slot <= 0 || slot > maxSlot) {
            throw bad(slot, "a slot from 1 to " + maxSlot, slot);
        }
        if (visited.get(slot)) {
            throw bad(slot, "a slot that no other node uses", slot);
        }
        visited.set(slot);
        ByteBuffer image = readImage(slot, level, crc);
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET);
        int node = nodes.create(level);
        ByteBuffer buffer = pool.chunk(node);
        int base = NodeFormat.base(node);
        setCount(buffer, base, count);
        if (level == 0) {
            loadExtents(image, slot, buffer, base, count, nodeStart);
        } else {
            loadChildren(image, slot, buffer, base, level, nodeStart);
        }
        NodeFormat.setImage(buffer, base, slot, crc);
        return node;
    }

    private ByteBuffer readImage(int slot, int level, int expectedCrc) {
        if (images[level] == null) {
            images[level] = NodeImageFormat.newBuffer();
        }
        ByteBuffer image = images[level];
        image.clear();
        image.limit(level == 0 ? NodeImageFormat.MAX_LEAF_BYTES : NodeImageFormat.MAX_INTERNAL_BYTES);
        source.read(slot, level, image);
        image.flip();
        if (image.limit() < NodeImageFormat.HEADER_BYTES) {
            throw bad(slot, "a header", image.limit() + " bytes");
        }
        int foundLevel = image.get(NodeImageFormat.LEVEL_OFFSET) & 0xff;
        if (foundLevel != level) {
            throw bad(slot, "level " + level, foundLevel);
        }
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET) & 0xffff;
        int capacity = nodes.capacity(level);
        if (count < 1 || count > capacity) {
            throw bad(slot, "1 to " + capacity + " entries", count);
        }
        int bytes = NodeImageFormat.imageBytes(level, count);
        if (image.limit() < bytes) {
            throw bad(slot, bytes + " bytes", image.limit());
        }
        image.limit(bytes);
        int crc = NodeImageFormat.crc(image, seed);
        int foundCrc = image.getInt(NodeImageFormat.CRC_OFFSET);
        if (foundCrc != crc) {
            throw bad(slot, "checksum " + crc, foundCrc);
        }
        if (foundCrc != expectedCrc) {
            throw bad(slot, "checksum " + expectedCrc + " as its parent says", foundCrc);
        }
        if (image.get(NodeImageFormat.RESERVED_1_OFFSET) != 0
                || image.getLong(NodeImageFormat.RESERVED_2_OFFSET) != 0) {
            throw bad(slot, "zeros in reserved bytes", "other bytes");
        }
        return image;
    }

    private void loadExtents(ByteBuffer image, int slot, ByteBuffer leaf, int base, int count, long leafStart) {
        int endsAt = NodeImageFormat.HEADER_BYTES;
        int wordsAt = endsAt + count * Integer.BYTES;
        int start = 0;
        for (int i = 0; i < count; i++) {
            int end = image.getInt(endsAt + i * Integer.BYTES);
            long word = image.getLong(wordsAt + i * Long.BYTES);
            int length = end - start;
            long address = NodeFormat.address(word);
            if (end <= start) {
                throw bad(slot, "an end greater than " + start, end);
            }
            if (length > FlexTree.MAX_EXTENT_BYTES) {
                throw bad(slot, "an extent of " + FlexTree.MAX_EXTENT_BYTES + " bytes at most", length);
            }
            if (!NodeFormat.isHole(word) && address + length > FlexTree.HOLE) {
                throw bad(slot, "an extent that ends below the largest address", address);
            }
            TreeNodes.setExtent(leaf, base, i, end, word);
            if (eachExtent != null) {
                eachExtent.accept(leafStart + start, length, address, NodeFormat.flags(word));
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

    private static BadNodeException bad(int slot, String expected, Object found) {
        return new BadNodeException(slot, expected, String.valueOf(found));
    }
}
