package io.flexdb.flexspace.internal.vfs;

import java.nio.ByteBuffer;

/** Zeros with which disk space is taken, where that takes writing. */
final class Zeros {
    /*
     * On the heap, and made once: space is taken for logs and nodes in the middle of a commit, which must go on where
     * others have used up the direct memory. Files write them through StagingBuffers.
     */
    private static final int AT_ONCE = 256 << 10;
    private static final ByteBuffer BYTES = ByteBuffer.allocate(AT_ONCE).asReadOnlyBuffer();

    private Zeros() {}

    /** Writes that many of them from a position on. */
    static void write(VfsFile file, long position, long bytes) {
        ByteBuffer zeros = BYTES.duplicate();
        for (long done = 0; done < bytes; ) {
            int length = (int) Math.min(bytes - done, zeros.capacity());
            file.write(zeros.clear().limit(length), position + done);
            done += length;
        }
    }
}
