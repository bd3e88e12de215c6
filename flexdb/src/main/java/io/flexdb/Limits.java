package io.flexdb;

import io.flexdb.internal.batch.WritePayload;
import java.nio.ByteBuffer;

/** What a key and a value may be; checked before anything is written. */
final class Limits {
    /** The longest value. The records, logs and batches that it becomes a part of must fit 2 GiB. */
    static final int MAX_VALUE_BYTES = (1 << 30) - (1 << 20);

    private Limits() {}

    private static void checkKeyLength(int length) {
        if (length == 0) {
            throw new IllegalArgumentException("key must not be empty");
        }
        if (length > WritePayload.MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key must have at most " + WritePayload.MAX_KEY_BYTES + " bytes: " + length);
        }
    }

    private static void checkValueLength(int length) {
        if (length > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value must have at most " + MAX_VALUE_BYTES + " bytes: " + length);
        }
    }

    /** The length of a key. */
    static int keyLength(byte[] key) {
        checkKeyLength(notNull(key, "key").length);
        return key.length;
    }

    /** The length of the key that a buffer has between position and limit. */
    static int keyLength(ByteBuffer key) {
        int length = notNull(key, "key").remaining();
        checkKeyLength(length);
        return length;
    }

    /** The length of a value. */
    static int valueLength(byte[] value) {
        checkValueLength(notNull(value, "value").length);
        return value.length;
    }

    /** The length of the value that a buffer has between position and limit. */
    static int valueLength(ByteBuffer value) {
        int length = notNull(value, "value").remaining();
        checkValueLength(length);
        return length;
    }

    static <T> T notNull(T argument, String name) {
        if (argument == null) {
            throw new IllegalArgumentException(name + " must not be null");
        }
        return argument;
    }

    /** Whether what was to be copied has been, as there was room. */
    static int requireRoom(int length, int room, String what) {
        if (length > room) {
            throw new IllegalArgumentException(
                    "destination has room for " + room + " bytes, but the " + what + " has " + length);
        }
        return length;
    }
}
