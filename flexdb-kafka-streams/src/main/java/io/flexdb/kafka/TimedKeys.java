package io.flexdb.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Keys of pairs that have times: the user's key, then numbers of 8 bytes that are not negative. The user's key is written
 * so that none begins with another, and so that the order stays: a zero byte becomes {@code 00 FF}, and {@code 00 00}
 * ends it. So all pairs of a user's key stand together, in the order of their times.
 *
 * <table>
 *   <caption>numbers behind the key</caption>
 *   <tr><th>store</th><th>first</th><th>second</th></tr>
 *   <tr><td>window</td><td>start</td><td>number among duplicates</td></tr>
 *   <tr><td>session</td><td>end</td><td>start</td></tr>
 *   <tr><td>versioned</td><td>{@code Long.MAX_VALUE} less the time from which on it is valid</td><td></td></tr>
 * </table>
 */
final class TimedKeys {
    private TimedKeys() {}

    /** The beginning of all keys of a user's key. */
    static byte[] prefix(byte[] key) {
        return encode(key);
    }

    static byte[] encode(byte[] key, long... numbers) {
        int zeros = 0;
        for (byte b : key) {
            zeros += b == 0 ? 1 : 0;
        }
        ByteBuffer encoded = ByteBuffer.allocate(key.length + zeros + 2 + numbers.length * Long.BYTES);
        for (byte b : key) {
            encoded.put(b);
            if (b == 0) {
                encoded.put((byte) 0xFF);
            }
        }
        encoded.putShort((short) 0);
        for (long number : numbers) {
            encoded.putLong(number);
        }
        return encoded.array();
    }

    /**
     * The user's key in an encoded one.
     *
     * @param numbers how many numbers follow it
     */
    static byte[] key(byte[] encoded, int numbers) {
        int length = encoded.length - numbers * Long.BYTES - 2;
        byte[] key = new byte[length];
        int at = 0;
        for (int i = 0; i < length; i++) {
            key[at++] = encoded[i];
            if (encoded[i] == 0) {
                i++; // over FF
            }
        }
        return at == length ? key : Arrays.copyOf(key, at);
    }

    /** A number in an encoded key, counted from its end, with the last as 1. */
    static long numberFromEnd(byte[] encoded, int place) {
        return ByteBuffer.wrap(encoded).getLong(encoded.length - place * Long.BYTES);
    }

    /** The span of all keys from one user's key to another, both inclusive; null for no bound. */
    static KeySpan span(byte[] from, byte[] to) {
        KeySpan end = to == null ? new KeySpan(null, null, false) : KeySpan.ofPrefix(prefix(to));
        return new KeySpan(from == null ? null : prefix(from), end.to(), false);
    }
}
