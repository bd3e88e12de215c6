package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.storage.StoreLockedException;
import java.nio.file.Path;

/** Files of which another process takes a directory's lock at some moment. */
public final class RobbedVfs extends ForwardingVfs {
    private final Path directory;
    private long looks = Long.MAX_VALUE;
    private boolean refused;
    private int changes;

    /**
     * @param vfs has the files
     * @param directory of which the lock is taken
     */
    public RobbedVfs(Vfs vfs, Path directory) {
        super(vfs);
        this.directory = directory;
    }

    /** From now on the lock is another process's. */
    public void rob() {
        robAfter(0);
    }

    /** The same once the holder has looked so many times more whether it has the lock still. */
    public synchronized void robAfter(long looksUntilThen) {
        looks = looksUntilThen;
    }

    /** Whether the holder has been told. */
    public synchronized boolean hasRefused() {
        return refused;
    }

    /** Files and names below the directory that the holder has changed after it was told. */
    public synchronized int changesAfterRefusal() {
        return changes;
    }

    private synchronized void changes(Path path) {
        if (refused && path.startsWith(directory)) {
            changes++;
        }
    }

    private synchronized void look(Path lockFile) {
        if (looks-- <= 0) {
            refused = true;
            throw new StoreLockedException(lockFile, "process 4711");
        }
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode != OpenMode.READ) {
            changes(file);
        }
        return super.open(file, mode);
    }

    @Override
    public void createDirectories(Path path) {
        changes(path);
        super.createDirectories(path);
    }

    @Override
    public void rename(Path from, Path to) {
        changes(to);
        super.rename(from, to);
    }

    @Override
    public void delete(Path path) {
        changes(path);
        super.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        changes(path);
        return super.deleteIfExists(path);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        VfsLock lock = super.lock(lockFile);
        boolean robbed = lockFile.getParent().equals(directory);
        return new VfsLock() {
            @Override
            public Path path() {
                return lock.path();
            }

            @Override
            public void requireHeld() {
                if (robbed) {
                    look(lockFile);
                }
            }

            @Override
            public void close() {
                lock.close();
            }
        };
    }
}
