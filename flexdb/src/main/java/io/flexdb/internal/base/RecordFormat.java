package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A KV pair as it stands in the FlexSpace.
 *
 * <pre>
 * SIZE      FIELD
 * 4         CRC32C of what follows
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint
 * length    key
 * length    value
 * </pre>
 *
 * A pair that expires, or has operands, is <i>extended</i>: it has a zero in the place of the key length, which is
 * never zero. This costs other pairs nothing.
 *
 * <pre>
 * SIZE      FIELD
 * 4         CRC32C of what follows
 * 1         zero
 * 1         flags, one at least: 1 the pair expires, 2 operands were merged into it, 4 operands wait in it; others are
 *           refused
 * 8         with flag 1: when it expires, in milliseconds since 1970 UTC
 * 8         with flag 2: the sequence number through which the operands of its key are in the value
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint
 * length    key
 * length    value
 * </pre>
 *
 * Operands wait in a pair if the merge function has failed for them. A list of them then stands in the place of the
 * value.
 *
 * <p>The checksum lets a pair be verified without the frames that it lies in. Flags and both lengths are read at once into
 * a <i>header</i>, one number that the other methods take apart.
 */
public final class RecordFormat {
    /** The longest key. */
    public static final int MAX_KEY_BYTES = 0xFFFF;

    /** The longest value. */
    public static final int MAX_VALUE_BYTES = 1 << 30;

    /** The expiry of a pair that never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int CHECKSUM_BYTES = 4;
    private static final int EXPIRES = 1;
    private static final int MERGED = 2;
    private static final int WAITS = 4;
    private static final int MAX_EXTENSION_BYTES = 2 + 2 * Long.BYTES;

    /** The most bytes before the key. */
    public static final int MAX_HEADER_BYTES = CHECKSUM_BYTES + MAX_EXTENSION_BYTES + 8;

    /** The flag of an extent that does not begin with a record. */
    public static final int CONTINUATION = 1;

    /** Returned for bytes that are no record. */
    public static final long BAD = -1;

    private static final long UNKNOWN_FLAGS = -2;

    private static final int KEY_SHIFT = 32;
    private static final int HEADER_SHIFT = 48;
    private static final int FLAGS_SHIFT = 56;
    private static final long SHORT_HEADER = CHECKSUM_BYTES + 2L << HEADER_SHIFT;
    private static final long LONGER_HEADER = CHECKSUM_BYTES + 3L << HEADER_SHIFT;

    private RecordFormat() {}

    /** Bytes of a record that is not extended. */
    public static int recordBytes(int keyLength, int valueLength) {
        return CHECKSUM_BYTES + Varints.bytes(keyLength) + Varints.bytes(valueLength) + keyLength + valueLength;
    }

    /** Bytes of a record that may expire, or have operands merged into it. */
    public static int recordBytes(int keyLength, int valueLength, long expiry, long mergedThrough) {
        return extensionBytes(flags(expiry, mergedThrough)) + recordBytes(keyLength, valueLength);
    }

    /** Bytes of a record in which operands wait, in a list of so many bytes. */
    public static int waitingBytes(int keyLength, int listLength, long expiry, long mergedThrough) {
        return extensionBytes(flags(expiry, mergedThrough) | WAITS) + recordBytes(keyLength, listLength);
    }

    private static int flags(long expiry, long mergedThrough) {
        return (expiry == NEVER ? 0 : EXPIRES) | (mergedThrough == 0 ? 0 : MERGED);
    }

    private static int extensionBytes(int flags) {
        return flags == 0 ? 0 : 2 + Integer.bitCount(flags & (EXPIRES | MERGED)) * Long.BYTES;
    }

