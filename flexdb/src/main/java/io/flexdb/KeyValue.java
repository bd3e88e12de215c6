package io.flexdb;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A pair that an iteration shows. Equal to another if the bytes of both are equal. The arrays are copies, made for whoever
 * gets the pair; nobody else has them.
 *
 * @param key the key
 * @param value the value, or null if keys only were asked for
 */
public record KeyValue(byte[] key, byte @Nullable [] value) {
    @Override
    public boolean equals(Object other) {
        return other instanceof KeyValue pair && Arrays.equals(key, pair.key) && Arrays.equals(value, pair.value);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
    }

    /** The lengths, since keys and values may be long, and secret. */
    @Override
    public String toString() {
        return "KeyValue[key of " + key.length + " bytes, "
                + (value == null ? "no value]" : "value of " + value.length + " bytes]");
    }
}
