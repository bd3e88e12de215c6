package io.flexdb.internal.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The order of keys: unsigned bytes from the left, a shorter key before its continuations. */
public final class KeyOrder {
    /*
     * Eight bytes at a time. Words are read little-endian, the cheap way, and turned round only where they differ.
     * Where eight bytes are not left but eight exist, the last word overlaps bytes already known to be equal.
     */
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private KeyOrder() {}

    /** Compares a key in a little-endian buffer with one in an array. */
    public static int compare(ByteBuffer buffer, int position, int length, byte[] key, int offset, int keyLength) {
        int common = Math.min(length, keyLength);
        if (common >= 8) {
            int last = common - 8;
            for (int i = 0; i < last; i += 8) {
                long a = buffer.getLong(position + i);
                long b = (long) LONGS.get(key, offset + i);
                if (a != b) {
                    return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
                }
            }
            long a = buffer.getLong(position + last);
            long b = (long) LONGS.get(key, offset + last);
            if (a != b) {
                return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
            }
        } else {
            for (int i = 0; i < common; i++) {
                int difference = (buffer.get(position + i) & 0xff) - (key[offset + i] & 0xff);
                if (difference != 0) {
                    return difference;
                }
            }
        }
        return length - keyLength;
    }

    /** Compares two keys in the same little-endian buffer. */
    public static int compare(ByteBuffer buffer, int position, int length, int otherPosition, int otherLength) {
        int common = Math.min(length, otherLength);
        int i = 0;
        for (; i + 8 <= common; i += 8) {
            long a = buffer.getLong(position + i);
            long b = buffer.getLong(otherPosition + i);
            if (a != b) {
                return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
            }
        }
        for (; i < common; i++) {
            int difference = (buffer.get(position + i) & 0xff) - (buffer.get(otherPosition + i) & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return length - otherLength;
    }

    /** The first eight bytes as an unsigned number that orders as the keys do; missing bytes count as zero. */
    public static long firstEight(byte[] key, int offset, int length) {
        if (length >= 8) {
            return Long.reverseBytes((long) LONGS.get(key, offset));
        }
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (key[offset + i] & 0xffL) << (56 - 8 * i);
        }
        return word;
    }
}