    /**
     * Writes what a record has before its key, but for the checksum, and returns the position of the key. The value goes
     * right behind that, and then the record is {@linkplain #seal sealed}.
     *
     * @param expiry in milliseconds since 1970, or {@link #NEVER}
     * @param mergedThrough the sequence number through which operands are in the value; 0 if there are none
     */
    public static int writeHead(
            ByteBuffer to, int position, int keyLength, int valueLength, long expiry, long mergedThrough) {
        int lengths = writeExtension(to, position, flags(expiry, mergedThrough), expiry, mergedThrough);
        return writeHeader(to, lengths, keyLength, valueLength);
    }

    /** Writes the beginning of a record in which operands wait, with the length of their list. */
    static int writeWaitingHead(
            ByteBuffer to, int position, int keyLength, int listLength, long expiry, long mergedThrough) {
        int lengths = writeExtension(to, position, flags(expiry, mergedThrough) | WAITS, expiry, mergedThrough);
        return writeHeader(to, lengths, keyLength, listLength);
    }

    /** Writes what an extended record has before its lengths, and returns where the checksum of another would be. */
    private static int writeExtension(ByteBuffer to, int position, int flags, long expiry, long mergedThrough) {
        if (flags == 0) {
            return position;
        }
        int at = position + CHECKSUM_BYTES;
        to.putShort(at, (short) (flags << Byte.SIZE));
        at += Short.BYTES;
        if ((flags & EXPIRES) != 0) {
            to.putLong(at, expiry);
            at += Long.BYTES;
        }
        if ((flags & MERGED) != 0) {
            to.putLong(at, mergedThrough);
        }
        return position + extensionBytes(flags);
    }

    /** Writes the two lengths and returns the position where the key goes. */
    static int writeHeader(ByteBuffer to, int position, int keyLength, int valueLength) {
        assert keyLength <= MAX_KEY_BYTES && valueLength <= MAX_VALUE_BYTES;
        return Varints.write(to, Varints.write(to, position + CHECKSUM_BYTES, keyLength), valueLength);
    }

    /** Writes the checksum of a record of which the rest is there. Uses the buffer's position and limit. */
    public static void seal(ByteBuffer record, int position, int recordBytes, CRC32C crc) {
        record.putInt(position, checksum(record, position, recordBytes, crc));
    }

    /** The checksum that a whole record should have. */
    private static int checksum(ByteBuffer record, int position, int recordBytes, CRC32C crc) {
        int positionBefore = record.position();
        int limitBefore = record.limit();
        record.limit(position + recordBytes).position(position + CHECKSUM_BYTES);
        crc.reset();
        crc.update(record);
        record.limit(limitBefore).position(positionBefore);
        return (int) crc.getValue();
    }

    /** The checksum that a record has. */
    public static int checksum(ByteBuffer record, int position) {
        return record.getInt(position);
    }

    /** Whether the bytes of a whole record are those that were written. Uses the buffer's position and limit. */
    public static boolean isSound(ByteBuffer record, int position, int recordBytes, CRC32C crc) {
        return record.getInt(position) == checksum(record, position, recordBytes, crc);
    }

    /** The header of a record that begins at a position of a buffer, and is known to be whole. */
    public static long header(ByteBuffer buffer, int position) {
        return readHeader(buffer, position, buffer.capacity());
    }

    /**
     * Reads the header of a record, the rest of which may lie behind the limit.
     *
     * @param limit no byte from here on is read
     * @return the header, or what is negative: {@link #found} says what that means
     */
    public static long readHeader(ByteBuffer from, int position, int limit) {
        assert from.order() == ByteOrder.LITTLE_ENDIAN;
        int lengths = position + CHECKSUM_BYTES;
        if (limit - lengths
                >= 3) { // nearly always, and then mostly the key's length has one byte, the value's one or two
            int keyByte = from.get(lengths);
            if (keyByte > 0) {
                int valueByte = from.get(lengths + 1);
                if (valueByte >= 0) {
                    return SHORT_HEADER | (long) keyByte << KEY_SHIFT | valueByte;
                }
                int nextByte = from.get(lengths + 2);
                if (nextByte > 0) {
                    return LONGER_HEADER | (long) keyByte << KEY_SHIFT | nextByte << 7 | valueByte & 0x7F;
                }
            } else if (keyByte == 0) {
                return readExtended(from, lengths + 1, limit);
            }
        }
        return readLengths(from, lengths, limit);
    }

