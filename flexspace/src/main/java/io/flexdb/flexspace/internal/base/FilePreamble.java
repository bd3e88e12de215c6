package io.flexdb.flexspace.internal.base;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * How every binary file of a store begins. Little-endian.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 *  0      8     magic, "FlexDB\r\n"
 *  8      4     kind of file
 * 12      4     format version
 * 16      8     store id
 * 24      4     CRC32C of the 24 bytes before it
 * 28      4     reserved, zero
 * 32      n     fields of the kind
 * 32 + n  4     CRC32C of all bytes before it
 * </pre>
 *
 * <p>The common fields have a checksum of their own, at the same place in every version, so that a newer format can be
 * told from damage. A preamble has a block of 4096 bytes to itself; what it does not fill is zero.
 */
public final class FilePreamble {
    /** Bytes kept for a preamble. */
    public static final int BLOCK_BYTES = 4096;

    /** The first eight bytes of every file. */
    public static final long MAGIC = 0x0A0D42447865_6C46L;

    /** Where the fields of the kind begin. */
    public static final int FIELDS_OFFSET = 32;

    private static final int KIND_OFFSET = 8;
    private static final int VERSION_OFFSET = 12;
    private static final int STORE_ID_OFFSET = 16;
    private static final int COMMON_CRC_OFFSET = 24;

    private FilePreamble() {}

    /**
     * A kind of file.
     *
     * @param name for messages
     * @param code the number in the file
     * @param formats the versions of its format
     */
    public record Kind(String name, int code, FormatLadder formats) {
        /** Segments. */
        public static final Kind DATA = new Kind("data file", 1, SpaceFormatVersion.LADDER);

        /** A header slot of the FlexTree file. */
        public static final Kind TREE = new Kind("FlexTree file", 2, SpaceFormatVersion.LADDER);

        /** A logical log. */
        public static final Kind LOG = new Kind("logical log", 3, SpaceFormatVersion.LADDER);

        @Override
        public String toString() {
            return name;
        }
    }

    /** A block with the common fields in place, positioned at the fields of the kind. */
    public static ByteBuffer begin(Kind kind, long storeId) {
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        block.putLong(MAGIC).putInt(kind.code).putInt(kind.formats.written()).putLong(storeId);
        block.putInt(crc(block, 0, COMMON_CRC_OFFSET)).putInt(0);
        return block;
    }

    /** Adds the checksum behind the fields and makes the whole block ready to be written. */
    public static ByteBuffer finish(ByteBuffer block) {
        int end = block.position();
        block.putInt(crc(block, 0, end));
        block.clear();
        return block;
    }

    /**
     * Checks a block.
     *
     * @param block at least {@code FIELDS_OFFSET + fieldBytes + 4} bytes from index 0
     * @param fieldBytes bytes of the fields of the kind
     * @param storeId the store id expected, or 0 for any
     * @return the block, positioned at the fields of the kind
     * @throws CorruptionException if magic, kind, store id or checksum are not as expected
     * @throws io.flexdb.storage.UnsupportedFormatException if the file is of another format version
     */
    public static ByteBuffer check(
            Path file, long position, ByteBuffer block, Kind kind, int fieldBytes, long storeId) {
        block.order(ByteOrder.LITTLE_ENDIAN);
        expect(file, position, "magic " + Long.toHexString(MAGIC), MAGIC, block.getLong(0));
        expect(file, position + KIND_OFFSET, "file kind " + kind, kind.code, block.getInt(KIND_OFFSET));
        int commonCrc = block.getInt(COMMON_CRC_OFFSET);
        expect(file, position, "checksum of the common fields", crc(block, 0, COMMON_CRC_OFFSET), commonCrc);
        kind.formats.requireReadable(file, kind.name, block.getInt(VERSION_OFFSET));
        int end = FIELDS_OFFSET + fieldBytes;
        expect(file, position + end, "checksum", crc(block, 0, end), block.getInt(end));
        if (storeId != 0) {
            expect(file, position + STORE_ID_OFFSET, "store id", storeId, block.getLong(STORE_ID_OFFSET));
        }
        block.position(FIELDS_OFFSET);
        return block;
    }

    /** Whether a block, sound or not, says that it begins a file of a kind. */
    public static boolean isOf(Kind kind, ByteBuffer block) {
        return block.getLong(0) == MAGIC && block.getInt(KIND_OFFSET) == kind.code;
    }

    /** The store id in a checked block. */
    public static long storeId(ByteBuffer block) {
        return block.getLong(STORE_ID_OFFSET);
    }

    /** Reads the block at a position; a shorter file leaves zeros. */
    public static ByteBuffer read(VfsFile file, long position) {
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (block.hasRemaining()) {
            int read = file.read(block, position + block.position());
            if (read <= 0) {
                break;
            }
        }
        block.clear();
        return block;
    }

    private static void expect(Path file, long position, String what, long expected, long found) {
        if (expected != found) {
            throw new CorruptionException(
                    file, position, what + " " + Long.toHexString(expected), Long.toHexString(found));
        }
    }

    /** The CRC32C of a range of a buffer, by absolute position. */
    public static int crc(ByteBuffer buffer, int position, int length) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(position + length).position(position));
        return (int) crc.getValue();
    }
}
