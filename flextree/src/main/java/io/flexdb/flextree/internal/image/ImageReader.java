package io.flexdb.flextree.internal.image;

import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Reads images that nobody trusts, each slot once at most, and verifies all but what their entries say. */
final class ImageReader {
    // Checks are spelled out, not left to a method that is given a message: messages cost more than checks.
    private final int leafCapacity;
    private final int internalCapacity;
    private final long seed;
    private final int maxSlot;
    private final NodeSource source;
    private final BitSet visited = new BitSet();
    private final NodeImage[] images = new NodeImage[NodeFormat.MAX_LEVEL + 1]; // a parent's is needed for long

    /**
     * @param leafCapacity the most entries of a leaf
     * @param internalCapacity the most children
     * @param maxSlot the largest slot there is
     */
    ImageReader(int leafCapacity, int internalCapacity, long seed, int maxSlot, NodeSource source) {
        this.leafCapacity = leafCapacity;
        this.internalCapacity = internalCapacity;
        this.seed = seed;
        this.maxSlot = maxSlot;
        this.source = source;
    }

    /**
     * The image of a node, which stays until another of its level is read.
     *
     * @param level from 0 to {@link NodeFormat#MAX_LEVEL}
     * @throws BadNodeException if it is not what its parent says
     */
    NodeImage read(int slot, int level, int expectedCrc) {
        if (slot <= 0 || slot > maxSlot) {
            throw bad(slot, "a slot from 1 to " + maxSlot, slot);
        }
        if (visited.get(slot)) {
            throw bad(slot, "a slot that no other node uses", slot);
        }
        visited.set(slot);
        if (images[level] == null) {
            images[level] = new NodeImage();
        }
        ByteBuffer image = images[level].bytes;
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
        int capacity = level == 0 ? leafCapacity : internalCapacity;
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
        images[level].is(slot, level, count);
        return images[level];
    }

    static BadNodeException bad(int slot, String expected, Object found) {
        return new BadNodeException(slot, expected, String.valueOf(found));
    }
}
