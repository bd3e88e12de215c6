package io.flexdb.internal.base;

import java.nio.ByteBuffer;

/**
 * Base-128 varints: seven bits a byte, the lowest first, the high bit set on all bytes but the last.
 */
public final class Varints {
    /** The longest varint of an {@code int} that is not negative. */
    public static final int MAX_BYTES = 5;

    /** Returned for bytes that are no varint: without an end, too large, or longer than need be. */
    public static final long BAD = -1;

    private Varints() {}

    /** Bytes of a number's varint. */
    public static int bytes(int number) {
        assert number >= 0;
        return (38 - Integer.numberOfLeadingZeros(number | 1)) / 7;
    }

    /** Writes a number and returns the position behind it. */
    public static int write(ByteBuffer to, int position, int number) {
        assert number >= 0;
        int at = position;
        int left = number;
        while (left > 0x7F) {
            to.put(at++, (byte) (left | 0x80));
            left >>>= 7;
        }
        to.put(at++, (byte) left);
        return at;
    }

    /** Writes a number and returns the index behind it. */
    public static int write(byte[] to, int index, int number) {
        assert number >= 0;
        int at = index;
        int left = number;
        while (left > 0x7F) {
            to[at++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        to[at++] = (byte) left;
        return at;
    }

    /**
     * Reads a number: its bytes in the upper half, the number in the lower, or {@link #BAD}.
     *
     * @param limit no byte from here on is read
     */
    public static long read(ByteBuffer from, int position, int limit) {
        int number = 0;
        for (int i = 0; i < MAX_BYTES && position + i < limit; i++) {
            int group = from.get(position + i);
            if (i == MAX_BYTES - 1 && group > 7) {
                return BAD;
            }
            number |= (group & 0x7F) << (7 * i);
            if (group >= 0) {
                return group == 0 && i > 0 ? BAD : (long) (i + 1) << 32 | number;
            }
        }
        return BAD;
    }

    /** Reads a number from an array: its bytes in the upper half, the number in the lower, or {@link #BAD}. */
    public static long read(byte[] from, int index, int limit) {
        int number = 0;
        for (int i = 0; i < MAX_BYTES && index + i < limit; i++) {
            int group = from[index + i];
            if (i == MAX_BYTES - 1 && group > 7) {
                return BAD;
            }
            number |= (group & 0x7F) << (7 * i);
            if (group >= 0) {
                return group == 0 && i > 0 ? BAD : (long) (i + 1) << 32 | number;
            }
        }
        return BAD;
    }

    /** The bytes of the varint that {@code read} returned. */
    public static int bytesOf(long read) {
        return (int) (read >>> 32);
    }

    /** The number that {@code read} returned. */
    public static int numberOf(long read) {
        return (int) read;
    }
}
