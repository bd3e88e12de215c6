package io.flexdb.flextree.internal;

import java.nio.ByteBuffer;

/** Stores images of nodes. */
@FunctionalInterface
public interface NodeSink {
    /**
     * Stores one image.
     *
     * @param image its bytes, from position to limit; the buffer is used again after the call
     * @param level the node's level, 0 for a leaf
     * @return the slot it was stored in, positive
     */
    int write(ByteBuffer image, int level);
}
