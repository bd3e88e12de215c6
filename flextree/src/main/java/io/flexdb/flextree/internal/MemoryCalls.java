package io.flexdb.flextree.internal;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/** Advice to the kernel on memory. To be touched only if {@link NativeAccess} is granted: JNA is optional. */
final class MemoryCalls {
    private static final int PAGE_BYTES = 4096;
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14; // huge pages in time, by a thread of the kernel
    private static final int MADV_COLLAPSE = 25; // at once; since Linux 6.1

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

    /** Asks for huge pages in a range of a direct buffer. Nothing is lost if there are none. */
    static void makeHuge(ByteBuffer buffer, int position, int bytes) {
        Pointer start = Native.getDirectBufferPointer(buffer.slice(position, bytes));
        madvise(start, bytes, MADV_HUGEPAGE);
        madvise(start, bytes, MADV_COLLAPSE);
    }

    /** Takes the pages within a range of a direct buffer away. They come back as zeros if they are touched. */
    static void giveBack(ByteBuffer buffer, int position, int bytes) {
        ByteBuffer range = buffer.slice(position, bytes);
        int first = (PAGE_BYTES - range.alignmentOffset(0, PAGE_BYTES)) & PAGE_BYTES - 1;
        int pages = (bytes - first) / PAGE_BYTES;
        if (pages > 0) {
            madvise(Native.getDirectBufferPointer(range.slice(first, 1)), (long) pages * PAGE_BYTES, MADV_DONTNEED);
        }
    }

    private static native int madvise(Pointer address, long bytes, int advice);
}
