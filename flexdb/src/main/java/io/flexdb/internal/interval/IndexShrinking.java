package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * Joining an interval with the one before it, and nodes that have become small; writer only.
 */
final class IndexShrinking {
    /*
     * If both intervals are in one leaf, an entry goes and no offset changes. Else the bytes move from the first
     * interval of a leaf to the last of the leaf before it: in the lowest common ancestor the right child begins so
     * much later, and what is on the right side below comes so much nearer to its own node's start. The pivot in the
     * common ancestor is the right leaf's first anchor, so it becomes the next one.
     *
     * A node with fewer entries than a quarter of its capacity joins a neighbour under the same parent that has room
     * for them. Nodes may stay smaller where neighbours are full.
     */
    private final WriterPath path;
    private final IndexNodes nodes;
    private final EntryList moved = new EntryList();
    private final int[] leftNode = new int[WriterPath.MAX_LEVELS];

    IndexShrinking(WriterPath path) {
        this.path = path;
        this.nodes = path.nodes;
    }

    /** Joins the interval at the path's end, which is not the first of all, with the one before it. */
    void joinWithPrevious(long contentNumber) {
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int index = path.index[0];
        int pairs = IndexNodes.pairs(b, base, index);
        nodes.keys.retire(IndexNodes.ref(b, base, 0, index));
        int shrunk = 0;
        if (index > 0) {
            long end = IndexNodes.end(b, base, index);
            removeEntry(0, index);
            extend(b, base, index - 1, end, pairs, contentNumber);
        } else {
            shrunk = joinAcrossLeaves(pairs, contentNumber);
        }
        joinSmallNodes(shrunk);
        path.dropEmptyRoots();
    }

    /** Removes intervals behind the path's end, of the same leaf, and returns the bytes that they had. */
    long removeFollowing(int count) {
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int index = path.index[0];
        int before = path.count(0);
        assert index + count < before : "no intervals of another leaf";
        long bytes = IndexNodes.end(b, base, index + count) - IndexNodes.end(b, base, index);
        for (int i = index + 1; i <= index + count; i++) {
            nodes.keys.retire(IndexNodes.ref(b, base, 0, i));
        }
        if (index + count + 1 < before) {
            IndexNodes.move(b, base, 0, index + count + 1, index + 1, before);
        }
        IndexNodes.setCount(b, base, before - count);
        IndexNodes.shiftEnds(b, base, index + 1, before - count, -bytes);
        for (int level = 1; level <= path.level; level++) {
            IndexNodes.shiftChildren(
                    path.chunk(level), path.base(level), path.index[level] + 1, path.count(level), -bytes);
        }
        joinSmallNodes(0);
        path.dropEmptyRoots();
        return bytes;
    }

    private static void extend(ByteBuffer b, int base, int i, long end, int pairs, long contentNumber) {
        IndexNodes.setEnd(b, base, i, end);
        int together = IndexNodes.pairs(b, base, i) + pairs;
        IndexNodes.setContentWord(b, base, i, IndexNodes.contentWord(contentNumber, together));
    }

    /** The lowest level whose node of the path lost an entry. */
    private int joinAcrossLeaves(int pairs, long contentNumber) {
        int common = commonLevel();
        long bytes = path.lengthBytes();
        extendLastOnTheLeft(common, bytes, pairs, contentNumber);
        IndexNodes.shiftEnds(path.chunk(0), path.base(0), 0, path.count(0), -bytes);
        for (int level = 1; level < common; level++) {
            IndexNodes.shiftChildren(path.chunk(level), path.base(level), 1, path.count(level), -bytes);
        }
        ByteBuffer b = path.chunk(common);
        int base = path.base(common);
        int index = path.index[common];
        IndexNodes.setChildStart(b, base, index, IndexNodes.childStart(b, base, index) + bytes);
        nodes.keys.retire(IndexNodes.ref(b, base, common, index));

        int level = 0;
        while (level < common && path.count(level) == 1) {
            nodes.retire(path.node[level]);
            level++;
        }
        if (level == common) {
            removeEntry(common, index);
            return common;
        }
        removeEntry(level, 0);
        setPivot(common, index, takeFirstKey(level));
        return level;
    }

    /** The lowest level at which the path does not lead to the first child. */
    private int commonLevel() {
        int level = 1;
        while (path.index[level] == 0) {
            level++;
        }
        assert level <= path.level : "the first interval has nothing before it";
        return level;
    }

