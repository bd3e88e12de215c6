package io.flexdb.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The operating system failed an operation on a file.
 */
public final class StoreIoException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final String file;

    /**
     * @param operation what was being done, such as "read"
     * @param file the file or directory
     * @param cause what the operating system said
     */
    public StoreIoException(String operation, Path file, IOException cause) {
        super(
                operation + " of " + file + " failed: " + cause
                        + "; check the device, the file system, the permissions and the limit of open files",
                cause);
        this.operation = operation;
        this.file = file.toString();
    }

    /**
     * @param operation what was being done, such as "read"
     * @param file the file or directory
     * @param cause what the operating system said
     * @param advice what is wrong, and what to do
     */
    public StoreIoException(String operation, Path file, IOException cause, String advice) {
        super(operation + " of " + file + " failed: " + cause + "; " + advice, cause);
        this.operation = operation;
        this.file = file.toString();
    }

    /** The operation that failed. */
    public String operation() {
        return operation;
    }

    /** The file or directory. */
    public Path file() {
        return Path.of(file);
    }
}
