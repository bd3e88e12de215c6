package io.flexdb.flexspace.internal;

import java.nio.ByteBuffer;

/**
 * One use of a segment of the data file, from its opening until it is free again.
 *
 * <p>Readers use {@code memory} and {@code checksums}, and what is final or volatile; everything else is the writer's.
 */
final class Segment {
    final int number;
    final int generation;
    /** The epoch in which it was opened: no earlier version has extents in it. */
    final long birth;

    /** The bytes of a segment that is open or being sealed, by position in it; null once they are in the file. */
    volatile ByteBuffer memory;
    /** What lies before this position is in the file even while the segment is open. */
    int memoryStart;
    /** Checksums of the data frames that are in the file; null until they are read from the footer. */
    volatile int[] checksums;

    int usedBytes;
    int liveBytes;
    /** All of it is in the file, and the writer knows. */
    volatile boolean sealed;
    /** No version from now on has extents in it, so that it is free once nobody reads an older one. */
    volatile boolean released;
    /** It holds live bytes that could not be read, so that garbage collection leaves it alone. */
    boolean unreadable;
    /** Garbage collection is moving what lives in it. */
    boolean victim;

    int liveBytesWhenChosen;

    Segment(int number, int generation, long birth) {
        this.number = number;
        this.generation = generation;
        this.birth = birth;
    }

    @Override
    public String toString() {
        return "Segment[" + number + ", generation=" + generation + ", used=" + usedBytes + ", live=" + liveBytes
                + (sealed ? ", sealed]" : ", open]");
    }
}
