package io.flexdb.flexspace.internal.segment;

import java.util.Arrays;
import java.util.BitSet;

/** The live bytes of each frame of a segment. Writer only. */
public final class LiveFrames {
    /** Frames of this size and larger are not counted: a count must fit a char. */
    static final int FRAME_BYTES_LIMIT = 1 << Character.SIZE;

    private final int frameShift;
    private final char[] bytes;
    private int live; // frames that have any

    public LiveFrames(SegmentFormat format) {
        assert format.frameBytes < FRAME_BYTES_LIMIT : format.frameBytes;
        this.frameShift = format.frameShift;
        this.bytes = new char[format.dataFrames];
    }

    /** Bytes of heap that one of these takes. */
    static long memoryBytes(SegmentFormat format) {
        return 48 + (long) format.dataFrames * Character.BYTES;
    }

    /**
     * Adds an extent.
     *
     * @return false if a frame has more live bytes now than it has bytes, as a damaged file may say; the counts are of
     *     no use then
     */
    public boolean add(int position, int length) {
        int frameBytes = 1 << frameShift;
        int end = position + length;
        boolean fits = true;
        for (int at = position; at < end; ) {
            int frame = at >>> frameShift;
            int part = Math.min(end, frame + 1 << frameShift) - at;
            int sum = bytes[frame] + part;
            live += bytes[frame] == 0 ? 1 : 0;
            fits &= sum <= frameBytes;
            bytes[frame] = (char) sum;
            at += part;
        }
        return fits;
    }

    /** Takes an extent away, or a part of one. */
    void remove(int position, int length) {
        int end = position + length;
        for (int at = position; at < end; ) {
            int frame = at >>> frameShift;
            int part = Math.min(end, frame + 1 << frameShift) - at;
            assert bytes[frame] >= part : "frame " + frame + " has " + (int) bytes[frame] + " live bytes, not " + part;
            bytes[frame] -= (char) part;
            live -= bytes[frame] == 0 ? 1 : 0;
            at += part;
        }
    }

    int deadCount() {
        return bytes.length - live;
    }

    /** The frames without a live byte. */
    BitSet dead() {
        BitSet dead = new BitSet(bytes.length);
        for (int frame = 0; frame < bytes.length; frame++) {
            if (bytes[frame] == 0) {
                dead.set(frame);
            }
        }
        return dead;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LiveFrames frames && frames.live == live && Arrays.equals(frames.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "LiveFrames[" + live + " of " + bytes.length + "]";
    }
}
