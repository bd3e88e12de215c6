package io.flexdb.internal.mem;

import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Varints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Operands that the merge function has failed for, with the value below them. They stand in their pair of the space in
 * the place of a value.
 *
 * <pre>
 * SIZE      FIELD
 * 1         1 if there is a value below the operands, else 0
 * 1 to 5    with a value: its length, varint
 * length    the value
 * then for each operand, the oldest first:
 * 1 to 5    its length, varint
 * length    the operand
 * </pre>
 *
 * All operands are from before the pair's end, if it expires, and so all of them go into the value.
 *
 * @param value null if there is none
 * @param operands the oldest first
 */
public record WaitingOperands(byte[] value, List<byte[]> operands) {
    private static final byte NO_VALUE = 0;
    private static final byte VALUE = 1;

    /** Bytes of the list. */
    public long bytes() {
        return 1 + (value == null ? 0 : bytesOf(value.length)) + bytesOf(operands);
    }

    /** The list, which must have {@link Integer#MAX_VALUE} {@link #bytes} at most. */
    public byte[] encoded() {
        byte[] list = new byte[Math.toIntExact(bytes())];
        int at = 1;
        list[0] = value == null ? NO_VALUE : VALUE;
        if (value != null) {
            at = add(list, at, value);
        }
        for (byte[] operand : operands) {
            at = add(list, at, operand);
        }
        return list;
    }

    /** The bytes of a list before the value. */
    static byte[] beforeValue(int valueLength) {
        byte[] bytes = new byte[1 + Varints.bytes(valueLength)];
        bytes[0] = VALUE;
        Varints.write(bytes, 1, valueLength);
        return bytes;
    }

    /**
     * Where in a list the operands begin.
     *
     * @param head the first bytes of a list
     * @param listLength bytes of all of it
     * @throws BadRecordException if they are none of one
     */
    public static int bytesThroughValue(byte[] head, int listLength) {
        if (head.length == 0 || (head[0] & ~VALUE) != 0) {
            throw bad(0, head.length == 0 ? "nothing" : "" + head[0]);
        }
        if (head[0] == NO_VALUE) {
            return 1;
        }
        long length = Varints.read(head, 1, head.length);
        long end = length < 0 ? Long.MAX_VALUE : 1L + Varints.bytesOf(length) + Varints.numberOf(length);
        if (end > listLength) {
            throw bad(1, "a length beyond its end, or none");
        }
        return (int) end;
    }

    /** Bytes that a list has of operands. */
    static long bytesOf(List<byte[]> operands) {
        long bytes = 0;
        for (byte[] operand : operands) {
            bytes += bytesOf(operand.length);
        }
        return bytes;
    }

    /** Bytes that it has of one, or of the value, of so many bytes. */
    public static long bytesOf(int length) {
        return Varints.bytes(length) + (long) length;
    }

    /** The operands as they stand in a list; they must have {@link Integer#MAX_VALUE} bytes at most. */
    static byte[] encoded(List<byte[]> operands) {
        byte[] bytes = new byte[Math.toIntExact(bytesOf(operands))];
        int at = 0;
        for (byte[] operand : operands) {
            at = add(bytes, at, operand);
        }
        return bytes;
    }

    private static int add(byte[] list, int index, byte[] bytes) {
        int at = Varints.write(list, index, bytes.length);
        System.arraycopy(bytes, 0, list, at, bytes.length);
        return at + bytes.length;
    }

    /**
     * The content of a list, in arrays of their own.
     *
     * @throws BadRecordException if it is none
     */
    public static WaitingOperands of(byte[] list) {
        if (list.length == 0 || (list[0] & ~VALUE) != 0) {
            throw bad(0, list.length == 0 ? "nothing" : "" + list[0]);
        }
        byte[] value = null;
        List<byte[]> operands = new ArrayList<>();
        for (int at = 1; at < list.length; ) {
            long length = Varints.read(list, at, list.length);
            int from = at + Varints.bytesOf(length);
            if (length < 0 || Varints.numberOf(length) > list.length - from) {
                throw bad(at, "a length beyond its end, or none");
            }
            int to = from + Varints.numberOf(length);
            byte[] bytes = Arrays.copyOfRange(list, from, to);
            if (at == 1 && list[0] == VALUE) {
                value = bytes;
            } else {
                operands.add(bytes);
            }
            at = to;
        }
        if (operands.isEmpty()) {
            throw bad(list.length, "its end");
        }
        return new WaitingOperands(value, operands);
    }

    private static BadRecordException bad(int at, String found) {
        return new BadRecordException(0, "a list of operands that wait", found + " at byte " + at + " of it");
    }
}
