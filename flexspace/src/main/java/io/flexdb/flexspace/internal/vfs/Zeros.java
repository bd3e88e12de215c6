package io.flexdb.flexspace.internal.vfs;

import java.nio.ByteBuffer;

/** Bytes that are zero, to write or to compare with. For any threads. */
public final class Zeros {
    /*
     * On the heap, and made once: space is taken for logs and nodes in the middle of a commit, which must go on where
     * others have used up the direct memory. Files write them through StagingBuffers.
     */
    private static final int AT_ONCE = 256 << 10;
    private static final ByteBuffer BYTES = ByteBuffer.allocate(AT_ONCE).asReadOnlyBuffer();

    private Zeros() {}

    /** Writes that many of them from a position on. */
    public static void write(VfsFile file, long position, long bytes) {
        ByteBuffer zeros = BYTES.duplicate();
        for (long done = 0; done < bytes; ) {
            int length = (int) Math.min(bytes - done, zeros.capacity());
            file.write(zeros.clear().limit(length), position + done);
            done += length;
        }
    }

    /** Whether a buffer has nothing else in a range of indexes below its limit. */
    public static boolean are(ByteBuffer buffer, int from, int bytes) {
        for (int done = 0; done < bytes; ) {
            int length = Math.min(bytes - done, AT_ONCE);
            if (buffer.slice(from + done, length).mismatch(BYTES.slice(0, length)) >= 0) {
                return false;
            }
            done += length;
        }
        return true;
    }
}
