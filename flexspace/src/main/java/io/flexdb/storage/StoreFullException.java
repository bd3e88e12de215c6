package io.flexdb.storage;

import java.nio.file.Path;

/**
 * There is no room for more: the disk, a quota or the store's own limit is exhausted. Acknowledged writes stay, and
 * reads go on.
 */
public final class StoreFullException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * @param operation what was being done, such as "write"
     * @param file the file that could not grow
     * @param cause what the operating system said
     */
    public StoreFullException(String operation, Path file, Throwable cause) {
        super(
                "no space for " + operation + " of " + file + ": " + cause.getMessage()
                        + "; delete data or free disk space, then try again",
                cause);
    }

    /**
     * @param message which limit was reached and what to do
     */
    public StoreFullException(String message) {
        super(message);
    }
}
