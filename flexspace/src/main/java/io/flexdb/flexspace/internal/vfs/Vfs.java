package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreLockedException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file operations of a store. Thread-safe. Failures are unchecked: {@link io.flexdb.storage.StoreFullException}
 * when there is no space, {@link io.flexdb.storage.StoreIoException} otherwise.
 *
 * <p>What creating, renaming and deleting do to a directory is durable only after {@link #syncDirectory}; before that a
 * power cut may undo each of them by itself, whatever was done to others in between.
 */
public interface Vfs {
    /**
     * Opens or creates a file. Symbolic links are not followed, and only regular files are opened.
     */
    VfsFile open(Path file, OpenMode mode);

    /**
     * Whether there is anything of that name, a dangling symbolic link included. False is a proof that there is nothing:
     * files are made and deleted by it.
     *
     * @throws io.flexdb.storage.StoreIoException if that can't be known, as where a directory may not be searched, no
     *     descriptor is left or the device fails
     */
    boolean exists(Path path);

    /**
     * Whether there is a directory of that name, or a symbolic link to one. False is a proof that there is none.
     *
     * @throws io.flexdb.storage.StoreIoException if that can't be known
     */
    boolean isDirectory(Path path);

    /**
     * Whether there is a directory of that name itself, which a symbolic link is not. For whoever deletes what is in it.
     *
     * @throws io.flexdb.storage.StoreIoException if that can't be known
     */
    boolean isPlainDirectory(Path path);

    /**
     * Whether there is a regular file of that name itself, which a symbolic link is not.
     *
     * @throws io.flexdb.storage.StoreIoException if that can't be known
     */
    boolean isPlainFile(Path path);

    /** Whether a path that exists is on a file system that is mounted read-only, as far as anybody can tell. */
    default boolean isReadOnly(Path path) {
        return false;
    }

    /** The names of what a directory holds, in ascending order. */
    List<String> list(Path directory);

    /** Makes a directory and its missing parents, for the owner only. Does nothing if it exists. */
    void createDirectories(Path directory);

    /**
     * Gives a directory and the files in it the permissions that new ones get here, if those are more. Does nothing to
     * one that is missing.
     */
    default void grant(Path directory) {}

    /** Gives a file or directory another name, in one step, replacing a file of that name. */
    void rename(Path from, Path to);

    /** Whether a file that is open, be it by another process, can be replaced by renaming. */
    default boolean replacesOpenFiles() {
        return true;
    }

    /**
     * Gives a file one more name, where there is nothing yet. It is made durable as the name of a new file is.
     *
     * @return false if that can't be done here, as on another file system; nothing has changed then
     */
    default boolean link(Path file, Path name) {
        return false;
    }

    /** Deletes a file or an empty directory, which must exist. */
    void delete(Path path);

    /** Deletes a file or an empty directory and returns whether it existed. */
    boolean deleteIfExists(Path path);

    /** Returns once the names in a directory are durable; not those in the directories below it. */
    void syncDirectory(Path directory);

    /**
     * Takes a lock file, making it if it is missing. A file left behind by a process that has ended does not block. The
     * lock file must not be opened otherwise.
     *
     * <p>Until the lock is closed, the path of its directory and all paths below it mean the directories that they lead
     * to now, or when they are first used, whatever names these get from others meanwhile, and nothing that others put
     * in their place. This holds where the platform has means for it, and for directories that may be read.
     *
     * @throws StoreLockedException if this process or another holds it; that one keeps it
     */
    VfsLock lock(Path lockFile);

    /**
     * Ends for a directory below that of a lock file, and for all below it, what {@link #lock} says, so that no descriptor
     * is kept for them. Used again, they mean what they lead to then. For whoever uses many.
     */
    default void letGo(Path directory) {}

    /**
     * Starts work beside the caller: here, because a simulation chooses the moment. It may be done at once.
     *
     * @param name what it is, for the name of its thread
     * @param task must not throw, nor wait for the caller
     */
    BackgroundTask start(String name, Runnable task);

    /**
     * For work like that which comes again and again: one thread does all of it, one piece after the other, and there
     * is none before the first piece.
     *
     * @param name what it is, for the name of its thread
     */
    BackgroundWorker worker(String name);

    /**
     * Whether files in a directory may be mapped: their file system is known to keep mapped writes as it keeps others.
     */
    boolean mapsSafely(Path directory);
}
