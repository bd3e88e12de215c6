package io.flexdb.jmh.flexspace;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A file or directory opened by system calls that the JDK has no methods for. 64-bit Linux. */
final class LinuxFile implements Closeable {
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int FALLOC_FL_INSERT_RANGE = 0x20;
    private static final int EOPNOTSUPP = 95;

    private final Path path;
    private final int descriptor;

    /** Opens a file that exists for writing. */
    LinuxFile(Path path) throws IOException {
        this(path, O_RDWR);
    }

    private LinuxFile(Path path, int flags) throws IOException {
        this.path = path;
        try {
            descriptor = LibC.open(path.toString(), flags);
        } catch (LastErrorException e) {
            throw new IOException("open " + path, e);
        }
    }

    /** Whether the calls can be made here. */
    static boolean isAvailable() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return false; // without loading JNA
        }
        try {
            return Platform.is64Bit() && LibC.LOADED;
        } catch (LinkageError e) {
            return false; // native access is denied, or the temporary directory is mounted noexec
        }
    }

    /** Writes everything that the file system of a directory has not written yet, its journal included. */
    static void syncFileSystem(Path directory) throws IOException {
        try (LinuxFile opened = new LinuxFile(directory, O_RDONLY)) {
            LibC.syncfs(opened.descriptor);
        } catch (LastErrorException e) {
            throw new IOException("syncfs " + directory, e);
        }
    }

    /** Shifts what is at an offset and behind it; multiples of the file system's blocks, the offset before the end. */
    void insertRange(long logicalOffset, long length) throws IOException {
        try {
            LibC.fallocate(descriptor, FALLOC_FL_INSERT_RANGE, logicalOffset, length);
        } catch (LastErrorException e) {
            if (e.getErrorCode() == EOPNOTSUPP) {
                throw new UnsupportedOperationException("no insert-range on the file system of " + path, e);
            }
            throw new IOException("insert-range of " + length + " at " + logicalOffset + " in " + path, e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            LibC.close(descriptor);
        } catch (LastErrorException e) {
            throw new IOException("close " + path, e);
        }
    }

    /** Loaded when first called: JNA takes 0.2 s for that. */
    private static final class LibC {
        static final boolean LOADED;

        static {
            Native.register(LibC.class, "c");
            LOADED = true;
        }

        static native int open(String path, int flags) throws LastErrorException;

        static native int close(int descriptor) throws LastErrorException;

        static native int syncfs(int descriptor) throws LastErrorException;

        static native int fallocate(int descriptor, int mode, long offset, long length) throws LastErrorException;
    }
}
