package io.flexdb.flextree;

import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.flextree.internal.tree.TreeShape;

/** Settings of a {@link FlexTree}. Immutable: each {@code with…} method returns another instance. */
public final class FlexTreeOptions {
    private static final FlexTreeOptions DEFAULTS = new FlexTreeOptions(TreeShape.DEFAULT);

    private final TreeShape shape;

    private FlexTreeOptions(TreeShape shape) {
        this.shape = shape;
    }

    /** Full nodes of 84 entries, extents of up to 16 MiB, contiguous extents merged. */
    public static FlexTreeOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Extents a leaf holds at most, 4 to 84; default 84. A node takes 1 KiB whatever its capacity: small ones are for
     * tests, which want deep trees of few extents.
     */
    public FlexTreeOptions withLeafCapacity(int entries) {
        return new FlexTreeOptions(shape.withLeafCapacity(checkCapacity("leafCapacity", entries)));
    }

    /** Children an internal node holds at most, 4 to 84; default 84. */
    public FlexTreeOptions withInternalCapacity(int entries) {
        return new FlexTreeOptions(shape.withInternalCapacity(checkCapacity("internalCapacity", entries)));
    }

    /**
     * Bytes an extent has at most, 1 to {@link FlexTree#MAX_EXTENT_BYTES}, the default. Longer requests become several
     * extents, and extents are merged only up to this length. Holes may have {@link FlexTree#MAX_EXTENT_BYTES} in any
     * case.
     */
    public FlexTreeOptions withMaxExtentBytes(int bytes) {
        if (bytes < 1 || bytes > NodeFormat.MAX_EXTENT_BYTES) {
            throw new IllegalArgumentException(
                    "maxExtentBytes must be from 1 to " + NodeFormat.MAX_EXTENT_BYTES + ": " + bytes);
        }
        return new FlexTreeOptions(shape.withMaxExtentBytes(bytes));
    }

    /**
     * Whether a new extent that continues its predecessor, in both spaces and with the same flags, makes that one
     * longer instead of becoming an extent of its own; default true.
     */
    public FlexTreeOptions withMergeExtents(boolean merge) {
        return new FlexTreeOptions(shape.withMergeExtents(merge));
    }

    private static int checkCapacity(String name, int entries) {
        if (entries < NodeFormat.MIN_CAPACITY || entries > NodeFormat.MAX_CAPACITY) {
            throw new IllegalArgumentException(name + " must be from " + NodeFormat.MIN_CAPACITY + " to "
                    + NodeFormat.MAX_CAPACITY + ": " + entries);
        }
        return entries;
    }

    TreeShape shape() {
        return shape;
    }

    /** Extents a leaf holds at most. */
    public int leafCapacity() {
        return shape.leafCapacity();
    }

    /** Children an internal node holds at most. */
    public int internalCapacity() {
        return shape.internalCapacity();
    }

    /** Bytes an extent has at most, if it is not a hole. */
    public int maxExtentBytes() {
        return shape.maxExtentBytes();
    }

    /** Whether contiguous extents are merged. */
    public boolean mergeExtents() {
        return shape.mergeExtents();
    }

    @Override
    public String toString() {
        return "FlexTreeOptions"
                + shape.toString().substring(TreeShape.class.getSimpleName().length());
    }
}
