package io.flexdb.base.nativeaccess;

/** Whether system calls that the JDK lacks can be made, by JNA. Each of them can be done without. Thread-safe. */
public final class NativeAccess {
    /*
     * JNA loads a library of its own, which a JDK from 22 on answers with a warning, and later ones refuse, unless
     * native access is enabled for JNA's module. That is asked first, without initializing a class of JNA, so that
     * nothing is printed and nothing fails: whatever is thrown means that it can't be used.
     */
    private static final int FIRST_JDK_TO_ASK = 22;
    private static final boolean GRANTED = ask();

    private NativeAccess() {}

    private static boolean ask() {
        try {
            Class<?> jna = Class.forName("com.sun.jna.Native", false, NativeAccess.class.getClassLoader());
            return Runtime.version().feature() < FIRST_JDK_TO_ASK
                    || (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(jna.getModule());
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    /** Whether JNA is there and may load its library. */
    public static boolean isGranted() {
        return GRANTED;
    }
}
