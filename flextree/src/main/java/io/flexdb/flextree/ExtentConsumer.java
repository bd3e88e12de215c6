package io.flexdb.flextree;

/** Takes extents, or the parts of extents that lie in a range, in logical order. */
@FunctionalInterface
public interface ExtentConsumer {
    /**
     * Takes one extent. Must not change the tree it comes from.
     *
     * @param logicalOffset where the extent, or its part, begins in the logical address space
     * @param length bytes of it
     * @param address where its first byte is stored, or {@link FlexTree#HOLE}
     * @param flags the 16 bits kept with the extent
     */
    void accept(long logicalOffset, long length, long address, int flags);
}
