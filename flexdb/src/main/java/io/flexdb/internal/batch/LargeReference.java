package io.flexdb.internal.batch;

import io.flexdb.internal.keys.RecordFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the record of a large value is in the data file, as a write's entry has it in the place of the value.
 *
 * <pre>
 * SIZE    FIELD
 * 4       bytes of the value
 * 4       checksum that the record has, see RecordFormat
 * 8 each  address of each piece of the record; all but the last are as long as an extent may be
 * </pre>
 *
 * The record is whole: with its header and key, as it will stand in the space.
 */
public final class LargeReference {
    private static final int CHECKSUM = 4;
    private static final int ADDRESSES = 8;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LargeReference() {}

    /** How many pieces a record has. */
    public static int pieces(int recordBytes, int maxExtentBytes) {
        return (int) (((long) recordBytes + maxExtentBytes - 1) / maxExtentBytes);
    }

    /** Bytes of a reference. */
    public static int bytes(int pieces) {
        return ADDRESSES + pieces * Long.BYTES;
    }

    /** Whether bytes may be a reference, by their number and the value's. */
    static boolean isReference(byte[] bytes, int index, int length) {
        if (length < bytes(1) || length % Long.BYTES != 0) {
            return false;
        }
        int value = valueLength(bytes, index);
        return value >= 0 && value <= RecordFormat.MAX_VALUE_BYTES;
    }

    /** Writes all but the addresses. */
    public static void write(byte[] to, int index, int valueLength, int checksum) {
        INTS.set(to, index, valueLength);
        INTS.set(to, index + CHECKSUM, checksum);
    }

    /** Writes an address. */
    public static void setAddress(byte[] to, int index, int piece, long address) {
        LONGS.set(to, index + ADDRESSES + piece * Long.BYTES, address);
    }

    /** Bytes of the value. */
    public static int valueLength(byte[] from, int index) {
        return (int) INTS.get(from, index);
    }

    /** The checksum that the record has. */
    public static int checksum(byte[] from, int index) {
        return (int) INTS.get(from, index + CHECKSUM);
    }

    /** The address of a piece. */
    public static long address(byte[] from, int index, int piece) {
        return (long) LONGS.get(from, index + ADDRESSES + piece * Long.BYTES);
    }

    /** Bytes of the value, from a little-endian buffer, as the next two. */
    public static int valueLength(ByteBuffer from, int position) {
        return from.getInt(position);
    }

    /** The checksum that the record has. */
    public static int checksum(ByteBuffer from, int position) {
        return from.getInt(position + CHECKSUM);
    }

    /** The address of a piece. */
    public static long address(ByteBuffer from, int position, int piece) {
        return from.getLong(position + ADDRESSES + piece * Long.BYTES);
    }
}
