package io.flexdb.flexspace.internal.vfs;

import io.flexdb.base.waiting.EventCount;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongPredicate;

/** Writes bytes of the heap to files. Thread-safe. */
final class StagingBuffers {
    /*
     * The JDK copies them to a direct buffer, too, but to one for each thread, as large as what is written, which it
     * allocates when the thread needs it first. So headers and log entries could not be written any more where others
     * have used up the direct memory, and what they took was in no account. Here they are a few, of one size, of which
     * one is there from the beginning; without memory for more, who comes waits for one.
     */
    static final int BYTES = 1 << 16;
    static final int COUNT = 4;

    private final AtomicReferenceArray<ByteBuffer> free = new AtomicReferenceArray<>(COUNT);
    private final EventCount givenBack = new EventCount();
    private final LongPredicate isAnyFree = any -> isAnyFree();

    StagingBuffers() {
        try {
            free.set(0, ByteBuffer.allocateDirect(BYTES));
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a buffer for reads and writes of files", BYTES, e);
        }
    }

    /** Writes some of the bytes that remain, and returns how many; the buffer's position moves on by as many. */
    int write(FileChannel channel, ByteBuffer src, long position) throws IOException {
        ByteBuffer staging = take();
        try {
            int length = Math.min(src.remaining(), BYTES);
            staging.clear().put(0, src, src.position(), length).limit(length);
            int written = channel.write(staging, position);
            src.position(src.position() + written);
            return written;
        } finally {
            giveBack(staging);
        }
    }

    private ByteBuffer take() {
        while (true) {
            for (int i = 0; i < COUNT; i++) {
                ByteBuffer found = free.getAndSet(i, null);
                if (found != null) {
                    return found;
                }
            }
            try {
                return ByteBuffer.allocateDirect(BYTES);
            } catch (OutOfMemoryError e) {
                givenBack.await(isAnyFree, 0); // at least one is in use, by a write that ends
            }
        }
    }

    private boolean isAnyFree() {
        for (int i = 0; i < COUNT; i++) {
            if (free.get(i) != null) {
                return true;
            }
        }
        return false;
    }

    private void giveBack(ByteBuffer staging) {
        for (int i = 0; i < COUNT; i++) {
            if (free.compareAndSet(i, null, staging)) {
                givenBack.signal();
                return;
            }
        }
    }
}
