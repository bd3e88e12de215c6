package io.flexdb.files;

import java.nio.ByteBuffer;

/** Several buffers as one. */
final class BufferArrays {
    private BufferArrays() {}

    /** Bytes that they have together. */
    static long remaining(ByteBuffer... buffers) {
        long total = 0;
        for (ByteBuffer each : buffers) {
            total += each.remaining();
        }
        return total;
    }

    /**
     * The next bytes of buffers, which stay where they are.
     *
     * @param most how many at most
     */
    static ByteBuffer gather(ByteBuffer[] from, int most) {
        ByteBuffer gathered = ByteBuffer.allocate((int) Math.min(most, remaining(from)));
        for (ByteBuffer each : from) {
            int count = Math.min(each.remaining(), gathered.remaining());
            gathered.put(each.slice(each.position(), count));
        }
        return gathered.flip();
    }

    /** Moves on in buffers, as if so many bytes had been taken. */
    static void advance(ByteBuffer[] buffers, int count) {
        int left = count;
        for (ByteBuffer each : buffers) {
            int here = Math.min(each.remaining(), left);
            each.position(each.position() + here);
            left -= here;
        }
    }
}
