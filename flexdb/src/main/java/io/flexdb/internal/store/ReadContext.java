package io.flexdb.internal.store;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.index.IntervalRef;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What one read needs, reused so that reads make no garbage: an interval found, and an image of it. */
final class ReadContext {
    private static final int FIRST_BYTES = 32 << 10;
    private static final int KEPT_BYTES = 4 << 20;

    final IntervalRef interval = new IntervalRef();
    final ExtentCursor extents = new ExtentCursor();
    byte[] key = new byte[256];
    /** Memory of this context for an image and for raw bytes. */
    private ByteBuffer memory = newBuffer(FIRST_BYTES);
    /** Where the image opened last is: in the cache, or in this context's memory. */
    ByteBuffer image;

    int base;

    /** This context's memory, at least so long; what it held is lost if it has to grow. */
    ByteBuffer memory(int bytes) {
        if (memory.capacity() < bytes) {
            memory = newBuffer((int) Math.min(Integer.MAX_VALUE - 8L, Math.max(bytes, 2L * memory.capacity())));
        }
        return memory;
    }

    /** A copy of a caller's key; the caller's position moves to its limit. */
    byte[] copyKey(ByteBuffer source) {
        int length = source.remaining();
        if (key.length < length) {
            key = new byte[length];
        }
        source.get(key, 0, length);
        return key;
    }

    /** Lets large memory go, before the context is kept for later. */
    void shrink() {
        image = null;
        if (memory.capacity() > KEPT_BYTES) {
            memory = newBuffer(FIRST_BYTES);
        }
    }

    private static ByteBuffer newBuffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
