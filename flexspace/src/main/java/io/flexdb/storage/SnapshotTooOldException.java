package io.flexdb.storage;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot, cursor, transaction or open value has been ended by the store, since the old versions that open ones keep
 * were more than {@code maxPinnedBytes}. The data that it has shown so far are right. Close it and open another one;
 * the message says what it kept, how old it was, and which thread had opened it.
 */
public final class SnapshotTooOldException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what was ended and why, and what to do
     * @param openedAt the stack where it was opened, or null
     */
    public SnapshotTooOldException(String message, @Nullable Throwable openedAt) {
        super(message, openedAt);
    }
}
