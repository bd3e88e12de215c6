package io.flexdb.base.memory;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import io.flexdb.base.nativeaccess.NativeAccess;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory of the kernel, and advice to it. To be touched only if {@link NativeAccess} is granted: JNA is optional. */
final class MemoryCalls {
    private static final int PAGE_BYTES = 4096;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final long MAP_FAILED = -1;
    private static final int MADV_DONTNEED = 4;
    private static final int MADV_HUGEPAGE = 14;

    private static final Cleaner CLEANER = Cleaner.create();

    /** Gives memory back when nothing refers to its buffer, nor to a part of it, any more. */
    private record Unmapping(long address, int bytes) implements Runnable {
        @Override
        public void run() {
            munmap(address, bytes);
            DirectMemory.unmapped(bytes);
        }
    }

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

    /** A direct buffer of zeros that no page is there for yet; null if the kernel has none. */
    static ByteBuffer map(int bytes) {
        long address = mmap(0, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (address == MAP_FAILED) {
            return null;
        }
        try {
            ByteBuffer buffer = new Pointer(address).getByteBuffer(0, bytes).order(ByteOrder.BIG_ENDIAN);
            CLEANER.register(buffer, new Unmapping(address, bytes));
            return buffer;
        } catch (Throwable e) { // the heap is full
            munmap(address, bytes);
            throw e;
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

    private static native long mmap(long address, long bytes, int protection, int flags, int file, long offset);

    private static native int munmap(long address, long bytes);

    private static native int madvise(Pointer address, long bytes, int advice);
}
