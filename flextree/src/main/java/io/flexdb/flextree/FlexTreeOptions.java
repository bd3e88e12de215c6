package io.flexdb.flextree;

import io.flexdb.flextree.internal.NodeFormat;

/** Settings of a {@link FlexTree}. Immutable: each {@code with…} method returns another instance. */
public final class FlexTreeOptions {
    private static final FlexTreeOptions DEFAULTS =
            new FlexTreeOptions(NodeFormat.MAX_CAPACITY, NodeFormat.MAX_CAPACITY, FlexTree.MAX_EXTENT_BYTES, true);

    private final int leafCapacity;
    private final int internalCapacity;
    private final int maxExtentBytes;
    private final boolean mergeExtents;

    private FlexTreeOptions(int leafCapacity, int internalCapacity, int maxExtentBytes, boolean mergeExtents) {
        this.leafCapacity = leafCapacity;
        this.internalCapacity = internalCapacity;
        this.maxExtentBytes = maxExtentBytes;
        this.mergeExtents = mergeExtents;
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
        return new FlexTreeOptions(
                checkCapacity("leafCapacity", entries), internalCapacity, maxExtentBytes, mergeExtents);
    }

    /** Children an internal node holds at most, 4 to 84; default 84. */
    public FlexTreeOptions withInternalCapacity(int entries) {
        return new FlexTreeOptions(
                leafCapacity, checkCapacity("internalCapacity", entries), maxExtentBytes, mergeExtents);
    }

    /**
     * Bytes an extent has at most, 1 to {@link FlexTree#MAX_EXTENT_BYTES}, the default. Longer requests become several
     * extents, and extents are merged only up to this length. Holes may have {@link FlexTree#MAX_EXTENT_BYTES} in any
     * case.
     */
    public FlexTreeOptions withMaxExtentBytes(int bytes) {
        if (bytes < 1 || bytes > FlexTree.MAX_EXTENT_BYTES) {
            throw new IllegalArgumentException(
                    "maxExtentBytes must be from 1 to " + FlexTree.MAX_EXTENT_BYTES + ": " + bytes);
        }
        return new FlexTreeOptions(leafCapacity, internalCapacity, bytes, mergeExtents);
    }

    /**
     * Whether a new extent that continues its predecessor, in both spaces and with the same flags, makes that one
     * longer instead of becoming an extent of its own; default true.
     */
    public FlexTreeOptions withMergeExtents(boolean merge) {
        return new FlexTreeOptions(leafCapacity, internalCapacity, maxExtentBytes, merge);
    }

    private static int checkCapacity(String name, int entries) {
        if (entries < NodeFormat.MIN_CAPACITY || entries > NodeFormat.MAX_CAPACITY) {
            throw new IllegalArgumentException(name + " must be from " + NodeFormat.MIN_CAPACITY + " to "
                    + NodeFormat.MAX_CAPACITY + ": " + entries);
        }
        return entries;
    }

    /** Extents a leaf holds at most. */
    public int leafCapacity() {
        return leafCapacity;
    }

    /** Children an internal node holds at most. */
    public int internalCapacity() {
        return internalCapacity;
    }

    /** Bytes an extent has at most, if it is not a hole. */
    public int maxExtentBytes() {
        return maxExtentBytes;
    }

    /** Whether contiguous extents are merged. */
    public boolean mergeExtents() {
        return mergeExtents;
    }

    @Override
    public String toString() {
        return "FlexTreeOptions[leafCapacity=" + leafCapacity + ", internalCapacity=" + internalCapacity
                + ", maxExtentBytes=" + maxExtentBytes + ", mergeExtents=" + mergeExtents + "]";
    }
}
