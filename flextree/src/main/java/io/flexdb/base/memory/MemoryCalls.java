package io.flexdb.base.memory;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import io.flexdb.base.nativeaccess.NativeAccess;
import java.nio.ByteBuffer;

/** Advice to the kernel on memory. To be touched only if {@link NativeAccess} is granted: JNA is optional. */
final class MemoryCalls {
    private static final int PAGE_BYTES = 4096;
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

    /** Asks for huge pages in a range of a direct buffer from now on. */
    static void wantHugePages(ByteBuffer buffer, int position, int bytes) {
        madvise(Native.getDirectBufferPointer(buffer.slice(position, bytes)), bytes, MADV_HUGEPAGE);
    }

    /** Takes the pages of a direct buffer away. When they are touched they come back as zeros. */
    static void giveBack(ByteBuffer buffer) {
        int first = (PAGE_BYTES - buffer.alignmentOffset(0, PAGE_BYTES)) & PAGE_BYTES - 1;
        long bytes = (buffer.capacity() - first) / PAGE_BYTES * (long) PAGE_BYTES; // what else is in a page is not ours
        madvise(Native.getDirectBufferPointer(buffer.slice(first, buffer.capacity() - first)), bytes, MADV_DONTNEED);
    }

    private static native int madvise(Pointer address, long bytes, int advice);
}
