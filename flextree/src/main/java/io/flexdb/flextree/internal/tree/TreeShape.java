package io.flexdb.flextree.internal.tree;

/**
 * The shape of a tree: the capacities of its nodes, and the limits of its extents.
 *
 * @param leafCapacity extents a leaf holds at most
 * @param internalCapacity children an internal node holds at most
 * @param maxExtentBytes bytes an extent has at most, if it is not a hole
 * @param mergeExtents whether contiguous extents are merged
 */
public record TreeShape(int leafCapacity, int internalCapacity, int maxExtentBytes, boolean mergeExtents) {
    /** Full nodes, the longest extents, contiguous ones merged. */
    public static final TreeShape DEFAULT =
            new TreeShape(NodeFormat.MAX_CAPACITY, NodeFormat.MAX_CAPACITY, NodeFormat.MAX_EXTENT_BYTES, true);

    /** This shape with another {@link #leafCapacity}. */
    public TreeShape withLeafCapacity(int entries) {
        return new TreeShape(entries, internalCapacity, maxExtentBytes, mergeExtents);
    }

    /** This shape with another {@link #internalCapacity}. */
    public TreeShape withInternalCapacity(int entries) {
        return new TreeShape(leafCapacity, entries, maxExtentBytes, mergeExtents);
    }

    /** This shape with another {@link #maxExtentBytes}. */
    public TreeShape withMaxExtentBytes(int bytes) {
        return new TreeShape(leafCapacity, internalCapacity, bytes, mergeExtents);
    }

    /** This shape with another {@link #mergeExtents}. */
    public TreeShape withMergeExtents(boolean merge) {
        return new TreeShape(leafCapacity, internalCapacity, maxExtentBytes, merge);
    }
}
