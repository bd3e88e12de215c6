package io.flexdb.storage;

/**
 * There was not enough memory for one call, such as reading a very large value. Nothing has changed, and the store goes
 * on.
 */
public final class StoreMemoryException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param what needed the memory
     * @param bytes how much it needed
     * @param cause what the JVM said
     */
    public StoreMemoryException(String what, long bytes, OutOfMemoryError cause) {
        super(
                "no memory for " + what + ", which needs " + bytes + " bytes: " + cause.getMessage()
                        + "; raise -Xmx or -XX:MaxDirectMemorySize, or read less at a time",
                cause);
    }
}
