package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreLockedException;
import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.ConcurrentHashMap;

/** The lock files that this process holds. */
final class FileLocks {
    /*
     * L1 In a JVM a lock has one holder: the table of the JVM (LocksOfJvm) is asked before the lock file is touched. It
     *    names a lock file by the identity of its directory, so that neither a symbolic link nor a second mount leads
     *    around it.
     * L2 Between processes the operating system decides (LockFile). Where native calls serve, its lock can't be lost as
     *    long as the process lives and the file is there.
     * L3 Elsewhere it can be. So a lock that was got is believed only if neither the lock file nor the directory names
     *    another process that lives (HolderRecord).
     * L4 The lock counts only if the lock file still has its name when it is locked.
     * L5 A holder looks now and then whether L2 and L4 still hold (requireHeld), takes a lost lock again, and stops if
     *    another process has it.
     *
     * The operating system may tie a lock to the process and the file: closing any descriptor of the file, by any code
     * of the process, gives the lock up. So code of a store must never open a lock file that is held; since that is a
     * fact about the process, the table here is static. If other code of this JVM has locked the file, the JDK tells
     * that only when the file is open, and it can't be closed again without harm to that code. Such a file is kept for
     * the next attempt.
     */
    private static final ConcurrentHashMap<Name, LockFile> NOT_TO_CLOSE = new ConcurrentHashMap<>();
    private static final int TRIES = 100; // to lock a file that still has its name then

    private FileLocks() {}

    private record Name(Object directory, String file) {
        static Name of(Path lockFile) throws IOException {
            Path directory = lockFile.toAbsolutePath().getParent();
            Object key =
                    Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
            return new Name(
                    key != null ? key : directory.toRealPath(),
                    lockFile.getFileName().toString());
        }

        String inJvm() {
            return (directory + "/" + file).replace('\n', ' ');
        }
    }

    /** Throws if this process holds the file as a lock, since opening and closing it would give the lock up. */
    static void refuseToOpen(Path file) {
        String fileName = file.getFileName().toString();
        if (LocksOfJvm.hasFile(fileName) && LocksOfJvm.has(nameOf(file).inJvm())) {
            throw new StoreLockedException(file, "this process");
        }
    }

    private static Name nameOf(Path lockFile) {
        try {
            return Name.of(lockFile);
        } catch (IOException e) {
            throw IoFailures.wrap("lock", lockFile, e);
        }
    }

    static VfsLock lock(Path lockFile, FilePermissions permissions) {
        return lock(lockFile, permissions, NativeIo.isAvailable());
    }

    /** @param natively whether the lock is to be one that this process can't lose, where there is such */
    static VfsLock lock(Path lockFile, FilePermissions permissions, boolean natively) {
        Name name = nameOf(lockFile);
        if (!LocksOfJvm.add(name.inJvm())) {
            throw new StoreLockedException(lockFile, "this process");
        }
        Held lock = null;
        try {
            lock = new Held(name, lockFile, permissions, natively);
            return lock;
        } catch (IOException e) {
            throw IoFailures.wrap("lock", lockFile, e);
        } finally {
            if (lock == null) {
                LocksOfJvm.remove(name.inJvm());
            }
        }
    }

    private static LockFile acquire(Name name, Path lockFile, FilePermissions permissions, boolean natively)
            throws IOException {
        for (int i = 0; i < TRIES; i++) {
            LockFile kept = NOT_TO_CLOSE.remove(name);
            LockFile file = kept != null ? kept : LockFile.open(lockFile, natively, permissions);
            boolean closing = true;
            try {
                if (!file.tryLock()) {
                    throw new StoreLockedException(lockFile, file.record().holder());
                }
                if (file.hasName()) { // L4
                    HolderRecord other = file.otherHolder(); // L3
                    if (other != null) {
                        throw new StoreLockedException(lockFile, other.holder());
                    }
                    closing = false;
                    file.writeRecord();
                    return file;
                }
            } catch (OverlappingFileLockException e) {
                closing = false;
                NOT_TO_CLOSE.put(name, file);
                throw new StoreLockedException(lockFile, "this process");
            } finally {
                if (closing) {
                    file.close();
                }
            }
        }
        throw new IOException("the file was replaced by others again and again");
    }

    private static final class Held implements VfsLock {
        private final Name name;
        private final Path path;
        private final FilePermissions permissions;
        private final boolean natively;
        private LockFile file;
        private boolean closed;

        Held(Name name, Path path, FilePermissions permissions, boolean natively) throws IOException {
            this.name = name;
            this.path = path;
            this.permissions = permissions;
            this.natively = natively;
            this.file = acquire(name, path, permissions, natively);
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public synchronized void requireHeld() {
            if (closed) {
                return;
            }
            try {
                if (!file.renew()) {
                    throw new StoreLockedException(path, file.record().holder());
                }
                if (isInItsDirectory() && !file.hasName()) {
                    LockFile replaced = file;
                    file = acquire(name, path, permissions, natively);
                    replaced.close();
                }
            } catch (IOException e) {
                throw IoFailures.wrap("lock", path, e);
            }
        }

        /** Whether the path leads to the directory still: that may have been renamed. */
        private boolean isInItsDirectory() throws IOException {
            try {
                return Name.of(path).equals(name);
            } catch (NoSuchFileException e) {
                return false;
            }
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                file.close();
            } catch (IOException e) {
                throw IoFailures.wrap("unlock", path, e);
            } finally {
                LocksOfJvm.remove(
                        name.inJvm()); // last, so that a next holder's lock can't be given up by closing our descriptor
            }
        }
    }
}
