package io.flexdb.flextree.internal.image;

import io.flexdb.flextree.internal.tree.SlotListener;
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

    /**
     * Says that a node just stored had been replaced in the writer's tree meanwhile, so that the {@link SlotListener}
     * will not hear of its slot: it is used by the version being saved, and by no later one.
     *
     * @param slot where the image is
     * @param level the node's level
     */
    default void superseded(int slot, int level) {}
}
