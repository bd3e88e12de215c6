package io.flexdb.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The hash of a key, 64 well-mixed bits, by which memtables find entries and cached intervals make fingerprints. It
 * lives in memory only and may change between versions.
 */
public final class KeyHash {
    /*
     * Sixteen bytes a round, each round one 64 x 64 -> 128 bit multiplication whose halves are folded together. The last
     * 1 to 16 bytes are read as two words that overlap, so that no length needs a loop over single bytes. The length is
     * part of the hash, so overlapping reads of different lengths do not meet.
     */
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    // Odd constants with 32 bits set each, no two alike.
    private static final long K0 = 0xa0761d6478bd642fL;
    private static final long K1 = 0xe7037ed1a0b428dbL;
    private static final long K2 = 0x8ebc6af09c88c6e3L;

    private KeyHash() {}

    /** The hash of {@code length} bytes of an array. */
    public static long hash(byte[] key, int offset, int length) {
        long hash = K0;
        int at = offset;
        int left = length;
        while (left > 16) {
            hash = fold((long) LONGS.get(key, at) ^ K1, (long) LONGS.get(key, at + 8) ^ hash);
            at += 16;
            left -= 16;
        }
        long first;
        long last;
        if (left >= 8) {
            first = (long) LONGS.get(key, at);
            last = (long) LONGS.get(key, at + left - 8);
        } else if (left >= 4) {
            first = (int) INTS.get(key, at);
            last = (int) INTS.get(key, at + left - 4);
        } else if (left > 0) {
            first = (key[at] & 0xff) << 16 | (key[at + (left >> 1)] & 0xff) << 8 | (key[at + left - 1] & 0xff);
            last = 0;
        } else {
            first = 0;
            last = 0;
        }
        return finish(hash, first, last, length);
    }

    /** The hash of {@code length} bytes of a little-endian buffer; the same as of an array with these bytes. */
    public static long hash(ByteBuffer buffer, int position, int length) {
        assert buffer.order() == ByteOrder.LITTLE_ENDIAN;
        long hash = K0;
        int at = position;
        int left = length;
        while (left > 16) {
            hash = fold(buffer.getLong(at) ^ K1, buffer.getLong(at + 8) ^ hash);
            at += 16;
            left -= 16;
        }
        long first;
        long last;
        if (left >= 8) {
            first = buffer.getLong(at);
            last = buffer.getLong(at + left - 8);
        } else if (left >= 4) {
            first = buffer.getInt(at);
            last = buffer.getInt(at + left - 4);
        } else if (left > 0) {
            first = (buffer.get(at) & 0xff) << 16
                    | (buffer.get(at + (left >> 1)) & 0xff) << 8
                    | (buffer.get(at + left - 1) & 0xff);
            last = 0;
        } else {
            first = 0;
            last = 0;
        }
        return finish(hash, first, last, length);
    }

    private static long finish(long hash, long first, long last, int length) {
        return fold(fold(first ^ K1, last ^ hash) ^ K2, length ^ K1);
    }

    private static long fold(long a, long b) {
        return a * b ^ Math.multiplyHigh(a, b);
    }
}
