package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.internal.base.FormatVersion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a write-ahead log. All numbers are little-endian, all checksums CRC32C.
 *
 * <p>A file has a fixed size, its capacity, and begins with a header of one block. It is written and forced before the
 * file gets its name, and again before a recycled file gets its next name, so a file with a log's name has a valid
 * header unless it was damaged.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 * 0       32    common fields, see FilePreamble
 * 32      8     file number, which is the file's name
 * 40      8     generation; grows whenever the file is recycled
 * 48      8     capacity: bytes of the file
 * 56      4     checksum of the bytes before it
 * 60      452   zero
 * </pre>
 *
 * <p>The next sector is the mark. It is rewritten after each force, when everything before the position it names is
 * known to be durable, but is itself forced only by the next force or by closing. It says which damage can't be a torn
 * tail. A mark whose checksum or generation is wrong says nothing.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 * 512     8     generation
 * 520     8     position up to which the file was forced
 * 528     4     checksum of the store id, the file number (8 bytes each) and bytes 512 to 527
 * 532     3564  zero
 * </pre>
 *
 * <p>Then comes the start, which is written together with the first frame. From its number on, the entries of all frames
 * are numbered one by one.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 * 4096    8     sequence number of the first entry, at least 1
 * 4104    4     check of the 8 bytes before it
 * 4108    4     zero
 * </pre>
 *
 * <p>Frames follow from position 4112 on, each at a multiple of 8. A frame is one write: a single operation or a batch.
 *
 * <pre>
 * OFFSET  SIZE    FIELD
 * 0       4       bytes of the payload, at least 1; and 2^31 if a bulk load came right before this write
 * 4       4       check of the 4 bytes before it and of the payload's checksum, 4 bytes
 * 8       length  payload, then up to 7 bytes of any value
 * </pre>
 *
 * <p>A check is the checksum of the store id, the position of the start or frame (8 bytes each), the high half of the
 * file's generation (4 bytes) and what the check is of, combined by exclusive or with the generation's low half.
 *
 * <p>The first position where no frame of the file's generation stands is the log's end: zeros, what is left of an
 * earlier generation, or a torn frame. A log whose start is not of its generation has no frames.
 */
public final class WalFormat {
    /** Position of the file number. */
    public static final int HEADER_NUMBER = FilePreamble.FIELDS_OFFSET;

    /** Position of the generation. */
    public static final int HEADER_GENERATION = HEADER_NUMBER + 8;

    /** Position of the capacity. */
    public static final int HEADER_CAPACITY = HEADER_GENERATION + 8;

    /** Position of the header's checksum. */
    public static final int HEADER_CHECKSUM = HEADER_CAPACITY + 8;

    /** Bytes of the header. */
    public static final int HEADER_BYTES = HEADER_CHECKSUM + 4;

    /** Position of the mark's generation; a sector of its own. */
    public static final int MARK_GENERATION = 512;

    /** Position of the mark's position. */
    public static final int MARK_POSITION = MARK_GENERATION + 8;

    /** Position of the mark's checksum. */
    public static final int MARK_CHECKSUM = MARK_POSITION + 8;

    /** Bytes of the mark. */
    public static final int MARK_BYTES = MARK_CHECKSUM + 4 - MARK_GENERATION;

    /** Position of the start, which is that of its sequence number. */
    public static final int START = FilePreamble.BLOCK_BYTES;

    /** Position of the start's check. */
    public static final int START_CHECK = START + 8;

    /** Position of the zeros that end the start. */
    public static final int START_ZERO = START_CHECK + 4;

    /** Bytes of the start. */
    public static final int START_BYTES = START_ZERO + 4 - START;

    /** Position of the first frame. */
    public static final int FIRST_FRAME = START + START_BYTES;

    /** Offset of the payload length in a frame. */
    public static final int FRAME_LENGTH = 0;

    /** The flag in the length of a frame that is the first one behind a bulk load. */
    static final int BEHIND_LOAD = 1 << 31;

    /** Offset of the check in a frame. */
    public static final int FRAME_CHECK = FRAME_LENGTH + 4;

    /** Bytes of a frame before its payload. */
    public static final int FRAME_HEADER_BYTES = FRAME_CHECK + 4;

    /** Capacities are multiples of this. */
    public static final int CAPACITY_UNIT = 4096;

    /** The least capacity. */
    public static final int MIN_CAPACITY = START + CAPACITY_UNIT;

    /** The greatest capacity: what one mapping holds. */
    public static final int MAX_CAPACITY = Integer.MAX_VALUE - CAPACITY_UNIT + 1;

    /** The end of the name of a file that is being made or recycled; such a file holds nothing. */
    public static final String UNFINISHED_SUFFIX = ".new";

    private static final int NAME_DIGITS = 20;

    private WalFormat() {}

    /** The name of the file with a number: 20 digits from 0 to 9, whatever the locale. */
    public static String fileName(long number) {
        String digits = Long.toString(number);
        return "0".repeat(NAME_DIGITS - digits.length()) + digits;
    }

    /** Whether a name is that of a log. */
    public static boolean isFileName(String name) {
        return name.length() == NAME_DIGITS && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Whether a name is that of a log whose making or recycling did not end. */
    public static boolean isUnfinishedName(String name) {
        return name.endsWith(UNFINISHED_SUFFIX)
                && isFileName(name.substring(0, name.length() - UNFINISHED_SUFFIX.length()));
    }

    /** Bytes that a write takes in a file. */
    public static long frameBytes(int payloadBytes) {
        return (FRAME_HEADER_BYTES + (long) payloadBytes + 7) & -8L;
    }

    /** The longest payload that a file of a capacity can hold. */
    public static int maxPayloadBytes(long capacity) {
        return (int) (capacity - FIRST_FRAME - FRAME_HEADER_BYTES);
    }

    /**
     * Fills a little-endian block of {@link #START} zeros with the header and the mark of a log without frames.
     */
    static void encodeHeader(ByteBuffer block, WalId id, long capacity) {
        ByteBuffer preamble = FilePreamble.begin(FormatVersion.WAL, id.storeId());
        preamble.putLong(id.number()).putLong(id.generation()).putLong(capacity);
        block.put(0, FilePreamble.finish(preamble), 0, START);
        block.putLong(MARK_GENERATION, id.generation());
        block.putLong(MARK_POSITION, FIRST_FRAME);
        block.putInt(MARK_CHECKSUM, markChecksum(id, FIRST_FRAME));
    }

    static int markChecksum(WalId id, long position) {
        ByteBuffer fields = ByteBuffer.allocate(4 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        fields.putLong(id.storeId())
                .putLong(id.number())
                .putLong(id.generation())
                .putLong(position);
        CRC32C crc = new CRC32C();
        crc.update(fields.flip());
        return (int) crc.getValue();
    }
}
