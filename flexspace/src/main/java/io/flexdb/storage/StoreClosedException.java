package io.flexdb.storage;

/**
 * Something was used after it was closed, or while it was being closed.
 */
public final class StoreClosedException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param what what is closed, such as "the store" or "the cursor"
     */
    public StoreClosedException(String what) {
        super(what + " is closed; open it again to use it");
    }
}
