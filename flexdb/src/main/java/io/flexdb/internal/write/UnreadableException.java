package io.flexdb.internal.write;

import io.flexdb.storage.StorageException;

/** A commit can't read an interval that it has to change. Nothing of the interval has been changed. */
final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StorageException cause;

    UnreadableException(StorageException cause) {
        super(cause);
        this.cause = cause;
    }

    @Override
    public synchronized StorageException getCause() {
        return cause;
    }
}
