package io.flexdb.files.internal;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;

/**
 * The locks that are held on one file, through all its channels. As in any JVM, no two of them overlap, shared or not:
 * shared locks are for other processes, and no other process has the file. Any thread may use it.
 */
public final class RangeLocks {
    private final List<FileLock> held = new ArrayList<>();

    /**
     * Adds a lock.
     *
     * @throws OverlappingFileLockException if one that is held overlaps it
     */
    public synchronized void add(FileLock lock) {
        for (FileLock other : held) {
            if (other.overlaps(lock.position(), lock.size())) {
                throw new OverlappingFileLockException();
            }
        }
        held.add(lock);
    }

    /** Removes a lock, if it is held. */
    public synchronized void remove(FileLock lock) {
        held.removeIf(other -> other == lock);
    }

    /** Removes all that were taken through a channel. */
    public synchronized void removeOf(FileChannel channel) {
        held.removeIf(lock -> lock.acquiredBy() == channel);
    }
}
