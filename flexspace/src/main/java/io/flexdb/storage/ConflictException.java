package io.flexdb.storage;

/**
 * A transaction can't commit, since another one has changed what it read or wrote. Nothing of it was applied; running
 * the whole transaction again may succeed.
 */
public final class ConflictException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what the conflict was about and what to do
     */
    public ConflictException(String message) {
        super(message);
    }
}
