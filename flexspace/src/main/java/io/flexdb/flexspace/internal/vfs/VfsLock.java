package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;

/** A lock file held by this process until closed, or until the process ends, however it ends. */
public interface VfsLock extends AutoCloseable {
    /** The lock file. */
    Path path();

    /** Gives the lock up; the file stays. Closing again does nothing. */
    @Override
    void close();
}
