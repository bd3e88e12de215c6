package io.flexdb.flextree.internal.image;

import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The image of a node in a checkpoint. Little-endian; as long as its entries need.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 *      0     4  CRC32C of the seed (8 bytes) and of all bytes that follow this field
 *      4     1  level, 0 for a leaf
 *      5     1  reserved, 0
 *      6     2  count of entries, 1 to 84
 *      8     8  reserved, 0
 *
 * leaf
 *     16   4 n  end, an int for each extent
 * 16+4 n   8 n  word, a long for each extent: flags (16 bits) above the address (48 bits)
 *
 * internal node
 *     16   8 n  childStart, a long for each child
 * 16+8 n   4 n  childSlot, an int for each child: the slot of its image
 * 16+12n   4 n  childCrc, an int for each child: the checksum of its image
 * </pre>
 */
public final class NodeImageFormat {
    static final int CRC_OFFSET = 0;
    static final int LEVEL_OFFSET = CRC_OFFSET + Integer.BYTES;
    static final int RESERVED_1_OFFSET = LEVEL_OFFSET + Byte.BYTES;
    static final int COUNT_OFFSET = RESERVED_1_OFFSET + Byte.BYTES;
    static final int RESERVED_2_OFFSET = COUNT_OFFSET + Short.BYTES;
    static final int HEADER_BYTES = RESERVED_2_OFFSET + Long.BYTES;

    private static final int LEAF_ENTRY_BYTES = Integer.BYTES + Long.BYTES;
    private static final int INTERNAL_ENTRY_BYTES = Long.BYTES + Integer.BYTES + Integer.BYTES;

    /** Bytes of the longest image of a leaf. */
    public static final int MAX_LEAF_BYTES = HEADER_BYTES + NodeFormat.MAX_CAPACITY * LEAF_ENTRY_BYTES;
    /** Bytes of the longest image of an internal node. */
    public static final int MAX_INTERNAL_BYTES = HEADER_BYTES + NodeFormat.MAX_CAPACITY * INTERNAL_ENTRY_BYTES;

    private NodeImageFormat() {}

    /** Bytes of an image. */
    static int imageBytes(int level, int count) {
        return HEADER_BYTES + count * (level == 0 ? LEAF_ENTRY_BYTES : INTERNAL_ENTRY_BYTES);
    }

    static ByteBuffer newBuffer() {
        return ByteBuffer.allocateDirect(MAX_INTERNAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A buffer for images that are copied where they are stored: a checkpoint must not need direct memory for it. */
    static ByteBuffer newHeapBuffer() {
        return ByteBuffer.allocate(MAX_INTERNAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    static void begin(ByteBuffer image, int level, int count) {
        image.clear();
        image.putInt(0).put((byte) level).put((byte) 0).putShort((short) count).putLong(0);
    }

    /** Makes what has been put the image: sets its checksum, which it returns, position and limit. */
    static int finish(ByteBuffer image, long seed) {
        image.flip();
        int crc = crc(image, seed);
        image.putInt(CRC_OFFSET, crc);
        return crc;
    }

    /** The checksum of the bytes up to the limit. */
    static int crc(ByteBuffer image, long seed) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (seed >>> shift) & 0xff);
        }
        image.position(LEVEL_OFFSET);
        crc.update(image);
        image.position(0);
        return (int) crc.getValue();
    }
}
