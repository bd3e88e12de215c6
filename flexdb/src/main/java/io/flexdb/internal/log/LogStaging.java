package io.flexdb.internal.log;

import java.nio.ByteBuffer;

/**
 * Memory through which the logs of a store are written by calls, one write at a time: for the holder of the write lock,
 * but for its first allocation, which any thread may bring about.
 */
public final class LogStaging {
    static final int BYTES = 1 << 16;

    private volatile ByteBuffer buffer; // null if no call was needed yet

    /**
     * The buffer.
     *
     * @throws OutOfMemoryError if it is needed for the first time, and there is no memory for it
     */
    ByteBuffer get() {
        ByteBuffer made = buffer;
        return made != null ? made : make();
    }

    private synchronized ByteBuffer make() {
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(BYTES);
        }
        return buffer;
    }

    /** The buffer; null if there is no memory for it. */
    ByteBuffer getOrNull() {
        try {
            return get();
        } catch (OutOfMemoryError e) {
            return null;
        }
    }
}
