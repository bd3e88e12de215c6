package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;

/** Turns what the operating system said into what a store throws. */
public final class IoFailures {
    private IoFailures() {}

    /**
     * The exception to throw for a failed operation.
     *
     * @param operation what was being done
     * @param file the file or directory
     * @param cause the failure
     */
    public static StorageException wrap(String operation, Path file, IOException cause) {
        if (WantOfSpace.ofProcess().isTextOf(cause)) {
            return new StoreFullException(operation, file, cause);
        }
        String denied = AccessDenied.explain(file, cause);
        return denied == null
                ? new StoreIoException(operation, file, cause)
                : new StoreIoException(operation, file, cause, denied);
    }
}
