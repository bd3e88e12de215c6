package io.flexdb.base.memory;

import io.flexdb.base.nativeaccess.NativeAccess;
import io.flexdb.base.waiting.Pause;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Direct buffers within the JVM's limit for them. Large ones are filled with zeros by the kernel, page after page when
 * they are touched, where JNA can ask it for memory. Thread-safe.
 */
public final class DirectMemory implements OffHeap.Source {
    /*
     * The JDK writes the zeros of a new buffer in one step of native code, which touches all of its pages for the first
     * time. A garbage collection that begins meanwhile waits for the end of that, and with it all threads: for a
     * memtable of 48 MiB that was 13 to 190 ms.
     *
     * The JDK does not count such memory as direct. So this does, within the same limit, and does what the JDK does
     * where there is no more: it collects garbage, and waits for half a second at most until some has become free.
     */
    static final int LEAST_BYTES = 1 << 20;

    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LAST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(256);

    private static final AtomicLong MAPPED = new AtomicLong();

    /** JNA takes a tenth of a second to begin: whoever asks first should not wait for that. */
    private static final CompletableFuture<Boolean> CALLS = CompletableFuture.supplyAsync(
                    () -> NativeAccess.isGranted() && MemoryCalls.isUsable() && mapsOnce())
            .exceptionally(failure -> false);

    private final LongSupplier room;

    /** @param room how many bytes more the limit allows, less than 0 if there are too many; {@link #mappedBytes} count */
    public DirectMemory(LongSupplier room) {
        this.room = room;
    }

    /** All that it takes is loaded before the heap may be full. */
    private static boolean mapsOnce() {
        return new DirectMemory(() -> 0).map(LEAST_BYTES) != null;
    }

    /** Whether the kernel can be asked; false as long as that is not known. The first call begins to find out. */
    static boolean hasCalls() {
        return CALLS.getNow(false);
    }

    /** Whether the kernel can be asked; waits until that is known. */
    static boolean awaitCalls() {
        return CALLS.join();
    }

    /** Bytes of this process's buffers that the JDK does not count. */
    public static long mappedBytes() {
        return MAPPED.get();
    }

    static void unmapped(int bytes) {
        MAPPED.addAndGet(-bytes);
    }

    @Override
    public ByteBuffer allocate(int bytes) {
        ByteBuffer mapped = bytes < LEAST_BYTES || !hasCalls() ? null : map(bytes);
        return mapped == null ? ByteBuffer.allocateDirect(bytes) : mapped;
    }

    private ByteBuffer map(int bytes) {
        reserve(bytes);
        ByteBuffer mapped = null;
        try {
            mapped = MemoryCalls.map(bytes);
        } finally {
            if (mapped == null) {
                MAPPED.addAndGet(-bytes);
            }
        }
        return mapped;
    }

    private void reserve(int bytes) {
        for (long nanos = FIRST_WAIT_NANOS; !tryReserve(bytes); nanos *= 2) {
            if (nanos == FIRST_WAIT_NANOS) {
                System.gc();
            }
            if (nanos > LAST_WAIT_NANOS) {
                // Joined by a method: an operator may need memory on the heap.
                throw new OutOfMemoryError(
                        "no room below the limit of direct buffers for ".concat(Integer.toString(bytes)));
            }
            Pause.nanos(nanos);
        }
    }

    private boolean tryReserve(int bytes) {
        MAPPED.addAndGet(bytes);
        if (room.getAsLong() >= 0) {
            return true;
        }
        MAPPED.addAndGet(-bytes);
        return false;
    }
}
