package io.flexdb.it;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a writer tells its parent: all writes of a thread below {@code writes} have returned, the last of them with this
 * sequence number, and those below {@code durableWrites} may not get lost.
 */
record Acknowledgement(int thread, long writes, long sequence, long durableWrites) {
    private static final int BYTES = Integer.BYTES + 3 * Long.BYTES;

    /** For one write call, which a pipe takes whole because it is short. */
    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(thread)
                .putLong(writes)
                .putLong(sequence)
                .putLong(durableWrites)
                .array();
    }

    /** The next one; an {@code EOFException} if the writer is gone. */
    static Acknowledgement readFrom(DataInputStream in) throws IOException {
        return new Acknowledgement(in.readInt(), in.readLong(), in.readLong(), in.readLong());
    }
}
