package io.flexdb.base.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Memory that stores have in common: buffers that one has given back and the next one takes, by their size, and what
 * the others can spare for one that finds none. Thread-safe.
 *
 * <p>The JDK frees direct memory only when garbage is collected. So a store that has nothing to write for the moment
 * hands over what it wrote with.
 */
public final class SharedMemory {
    private final long mostBytes;
    private final Map<Integer, ArrayDeque<ByteBuffer>> free =
            new HashMap<>(); // by capacity; under this lock, as is the next
    private long freeBytes;
    // Of stores that nobody has closed and nobody uses any more, nothing may be kept here. Under the lock of its own.
    private final Set<OffHeap> accounts = Collections.newSetFromMap(new WeakHashMap<>());

    /** @param mostBytes what is kept at most; the garbage collector gets the rest */
    public SharedMemory(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    void join(OffHeap account) {
        synchronized (accounts) {
            accounts.add(account);
        }
    }

    void leave(OffHeap account) {
        synchronized (accounts) {
            accounts.remove(account);
        }
    }

    /** Lets go of so many bytes, or of what there is and the others can spare; returns how much that was. */
    long giveBack(OffHeap asking, long wanted) {
        long given = dropFree(); // which is of no size that was asked for
        List<OffHeap> others;
        synchronized (accounts) {
            others = List.copyOf(accounts);
        }
        for (OffHeap account : others) {
            if (account != asking && given < wanted) {
                given += account.giveBackForOthers(wanted - given);
            }
        }
        return given;
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

    /** Keeps a buffer, unless there are enough; returns whether it does. */
    synchronized boolean offer(ByteBuffer buffer) {
        if (freeBytes + buffer.capacity() > mostBytes) {
            return false;
        }
        free.computeIfAbsent(buffer.capacity(), size -> new ArrayDeque<>()).push(buffer.clear());
        freeBytes += buffer.capacity();
        return true;
    }

    private synchronized long dropFree() {
        long dropped = freeBytes;
        free.clear();
        freeBytes = 0;
        return dropped;
    }

    /** Bytes that wait for somebody to take them. */
    public synchronized long freeBytes() {
        return freeBytes;
    }
}
