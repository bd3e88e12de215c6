package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.LockWatch;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.TargetNotEmptyException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;

/**
 * An empty directory in which the files of a store are put together. It becomes a store at the very end, in one step:
 * until then it has a file by which every release refuses it, whenever the making was cut short.
 */
public final class NewStoreDirectory implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final Vfs vfs;
    private final Path directory;
    private final boolean wasMissing;
    private final VfsLock lock;
    private final LockWatch lockWatch;
    private boolean finished;

    private NewStoreDirectory(Vfs vfs, Path directory, boolean wasMissing, VfsLock lock) {
        this.vfs = vfs;
        this.directory = directory;
        this.wasMissing = wasMissing;
        this.lock = lock;
        this.lockWatch = new LockWatch(lock, System::nanoTime);
    }

    /**
     * Begins with a directory that is empty or missing.
     *
     * @throws TargetNotEmptyException if it is neither
     * @throws io.flexdb.storage.StoreLockedException if somebody else is making a store there
     */
    public static NewStoreDirectory begin(Vfs vfs, Path path) {
        Path directory = path.toAbsolutePath().normalize();
        boolean missing = !vfs.exists(directory);
        if (!missing) {
            requireEmpty(vfs, directory);
        }
        SpaceEngine.createDirectory(vfs, directory);
        VfsLock lock = vfs.lock(directory.resolve(StoreFiles.LOCK_NAME));
        NewStoreDirectory made = new NewStoreDirectory(vfs, directory, missing, lock);
        try {
            requireEmpty(vfs, directory);
        } catch (RuntimeException | Error e) {
            made.releaseAfter(e);
            throw e;
        }
        try {
            vfs.open(made.marker(), OpenMode.CREATE).close();
            vfs.syncDirectory(directory);
            SpaceEngine.createDirectory(vfs, made.space());
            SpaceEngine.createDirectory(vfs, made.logs());
            return made;
        } catch (RuntimeException | Error e) {
            made.closeAfter(e);
            throw e;
        }
    }

    private static void requireEmpty(Vfs vfs, Path directory) {
        if (!vfs.isDirectory(directory)) {
            throw new TargetNotEmptyException(directory, "a file");
        }
        for (String name : vfs.list(directory)) {
            if (!name.equals(StoreFiles.LOCK_NAME)) {
                throw new TargetNotEmptyException(directory, name);
            }
        }
    }

    private Path marker() {
        return directory.resolve(StoreFiles.UNFINISHED_COPY_NAME);
    }

    /** The directory for the files of the space. */
    public Path space() {
        return directory.resolve(StoreFiles.SPACE_NAME);
    }

    /** The directory for the write-ahead logs. */
    public Path logs() {
        return directory.resolve(StoreFiles.WAL_NAME);
    }

    /**
     * Makes it a store, durably, when all its files are there and forced.
     *
     * @throws io.flexdb.storage.StoreLockedException if another process has taken the directory meanwhile
     */
    public void finish(long storeId) {
        vfs.syncDirectory(space());
        vfs.syncDirectory(logs());
        lockWatch.requireHeld();
        StoreFiles.writeOptions(vfs, directory, storeId);
        finished = true; // from here on it is one, with or without the marker
        deleteMarker(vfs, directory);
    }

    /** Makes later openings refuse a store that is open and still empty, until {@link #finish(Vfs, Path, long)}. */
    public static void unfinish(Vfs vfs, Path directory) {
        vfs.open(directory.resolve(StoreFiles.UNFINISHED_COPY_NAME), OpenMode.CREATE)
                .close();
        StoreFiles.deleteOptions(vfs, directory);
        vfs.syncDirectory(directory);
    }

    /** Makes it a store again, durably, when it is closed. */
    public static void finish(Vfs vfs, Path directory, long storeId) {
        StoreFiles.writeOptions(vfs, directory, storeId);
        deleteMarker(vfs, directory);
    }

    private static void deleteMarker(Vfs vfs, Path directory) {
        try {
            vfs.delete(directory.resolve(StoreFiles.UNFINISHED_COPY_NAME));
            vfs.syncDirectory(directory);
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A file that is not needed stays in " + directory, e);
        }
    }

    private void closeAfter(Throwable cause) {
        try {
            close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private void releaseAfter(Throwable cause) {
        try {
            release();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Gives the directory up; deletes the files made in it, as far as that goes, unless it has become a store or is
     * another process's by now.
     */
    @Override
    public void close() {
        if (finished || isTaken()) {
            lock.close();
            return;
        }
        try {
            CopiedStoreFiles.deleteAll(vfs, directory);
            StoreFiles.deleteOptions(vfs, directory);
            vfs.deleteIfExists(marker()); // last: until then nobody takes the rest for a store
        } finally {
            release();
        }
    }

    private boolean isTaken() {
        try {
            lockWatch.requireHeld();
            return false;
        } catch (StoreLockedException e) {
            return true;
        }
    }

    /** Lets the directory go, and deletes it if it was missing and is empty. */
    private void release() {
        boolean lockStays = false;
        try {
            lockStays = wasMissing && !deleteHeldLock();
        } finally {
            lock.close();
        }
        if (lockStays) {
            deleteUnlessInUse(directory.resolve(StoreFiles.LOCK_NAME)); // such a system deletes none that is held
        }
        if (wasMissing) {
            deleteUnlessInUse(directory);
        }
    }

    /** Deletes the lock file before another can take it; false on a system that does not do that. */
    private boolean deleteHeldLock() {
        try {
            vfs.deleteIfExists(directory.resolve(StoreFiles.LOCK_NAME));
            return true;
        } catch (StoreIoException e) {
            if (e.getCause() instanceof AccessDeniedException) {
                return false;
            }
            throw e;
        }
    }

    private void deleteUnlessInUse(Path path) {
        try {
            vfs.deleteIfExists(path);
        } catch (StorageException e) {
            // somebody has begun to use it
        }
    }
}
