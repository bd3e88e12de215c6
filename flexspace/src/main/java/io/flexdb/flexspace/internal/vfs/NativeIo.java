package io.flexdb.flexspace.internal.vfs;

import io.flexdb.base.nativeaccess.NativeAccess;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The system calls for files that the JDK lacks, on Linux, if JNA is there and may be used. Each has a substitute in
 * the JDK or can be done without. Thread-safe.
 */
public final class NativeIo {
    /** Instead of a directory's descriptor: the file is found by its path. */
    static final int NO_DIRECTORY = LinuxCalls.AT_FDCWD; // a constant: no class of JNA is loaded

    private static final boolean AVAILABLE = NativeAccess.isGranted() && LinuxCalls.isUsable();

    private NativeIo() {}

    /** Whether these calls serve; if not, substitutes do. */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /** Whether an error number says that there is no space, or that the file may not become as long. */
    static boolean isNoSpace(int error) {
        // Constants: no class of JNA is loaded.
        return error == LinuxCalls.ENOSPC || error == LinuxCalls.EDQUOT || error == LinuxCalls.EFBIG;
    }

    /** The system's messages for these errors, in the language of this process. */
    static List<String> wantOfSpaceTexts() {
        if (!AVAILABLE) {
            return List.of();
        }
        return List.of(
                LinuxCalls.textOf(LinuxCalls.ENOSPC),
                LinuxCalls.textOf(LinuxCalls.EDQUOT),
                LinuxCalls.textOf(LinuxCalls.EFBIG));
    }

    /** A change of the disk space of a range of a file. */
    enum Change {
        /** It is taken, without being written; what has not been written reads as zeros. */
        ALLOCATE(0),

        /** That of whole blocks is given back; they read as zeros then. The file stays as long. */
        GIVE_BACK(LinuxCalls.FALLOC_FL_PUNCH_HOLE | LinuxCalls.FALLOC_FL_KEEP_SIZE);

        private final int mode;

        Change(int mode) {
            this.mode = mode;
        }
    }

    /**
     * Changes the disk space of a range of a file.
     *
     * @param directory the descriptor of the file's directory, or {@link #NO_DIRECTORY}
     * @param file its name there, or its path
     * @return 0, or the number of the error
     */
    static int change(Change change, int directory, Path file, long position, long bytes) {
        return LinuxCalls.fallocate(directory, file.toString(), change.mode, position, bytes);
    }

    /**
     * Has a file share a range of another one's disk space, as XFS and Btrfs do.
     *
     * @param source descriptor of the other file
     * @param directory the descriptor of the file's directory, or {@link #NO_DIRECTORY}
     * @param file its name there, or its path
     * @return 0, or the number of the error
     */
    static int share(int source, long sourcePosition, long bytes, int directory, Path file, long position) {
        return LinuxCalls.cloneRange(source, sourcePosition, bytes, directory, file.toString(), position);
    }

    /**
     * Opens a file for reading; children of this process do not get it. Returns a descriptor, or -1 after an error.
     *
     * @param directory the descriptor of the file's directory, or {@link #NO_DIRECTORY}
     * @param file its name there, or its path
     */
    static int openForReading(int directory, Path file) {
        return LinuxCalls.openForReading(directory, file.toString());
    }

    /** Opens a file for reading and writing. */
    static int openForWriting(int directory, Path file) {
        return AVAILABLE ? LinuxCalls.openForWriting(directory, file.toString()) : -1;
    }

    /**
     * Locks bytes of a file that is open for writing, for this descriptor and its duplicates alone, without waiting.
     *
     * @return 0, or the number of the error
     */
    static int lock(int descriptor, long position, long bytes) {
        return LinuxCalls.lock(descriptor, position, bytes);
    }

    /** Unlocks bytes that were locked so. */
    static void unlock(int descriptor, long position, long bytes) {
        LinuxCalls.unlock(descriptor, position, bytes);
    }

    /** Whether an error number says that somebody else has the bytes locked. */
    static boolean isConflict(int error) {
        return error == LinuxCalls.EAGAIN || error == LinuxCalls.EACCES; // constants: no class of JNA is loaded
    }

    /** Opens a directory for reading, or a symbolic link to one, as {@link #openForReading} does a file. */
    static int openDirectory(Path directory) {
        return LinuxCalls.openDirectory(directory.toString());
    }

    /** Tells the kernel not to read ahead through a descriptor. */
    static void readNothingAhead(int descriptor) {
        LinuxCalls.readNothingAhead(descriptor);
    }

    /** Fills a direct buffer from its position on, and moves that. Returns the bytes read, or less than 1. */
    static int read(int descriptor, ByteBuffer to, long position) {
        return LinuxCalls.read(descriptor, to, position);
    }

    /** Has bytes read into the page cache, without waiting for them. Errors are of no interest. */
    static void willNeed(int descriptor, long position, long bytes) {
        LinuxCalls.willNeed(descriptor, position, bytes);
    }

    /** What {@link DiskReads} counts. By one thread at a time. */
    static long diskReads() {
        return LinuxCalls.diskReads();
    }

    /** Has bytes of the page cache written, without waiting for it. The next force of the file tells of errors. */
    static void startWriting(int descriptor, long position, long bytes) {
        LinuxCalls.startWriting(descriptor, position, bytes);
    }

    /** Forces a file or directory, whatever interrupts the thread. Returns 0, or the number of the error. */
    static int force(int descriptor) {
        return LinuxCalls.force(descriptor);
    }

    /** The system's message for an error. */
    static String textOf(int error) {
        return LinuxCalls.textOf(error);
    }

    /** Has no more pages of a mapping brought into memory than those that are read. */
    static void readAtRandom(MappedByteBuffer mapping) {
        if (AVAILABLE) {
            LinuxCalls.readAtRandom(mapping);
        }
    }

    /** Closes a descriptor. */
    static void close(int descriptor) {
        LinuxCalls.closeQuietly(descriptor);
    }
}
