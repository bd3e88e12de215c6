package io.flexdb.internal.keys;

import java.nio.ByteBuffer;

/**
 * A KV pair as it stands in the FlexSpace.
 *
 * <pre>
 * SIZE      FIELD
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint
 * length    key
 * length    value
 * </pre>
 *
 * Both lengths are read at once into a <i>header</i>, one number that the other methods take apart.
 */
public final class RecordFormat {
    /** The longest key. */
    public static final int MAX_KEY_BYTES = 0xFFFF;

    /** The longest value. */
    public static final int MAX_VALUE_BYTES = 1 << 30;

    /** The most bytes that the two lengths take. */
    public static final int MAX_HEADER_BYTES = 8;

    /** The flag of an extent that does not begin with a record. */
    public static final int CONTINUATION = 1;

    /** Returned for bytes that are no record. */
    public static final long BAD = -1;

    private static final int KEY_SHIFT = 32;
    private static final int HEADER_SHIFT = 48;

    private RecordFormat() {}

    /** Bytes of a record. */
    public static int recordBytes(int keyLength, int valueLength) {
        return Varints.bytes(keyLength) + Varints.bytes(valueLength) + keyLength + valueLength;
    }

    /** Writes a record and returns the position behind it. */
    public static int write(
            ByteBuffer to,
            int position,
            byte[] key,
            int keyFrom,
            int keyLength,
            byte[] value,
            int valueFrom,
            int valueLength) {
        int at = writeHeader(to, position, keyLength, valueLength);
        to.put(at, key, keyFrom, keyLength);
        at += keyLength;
        to.put(at, value, valueFrom, valueLength);
        return at + valueLength;
    }

    /** Writes a record whose key and value lie in buffers, and returns the position behind it. */
    public static int write(
            ByteBuffer to,
            int position,
            ByteBuffer key,
            int keyPosition,
            int keyLength,
            ByteBuffer value,
            int valuePosition,
            int valueLength) {
        int at = writeHeader(to, position, keyLength, valueLength);
        to.put(at, key, keyPosition, keyLength);
        at += keyLength;
        to.put(at, value, valuePosition, valueLength);
        return at + valueLength;
    }

    /** Writes the two lengths and returns the position where the key goes. */
    public static int writeHeader(ByteBuffer to, int position, int keyLength, int valueLength) {
        assert keyLength <= MAX_KEY_BYTES && valueLength <= MAX_VALUE_BYTES;
        return Varints.write(to, Varints.write(to, position, keyLength), valueLength);
    }

    /**
     * Reads the header of a record, the rest of which may lie behind the limit.
     *
     * @param limit no byte from here on is read
     * @return the header, or {@link #BAD}, which is negative
     */
    public static long readHeader(ByteBuffer from, int position, int limit) {
        long key = Varints.read(from, position, limit);
        if (key < 0 || Varints.numberOf(key) > MAX_KEY_BYTES) {
            return BAD;
        }
        int keyVarintBytes = Varints.bytesOf(key);
        long value = Varints.read(from, position + keyVarintBytes, limit);
        if (value < 0 || Varints.numberOf(value) > MAX_VALUE_BYTES) {
            return BAD;
        }
        long headerBytes = keyVarintBytes + Varints.bytesOf(value);
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

    /** Bytes of the two lengths. */
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
