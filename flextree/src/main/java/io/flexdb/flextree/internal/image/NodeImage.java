package io.flexdb.flextree.internal.image;

import java.nio.ByteBuffer;

/**
 * The image of one node, whose header and checksum are sound. {@link ImageWalk} verifies its entries. There is one for
 * each level, which the next node of that level uses again.
 */
final class NodeImage {
    final ByteBuffer bytes = NodeImageFormat.newBuffer();
    private int slot;
    private int level;
    private int count;
    private int secondColumn; // where the words of extents are, or the slots of children
    private int thirdColumn; // where the checksums of children are

    /** Takes what the bytes are the image of. */
    void is(int newSlot, int newLevel, int newCount) {
        slot = newSlot;
        level = newLevel;
        count = newCount;
        secondColumn = NodeImageFormat.HEADER_BYTES + count * (level == 0 ? Integer.BYTES : Long.BYTES);
        thirdColumn = secondColumn + count * Integer.BYTES;
    }

    int slot() {
        return slot;
    }

    int level() {
        return level;
    }

    /** Entries, one at least. */
    int count() {
        return count;
    }

    int crc() {
        return bytes.getInt(NodeImageFormat.CRC_OFFSET);
    }

    // ---- of a leaf

    int end(int i) {
        return bytes.getInt(NodeImageFormat.HEADER_BYTES + i * Integer.BYTES);
    }

    long word(int i) {
        return bytes.getLong(secondColumn + i * Long.BYTES);
    }

    /** Copies all of it, little-endian. */
    void copyExtents(ByteBuffer destination, int endsAt, int wordsAt) {
        destination.put(endsAt, bytes, NodeImageFormat.HEADER_BYTES, count * Integer.BYTES);
        destination.put(wordsAt, bytes, secondColumn, count * Long.BYTES);
    }

    // ---- of an internal node

    long childStart(int i) {
        return bytes.getLong(NodeImageFormat.HEADER_BYTES + i * Long.BYTES);
    }

    int childSlot(int i) {
        return bytes.getInt(secondColumn + i * Integer.BYTES);
    }

    int childCrc(int i) {
        return bytes.getInt(thirdColumn + i * Integer.BYTES);
    }
}
