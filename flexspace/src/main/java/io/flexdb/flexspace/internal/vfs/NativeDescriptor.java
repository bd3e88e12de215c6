package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;
import java.util.concurrent.locks.StampedLock;

/** A file opened for reading by the operating system itself: the JDK keeps its descriptors for itself. Thread-safe. */
final class NativeDescriptor implements AutoCloseable {
    /** Nothing is open. */
    static final NativeDescriptor NONE = new NativeDescriptor(-1);

    private final StampedLock lock = new StampedLock(); // once it is closed, the number may be another file's
    private int number; // -1: none

    private NativeDescriptor(int number) {
        this.number = number;
    }

    /** Opens a file, or nothing if that can't be done, or not here. */
    static NativeDescriptor open(Path file) {
        int number = NativeIo.isAvailable() ? NativeIo.openForReading(file) : -1;
        return number < 0 ? NONE : new NativeDescriptor(number);
    }

    /** Announces that bytes will be read soon. Does nothing if nothing is open. */
    void announce(long position, long bytes) {
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

    @Override
    public void close() {
        long stamp = lock.writeLock();
        try {
            if (number >= 0) {
                NativeIo.close(number);
                number = -1;
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }
}
