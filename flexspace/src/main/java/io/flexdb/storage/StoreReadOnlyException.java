package io.flexdb.storage;

/**
 * The store takes no more writes: to commit those it has it needs bytes that are damaged or can't be read. Nothing
 * acknowledged is lost, it stays in the write-ahead log; and what is not damaged can be read.
 */
public final class StoreReadOnlyException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param cause the damage, or the failed read
     */
    public StoreReadOnlyException(Throwable cause) {
        super(
                "the store is read-only, since a commit can't read what it needs: " + cause.getMessage()
                        + "; read what you need and close it, then mend the device and open it again if a read failed,"
                        + " or restore a backup if bytes are damaged",
                cause);
    }
}
