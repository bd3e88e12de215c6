package io.flexdb.flexspace.internal.base;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.UnsupportedFormatException;
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

    /** The format version this code writes, and the only one it reads. */
    public static final int VERSION = 1;

    /** Where the fields of the kind begin. */
    public static final int FIELDS_OFFSET = 32;

    private static final int KIND_OFFSET = 8;
    private static final int VERSION_OFFSET = 12;
    private static final int STORE_ID_OFFSET = 16;
    private static final int COMMON_CRC_OFFSET = 24;

    private FilePreamble() {}

    /** The kinds of files; the code stands in the file. */
    public enum Kind {
        /** Segments. */
        DATA(1),
        /** A header slot of the FlexTree file. */
        TREE(2),
        /** A logical log. */
        LOG(3),
        /** A write-ahead log. */
        WAL(4),
        /** The sparse index of the last clean close. */
        ANCHORS(5),
        /** Pairs that were exported. */
        RUN(6),
        /** The range filters of the last clean close. */
        FILTERS(7),
        /** Outlines of intervals at the last clean close. */
        OUTLINES(8);

        /** The number in the file. */
        public final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /** A block with the common fields in place, positioned at the fields of the kind. */
    public static ByteBuffer begin(Kind kind, long storeId) {
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        block.putLong(MAGIC).putInt(kind.code).putInt(VERSION).putLong(storeId);
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
     * @throws UnsupportedFormatException if the file is of another format version
     */
    public static ByteBuffer check(
            Path file, long position, ByteBuffer block, Kind kind, int fieldBytes, long storeId) {
        block.order(ByteOrder.LITTLE_ENDIAN);
        expect(file, position, "magic " + Long.toHexString(MAGIC), MAGIC, block.getLong(0));
        expect(file, position + KIND_OFFSET, "file kind " + kind, kind.code, block.getInt(KIND_OFFSET));
        int commonCrc = block.getInt(COMMON_CRC_OFFSET);
        expect(file, position, "checksum of the common fields", crc(block, 0, COMMON_CRC_OFFSET), commonCrc);
        int version = block.getInt(VERSION_OFFSET);
        if (version != VERSION) {
            throw new UnsupportedFormatException(file, kind.name(), version, VERSION, VERSION);
        }
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
