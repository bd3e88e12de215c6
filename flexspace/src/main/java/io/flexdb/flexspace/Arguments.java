package io.flexdb.flexspace;

import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;

/** Refuses bad arguments, with their names and values. */
final class Arguments {
    /** The longest address space. */
    static final long MAX_SIZE = 1L << 61;

    private static final long MAX_HOLE_BYTES = (long) FlexTree.MAX_EXTENT_BYTES << 22; // of one call: 2^46

    private Arguments() {}

    static void checkSize(long size, long length) {
        if (size > MAX_SIZE - length) {
            throw new IllegalArgumentException(
                    "length " + length + " makes the space longer than 2^61 bytes, from " + size);
        }
    }

    static void checkHole(long length) {
        if (length > MAX_HOLE_BYTES) {
            throw new IllegalArgumentException(
                    "a hole made at once must be at most " + MAX_HOLE_BYTES + " bytes long: " + length);
        }
    }

    static void checkLength(long length) {
        if (length <= 0) {
            throw new IllegalArgumentException("length must be positive: " + length);
        }
    }

    static void checkRange(long logicalOffset, long length, long size) {
        if (logicalOffset < 0 || length > size || logicalOffset > size - length) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset " + logicalOffset + " + " + length + " is not within the size " + size);
        }
    }

    static int lengthOf(ByteBuffer buffer) {
        int length = buffer.remaining();
        if (length == 0) {
            throw new IllegalArgumentException("buffer has no bytes between position and limit");
        }
        return length;
    }

    static int writableLengthOf(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("buffer is read-only, nothing can be read into it");
        }
        return lengthOf(buffer);
    }
}
