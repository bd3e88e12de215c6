package io.flexdb.flexspace.internal.vfs;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;

/** The system calls themselves. Only {@link NativeIo} may touch this class: JNA is optional. */
final class LinuxCalls {
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EDQUOT = 122;
    static final int AT_FDCWD = -100;
    static final int FALLOC_FL_KEEP_SIZE = 1;
    static final int FALLOC_FL_PUNCH_HOLE = 2;
    private static final int O_RDONLY = 0;
    private static final int O_WRONLY = 1;
    private static final int O_RDWR = 2;
    private static final int O_NOFOLLOW = Platform.isARM() ? 0x8000 : 0x20000;
    private static final int O_DIRECTORY = Platform.isARM() ? 0x4000 : 0x10000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int POSIX_FADV_RANDOM = 1;
    private static final int POSIX_FADV_WILLNEED = 3;
    private static final int MADV_RANDOM = 1;
    private static final int SYNC_FILE_RANGE_WRITE = 2;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    private static final int LOCK_BYTES = 2 * Short.BYTES + Integer.BYTES + 3 * Long.BYTES; // struct flock
    private static final long FICLONERANGE = 0x4020940DL; // _IOW(0x94, 13, struct file_clone_range)
    private static final int CLONE_RANGE_BYTES = 4 * Long.BYTES;
    private static final int RUSAGE_SELF = 0;
    private static final int MAJOR_FAULTS_OFFSET = 9 * Long.BYTES; // of struct rusage
    private static final int BLOCKS_READ_OFFSET = 11 * Long.BYTES;
    private static final int USAGE_BYTES = 18 * Long.BYTES;

    private LinuxCalls() {}

    /**
     * Whether the declarations here are right for this system: Linux with 64-bit offsets and the common flags.
     * Initializes JNA.
     */
    static boolean isUsable() {
        try {
            if (!Platform.isLinux() || Native.LONG_SIZE != Long.BYTES || !(Platform.isIntel() || Platform.isARM())) {
                return false;
            }
            Native.register(LinuxCalls.class, "c");
            return true;
        } catch (LinkageError e) { // JNA's library can't be unpacked or loaded here
            return false;
        }
    }

