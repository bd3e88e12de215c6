package io.flexdb.internal.mem;

/** The payload of a write of one entry, in memory that is used again. */
public final class PayloadBuffer extends Payload {
    /*
     * Log and memtable each get a copy of a pair. This one is made before them, in some ns for a small pair, so that
     * both and the checksum are of the same bytes even if the caller changes its arrays meanwhile. A frame with a wrong
     * check would end the log, and so lose all writes behind it.
     */
    private static final int SMALL_BYTES = 64 << 10;

    private static final int FIRST_BYTES = 1024;

    /** An empty buffer. */
    public PayloadBuffer() {
        bytes = new byte[FIRST_BYTES];
    }

    /** Bytes of its memory if they are more than any buffer may keep for later writes; else 0. */
    public int largeBytes() {
        return bytes.length > SMALL_BYTES ? bytes.length : 0;
    }
}
