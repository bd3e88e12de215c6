package io.flexdb.base.memory;

import io.flexdb.base.nativeaccess.NativeAccess;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Direct memory in huge pages: on Linux, if JNA is there and may be used. Thread-safe. */
public final class HugePages {
    /** Bytes of a huge page. */
    public static final int PAGE_BYTES = 2 << 20;

    private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    /** JNA takes a tenth of a second to begin: whoever asks first should not wait for that. */
    private static final CompletableFuture<Boolean> AVAILABLE = CompletableFuture.supplyAsync(
                    () -> isAllowed(SETTING) && NativeAccess.isGranted() && MemoryCalls.isUsable())
            .exceptionally(failure -> false);

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
     * Whether there is any use in {@link #allocate}; false as long as that is not known. The first call begins to find
     * out.
     */
    public static boolean isAvailable() {
        return AVAILABLE.getNow(false);
    }

    /** Whether there is any use in {@link #allocate}; waits until that is known. */
    static boolean awaitAvailable() {
        return AVAILABLE.join();
    }

    /**
     * Zeros that begin at a huge page's boundary. The kernel gives each page when it is touched: a huge one if it has
     * one and the owner allows it, else small ones.
     *
     * @param bytes a multiple of {@link #PAGE_BYTES}
     */
    public static ByteBuffer allocate(int bytes) {
        // The C library's memory would spare the zeros, but no limit counts it, and nothing collects it in time.
        return inHugePages(ByteBuffer.allocateDirect(bytes + PAGE_BYTES), bytes);
    }

    /**
     * Zeros that begin at a huge page's boundary, from an account of memory; null if that has too little to spare.
     *
     * @param memory where it comes from
     * @param use what it is for
     * @param bytes a multiple of {@link #PAGE_BYTES}
     */
    public static ByteBuffer tryAllocate(OffHeap memory, OffHeap.Use use, int bytes) {
        ByteBuffer whole = memory.tryAllocate(use, bytes + PAGE_BYTES);
        return whole == null ? null : inHugePages(whole, bytes);
    }

    private static ByteBuffer inHugePages(ByteBuffer whole, int bytes) {
        int start = (PAGE_BYTES - whole.alignmentOffset(0, PAGE_BYTES)) & PAGE_BYTES - 1;
        MemoryCalls.giveBack(whole); // the JDK has written zeros into small pages
        MemoryCalls.wantHugePages(whole, start, bytes);
        return whole.slice(start, bytes);
    }
}
