package io.flexdb.jmh.flextree;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;

/** FlexTree itself. It is never published here, hence changed in place like its rivals. */
final class FlexTreeIndex implements ExtentIndex {
    private final FlexTree tree;

    FlexTreeIndex() {
        this(FlexTreeOptions.defaults());
    }

    FlexTreeIndex(FlexTreeOptions options) {
        tree = new FlexTree(options);
    }

    FlexTree tree() {
        return tree;
    }

    @Override
    public void insert(long logicalOffset, long length, long address) {
        tree.insertRange(logicalOffset, length, address);
    }

    @Override
    public void append(long length, long address) {
        tree.append(length, address);
    }

    @Override
    public void collapse(long logicalOffset, long length) {
        tree.collapseRange(logicalOffset, length);
    }

    @Override
    public long lookup(long logicalOffset) {
        return tree.lookup(logicalOffset);
    }

    @Override
    public void query(long logicalOffset, long length, ExtentConsumer consumer) {
        tree.query(logicalOffset, length, consumer);
    }

    @Override
    public long size() {
        return tree.size();
    }

    @Override
    public long extentCount() {
        return tree.extentCount();
    }

    @Override
    public long memoryBytes() {
        return tree.memoryBytes();
    }

    @Override
    public String toString() {
        return tree.toString();
    }
}
