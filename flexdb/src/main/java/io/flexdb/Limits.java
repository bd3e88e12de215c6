package io.flexdb;

import io.flexdb.internal.memtable.WritePayload;

/** What a key and a value may be; checked before anything is written. */
final class Limits {
    private Limits() {}

    static void checkKeyLength(int length) {
        if (length == 0) {
            throw new IllegalArgumentException("key must not be empty");
        }
        if (length > WritePayload.MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key must have at most " + WritePayload.MAX_KEY_BYTES + " bytes: " + length);
        }
    }

    static void checkValueLength(int length) {
        if (length > FlexDB.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException(
                    "value must have at most " + FlexDB.MAX_VALUE_BYTES + " bytes: " + length);
        }
    }

    static <T> T notNull(T argument, String name) {
        if (argument == null) {
            throw new IllegalArgumentException(name + " must not be null");
        }
        return argument;
    }
}
