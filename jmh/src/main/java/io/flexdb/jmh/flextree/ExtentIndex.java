package io.flexdb.jmh.flextree;

import io.flexdb.flextree.ExtentConsumer;

/**
 * What is compared: an index of extents that cuts, merges and shifts them as {@link io.flexdb.flextree.FlexTree} does,
 * so that the same operations give the same extents whatever is behind it. Offsets and lengths are bytes. For one
 * thread at a time; nothing is durable. An offset or a range out of bounds is refused with an
 * {@link IndexOutOfBoundsException}.
 */
interface ExtentIndex {
    /** An empty index: {@code flextree}, {@code bplustree} or {@code array}. */
    static ExtentIndex named(String name) {
        return switch (name) {
            case "flextree" -> new FlexTreeIndex();
            case "bplustree" -> new BPlusTree();
            case "array" -> new SortedExtentArray();
            default -> throw new IllegalArgumentException("index must be flextree, bplustree or array: " + name);
        };
    }

    /** Inserts bytes at an offset from 0 to the size and shifts what follows. */
    void insert(long logicalOffset, long length, long address);

    /** Maps the next bytes after the last one. */
    void append(long length, long address);

    /** Removes a range of at least one byte and shifts what follows back. */
    void collapse(long logicalOffset, long length);

    /** The address of one byte. */
    long lookup(long logicalOffset);

    /** Hands over what a range is mapped to; the first and the last extent are clipped. */
    void query(long logicalOffset, long length, ExtentConsumer consumer);

    /** Bytes mapped. */
    long size();

    /** Extents held. */
    long extentCount();

    /** Bytes of memory held for extents, in use or not. */
    long memoryBytes();
}