    /** Calls fallocate on a file by its name: the JDK keeps its descriptors to itself. Returns 0 or an error number. */
    static int fallocate(int directory, String file, int mode, long position, long bytes) {
        try {
            int descriptor = openat(directory, file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
            try {
                fallocate(descriptor, mode, position, bytes);
                return 0;
            } finally {
                close(descriptor);
            }
        } catch (LastErrorException e) {
            return e.getErrorCode();
        }
    }

    /** Has a file share a range of another. Returns 0 or an error number. */
    static int cloneRange(int source, long sourcePosition, long bytes, int directory, String file, long position) {
        ByteBuffer range = ByteBuffer.allocateDirect(CLONE_RANGE_BYTES).order(ByteOrder.nativeOrder());
        range.putLong(source).putLong(sourcePosition).putLong(bytes).putLong(position);
        try {
            int descriptor = openat(directory, file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
            try {
                ioctl(descriptor, FICLONERANGE, Native.getDirectBufferPointer(range));
                return 0;
            } finally {
                Reference.reachabilityFence(range);
                close(descriptor);
            }
        } catch (LastErrorException e) {
            return e.getErrorCode();
        }
    }

    /** The text that the JDK puts into its exceptions for an error, decoded as it does. */
    static String textOf(int error) {
        return strerror(error).getString(0, System.getProperty("sun.jnu.encoding", "UTF-8"));
    }

    static int openForReading(int directory, String file) {
        return open(directory, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }

    static int openForWriting(int directory, String file) {
        return open(directory, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    }

    /** Takes a lock that belongs to the open file description. Returns 0 or an error number. */
    static int lock(int descriptor, long position, long bytes) {
        return changeLock(descriptor, F_WRLCK, position, bytes);
    }

    /** Gives it up. Returns 0 or an error number. */
    static int unlock(int descriptor, long position, long bytes) {
        return changeLock(descriptor, F_UNLCK, position, bytes);
    }

    private static int changeLock(int descriptor, short type, long position, long bytes) {
        try (Memory lock = new Memory(LOCK_BYTES)) { // there may be no room for a direct buffer
            lock.clear(); // from the beginning of the file, of no process
            lock.setShort(0, type);
            lock.setLong(Long.BYTES, position);
            lock.setLong(2 * Long.BYTES, bytes);
            fcntl(descriptor, F_OFD_SETLK, lock);
            return 0;
        } catch (LastErrorException e) {
            return e.getErrorCode();
        }
    }

    static int openDirectory(String directory) {
        return open(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }

    private static int open(int directory, String file, int flags) {
        try {
            return openat(directory, file, flags);
        } catch (LastErrorException e) {
            return -1;
        }
    }

    static void readNothingAhead(int descriptor) {
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM); // of all of it
    }

    /** Fills a direct buffer from its position on. Returns the bytes read, or less than 1. */
    static int read(int descriptor, ByteBuffer to, long position) {
        int at = to.position();
        long address = Pointer.nativeValue(Native.getDirectBufferPointer(to)) + at;
        try {
            int bytes = (int) pread(descriptor, address, to.remaining(), position);
            if (bytes > 0) {
                to.position(at + bytes);
            }
            return bytes;
        } catch (LastErrorException e) {
            return 0;
        } finally {
            Reference.reachabilityFence(to);
        }
    }

    static void willNeed(int descriptor, long position, long bytes) {
        posix_fadvise(descriptor, position, bytes, POSIX_FADV_WILLNEED);
    }

    static void startWriting(int descriptor, long position, long bytes) {
        sync_file_range(descriptor, position, bytes, SYNC_FILE_RANGE_WRITE);
    }

    /** Forces a file or directory. Returns 0 or an error number. */
    static int force(int descriptor) {
        try {
            fsync(descriptor);
            return 0;
        } catch (LastErrorException e) {
            return e.getErrorCode();
        }
    }

    static void readAtRandom(MappedByteBuffer mapping) {
        madvise(Native.getDirectBufferPointer(mapping), mapping.capacity(), MADV_RANDOM);
    }

    /** Where {@link #diskReads} may have the kernel write. */
    private static final class Usage {
        static final Memory MEMORY = new Memory(USAGE_BYTES);
    }

    /** Major page faults and blocks read of this process. By one thread at a time. */
    static long diskReads() {
        Memory usage = Usage.MEMORY;
        return getrusage(RUSAGE_SELF, usage) == 0
                ? usage.getLong(MAJOR_FAULTS_OFFSET) + usage.getLong(BLOCKS_READ_OFFSET)
                : DiskReads.UNKNOWN;
    }

    /** Of a descriptor for reading: there is nothing to lose. */
    static void closeQuietly(int descriptor) {
        try {
            close(descriptor);
        } catch (LastErrorException e) {
            // it is closed all the same
        }
    }

    private static native int openat(int directory, String file, int flags) throws LastErrorException;

    private static native int fallocate(int descriptor, int mode, long position, long bytes) throws LastErrorException;

    private static native int fcntl(int descriptor, int command, Pointer argument) throws LastErrorException;

    private static native int ioctl(int descriptor, long request, Pointer argument) throws LastErrorException;

    private static native long pread(int descriptor, long address, long bytes, long position) throws LastErrorException;

    /** Returns an error number, and sets none. */
    private static native int posix_fadvise(int descriptor, long position, long bytes, int advice);

    private static native int sync_file_range(int descriptor, long position, long bytes, int flags);

    private static native int fsync(int descriptor) throws LastErrorException;

    private static native int madvise(Pointer address, long bytes, int advice);

    private static native int getrusage(int who, Pointer usage);

    private static native Pointer strerror(int error);

    private static native int close(int descriptor) throws LastErrorException;
}
