package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.locks.StampedLock;

/**
 * A file or directory opened for reading by the operating system itself: the JDK keeps its descriptors for itself.
 * Thread-safe.
 */
final class NativeDescriptor implements AutoCloseable {
    /** Nothing is open. */
    static final NativeDescriptor NONE = new NativeDescriptor(-1);

    private final StampedLock lock = new StampedLock(); // once it is closed, the number may be another file's
    private int number; // -1: none
    private final Forgotten watched; // null for none
    private volatile boolean readsAhead = true;

    private NativeDescriptor(int number) {
        this.number = number;
        this.watched = number < 0 ? null : Forgotten.watch(this, () -> NativeIo.close(number));
    }

    /**
     * Opens a file, or nothing if that can't be done, or not here.
     *
     * @param directory the number of the directory's descriptor, or {@link NativeIo#NO_DIRECTORY}
     */
    static NativeDescriptor open(int directory, Path file) {
        int number = NativeIo.isAvailable() ? NativeIo.openForReading(directory, file) : -1;
        return number < 0 ? NONE : new NativeDescriptor(number);
    }

    /** Opens the directory that a path leads to, or nothing if that can't be done, or not here. */
    static NativeDescriptor openDirectory(Path directory) {
        boolean possible = NativeIo.isAvailable() && directory.getFileSystem() == FileSystems.getDefault();
        int number = possible ? NativeIo.openDirectory(directory.toAbsolutePath()) : -1;
        return number < 0 ? NONE : new NativeDescriptor(number);
    }

    /** Opens the directory of an identity, or nothing if the path does not lead to it or that can't be done. */
    static NativeDescriptor openDirectory(Path directory, Object identity) {
        NativeDescriptor opened = openDirectory(directory);
        if (opened == NONE) {
            return NONE;
        }
        try {
            Path itself = Path.of("/proc/self/fd/" + opened.number);
            if (identity.equals(
                    Files.readAttributes(itself, BasicFileAttributes.class).fileKey())) {
                return opened;
            }
        } catch (IOException e) {
            // it can't be told which one it is
        }
        opened.close();
        return NONE;
    }

    /** Opens a file in this directory, or nothing. */
    NativeDescriptor open(Path name) {
        long stamp = lock.readLock();
        try {
            return number < 0 ? NONE : open(number, name);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Takes disk space for a range of a file in this directory, or gives it back. Returns 0, the number of the error,
     * or -1.
     */
    int change(NativeIo.Change change, Path name, long position, long bytes) {
        long stamp = lock.readLock();
        try {
            return number < 0 ? -1 : NativeIo.change(change, number, name, position, bytes);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Has a file in this directory share a range of another. Returns 0, the number of the error, or -1. */
    int share(Path name, NativeDescriptor source, long sourcePosition, long bytes, long position) {
        long stamp = lock.readLock();
        try {
            return number < 0 ? -1 : source.shareWith(number, name, sourcePosition, bytes, position);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Has a file share a range of this one. Returns 0, the number of the error, or -1. */
    int shareWith(int directory, Path name, long sourcePosition, long bytes, long position) {
        long stamp = lock.readLock();
        try {
            return number < 0 ? -1 : NativeIo.share(number, sourcePosition, bytes, directory, name, position);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Reads into a direct buffer without reading ahead, moves its position, and returns how many bytes came; 0 if that
     * can't be done.
     */
    int readAlone(ByteBuffer to, long position) {
        long stamp = lock.readLock();
        try {
            if (number < 0) {
                return 0;
            }
            if (readsAhead) {
                NativeIo.readNothingAhead(number);
                readsAhead = false;
            }
            return NativeIo.read(number, to, position);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Tells the kernel that bytes will be read soon. Does nothing if nothing is open. */
    void prefetch(long position, long bytes) {
        long stamp = lock.readLock();
        try {
            if (number >= 0) {
                NativeIo.willNeed(number, position, bytes);
            }
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Has bytes written that are in the page cache. Does nothing if nothing is open. */
    void startWriting(long position, long bytes) {
        long stamp = lock.readLock();
        try {
            if (number >= 0) {
                NativeIo.startWriting(number, position, bytes);
            }
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Forces what is open, whatever interrupts the thread. Returns false if nothing is.
     *
     * @throws IOException if the force has failed
     */
    boolean force() throws IOException {
        long stamp = lock.readLock();
        try {
            int error = number < 0 ? 0 : NativeIo.force(number);
            if (error != 0) {
                throw new IOException(NativeIo.textOf(error));
            }
            return number >= 0;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    @Override
    public void close() {
        long stamp = lock.writeLock();
        try {
            if (number >= 0) {
                watched.release();
                NativeIo.close(number);
                number = -1;
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }
}
