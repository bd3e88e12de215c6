package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;

/**
 * What the JDK lacks of the system calls for files, on Linux, if JNA is there and may be used. Each has a substitute in
 * the JDK or can be done without. Thread-safe.
 */
public final class NativeIo {
    /*
     * JNA loads a library of its own, which a JDK from 22 on answers with a warning, and later ones refuse, unless native
     * access is enabled for JNA's module. That is asked first, without initializing a class of JNA, so that nothing is
     * printed and nothing fails: whatever is thrown means that the JDK's own ways serve.
     */
    private static final int FIRST_JDK_TO_ASK = 22;
    private static final boolean AVAILABLE = load();

    private NativeIo() {}

    private static boolean load() {
        try {
            Class<?> jna = Class.forName("com.sun.jna.Native", false, NativeIo.class.getClassLoader());
            return mayUse(jna.getModule()) && LinuxCalls.isUsable();
        } catch (Throwable e) {
            return false;
        }
    }

    private static boolean mayUse(Module module) throws ReflectiveOperationException {
        return Runtime.version().feature() < FIRST_JDK_TO_ASK
                || (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(module);
    }

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
