package io.flexdb.kafka;

import java.util.Arrays;

/**
 * A range of keys.
 *
 * @param from inclusive, or null for all from the first one
 * @param to null for all up to the last one
 * @param toInclusive whether {@code to} itself belongs to it
 */
record KeySpan(byte[] from, byte[] to, boolean toInclusive) {
    /** All keys that begin with these bytes. */
    static KeySpan ofPrefix(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return new KeySpan(prefix, null, false);
        }
        byte[] end = Arrays.copyOf(prefix, length);
        end[length - 1]++;
        return new KeySpan(prefix, end, false);
    }

    boolean isEmpty() {
        return from != null && to != null && Arrays.compareUnsigned(from, to) > 0;
    }
}
