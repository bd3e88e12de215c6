package io.flexdb.flexspace.internal.engine;

import io.flexdb.flextree.ExtentCursor;
import java.nio.ByteBuffer;

/** Reads what is to be written anew, and writes it. By the writer. */
interface ExtentRewriter {
    /**
     * Flags of extents that may become one with a neighbour that has them, too, when both are moved. The owner of a
     * space gives others to what must begin an extent, or go on in one.
     */
    int JOINABLE = 0;

    /**
     * Copies bytes of the writer's state that are to be written anew. All come from the file and are verified, none
     * from the cache: what has been in memory for long shall not get a new checksum.
     *
     * @param cursor any, for this call
     */
    void readToRewrite(
            ExtentCursor cursor, long logicalOffset, ByteBuffer destination, int destinationPosition, int length);

    /** Puts other bytes, as one extent, in the place of as many. */
    void overwrite(long logicalOffset, ByteBuffer source, int position, int length, int flags);
}
