package io.flexdb.internal.keys;

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
 * The checksum lets a pair be verified without the frames that it lies in. Both lengths are read at once into a
 * <i>header</i>, one number that the other methods take apart.
 */
public final class RecordFormat {
    /** The longest key. */
    public static final int MAX_KEY_BYTES = 0xFFFF;

    /** The longest value. */
    public static final int MAX_VALUE_BYTES = 1 << 30;

    private static final int CHECKSUM_BYTES = 4;

    /** The most bytes before the key. */
    public static final int MAX_HEADER_BYTES = CHECKSUM_BYTES + 8;

    /** The flag of an extent that does not begin with a record. */
    public static final int CONTINUATION = 1;

    /** Returned for bytes that are no record. */
    public static final long BAD = -1;

    private static final int KEY_SHIFT = 32;
    private static final int HEADER_SHIFT = 48;
    private static final long SHORT_HEADER = CHECKSUM_BYTES + 2L << HEADER_SHIFT;
    private static final long LONGER_HEADER = CHECKSUM_BYTES + 3L << HEADER_SHIFT;

    private RecordFormat() {}

    /** Bytes of a record. */
    public static int recordBytes(int keyLength, int valueLength) {
        return CHECKSUM_BYTES + Varints.bytes(keyLength) + Varints.bytes(valueLength) + keyLength + valueLength;
    }

    /** Writes a record and returns the position behind it. */
    public static int write(
            ByteBuffer to,
            int position,
            ByteBuffer key,
            int keyPosition,
            int keyLength,
            ByteBuffer value,
            int valuePosition,
            int valueLength,
            CRC32C crc) {
        int at = writeHeader(to, position, keyLength, valueLength);
        to.put(at, key, keyPosition, keyLength);
        at += keyLength;
        to.put(at, value, valuePosition, valueLength);
        at += valueLength;
        to.putInt(position, checksum(to, position, at - position, crc));
        return at;
    }

    /** Writes the two lengths and returns the position where the key goes. */
    static int writeHeader(ByteBuffer to, int position, int keyLength, int valueLength) {
        assert keyLength <= MAX_KEY_BYTES && valueLength <= MAX_VALUE_BYTES;
        return Varints.write(to, Varints.write(to, position + CHECKSUM_BYTES, keyLength), valueLength);
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

    /**
     * Reads the header of a record, the rest of which may lie behind the limit.
     *
     * @param limit no byte from here on is read
     * @return the header, or {@link #BAD}, which is negative
     */
    public static long readHeader(ByteBuffer from, int position, int limit) {
        assert from.order() == ByteOrder.LITTLE_ENDIAN;
        int lengths = position + CHECKSUM_BYTES;
        if (limit - lengths
                >= 3) { // nearly always, and then mostly the key's length has one byte, the value's one or two
            int keyByte = from.get(lengths);
            int valueByte = from.get(lengths + 1);
            if ((keyByte | valueByte) >= 0) {
                return SHORT_HEADER | (long) keyByte << KEY_SHIFT | valueByte;
            }
            int nextByte = from.get(lengths + 2);
            if (keyByte >= 0 && nextByte > 0) {
                return LONGER_HEADER | (long) keyByte << KEY_SHIFT | nextByte << 7 | valueByte & 0x7F;
            }
        }
        long key = Varints.read(from, lengths, limit);
        if (key < 0 || Varints.numberOf(key) > MAX_KEY_BYTES) {
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
     * @return the header, or {@link #BAD}, which is negative
     */
    public static long readWhole(ByteBuffer from, int position, int limit) {
        long header = readHeader(from, position, limit);
        return header >= 0 && recordBytes(header) <= limit - position ? header : BAD;
    }

    /** Bytes before the key. */
    public static int headerBytes(long header) {
        return (int) (header >>> HEADER_SHIFT);
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
