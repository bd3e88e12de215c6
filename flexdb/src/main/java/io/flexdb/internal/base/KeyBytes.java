package io.flexdb.internal.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Comparing keys, which are ordered as strings of unsigned bytes. Every buffer must be little-endian. */
public final class KeyBytes {
    /*
     * Keys are compared eight bytes at a time as big-endian numbers. A shorter rest is compared by the last eight bytes
     * of the shorter key, if it has as many: the bytes seen twice are known to be equal.
     */
    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SEPARATOR_TAIL_BYTES = 8; // behind what it has in common with the lower key

    private KeyBytes() {}

    private static long word(byte[] bytes, int at) {
        return (long) BIG_ENDIAN_LONG.get(bytes, at);
    }

    private static long word(ByteBuffer buffer, int at) {
        return Long.reverseBytes(buffer.getLong(at));
    }

    /** Compares a key in an array with one in a buffer. */
    public static int compare(byte[] a, int aFrom, int aLength, ByteBuffer b, int bPosition, int bLength) {
        assert b.order() == ByteOrder.LITTLE_ENDIAN;
        int common = Math.min(aLength, bLength);
        if (common < Long.BYTES) {
            for (int i = 0; i < common; i++) {
                int difference = (a[aFrom + i] & 0xFF) - (b.get(bPosition + i) & 0xFF);
                if (difference != 0) {
                    return difference;
                }
            }
            return aLength - bLength;
        }
        int last = common - Long.BYTES;
        for (int i = 0; ; i = Math.min(i + Long.BYTES, last)) {
            long x = word(a, aFrom + i);
            long y = word(b, bPosition + i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
            if (i == last) {
                return aLength - bLength;
            }
        }
    }

    /** Compares a key in a buffer with one in an array, for memtables: words are turned round where they differ. */
    public static int compare(ByteBuffer buffer, int position, int length, byte[] key, int offset, int keyLength) {
        int common = Math.min(length, keyLength);
        if (common >= 8) {
            int last = common - 8;
            for (int i = 0; i < last; i += 8) {
                long a = buffer.getLong(position + i);
                long b = (long) LITTLE_ENDIAN_LONG.get(key, offset + i);
                if (a != b) {
                    return Long.compareUnsigned(Long.reverseBytes(a), Long.reverseBytes(b));
                }
            }
            long a = buffer.getLong(position + last);
            long b = (long) LITTLE_ENDIAN_LONG.get(key, offset + last);
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

    /** Compares two keys in buffers. */
    public static int compare(ByteBuffer a, int aPosition, int aLength, ByteBuffer b, int bPosition, int bLength) {
        assert a.order() == ByteOrder.LITTLE_ENDIAN && b.order() == ByteOrder.LITTLE_ENDIAN;
        int common = Math.min(aLength, bLength);
        if (common < Long.BYTES) {
            for (int i = 0; i < common; i++) {
                int difference = (a.get(aPosition + i) & 0xFF) - (b.get(bPosition + i) & 0xFF);
                if (difference != 0) {
                    return difference;
                }
            }
            return aLength - bLength;
        }
        int last = common - Long.BYTES;
        for (int i = 0; ; i = Math.min(i + Long.BYTES, last)) {
            long x = a.getLong(aPosition + i);
            long y = b.getLong(bPosition + i);
            if (x != y) {
                return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
            }
            if (i == last) {
                return aLength - bLength;
            }
        }
    }

    /** Whether a key in an array equals the one of the same length in a buffer. */
    public static boolean equal(byte[] a, int aFrom, ByteBuffer b, int bPosition, int length) {
        assert b.order() == ByteOrder.LITTLE_ENDIAN;
        if (length < Long.BYTES) {
            for (int i = 0; i < length; i++) {
                if (a[aFrom + i] != b.get(bPosition + i)) {
                    return false;
                }
            }
            return true;
        }
        int last = length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            if (word(a, aFrom + i) != word(b, bPosition + i)) {
                return false;
            }
        }
        return word(a, aFrom + last) == word(b, bPosition + last);
    }

    /** The length of the common prefix of two keys in buffers. */
    public static int commonPrefix(ByteBuffer a, int aPosition, int aLength, ByteBuffer b, int bPosition, int bLength) {
        assert a.order() == ByteOrder.LITTLE_ENDIAN && b.order() == ByteOrder.LITTLE_ENDIAN;
        int common = Math.min(aLength, bLength);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long difference = a.getLong(aPosition + i) ^ b.getLong(bPosition + i);
            if (difference != 0) {
                return i + (Long.numberOfTrailingZeros(difference) >>> 3);
            }
        }
        while (i < common && a.get(aPosition + i) == b.get(bPosition + i)) {
            i++;
        }
        return i;
    }

    /** The length of the common prefix of a key in an array and one in a buffer. */
    public static int commonPrefix(byte[] a, int aFrom, int aLength, ByteBuffer b, int bPosition, int bLength) {
        assert b.order() == ByteOrder.LITTLE_ENDIAN;
        int common = Math.min(aLength, bLength);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long difference = word(a, aFrom + i) ^ word(b, bPosition + i);
            if (difference != 0) {
                return i + (Long.numberOfLeadingZeros(difference) >>> 3);
            }
        }
        while (i < common && a[aFrom + i] == b.get(bPosition + i)) {
            i++;
        }
        return i;
    }

    /** The length of the common prefix of two keys in arrays. */
    public static int commonPrefix(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
        int mismatch = Arrays.mismatch(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
        return mismatch < 0 ? aLength : mismatch;
    }

    /**
     * The number of first bytes that a key keeps as a separator from a lower one. The separator is above the lower key.
     * One byte behind the common prefix would do; the few more tell range filters how keys go on.
     */
    public static int separatorLength(byte[] lower, int lowerLength, byte[] key, int from, int length) {
        return separatorLength(commonPrefix(lower, 0, lowerLength, key, from, length), length);
    }

    /**
     * The length of a separator from a lower key, by the length of their common prefix.
     *
     * @param common less than the length, since the key is above the lower one
     */
    public static int separatorLength(int common, int length) {
        assert common < length : "the key is not above the lower one";
        return Math.min(length, common + SEPARATOR_TAIL_BYTES);
    }

    /** The eight bytes of a key behind its first {@code skipped}, as a big-endian number filled up with zeros. */
    public static long window(byte[] key, int from, int length, int skipped) {
        int left = length - skipped;
        if (left >= Long.BYTES) {
            return word(key, from + skipped);
        }
        if (left <= 0) {
            return 0;
        }
        if (length >= Long.BYTES) {
            return word(key, from + length - Long.BYTES) << (Long.BYTES - left) * 8;
        }
        long window = 0;
        for (int i = 0; i < left; i++) {
            window |= (key[from + skipped + i] & 0xFFL) << (56 - 8 * i);
        }
        return window;
    }

    /** The window of a key in a little-endian buffer. */
    public static long window(ByteBuffer key, int position, int length, int skipped) {
        assert key.order() == ByteOrder.LITTLE_ENDIAN;
        int left = length - skipped;
        if (left >= Long.BYTES) {
            return word(key, position + skipped);
        }
        long window = 0;
        for (int i = 0; i < left; i++) {
            window |= (key.get(position + skipped + i) & 0xFFL) << (56 - 8 * i);
        }
        return window;
    }
}
