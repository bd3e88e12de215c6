package io.flexdb.base.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Direct buffers that one store has given back and the next one takes, by their size. Thread-safe.
 *
 * <p>The JDK frees direct memory only when garbage is collected. So a store that has nothing to write for the moment
 * hands over what it wrote with.
 */
public final class RecycledBuffers {
    private final long mostBytes;
    private final Map<Integer, ArrayDeque<ByteBuffer>> free = new HashMap<>(); // by capacity; under this lock, as is the next
    private long freeBytes;

    /** @param mostBytes what is kept at most; the garbage collector gets the rest */
    public RecycledBuffers(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** A buffer of exactly so many bytes, or null. */
    synchronized ByteBuffer poll(int capacity) {
        ArrayDeque<ByteBuffer> ofSize = free.get(capacity);
        ByteBuffer buffer = ofSize == null ? null : ofSize.poll();
        if (buffer != null) {
            freeBytes -= capacity;
        }
        return buffer;
    }

    /** Keeps a buffer, unless there are enough. */
    synchronized void offer(ByteBuffer buffer) {
        if (freeBytes + buffer.capacity() <= mostBytes) {
            freeBytes += buffer.capacity();
            free.computeIfAbsent(buffer.capacity(), size -> new ArrayDeque<>()).push(buffer.clear());
        }
    }

    /** Bytes that wait for somebody to take them. */
    public synchronized long freeBytes() {
        return freeBytes;
    }
}
