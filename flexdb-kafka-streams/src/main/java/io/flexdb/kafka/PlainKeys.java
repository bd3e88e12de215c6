package io.flexdb.kafka;

import java.util.Arrays;

/**
 * Keys of pairs without times. FlexDB has no empty keys, so one that is empty or begins with a zero byte gets one more
 * zero byte before it. The order stays.
 */
final class PlainKeys {
    private PlainKeys() {}

    /** The key that stands for a user's key; null for null. */
    static byte[] encode(byte[] key) {
        if (key == null || key.length > 0 && key[0] != 0) {
            return key;
        }
        byte[] encoded = new byte[key.length + 1];
        System.arraycopy(key, 0, encoded, 1, key.length);
        return encoded;
    }

    static byte[] decode(byte[] encoded) {
        return encoded[0] == 0 ? Arrays.copyOfRange(encoded, 1, encoded.length) : encoded;
    }

    /** All keys whose user's keys begin with these bytes. */
    static KeySpan ofPrefix(byte[] prefix) {
        return prefix.length == 0 ? new KeySpan(null, null, false) : KeySpan.ofPrefix(encode(prefix));
    }
}
