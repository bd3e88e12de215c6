package io.flexdb.internal.memtable;

/**
 * The bytes of one write, a single operation or a batch, as they stand in a WAL frame and as memtables take them.
 *
 * <pre>
 * SIZE      FIELD
 * 1         type: 1 put, 2 delete
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint (put only)
 * length    key
 * length    value (put only)
 * </pre>
 *
 * Entries follow each other without a gap, and each takes one sequence number, in order.
 */
public final class WritePayload {
    /** The entry sets a key's value. */
    public static final int PUT = 1;

    /** The entry removes a key. */
    public static final int DELETE = 2;

    /** The longest key in bytes. */
    public static final int MAX_KEY_BYTES = 0xffff;

    /** The longest value in bytes. */
    public static final int MAX_VALUE_BYTES = 1 << 30;

    private WritePayload() {}

    /** Bytes of a put in a payload. */
    public static long putBytes(int keyLength, int valueLength) {
        return 1L + varintBytes(keyLength) + varintBytes(valueLength) + keyLength + valueLength;
    }

    /** Bytes of a delete in a payload. */
    public static long deleteBytes(int keyLength) {
        return 1L + varintBytes(keyLength) + keyLength;
    }

    /** Writes what precedes the key and the value of a put, and returns the index where the key belongs. */
    public static int encodePutHeader(byte[] payload, int index, int keyLength, int valueLength) {
        payload[index] = PUT;
        return encodeVarint(payload, encodeVarint(payload, index + 1, keyLength), valueLength);
    }

    /** Writes what precedes the key of a delete, and returns the index where the key belongs. */
    public static int encodeDeleteHeader(byte[] payload, int index, int keyLength) {
        payload[index] = DELETE;
        return encodeVarint(payload, index + 1, keyLength);
    }

    private static int encodeVarint(byte[] payload, int index, int value) {
        int at = index;
        int rest = value;
        while (rest >= 0x80) {
            payload[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        payload[at++] = (byte) rest;
        return at;
    }

    private static int varintBytes(int value) {
        return value < 0x80 ? 1 : (38 - Integer.numberOfLeadingZeros(value)) / 7;
    }
}
