package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;

/** A lock file held by this process until closed, or until the process ends, however it ends. */
public interface VfsLock extends AutoCloseable {
    /** The lock file. */
    Path path();

    /**
     * Makes sure that nobody else has taken the lock meanwhile, as may happen if the lock file was deleted, or read by
     * this process on a system whose locks do not outlast that. A lock that is lost and free is taken again.
     *
     * @throws io.flexdb.storage.StoreLockedException if somebody else has it: then nothing more may be written
     */
    void requireHeld();

    /** Gives the lock up; the file stays. Closing again does nothing. */
    @Override
    void close();
}
