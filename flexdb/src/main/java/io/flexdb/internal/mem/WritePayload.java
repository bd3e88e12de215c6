package io.flexdb.internal.mem;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Varints;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of one write, a single operation or a batch, as they stand in a WAL frame and as memtables take them.
 *
 * <pre>
 * SIZE      FIELD
 * 1         type: 1 put, 2 delete, 3 delete of a range, 4 put that expires, 5 merge, 6 put of a large value
 * 1 to 3    key length, varint
 * 1 to 5    value length, varint (not of a delete)
 * length    key
 * length    value (not of a delete)
 * 8         of types 4 to 6: a time in milliseconds since 1970 UTC
 * </pre>
 *
 * The time of a put is when it expires, or 2^63 - 1 for never. A merge has its operand as value; its time is when it
 * was made. A large value is in the data file already; a {@link LargeReference} stands here in its place.
 *
 * A deleted range has as key the first key that it covers, and as value the first one behind it. An empty first key
 * means that the range begins with the first key there is, an empty value that it has no end. Else the first is below
 * the other.
 *
 * Entries follow each other without a gap, and each takes one sequence number, in order.
 */
public final class WritePayload {
    /** The entry sets a key's value. */
    public static final int PUT = 1;

    /** The entry removes a key. */
    public static final int DELETE = 2;

    /** The entry removes all keys from one on to before another. */
    public static final int DELETE_RANGE = 3;

    /** The entry sets a key's value until a time. */
    public static final int PUT_EXPIRING = 4;

    /** The entry changes a key's value by an operand. */
    public static final int MERGE = 5;

    /** The entry sets a key's value, which is in the data file, until a time. */
    public static final int PUT_LARGE = 6;

    /** Bytes of the time at the end of an entry that has one. */
    public static final int TIME_BYTES = Long.BYTES;

    /** The longest key in bytes. */
    public static final int MAX_KEY_BYTES = RecordFormat.MAX_KEY_BYTES;

    /** The longest value in bytes. */
    public static final int MAX_VALUE_BYTES = RecordFormat.MAX_VALUE_BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private WritePayload() {}

    /** Bytes of the time that entries of a type end with. */
    public static int timeBytes(int type) {
        return type >= PUT_EXPIRING ? TIME_BYTES : 0;
    }

    /** Bytes of a put in a payload. */
    public static long putBytes(int keyLength, int valueLength) {
        return 1L + Varints.bytes(keyLength) + Varints.bytes(valueLength) + keyLength + valueLength;
    }

    /** Bytes of a delete in a payload. */
    public static long deleteBytes(int keyLength) {
        return 1L + Varints.bytes(keyLength) + keyLength;
    }

    /** Writes what precedes the key and the value of a put, and returns the index where the key belongs. */
    public static int encodePutHeader(byte[] payload, int index, int keyLength, int valueLength) {
        payload[index] = PUT;
        return Varints.write(payload, Varints.write(payload, index + 1, keyLength), valueLength);
    }

    /**
     * Writes what precedes the key of an entry with a time behind its value, and returns the index where the key
     * belongs.
     */
    public static int encodeTimedHeader(byte[] payload, int index, int type, int keyLength, int valueLength) {
        int at = encodePutHeader(payload, index, keyLength, valueLength);
        payload[index] = (byte) type;
        return at;
    }

    /** Writes the time behind an entry's value. */
    public static void putTime(byte[] payload, int index, long time) {
        LONGS.set(payload, index, time);
    }

    /** The time behind an entry's value. */
    public static long time(byte[] payload, int index) {
        return (long) LONGS.get(payload, index);
    }

    /** Writes what precedes the two keys of a deleted range, and returns the index where they belong. */
    public static int encodeRangeHeader(byte[] payload, int index, int fromLength, int toLength) {
        payload[index] = DELETE_RANGE;
        return Varints.write(payload, Varints.write(payload, index + 1, fromLength), toLength);
    }

    /** Writes what precedes the key of a delete, and returns the index where the key belongs. */
    public static int encodeDeleteHeader(byte[] payload, int index, int keyLength) {
        payload[index] = DELETE;
        return Varints.write(payload, index + 1, keyLength);
    }

    /** The checksum of a payload, as its frame has it. */
    public static int checksum(byte[] payload, int offset, int length) {
        return checksum(new CRC32C(), payload, offset, length);
    }

    /** The checksum of a payload, as its frame has it, without garbage. */
    public static int checksum(CRC32C crc, byte[] payload, int offset, int length) {
        crc.reset();
        crc.update(payload, offset, length);
        return (int) crc.getValue();
    }
}
