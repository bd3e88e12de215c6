package io.flexdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** A channel of some bytes, which come a few at a time, and perhaps an end that should not be. */
final class ValueSource implements ReadableByteChannel {
    /** What happens before a read. */
    @FunctionalInterface
    interface Meanwhile {
        /** At so many bytes that were read. */
        void at(int position) throws IOException;
    }

    private final byte[] bytes;
    private final int most;
    private final Meanwhile meanwhile;
    private int position;
    private ByteBuffer given;
    private boolean open = true;

    /** @param most bytes that one read has */
    ValueSource(byte[] bytes, int most, Meanwhile meanwhile) {
        this.bytes = bytes;
        this.most = most;
        this.meanwhile = meanwhile;
    }

    ValueSource(byte[] bytes) {
        this(bytes, 1500, position -> {});
    }

    int position() {
        return position;
    }

    /** Writes once more to where it was asked to write. */
    void writeLate() {
        Arrays.fill(given.array(), (byte) 0x55);
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        meanwhile.at(position);
        given = to;
        int length = Math.min(Math.min(most, to.remaining()), bytes.length - position);
        if (length == 0 && to.hasRemaining() && most > 0) {
            return -1;
        }
        to.put(bytes, position, length);
        position += length;
        return length;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
