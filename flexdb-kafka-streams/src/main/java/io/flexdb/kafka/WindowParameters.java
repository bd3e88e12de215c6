package io.flexdb.kafka;

import java.util.Objects;

/**
 * The parameters of a window store.
 *
 * @param retention in milliseconds, at least the size
 * @param size of a window, in milliseconds
 */
record WindowParameters(String name, ValueFormat format, long retention, long size, boolean retainsDuplicates) {
    WindowParameters {
        Objects.requireNonNull(name, "name cannot be null");
        if (size < 0) {
            throw new IllegalArgumentException("windowSize must not be negative: " + size);
        }
        if (retention < size) {
            throw new IllegalArgumentException(
                    "retentionPeriod must not be below the window's size of " + size + " ms: " + retention);
        }
    }
}
