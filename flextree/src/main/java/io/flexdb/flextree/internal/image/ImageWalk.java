package io.flexdb.flextree.internal.image;

import static io.flexdb.flextree.internal.image.ImageReader.bad;

import io.flexdb.flextree.internal.tree.NodeFormat;

/**
 * Goes through the images of a tree, which nobody trusts, in logical order and from parents to children, and verifies
 * all that they say. It knows nothing of what is made of them, so a check finds what a load refuses.
 */
final class ImageWalk {
    /** Gets the contents of the images. */
    interface Visitor {
        /**
         * Takes a sound image, before those below it.
         *
         * @param logicalOffset where it begins, unless something before it was bad
         */
        void visit(NodeImage image, long logicalOffset);

        /** Takes what is not as it should be. Throws it, or the walk goes on behind it. */
        void problem(BadNodeException problem);

        /**
         * Takes an image of which nothing can be used; nor can what is below it, if it is an internal node. Throws the
         * problem, or the walk goes on behind it.
         */
        void unusable(BadNodeException problem, int level);
    }

    private static final long UNKNOWN = -1; // bytes of a subtree that can't be summed up

    private final ImageReader reader;
    private final NodeSource source;
    private final SavedRoot root;
    private final Visitor visitor;
    private long extentCount;
    private boolean sound = true;

    /** @param source what the reader reads from; is told of the children of each node before the first is read */
    ImageWalk(ImageReader reader, NodeSource source, SavedRoot root, Visitor visitor) {
        this.reader = reader;
        this.source = source;
        this.root = root;
        this.visitor = visitor;
    }

    void run() {
        int slot = root.slot();
        if (slot == 0) {
            if (root.level() != 0 || root.size() != 0 || root.extentCount() != 0) {
                problem(slot, "nothing in an empty tree", root);
            }
            return;
        }
        if (root.level() < 0 || root.level() > NodeFormat.MAX_LEVEL) {
            problem(slot, "a level from 0 to " + NodeFormat.MAX_LEVEL, root.level());
            return;
        }
        long bytes = walk(slot, root.level(), root.crc(), 0);
        if (bytes != UNKNOWN && bytes != root.size()) {
            problem(slot, "size " + root.size(), bytes);
        }
        if (sound && extentCount != root.extentCount()) {
            problem(slot, root.extentCount() + " extents", extentCount);
        }
    }

    private void problem(int slot, String expected, Object found) {
        sound = false;
        visitor.problem(bad(slot, expected, found));
    }

    /** Returns what the node's subtree maps. */
    private long walk(int slot, int level, int crc, long nodeStart) {
        NodeImage image;
        long leafBytes = 0;
        try {
            image = reader.read(slot, level, crc);
            if (level == 0) {
                leafBytes = checkExtents(image);
            }
        } catch (BadNodeException e) {
            sound = false;
            visitor.unusable(e, level);
            return UNKNOWN;
        }
        visitor.visit(image, nodeStart);
        return level == 0 ? leafBytes : walkChildren(image, nodeStart);
    }

    private long checkExtents(NodeImage image) {
        int start = 0;
        for (int i = 0; i < image.count(); i++) {
            int end = image.end(i);
            checkExtent(image.slot(), start, end, image.word(i));
            start = end;
        }
        extentCount += image.count();
        return start;
    }

    /** Checks are spelled out, as in {@link ImageReader}. */
    private static void checkExtent(int slot, int start, int end, long word) {
        int length = end - start;
        long address = NodeFormat.address(word);
        if (end <= start) {
            throw bad(slot, "an end greater than " + start, end);
        }
        if (length > NodeFormat.MAX_EXTENT_BYTES) {
            throw bad(slot, "an extent of " + NodeFormat.MAX_EXTENT_BYTES + " bytes at most", length);
        }
        if (!NodeFormat.isHole(word) && address + length > NodeFormat.HOLE) {
            throw bad(slot, "an extent that ends below the largest address", address);
        }
    }

    private long walkChildren(NodeImage image, long nodeStart) {
        int slot = image.slot();
        int level = image.level();
        int count = image.count();
        if (count == 1 && level == root.level()) {
            problem(slot, "two children of an internal root at least", count);
        }
        for (int i = 0; i < count; i++) {
            source.prefetch(image.childSlot(i), level - 1); // they may lie anywhere
        }
        long end = 0; // of the last child, or its start if its length is not known
        boolean known = true;
        boolean ordered = true;
        long from = nodeStart; // where the subtree begins; 0 once that is not known
        for (int i = 0; i < count; i++) {
            long start = image.childStart(i);
            if (ordered && (known ? start != end : start <= end)) {
                problem(slot, "child " + i + (known ? " to start at " : " to start behind ") + end, start);
                ordered = false;
            }
            boolean placed = known && ordered;
            from = placed ? from : 0;
            long bytes = walk(image.childSlot(i), level - 1, image.childCrc(i), placed ? from + start : 0);
            known = bytes != UNKNOWN;
            if (ordered && known && bytes > Long.MAX_VALUE - from - start) {
                problem(slot, "a size below 2^63", "a greater one");
                ordered = false;
            }
            end = known ? start + bytes : start;
        }
        return known && ordered ? end : UNKNOWN;
    }
}
