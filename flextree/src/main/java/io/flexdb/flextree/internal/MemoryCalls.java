package io.flexdb.flextree.internal;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/** Memory of the C library, and advice to the kernel on it. To be touched only if {@link NativeAccess} is granted: JNA is optional. */
final class MemoryCalls {
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14;

    private MemoryCalls() {}

    /** Whether the declarations here are right for this system. Initializes JNA. */
    static boolean isUsable() {
        try {
            if (!Platform.isLinux() || !Platform.isIntel() || Native.LONG_SIZE != Long.BYTES) {
                return false;
            }
            Native.register(MemoryCalls.class, "c");
            return true;
        } catch (LinkageError e) { // JNA's library can't be unpacked or loaded here
            return false;
        }
    }

    /**
     * Memory that the kernel gives page by page, when it is touched. It holds anything, and lives as long as something
     * refers to the buffer or a slice of it.
     */
    static ByteBuffer allocate(int bytes) {
        return new Memory(bytes).getByteBuffer(0, bytes);
    }

    /** Asks for huge pages from now on, in a buffer that begins with a page. */
    static void wantHugePages(ByteBuffer pages) {
        madvise(Native.getDirectBufferPointer(pages), pages.capacity(), MADV_HUGEPAGE);
    }

    /** Takes the pages of a buffer away, which begins with one. When they are touched they come back as zeros. */
    static void giveBack(ByteBuffer pages) {
        madvise(Native.getDirectBufferPointer(pages), pages.capacity(), MADV_DONTNEED);
    }

    private static native int madvise(Pointer address, long bytes, int advice);
}
