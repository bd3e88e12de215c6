package io.flexdb.internal.mem;

import java.nio.ByteBuffer;

/** Reads an array, even if the thread is interrupted. To be read once. */
public final class ArrayChannel implements UnclosedChannel {
    private final byte[] bytes;
    private int position;

    public ArrayChannel(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer to) {
        int length = Math.min(to.remaining(), bytes.length - position);
        if (length == 0 && to.hasRemaining()) {
            return -1;
        }
        to.put(bytes, position, length);
        position += length;
        return length;
    }
}
