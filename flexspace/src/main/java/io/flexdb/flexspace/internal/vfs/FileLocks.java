package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreLockedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.ConcurrentHashMap;

/** The lock files that this process holds. */
final class FileLocks {
    /*
     * The operating system ties a lock to the process and the file: closing any descriptor of the file, whoever opened
     * it, gives the lock up. So this process must never open a lock file that it holds, and has to know which ones it
     * does. Since that is a fact about the process, the table is static, the only such state there is. It names a lock
     * file by the identity of its directory, so that neither a symbolic link nor a second mount leads around it.
     *
     * Another copy of this class, under another class loader, has another table. The JDK then tells of the overlap, but
     * only when the file is open, and it can't be closed again without harm to the holder. Such a file is kept for the
     * next attempt.
     *
     * Lock files are accessed by RandomAccessFile, which an interrupt does not close.
     */
    private static final ConcurrentHashMap<Name, Object> HELD = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<Name, RandomAccessFile> NOT_TO_CLOSE = new ConcurrentHashMap<>();

    // Past any content, for systems on which a locked byte can't be read.
    private static final long LOCKED_POSITION = Long.MAX_VALUE - 1;
    private static final int MAX_CONTENT_BYTES = 20;

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
    }

    /** Throws if this process holds the file as a lock, since opening and closing it would give the lock up. */
    static void refuseToOpen(Path file) {
        if (HELD.isEmpty()) {
            return;
        }
        String fileName = file.getFileName().toString();
        for (Name held : HELD.keySet()) {
            if (held.file().equals(fileName) && held.equals(nameOf(file))) {
                throw new StoreLockedException(file, "this process");
            }
        }
    }

    private static Name nameOf(Path lockFile) {
        try {
            return Name.of(lockFile);
        } catch (IOException e) {
            throw IoFailures.wrap("lock", lockFile, e);
        }
    }

    static VfsLock lock(Path lockFile) {
        Name name = nameOf(lockFile);
        Object holder = new Object();
        if (HELD.putIfAbsent(name, holder) != null) {
            throw new StoreLockedException(lockFile, "this process");
        }
        Held lock = null;
        try {
            lock = acquire(name, lockFile);
            return lock;
        } catch (IOException e) {
            throw IoFailures.wrap("lock", lockFile, e);
        } finally {
            if (lock == null) {
                HELD.remove(name);
            }
        }
    }

    private static Held acquire(Name name, Path lockFile) throws IOException {
        RandomAccessFile kept = NOT_TO_CLOSE.remove(name);
        RandomAccessFile file = kept != null ? kept : open(lockFile);
        boolean closing = true;
        try {
            FileLock lock = file.getChannel().tryLock(LOCKED_POSITION, 1, false);
            if (lock == null) {
                throw new StoreLockedException(lockFile, readHolder(file));
            }
            closing = false;
            writeHolder(file);
            return new Held(name, lockFile, file, lock);
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

    private static RandomAccessFile open(Path lockFile) throws IOException {
        try {
            Files.createFile(lockFile, RealVfs.ownerOnly(lockFile, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(lockFile, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("not a regular file", e);
            }
        }
        return new RandomAccessFile(lockFile.toFile(), "rw");
    }

    private static String readHolder(RandomAccessFile file) {
        try {
            byte[] content = new byte[MAX_CONTENT_BYTES];
            file.seek(0);
            int length = Math.max(0, file.read(content));
            String text = new String(content, 0, length, StandardCharsets.US_ASCII).strip();
            return text.matches("[0-9]+") ? "process " + text : "an unknown process";
        } catch (IOException e) {
            return "an unknown process";
        }
    }

    /** Leaves the process id for those who are refused. A full disk must not keep a store from being opened. */
    private static void writeHolder(RandomAccessFile file) {
        byte[] content = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
        try {
            file.seek(0);
            file.write(content);
            file.setLength(content.length);
        } catch (IOException e) {
            // The lock is held all the same; only its holder can't be named.
        }
    }

    private static final class Held implements VfsLock {
        private final Name name;
        private final Path path;
        private final RandomAccessFile file;
        private final FileLock lock;
        private boolean closed;

        Held(Name name, Path path, RandomAccessFile file, FileLock lock) {
            this.name = name;
            this.path = path;
            this.file = file;
            this.lock = lock;
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            try (file) {
                lock.release();
            } catch (IOException e) {
                throw IoFailures.wrap("unlock", path, e);
            } finally {
                HELD.remove(name); // last, so that a next holder's lock can't be given up by closing our descriptor
            }
        }
    }
}
