package io.flexdb.storage;

/**
 * An earlier failure has stopped the store: what reached the disk is unknown until it is opened again. Only closing
 * works.
 */
public final class StoreFailedException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param cause the original failure
     */
    public StoreFailedException(Throwable cause) {
        super(
                "the store has failed and takes no more operations: " + cause.getMessage()
                        + "; close it, remove the cause and open it again",
                cause);
    }
}
