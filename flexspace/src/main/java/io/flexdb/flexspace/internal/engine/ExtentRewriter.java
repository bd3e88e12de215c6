package io.flexdb.flexspace.internal.engine;

import java.nio.ByteBuffer;

/** Writes anew what is there. By the writer. */
interface ExtentRewriter {
    /**
     * Flags of extents that may become one with a neighbour that has them, too, when both are moved. The owner of a
     * space gives others to what must begin an extent, or go on in one.
     */
    int JOINABLE = 0;

    /** Puts other bytes, as one extent, in the place of as many, and returns its address. */
    long overwrite(long logicalOffset, ByteBuffer source, int position, int length, int flags);
}
