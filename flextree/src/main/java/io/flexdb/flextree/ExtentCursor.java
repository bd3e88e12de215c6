package io.flexdb.flextree;

import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;

/**
 * Walks over the extents of a {@link FlexTreeView}, forwards and backwards. For one thread at a time; good while the
 * view is. Makes no garbage: one cursor can be reset to one view after the other.
 */
public final class ExtentCursor {
    /*
     * Nodes have neither parent pointers nor sibling links, which path copying rules out. So the cursor keeps the path
     * from the root, and climbs only as far as it must to find the next leaf.
     */
    private final int[] pathNode = new int[NodeFormat.MAX_LEVEL + 1];
    private final int[] pathIndex = new int[NodeFormat.MAX_LEVEL + 1];
    private final long[] pathStart = new long[NodeFormat.MAX_LEVEL + 1];

    private FlexTreeView view;
    private NodePool pool;

    // The leaf, and the extent in it. No leaf means that the cursor is nowhere.
    private ByteBuffer leaf;
    private int base;
    private int count;
    private int index;
    private int start;
    private int end;
    private long leafStart;

    /** A cursor that wants to be {@linkplain #reset reset} to a view. */
    public ExtentCursor() {}

    /** Goes to another view, or to the same one, and stands nowhere in it. */
    public void reset(FlexTreeView newView) {
        newView.checkOpen();
        view = newView;
        pool = newView.pool;
        leaf = null;
    }

    /**
     * Goes to the extent that holds a byte.
     *
     * @return false, standing nowhere, if the offset is not less than the size
     */
    public boolean seek(long logicalOffset) {
        if (logicalOffset < 0) {
            throw new IndexOutOfBoundsException("logicalOffset must not be negative: " + logicalOffset);
        }
        if (view == null) {
            throw new IllegalStateException("the cursor has no view");
        }
        view.checkOpen();
        if (logicalOffset >= view.size()) {
            leaf = null;
            return false;
        }
        pathNode[view.level] = view.root;
        pathStart[view.level] = 0;
        for (int level = view.level; level > 0; level--) {
            int node = pathNode[level];
            ByteBuffer buffer = pool.chunk(node);
            int nodeBase = NodeFormat.base(node);
            enterChild(buffer, nodeBase, level, NodeFormat.childAt(buffer, nodeBase, logicalOffset - pathStart[level]));
        }
        enterLeaf();
        NodeFormat.touchWords(leaf, base);
        goTo(NodeFormat.extentAt(leaf, base, (int) (logicalOffset - leafStart)));
        return true;
    }

    private void enterChild(ByteBuffer buffer, int nodeBase, int level, int i) {
        pathIndex[level] = i;
        pathNode[level - 1] = NodeFormat.child(buffer, nodeBase, i);
        pathStart[level - 1] = pathStart[level] + NodeFormat.childStart(buffer, nodeBase, i);
    }

    private void enterLeaf() {
        int node = pathNode[0];
        leaf = pool.chunk(node);
        base = NodeFormat.base(node);
        count = NodeFormat.count(leaf, base);
        leafStart = pathStart[0];
    }

    private void goTo(int i) {
        index = i;
        start = NodeFormat.start(leaf, base, i);
        end = NodeFormat.end(leaf, base, i);
    }

    /** Goes to the next extent; false, standing nowhere, if there is none. */
    public boolean next() {
        checkPositioned();
        if (++index < count) {
            start = end;
            end = NodeFormat.end(leaf, base, index);
            return true;
        }
        for (int level = 1; level <= view.level; level++) {
            int node = pathNode[level];
            ByteBuffer buffer = pool.chunk(node);
            int nodeBase = NodeFormat.base(node);
            if (pathIndex[level] + 1 < NodeFormat.count(buffer, nodeBase)) {
                enterChild(buffer, nodeBase, level, pathIndex[level] + 1);
                for (int below = level - 1; below > 0; below--) {
                    enterChild(pool.chunk(pathNode[below]), NodeFormat.base(pathNode[below]), below, 0);
                }
                enterLeaf();
                goTo(0);
                return true;
            }
        }
        leaf = null;
        return false;
    }

    /** Goes to the extent before; false, standing nowhere, if there is none. */
    public boolean previous() {
        checkPositioned();
        if (index > 0) {
            goTo(index - 1);
            return true;
        }
        for (int level = 1; level <= view.level; level++) {
            if (pathIndex[level] > 0) {
                int node = pathNode[level];
                enterChild(pool.chunk(node), NodeFormat.base(node), level, pathIndex[level] - 1);
                for (int below = level - 1; below > 0; below--) {
                    ByteBuffer buffer = pool.chunk(pathNode[below]);
                    int nodeBase = NodeFormat.base(pathNode[below]);
                    enterChild(buffer, nodeBase, below, NodeFormat.count(buffer, nodeBase) - 1);
                }
                enterLeaf();
                goTo(count - 1);
                return true;
            }
        }
        leaf = null;
        return false;
    }

    /** Whether the cursor stands on an extent. */
    public boolean isPositioned() {
        return leaf != null;
    }

    private void checkPositioned() {
        if (leaf == null) {
            throw new IllegalStateException("the cursor stands on no extent");
        }
    }

    /** Where the extent begins in the logical address space. */
    public long logicalOffset() {
        checkPositioned();
        return leafStart + start;
    }

    /** Bytes of the extent. */
    public int length() {
        checkPositioned();
        return end - start;
    }

    /** Where the extent's first byte is stored, or {@link FlexTree#HOLE}. */
    public long address() {
        checkPositioned();
        return NodeFormat.address(NodeFormat.word(leaf, base, index));
    }

    /** The 16 bits kept with the extent. */
    public int flags() {
        checkPositioned();
        return NodeFormat.flags(NodeFormat.word(leaf, base, index));
    }

    /** Whether the extent is mapped to nothing. */
    public boolean isHole() {
        return address() == FlexTree.HOLE;
    }

    @Override
    public String toString() {
        return leaf == null
                ? "ExtentCursor[nowhere]"
                : "ExtentCursor[logicalOffset=" + logicalOffset() + ", length=" + length() + ", address=" + address()
                        + ", flags=" + flags() + "]";
    }
}
