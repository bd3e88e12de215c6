package io.flexdb.flextree.internal.tree;

/** Hears which images of the last checkpoint the current tree no longer refers to. */
@FunctionalInterface
public interface SlotListener {
    /**
     * Called by the writer at once, in the middle of an operation, when a node with an image is replaced or
     * dropped. Must not touch the tree.
     *
     * @param slot where the image is
     * @param level the node's level
     */
    void slotRetired(int slot, int level);
}