    /** Reads the header of an extended record from its flags on. */
    private static long readExtended(ByteBuffer from, int position, int limit) {
        int flags = from.get(position);
        if (flags == 0) {
            return BAD;
        }
        if ((flags & ~(EXPIRES | MERGED | WAITS)) != 0) {
            return UNKNOWN_FLAGS;
        }
        int bytes = extensionBytes(flags);
        long header = readLengths(from, position - 1 + bytes, limit);
        return header < 0 ? header : header + ((long) bytes << HEADER_SHIFT) | (long) flags << FLAGS_SHIFT;
    }

    private static long readLengths(ByteBuffer from, int lengths, int limit) {
        long key = Varints.read(from, lengths, limit);
        if (key < 0 || Varints.numberOf(key) == 0 || Varints.numberOf(key) > MAX_KEY_BYTES) {
            return BAD;
        }
        int keyVarintBytes = Varints.bytesOf(key);
        long value = Varints.read(from, lengths + keyVarintBytes, limit);
        if (value < 0 || Varints.numberOf(value) > MAX_VALUE_BYTES) {
            return BAD;
        }
        long headerBytes = CHECKSUM_BYTES + keyVarintBytes + Varints.bytesOf(value);
        return headerBytes << HEADER_SHIFT | (key & 0xFFFF) << KEY_SHIFT | value & 0xFFFFFFFFL;
    }

    /**
     * Reads the header of a record that ends at or before the limit.
     *
     * @return the header, or what is negative: {@link #found} says what that means
     */
    public static long readWhole(ByteBuffer from, int position, int limit) {
        long header = readHeader(from, position, limit);
        return header < 0 || recordBytes(header) <= limit - position ? header : BAD;
    }

    /** The words for a message that tell what a negative header means. */
    public static String found(long header) {
        return header == UNKNOWN_FLAGS ? "one with flags that this release does not know" : "none";
    }

    /** Bytes before the key. */
    public static int headerBytes(long header) {
        return (int) (header >>> HEADER_SHIFT) & 0xFF;
    }

    /** Whether the record is extended: it expires, operands were merged into it, or operands wait in it. */
    public static boolean isExtended(long header) {
        return header >>> FLAGS_SHIFT != 0;
    }

    /** Whether operands wait in the record. A list of them then stands in the place of the value. */
    public static boolean hasWaiting(long header) {
        return (header >>> FLAGS_SHIFT & WAITS) != 0;
    }

    /** When the record at a position expires, in milliseconds since 1970, or {@link #NEVER}. */
    public static long expiry(ByteBuffer record, int position, long header) {
        return (header >>> FLAGS_SHIFT & EXPIRES) == 0 ? NEVER : record.getLong(position + CHECKSUM_BYTES + 2);
    }

    /** The sequence number through which operands are in the value of the record at a position; 0 if there are none. */
    public static long mergedThrough(ByteBuffer record, int position, long header) {
        long flags = header >>> FLAGS_SHIFT;
        int expiryBytes = (flags & EXPIRES) == 0 ? 0 : Long.BYTES;
        return (flags & MERGED) == 0 ? 0 : record.getLong(position + CHECKSUM_BYTES + 2 + expiryBytes);
    }

    /** Bytes of the key. */
    public static int keyLength(long header) {
        return (int) (header >>> KEY_SHIFT) & 0xFFFF;
    }

    /** Bytes of the value. */
    public static int valueLength(long header) {
        return (int) header;
    }

    /** Bytes of the whole record. */
    public static int recordBytes(long header) {
        return headerBytes(header) + keyLength(header) + valueLength(header);
    }
}
