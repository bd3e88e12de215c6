package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * The tree as the writer has it now, and the way from its root to the leaf being changed; writer only.
 */
final class WriterPath {
    /*
     * Every node of the path belongs to the writer's epoch, so it may be changed in place; making the path is what
     * copies nodes. node[0] is the leaf, node[level] the root.
     */
    static final int MAX_LEVELS = 64;

    final IndexNodes nodes;
    final int leafCapacity;
    final int internalCapacity;
    final int[] node = new int[MAX_LEVELS];
    final int[] index = new int[MAX_LEVELS];
    int root;
    int level;

    WriterPath(IndexNodes nodes, int leafCapacity, int internalCapacity) {
        this.nodes = nodes;
        this.leafCapacity = leafCapacity;
        this.internalCapacity = internalCapacity;
        this.root = nodes.allocate(0);
    }

    int capacity(int atLevel) {
        return atLevel == 0 ? leafCapacity : internalCapacity;
    }

    ByteBuffer chunk(int atLevel) {
        return nodes.chunk(node[atLevel]);
    }

    int base(int atLevel) {
        return nodes.base(node[atLevel]);
    }

    int count(int atLevel) {
        return IndexNodes.count(chunk(atLevel), base(atLevel));
    }

    /** Goes to the interval that a key belongs to. */
    void descend(byte[] key, int from, int length) {
        int known = 0;
        for (int at = level; ; at--) {
            enter(at);
            ByteBuffer b = chunk(at);
            int base = base(at);
            index[at] = nodes.floor(b, base, key, from, length, known);
            if (at == 0) {
                return;
            }
            known = IndexNodes.knownBelow(b, base, index[at], known);
        }
    }

    /** Goes to the last interval. */
    void descendToLast() {
        descendToLast(level);
    }

    private void descendToLast(int fromLevel) {
        for (int at = fromLevel; at >= 0; at--) {
            enter(at);
            index[at] = count(at) - 1;
        }
    }

    private void enter(int at) {
        if (at == level) {
            root = nodes.writable(root);
            node[at] = root;
            return;
        }
        ByteBuffer b = chunk(at + 1);
        int base = base(at + 1);
        int child = IndexNodes.child(b, base, index[at + 1]);
        node[at] = nodes.writable(child);
        if (node[at] != child) {
            IndexNodes.setChild(b, base, index[at + 1], node[at]);
        }
    }

    /** Whether the path leads to the last interval of all. */
    boolean isLast() {
        for (int at = 0; at <= level; at++) {
            if (index[at] != count(at) - 1) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of the interval at the path's end. */
    long lengthBytes() {
        ByteBuffer b = chunk(0);
        int base = base(0);
        return IndexNodes.end(b, base, index[0]) - IndexNodes.start(b, base, index[0]);
    }

    /** Makes the interval at the path's end larger or smaller, which shifts all that follow. */
    void resize(long delta) {
        if (delta == 0) {
            return;
        }
        IndexNodes.shiftEnds(chunk(0), base(0), index[0], count(0), delta);
        for (int at = 1; at <= level; at++) {
            IndexNodes.shiftChildren(chunk(at), base(at), index[at] + 1, count(at), delta);
        }
    }

    /** Puts a new root above the old one. */
    void addRoot() {
        if (level + 1 == MAX_LEVELS) {
            throw new IllegalStateException("the sparse index has " + MAX_LEVELS + " levels");
        }
        int above = nodes.allocate(level + 1);
        ByteBuffer b = nodes.chunk(above);
        int base = nodes.base(above);
        IndexNodes.setCount(b, base, 1);
        IndexNodes.setChild(b, base, 0, root);
        IndexNodes.setChildStart(b, base, 0, 0);
        IndexNodes.setRef(b, base, 1, 0, 0);
        level++;
        root = above;
        node[level] = above;
        index[level] = 0;
    }

    /** Removes roots that have a single child. */
    void dropEmptyRoots() {
        while (level > 0) {
            ByteBuffer b = nodes.chunk(root);
            int base = nodes.base(root);
            if (IndexNodes.count(b, base) > 1) {
                return;
            }
            int child = IndexNodes.child(b, base, 0);
            nodes.retire(root);
            root = child;
            level--;
        }
    }
}
