package io.flexdb.flexspace.internal.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The scratch of a read, left to the next one, most likely of the same thread: above all a buffer with what was read
 * last, and verified there. For one read at a time.
 */
public final class ReadScratch {
    /*
     * The problem: who goes through the space in small steps makes a system call for each, and has a frame verified as
     * often as he comes to a part of it.
     * The choice: what is in the buffer serves the reads that follow, until something else comes in. When they go
     * on in the data file where the last one ended, more comes in than they ask for, twice as much each time. That
     * saves system calls and checksums, whether the disk is waited for or not: which is what ExtentPrefetcher sees to.
     * But not at the known end of a walk, where the kernel would read ahead, too: a short scan of cold data brought
     * eight pages that nobody wanted.
     *
     * W1  What the buffer holds serves the same use of the same segment only: its frames that are in the file do not
     *     change (I3).
     * W2  Who reads ahead never fails for what nobody has asked for yet.
     */
    static final int WORTH_A_CALL_BYTES = 16 << 10;
    static final int READ_BYTES = 64 << 10; // verified while it is in the processor's caches
    private static final int MIN_AHEAD_BYTES = WORTH_A_CALL_BYTES;
    private static final int MAX_AHEAD_BYTES = READ_BYTES;

    final ByteBuffer buffer;
    final CRC32C crc = new CRC32C();
    final FrameCache cache; // or null
    final Warmth warmth; // null if no mapping is used

    // The read under way; null if there is none:
    Segment wanted;
    int fileEnd;
    ByteBuffer destination;
    int shift;

    // The content of the buffer, from its beginning on:
    private Segment segment; // or null
    private int start; // positions in the segment
    private int end;

    // The state of the reads:
    private Segment lastSegment;
    private int lastEnd;
    private boolean endsWalk; // nothing is wanted behind the reads
    private boolean continued; // the read under way goes on where the last one ended, and others will
    private int aheadBytes;
    private long bytesRead;

    /**
     * @param bytes that a read of the file may bring
     * @param cache where frames are looked for before the file is read; null for nowhere
     * @param warmth tells when mappings of the file are used; null for never
     */
    ReadScratch(int bytes, FrameCache cache, Warmth warmth) {
        this.buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.cache = cache;
        this.warmth = warmth;
    }

    /**
     * Says what the methods of a read are about, until {@link #wantNothing}.
     *
     * @param end where in the segment ends what is in the file
     * @param distance from a position in the segment to that in the destination
     */
    void want(Segment from, int end, ByteBuffer into, int distance) {
        wanted = from;
        fileEnd = end;
        destination = into;
        shift = distance;
    }

    /** Keeps nothing of a read that has ended. */
    void wantNothing() {
        wanted = null;
        destination = null;
    }

    /** Says whether the walk ends with the next reads. */
    public void setEndsWalk(boolean ends) {
        endsWalk = ends;
    }

    /**
     * Begins a read of the file.
     *
     * @return 0, or, if it goes on where the last one ended, how many bytes to read from the file: more than it wants
     */
    int begin(int position, int length) {
        continued = !endsWalk && lastSegment == wanted && lastEnd == position;
        lastSegment = wanted;
        lastEnd = position + length;
        aheadBytes = continued && length < MIN_AHEAD_BYTES ? Math.max(aheadBytes, MIN_AHEAD_BYTES) : 0;
        return aheadBytes;
    }

    /** Whether so few bytes are read, apart from those before them, that none behind them are likely to be wanted. */
    boolean isAlone(int bytes) {
        return !continued && bytes <= WORTH_A_CALL_BYTES;
    }

    /** Copies as many of the first of these bytes as are here, and returns how many. */
    int copy(int position, int length) {
        if (segment != wanted || position < start || position >= end) {
            return 0;
        }
        int piece = Math.min(length, end - position);
        destination.put(position + shift, buffer, position - start, piece);
        return piece;
    }

    /** Where in the buffer a byte is that {@link #copy} has found, or another one of its frame. */
    int positionOf(int position) {
        return position - start;
    }

    /** Lets go what the buffer holds, for something else is to come in. */
    void clear() {
        segment = null;
    }

    /** Says what has come in: verified bytes of a segment. */
    void hold(Segment from, int position, int length) {
        bytesRead += length;
        segment = from;
        start = position;
        end = position + length;
        aheadBytes = Math.min(2 * aheadBytes, MAX_AHEAD_BYTES);
    }

    /** Begins another read, and returns whether {@link #looked} wants to know about its time. */
    public boolean looks() {
        return warmth != null && warmth.looks();
    }

    /** Says whether a read of which the time was taken has waited for a disk. */
    public void looked(boolean slow) {
        warmth.looked(slow);
    }

    /** How many bytes have come in, all in all. */
    public long bytesRead() {
        return bytesRead;
    }
}