    private void extendLastOnTheLeft(int common, long bytes, int pairs, long contentNumber) {
        int index = path.index[common] - 1;
        leftNode[common] = path.node[common];
        for (int level = common - 1; level >= 0; level--) {
            ByteBuffer b = nodes.chunk(leftNode[level + 1]);
            int base = nodes.base(leftNode[level + 1]);
            int child = IndexNodes.child(b, base, index);
            leftNode[level] = nodes.writable(child);
            IndexNodes.setChild(b, base, index, leftNode[level]);
            index = IndexNodes.count(nodes.chunk(leftNode[level]), nodes.base(leftNode[level])) - 1;
        }
        ByteBuffer b = nodes.chunk(leftNode[0]);
        int base = nodes.base(leftNode[0]);
        extend(b, base, index, IndexNodes.end(b, base, index) + bytes, pairs, contentNumber);
    }

    /** The key that bounds a node of the path from below: a copy of a leaf's anchor, or the pivot itself. */
    private int takeFirstKey(int level) {
        ByteBuffer b = path.chunk(level);
        int base = path.base(level);
        int ref = IndexNodes.ref(b, base, level, 0);
        if (level == 0) {
            return nodes.keys.copy(ref);
        }
        IndexNodes.setRef(b, base, level, 0, 0);
        return ref;
    }

    private void setPivot(int level, int index, int ref) {
        ByteBuffer b = path.chunk(level);
        int base = path.base(level);
        IndexNodes.setRef(b, base, level, index, ref);
        nodes.keysInserted(b, base, level, index, index + 1);
    }

    private void removeEntry(int level, int index) {
        ByteBuffer b = path.chunk(level);
        int base = path.base(level);
        int count = path.count(level);
        if (index + 1 < count) {
            IndexNodes.move(b, base, level, index + 1, index, count);
        }
        IndexNodes.setCount(b, base, count - 1);
    }

    private void joinSmallNodes(int fromLevel) {
        for (int level = fromLevel; level < path.level; level++) {
            if (path.count(level) >= path.capacity(level) / 4) {
                continue;
            }
            int index = path.index[level + 1];
            if (index > 0 && index < path.count(level + 1) && fits(level, index - 1)) {
                joinChildren(level, index - 1);
            } else if (index + 1 < path.count(level + 1) && fits(level, index)) {
                joinChildren(level, index);
            }
        }
    }

    private boolean fits(int level, int leftIndex) {
        ByteBuffer b = path.chunk(level + 1);
        int base = path.base(level + 1);
        int left = IndexNodes.child(b, base, leftIndex);
        int right = IndexNodes.child(b, base, leftIndex + 1);
        int count = IndexNodes.count(nodes.chunk(left), nodes.base(left))
                + IndexNodes.count(nodes.chunk(right), nodes.base(right));
        return count <= path.capacity(level);
    }

    private void joinChildren(int level, int leftIndex) {
        ByteBuffer parent = path.chunk(level + 1);
        int parentBase = path.base(level + 1);
        int left = nodes.writable(IndexNodes.child(parent, parentBase, leftIndex));
        IndexNodes.setChild(parent, parentBase, leftIndex, left);
        int right = IndexNodes.child(parent, parentBase, leftIndex + 1);
        int pivot = IndexNodes.ref(parent, parentBase, level + 1, leftIndex + 1);
        long leftBytes = IndexNodes.childStart(parent, parentBase, leftIndex + 1)
                - IndexNodes.childStart(parent, parentBase, leftIndex);

        moved.clear();
        ByteBuffer b = nodes.chunk(right);
        moved.addFrom(b, nodes.base(right), 0, IndexNodes.count(b, nodes.base(right)));
        if (level == 0) {
            nodes.keys.retire(pivot);
        } else {
            moved.ref[0] = pivot;
        }
        ByteBuffer to = nodes.chunk(left);
        int toBase = nodes.base(left);
        int count = IndexNodes.count(to, toBase);
        moved.writeTo(to, toBase, count, 0, moved.count, -leftBytes);
        IndexNodes.setCount(to, toBase, count + moved.count);
        nodes.rebuildWindows(to, toBase, level);
        nodes.retire(right);
        removeEntry(level + 1, leftIndex + 1);
    }
}
