package io.flexdb.storage;

/**
 * Any failure of a store. Its subclasses tell what kind of failure it was and what a program can do about it; they are
 * final, and more may come.
 */
public abstract class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what happened, where, and what to do
     */
    protected StorageException(String message) {
        super(message);
    }

    /**
     * @param message what happened, where, and what to do
     * @param cause the failure underneath
     */
    protected StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
