package io.flexdb.flextree.internal.image;

import java.nio.ByteBuffer;

/** Reads images of nodes back. */
@FunctionalInterface
public interface NodeSource {
    /**
     * Puts the content of a slot into a buffer.
     *
     * @param slot the slot, from 1 to the limit given for the load
     * @param level the level of the node expected there
     * @param destination takes the longest image of that level; shorter content, or bytes after the image, are fine
     */
    void read(int slot, int level, ByteBuffer destination);

    /**
     * Tells that a slot will be read soon, so that it may be brought into memory meanwhile. No more than a hint, about
     * which nothing has been verified: any slot and any number of them.
     *
     * @param slot the slot, or a number that is none
     * @param level the level of the node expected there
     */
    default void prefetch(int slot, int level) {}
}
