package io.flexdb.flextree.internal.image;

import static io.flexdb.flextree.internal.image.ImageReader.bad;

import io.flexdb.flextree.internal.tree.NodeFormat;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Verifies what {@link NodeLoader} does, but builds nothing, and goes on behind images that are bad. */
final class ImageChecker {
    private static final long UNKNOWN = -1; // bytes of a subtree that can't be summed up

    private final ImageReader reader;
    private final NodeSource source;
    private final Consumer<BadNodeException> problems;
    private final SavedRoot root;
    private long extentCount;
    private boolean sound = true;

    /** @param source what the reader reads from */
    ImageChecker(ImageReader reader, NodeSource source, SavedRoot root, Consumer<BadNodeException> problems) {
        this.reader = reader;
        this.source = source;
        this.root = root;
        this.problems = problems;
    }

    void check() {
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
        long bytes = checkNode(slot, root.level(), root.crc());
        if (bytes != UNKNOWN && bytes != root.size()) {
            problem(slot, "size " + root.size(), bytes);
        }
        if (sound && extentCount != root.extentCount()) {
            problem(slot, root.extentCount() + " extents", extentCount);
        }
    }

    private void problem(int slot, String expected, Object found) {
        sound = false;
        problems.accept(bad(slot, expected, found));
    }

    /** Returns what the node's subtree maps. */
    private long checkNode(int slot, int level, int crc) {
        ByteBuffer image;
        try {
            image = reader.read(slot, level, crc);
            if (level == 0) {
                return checkExtents(image, slot);
            }
        } catch (BadNodeException e) {
            problem(e.slot(), e.expected(), e.found() + (level == 0 ? "" : "; nothing below it can be reached"));
            return UNKNOWN;
        }
        return checkChildren(image, slot, level);
    }

    private long checkExtents(ByteBuffer image, int slot) {
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET);
        int wordsAt = NodeImageFormat.HEADER_BYTES + count * Integer.BYTES;
        int start = 0;
        for (int i = 0; i < count; i++) {
            int end = image.getInt(NodeImageFormat.HEADER_BYTES + i * Integer.BYTES);
            ImageReader.checkExtent(slot, start, end, image.getLong(wordsAt + i * Long.BYTES));
            start = end;
        }
        extentCount += count;
        return start;
    }

    private long checkChildren(ByteBuffer image, int slot, int level) {
        int count = image.getShort(NodeImageFormat.COUNT_OFFSET);
        int slotsAt = NodeImageFormat.HEADER_BYTES + count * Long.BYTES;
        int crcsAt = slotsAt + count * Integer.BYTES;
        if (count == 1 && level == root.level()) {
            problem(slot, "two children of an internal root at least", count);
        }
        for (int i = 0; i < count; i++) {
            source.prefetch(image.getInt(slotsAt + i * Integer.BYTES), level - 1); // they may lie anywhere
        }
        long end = 0; // of the last child, or its start if its length is not known
        boolean known = true;
        boolean ordered = true;
        for (int i = 0; i < count; i++) {
            long start = image.getLong(NodeImageFormat.HEADER_BYTES + i * Long.BYTES);
            if (ordered && (known ? start != end : start <= end)) {
                problem(slot, "child " + i + (known ? " to start at " : " to start behind ") + end, start);
                ordered = false;
            }
            int childSlot = image.getInt(slotsAt + i * Integer.BYTES);
            long bytes = checkNode(childSlot, level - 1, image.getInt(crcsAt + i * Integer.BYTES));
            known = bytes != UNKNOWN;
            if (ordered && known && bytes > Long.MAX_VALUE - start) {
                problem(slot, "a size below 2^63", "a greater one");
                ordered = false;
            }
            end = known ? start + bytes : start;
        }
        return known && ordered ? end : UNKNOWN;
    }
}
