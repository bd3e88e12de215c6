package io.flexdb.storage;

import java.nio.file.Path;

/**
 * The store is open already, in this process or another. The other user is not disturbed by the attempt.
 */
public final class StoreLockedException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String lockFile;
    private final String holder;

    /**
     * @param lockFile the lock file of the store
     * @param holder who holds it: "this process", "process 4711" or "an unknown process"
     */
    public StoreLockedException(Path lockFile, String holder) {
        super("the store is in use: " + lockFile + " is held by " + holder
                + "; close the store there first, or share one open store within a process");
        this.lockFile = lockFile.toString();
        this.holder = holder;
    }

    /** The lock file of the store. */
    public Path lockFile() {
        return Path.of(lockFile);
    }

    /** The holder of the lock: "this process", "process 4711" or "an unknown process". */
    public String holder() {
        return holder;
    }
}
