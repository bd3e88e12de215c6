package io.flexdb.internal.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Random;

/**
 * The hash of a key, 64 well-mixed bits, by which memtables find entries. It lives in memory only and is another function
 * in each process, so that nobody can choose keys that collide. {@link Fingerprints} are made with other secrets.
 */
public final class KeyHash {
    /*
     * Sixteen bytes a round, each round one 64 x 64 -> 128 bit multiplication whose halves are folded together. The
     * last 1 to 16 bytes are read as two words that overlap, so that no length needs a loop over single bytes. The
     * length is part of the hash, so overlapping reads of different lengths do not meet.
     *
     * H1 Every factor is a word of the key or the length, mixed with a secret that was drawn for this process, or with
     *    what earlier rounds made of secrets. Nobody can therefore choose a key that makes a factor 0, which would drop
     *    the other factor, or any other value.
     * H2 The sum of the factors is part of each fold. A factor that is 0 after all does not drop the other one. Negated
     *    factors, whose signed products are equal or nearly so, do not collide; the change of a word that negates word
     *    ^ secret does not depend on the secret, as long as it is odd. An unsigned product would do too, and takes
     *    twice as long.
     */
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * The secrets of one function: four words of 32 bits set each. A factor of few bits would mix badly. A record, since
     * the words of a constant one are constants to the compiler, and cost nothing.
     */
    record Secrets(long s0, long s1, long s2, long s3) {}

    private static final Secrets OWN = secrets(new SecureRandom());

    private KeyHash() {}

    /** Draws secrets. */
    static Secrets secrets(Random random) {
        long[] words = random.longs().filter(KeyHash::isSecret).limit(4).toArray();
        return new Secrets(words[0], words[1], words[2], words[3]);
    }

    static boolean isSecret(long word) {
        return Long.bitCount(word) == Long.SIZE / 2;
    }

    /** The hash of {@code length} bytes of an array. */
    public static long hash(byte[] key, int offset, int length) {
        return hash(key, offset, length, OWN);
    }

    static long hash(byte[] key, int offset, int length, Secrets secrets) {
        long s1 = secrets.s1;
        long hash = secrets.s0;
        int at = offset;
        int left = length;
        while (left > 16) {
            hash = fold((long) LONGS.get(key, at) ^ s1, (long) LONGS.get(key, at + 8) ^ hash);
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
        return fold(fold(first ^ s1, last ^ hash) ^ secrets.s2, length ^ secrets.s3);
    }

    /** The hash of {@code length} bytes of a little-endian buffer; the same as of an array with these bytes. */
    public static long hash(ByteBuffer buffer, int position, int length) {
        return hash(buffer, position, length, OWN);
    }

    static long hash(ByteBuffer buffer, int position, int length, Secrets secrets) {
        assert buffer.order() == ByteOrder.LITTLE_ENDIAN;
        long s1 = secrets.s1;
        long hash = secrets.s0;
        int at = position;
        int left = length;
        while (left > 16) {
            hash = fold(buffer.getLong(at) ^ s1, buffer.getLong(at + 8) ^ hash);
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
        return fold(fold(first ^ s1, last ^ hash) ^ secrets.s2, length ^ secrets.s3);
    }

    private static long fold(long a, long b) {
        return a * b ^ Math.multiplyHigh(a, b) + (a + b);
    }
}
