package io.flexdb.internal.mem;

import io.flexdb.internal.base.RecordFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A reference to the record of a large value in the data file. A write's entry has it in the place of the value.
 *
 * <pre>
 * SIZE    FIELD
 * 4       bytes of the value
 * 4       checksum that the record has, see RecordFormat
 * 4       bytes of the record that are here
 * 8 each  address of each piece of the rest; all but the last are as long as an extent may be
 * 4 each  CRC32C of each piece
 * n       the first bytes of the record
 * </pre>
 *
 * The record is whole: with its header and key, as it will stand in the space.
 */
public final class LargeReference {
    private static final int CHECKSUM = 4;
    private static final int HEAD_BYTES = 8;
    private static final int ADDRESSES = 12;
    private static final int PIECE_BYTES = Long.BYTES + Integer.BYTES;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LargeReference() {}

    /** The number of pieces of the rest of a record. */
    public static int pieces(int restBytes, int maxExtentBytes) {
        return (int) (((long) restBytes + maxExtentBytes - 1) / maxExtentBytes);
    }

    /** Bytes of a reference. */
    public static int bytes(int pieces, int headBytes) {
        return ADDRESSES + pieces * PIECE_BYTES + headBytes;
    }

    /** Whether bytes may be a reference, by their number and the lengths that they tell. */
    static boolean isReference(byte[] bytes, int index, int length) {
        if (length < bytes(1, 0)) {
            return false;
        }
        int value = valueLength(bytes, index);
        int head = headBytes(bytes, index);
        int ofPieces = length - ADDRESSES - head;
        return value >= 0
                && value <= RecordFormat.MAX_VALUE_BYTES
                && head >= 0
                && head <= length
                && ofPieces > 0
                && ofPieces % PIECE_BYTES == 0;
    }

    // ---- in an array

    /** Writes all but the record's bytes and the addresses and checksums of pieces. */
    public static void write(byte[] to, int index, int valueLength, int checksum, int headBytes) {
        INTS.set(to, index, valueLength);
        INTS.set(to, index + CHECKSUM, checksum);
        INTS.set(to, index + HEAD_BYTES, headBytes);
    }

    /** Writes an address. */
    public static void setAddress(byte[] to, int index, int piece, long address) {
        LONGS.set(to, index + ADDRESSES + piece * Long.BYTES, address);
    }

    /** Writes the checksum of a piece. */
    public static void setPieceChecksum(byte[] to, int index, int pieces, int piece, int checksum) {
        INTS.set(to, index + checksumAt(pieces, piece), checksum);
    }

    private static int checksumAt(int pieces, int piece) {
        return ADDRESSES + pieces * Long.BYTES + piece * Integer.BYTES;
    }

    /** Where the first bytes of the record are, behind the reference's begin. */
    public static int headAt(int pieces) {
        return ADDRESSES + pieces * PIECE_BYTES;
    }

    /** Bytes of the value. */
    public static int valueLength(byte[] from, int index) {
        return (int) INTS.get(from, index);
    }

    /** The checksum that the record has. */
    public static int checksum(byte[] from, int index) {
        return (int) INTS.get(from, index + CHECKSUM);
    }

    /** Bytes of the record that are here. */
    public static int headBytes(byte[] from, int index) {
        return (int) INTS.get(from, index + HEAD_BYTES);
    }

    /** The pieces of a reference of so many bytes. */
    public static int pieces(byte[] from, int index, int length) {
        return (length - ADDRESSES - headBytes(from, index)) / PIECE_BYTES;
    }

    /** The address of a piece. */
    public static long address(byte[] from, int index, int piece) {
        return (long) LONGS.get(from, index + ADDRESSES + piece * Long.BYTES);
    }

    // ---- in a little-endian buffer

    /** Bytes of the value. */
    public static int valueLength(ByteBuffer from, int position) {
        return from.getInt(position);
    }

    /** The checksum that the record has. */
    public static int checksum(ByteBuffer from, int position) {
        return from.getInt(position + CHECKSUM);
    }

    /** Bytes of the record that are here. */
    public static int headBytes(ByteBuffer from, int position) {
        return from.getInt(position + HEAD_BYTES);
    }

    /** The pieces of a reference of so many bytes. */
    public static int pieces(ByteBuffer from, int position, int length) {
        return (length - ADDRESSES - headBytes(from, position)) / PIECE_BYTES;
    }

    /** The address of a piece. */
    public static long address(ByteBuffer from, int position, int piece) {
        return from.getLong(position + ADDRESSES + piece * Long.BYTES);
    }

    /** The CRC32C of a piece. */
    public static int pieceChecksum(ByteBuffer from, int position, int pieces, int piece) {
        return from.getInt(position + checksumAt(pieces, piece));
    }
}
