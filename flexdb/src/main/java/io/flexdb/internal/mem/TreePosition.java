package io.flexdb.internal.mem;

/** A place in a key tree: an anchor and where it was found. For one thread; reusable, and makes no garbage. */
final class TreePosition {
    /*
     * As long as the leaf keeps its version, the neighbours are read straight from it. When a writer has changed it, or
     * the place is at its edge, the way to the neighbour begins at the root, with the anchor's key.
     *
     * Anchors lie all over the arena, which no processor's cache has. A walk through a whole tree would wait for each
     * of them in turn. It therefore touches all anchors of a leaf when it enters it, which makes the processor fetch
     * them at once.
     */
    private static final int KEY_BYTES_KEPT = 1024;
    private static final byte[] NO_KEY = {};

    private final boolean walksAll;
    private Nodes nodes;
    private KeyTree tree;
    private int leaf;
    private int version;
    private int index;
    private int anchor;
    private byte[] key = NO_KEY;
    private long touched; // or the compiler would leave the touching out

    /** @param walksAll whether leaves are walked from end to end, mostly */
    TreePosition(boolean walksAll) {
        this.walksAll = walksAll;
    }

    /** Goes nowhere in another tree; null lets the old one go, and cannot fail. */
    void reset(Nodes newNodes, KeyTree newTree) {
        nodes = newNodes;
        tree = newTree;
        anchor = Nodes.NONE;
        if (key.length > KEY_BYTES_KEPT) {
            key = NO_KEY;
        }
    }

    /** Lets the tree go, by any thread. */
    void letGo() {
        nodes = null;
        tree = null;
    }

    /** The anchor, {@link Nodes#NONE} if the place is before the first or behind the last. */
    int anchor() {
        return anchor;
    }

    /** To the first anchor at or after a key; with {@code after}, to the first one after it. */
    void seekFrom(boolean after, byte[] target, int offset, int length) {
        long number = tree.number(target, offset, length);
        while (true) {
            enter(tree.findLeaf(false, number, target, offset, length));
            int rank = tree.rank(leaf, version, after, number, target, offset, length);
            if (rank != KeyTree.CHANGED && takeForward(rank)) {
                return;
            }
        }
    }

    /** To the last anchor before a key; with {@code inclusive}, to the last one at or before it. */
    void seekBefore(boolean inclusive, byte[] target, int offset, int length) {
        long number = tree.number(target, offset, length);
        while (true) {
            enter(tree.findLeaf(!inclusive, number, target, offset, length));
            int rank = tree.rank(leaf, version, inclusive, number, target, offset, length);
            if (rank != KeyTree.CHANGED && take(rank - 1)) {
                return;
            }
        }
    }

    void seekToFirst() {
        do {
            enter(tree.findEdge(false));
        } while (!takeForward(0));
    }

    void seekToLast() {
        do {
            enter(tree.findEdge(true));
        } while (!take(tree.count(leaf) - 1));
    }

    void next() {
        if (!takeForward(index + 1)) {
            int length = copyKey();
            seekFrom(true, key, 0, length);
        }
    }

    void previous() {
        if (index == 0 || !take(index - 1)) {
            int length = copyKey();
            seekBefore(false, key, 0, length);
        }
    }

    private void enter(long leafAndVersion) {
        leaf = (int) (leafAndVersion >>> 32);
        version = (int) leafAndVersion;
    }

    /** Takes what stands at an index, behind the leaf's end the first of the next one; false if a leaf has changed. */
    private boolean takeForward(int at) {
        if (at < tree.count(leaf)) {
            return take(at);
        }
        int next = tree.link(leaf);
        if (!tree.isStill(leaf, version)) {
            return false;
        }
        if (next == 0) {
            anchor = Nodes.NONE;
            return true;
        }
        // A leaf that is linked keeps its first key for good. A key between two leaves goes to the former one.
        int nextVersion = tree.stableVersion(next);
        if (!tree.isStill(leaf, version)) {
            return false;
        }
        leaf = next;
        version = nextVersion;
        if (walksAll) {
            touchAnchors();
        }
        return take(0);
    }

    private void touchAnchors() {
        long sum = 0;
        for (int i = tree.count(leaf) - 1; i >= 0; i--) {
            sum += nodes.newest(tree.anchor(leaf, i));
        }
        touched = sum;
    }

    private boolean take(int at) {
        int found = at < 0 ? Nodes.NONE : tree.anchor(leaf, at);
        if (!tree.isStill(leaf, version)) {
            return false;
        }
        index = at;
        anchor = found;
        return true;
    }

    private int copyKey() {
        int length = nodes.keyLength(anchor);
        if (key.length < length) {
            key = new byte[Math.max(Math.max(length, 256), 2 * key.length)];
        }
        nodes.arena.get(nodes.keyPosition(anchor), key, 0, length);
        return length;
    }
}
