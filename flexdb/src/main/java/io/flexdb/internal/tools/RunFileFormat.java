package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.FilePreamble;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A file of pairs in key order. Its blocks follow one another and hold a stream of pairs; a pair may begin in one block
 * and end in another. The trailer ends the file.
 *
 * <pre>
 * file     OFFSET  SIZE  FIELD
 *          0       32    common fields, see FilePreamble
 *          32      8     id of the file, at random
 *          40      4     CRC32C
 *          4096          blocks, then the trailer
 *
 * block    OFFSET  SIZE  FIELD
 *          0       4     bytes of the pairs, 1 to 262144
 *          4       4     CRC32C of the file's id (8 bytes), of the block's position in the file (8 bytes), of the 4
 *                        bytes before it, and of the pairs
 *          8       n     pairs, or parts of them
 *
 * trailer  OFFSET  SIZE  FIELD
 *          0       4     zero
 *          4       4     CRC32C, as that of a block, of the 16 bytes behind it
 *          8       8     pairs
 *          16      8     bytes of all of them
 * </pre>
 *
 * A pair:
 *
 * <pre>
 * SIZE      FIELD
 * 1         flags: 1 the pair expires
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint
 * 8         with flag 1: when it expires, in milliseconds since 1970 UTC
 * length    key, without a head
 * length    value
 * </pre>
 */
public final class RunFileFormat {
    static final int FIELD_BYTES = Long.BYTES;
    static final long BLOCKS_OFFSET = FilePreamble.BLOCK_BYTES;
    static final int BLOCK_HEADER_BYTES = 8;
    static final int CHECKSUM_OFFSET = 4;
    static final int MAX_BLOCK_BYTES = 256 << 10;
    static final int TRAILER_BYTES = BLOCK_HEADER_BYTES + 2 * Long.BYTES;
    static final int EXPIRES = 1;

    private RunFileFormat() {}

    /** The checksum of a block or the trailer, which is in a little-endian buffer from index 0 to the end given. */
    static int checksum(CRC32C crc, long id, long position, ByteBuffer block, int end) {
        crc.reset();
        crc.update(ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(id)
                .putLong(position)
                .flip());
        crc.update(block.duplicate().limit(CHECKSUM_OFFSET).position(0));
        crc.update(block.duplicate().limit(end).position(BLOCK_HEADER_BYTES));
        return (int) crc.getValue();
    }
}
