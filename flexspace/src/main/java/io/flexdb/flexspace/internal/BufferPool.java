package io.flexdb.flexspace.internal;

import io.flexdb.flextree.internal.Epochs;
import io.flexdb.flextree.internal.RetiredQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** Off-heap memory for segments, used again when no reader can copy from it any more. Writer only. */
final class BufferPool {
    private static final int FREE_BUFFERS_KEPT = 4;

    private final int bufferBytes;
    private final RetiredQueue retired;
    private final Map<Long, ByteBuffer> inUse = new HashMap<>(); // or retired
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private long nextHandle;

    BufferPool(int bufferBytes, Epochs epochs) {
        this.bufferBytes = bufferBytes;
        this.retired = new RetiredQueue(epochs, this::becomeFree);
    }

    /** Takes a buffer, of any content, and returns its handle. */
    long take() {
        reclaim();
        ByteBuffer buffer = free.poll(); // the one used last, of which the processor's caches may hold something
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(bufferBytes).order(ByteOrder.LITTLE_ENDIAN);
        }
        inUse.put(nextHandle, buffer);
        return nextHandle++;
    }

    ByteBuffer buffer(long handle) {
        return inUse.get(handle);
    }

    /**
     * Takes a buffer back that readers can't find any more.
     *
     * @param birth the epoch since which they could
     */
    void retire(long handle, long birth) {
        retired.retire(handle, birth);
    }

    /** Frees what no reader can copy from any more. */
    void reclaim() {
        retired.reclaim();
    }

    private void becomeFree(long handle) {
        ByteBuffer buffer = inUse.remove(handle);
        if (free.size() < FREE_BUFFERS_KEPT) {
            free.push(buffer);
        }
    }
}
