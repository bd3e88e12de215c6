package io.flexdb.typed;

import io.flexdb.KeyValue;
import java.util.Map;
import java.util.Objects;

/** The codecs of a keyspace, with its name for messages. */
record PairCodec<K, V>(String keyspace, KeyCodec<K> keys, Codec<V> values) {
    PairCodec {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(values, "values");
    }

    /** The keyspace's name as messages have it. */
    String shownName() {
        return shownName(keyspace);
    }

    static String shownName(String keyspace) {
        return keyspace.isEmpty() ? "default" : "\"" + keyspace + "\"";
    }

    byte[] encodeKey(K key) {
        byte[] bytes = keys.encode(Objects.requireNonNull(key, "key"));
        if (bytes.length == 0) {
            throw new IllegalArgumentException(
                    "codec " + keys.name() + " gives no bytes for the key " + key + "; a key has at least one byte");
        }
        return bytes;
    }

    byte[] encodeValue(V value) {
        return values.encode(Objects.requireNonNull(value, "value"));
    }

    K decodeKey(byte[] bytes) {
        try {
            return Objects.requireNonNull(keys.decode(bytes), "a key");
        } catch (RuntimeException e) {
            throw new DecodeException(keyspace, keys.name(), bytes, e);
        }
    }

    /** Decodes the value of a key; null for null. */
    V decodeValue(byte[] key, byte[] bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            return Objects.requireNonNull(values.decode(bytes), "a value");
        } catch (RuntimeException e) {
            throw new DecodeException(keyspace, values.name(), key, bytes, e);
        }
    }

    Map.Entry<K, V> decode(KeyValue pair) {
        return Map.entry(decodeKey(pair.key()), decodeValue(pair.key(), pair.value()));
    }
}
