package io.flexdb.flexspace.internal.vfs;

import io.flexdb.flextree.internal.NativeAccess;
import java.nio.file.Path;

/**
 * What the JDK lacks of the system calls for files, on Linux, if JNA is there and may be used. Each has a substitute in
 * the JDK or can be done without. Thread-safe.
 */
public final class NativeIo {
    private static final boolean AVAILABLE = NativeAccess.isGranted() && LinuxCalls.isUsable();

    private NativeIo() {}

    /** Whether these calls serve; if not, substitutes do. */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /** Whether an error number says that there is no space. */
    static boolean isNoSpace(int error) {
        return error == LinuxCalls.ENOSPC || error == LinuxCalls.EDQUOT; // constants: no class of JNA is loaded
    }

    /**
     * Takes disk space for a range of a file without writing it; what has not been written reads as zeros.
     *
     * @return 0, or the number of the error
     */
    static int allocate(Path file, long position, long bytes) {
        return LinuxCalls.fallocate(file.toString(), 0, position, bytes);
    }
}
