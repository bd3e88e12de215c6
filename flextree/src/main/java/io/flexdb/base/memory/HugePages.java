package io.flexdb.base.memory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Direct memory in huge pages: on Linux, if JNA is there and may be used. Thread-safe. */
public final class HugePages {
    /** Bytes of a huge page. */
    public static final int PAGE_BYTES = 2 << 20;

    /** The fewest bytes of which half or more are in huge pages, wherever they begin. */
    public static final int LEAST_BYTES = 2 * PAGE_BYTES;

    private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final boolean ALLOWED = isAllowed(SETTING);

    private HugePages() {}

    /** Whether the kernel's owner lets processes ask for huge pages. */
    static boolean isAllowed(Path setting) {
        try {
            return !Files.readString(setting, StandardCharsets.US_ASCII).contains("[never]");
        } catch (Exception e) {
            return false; // no Linux, or one without huge pages
        }
    }

    /**
     * Whether there are huge pages; false as long as that is not known. The first call begins to find out.
     */
    public static boolean isAvailable() {
        return ALLOWED && DirectMemory.hasCalls();
    }

    /** Whether there are huge pages; waits until that is known. */
    static boolean awaitAvailable() {
        return ALLOWED && DirectMemory.awaitCalls();
    }

    /**
     * Zeros from an account of memory, in huge pages but for what lies before the first boundary of one and behind the
     * last; null if there is too little memory to spare. Of what is taken all is used: to begin at a boundary would take
     * a page more, which counts although nobody touches it.
     *
     * @param memory where it comes from
     * @param use what it is for
     */
    public static ByteBuffer tryAllocate(OffHeap memory, OffHeap.Use use, int bytes) {
        ByteBuffer whole = memory.tryAllocate(use, bytes);
        if (whole != null && isAvailable()) {
            useHugePages(whole);
        }
        return whole;
    }

    /** Has a direct buffer of zeros be in huge pages, where it has whole ones. The kernel gives each when it is touched. */
    static void useHugePages(ByteBuffer zeros) {
        int start = (PAGE_BYTES - zeros.alignmentOffset(0, PAGE_BYTES)) & PAGE_BYTES - 1;
        int bytes = (zeros.capacity() - start) / PAGE_BYTES * PAGE_BYTES;
        if (bytes > 0) {
            MemoryCalls.giveBack(zeros); // where the JDK has written zeros, into small pages
            MemoryCalls.wantHugePages(zeros, start, bytes);
        }
    }
}
