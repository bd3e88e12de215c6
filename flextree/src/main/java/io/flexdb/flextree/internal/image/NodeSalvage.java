package io.flexdb.flextree.internal.image;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.tree.NodeFormat;

/** Reads what can be read of a tree, and knows how many bytes of the address space the rest has. */
public final class NodeSalvage {
    /*
     * A parent tells where each child begins, and so how long it is, whatever has become of it. So what is lost with a
     * node is a range of the address space, and all that comes behind it stays where it was.
     */
    /** Takes what is lost. */
    @FunctionalInterface
    public interface Lost {
        /**
         * Takes a range.
         *
         * @param cause what is wrong with the node that has it
         */
        void lost(long logicalOffset, long length, BadNodeException cause);
    }

    private final ImageReader reader;
    private final ExtentConsumer extents;
    private final Lost lost;

    private NodeSalvage(ImageReader reader, ExtentConsumer extents, Lost lost) {
        this.reader = reader;
        this.extents = extents;
        this.lost = lost;
    }

    /**
     * Goes through the address space once: each byte of it is of an extent, or lost.
     *
     * @param seed what the checksums were seeded with
     * @param maxSlot the largest slot there is
     * @param source may throw {@link BadNodeException} for an image that can't be read
     */
    public static void read(
            SavedRoot root, long seed, int maxSlot, NodeSource source, ExtentConsumer extents, Lost lost) {
        FlexTreeOptions options = FlexTreeOptions.defaults();
        ImageReader reader = new ImageReader(options.leafCapacity(), options.internalCapacity(), seed, maxSlot, source);
        if (root.slot() != 0 && root.level() >= 0 && root.level() <= NodeFormat.MAX_LEVEL) {
            new NodeSalvage(reader, extents, lost).read(root.slot(), root.level(), root.crc(), 0, root.size());
        } else if (root.size() > 0) {
            lost.lost(0, root.size(), ImageReader.bad(root.slot(), "a root", root));
        }
    }

    private void read(int slot, int level, int crc, long start, long end) {
        NodeImage image;
        try {
            image = reader.read(slot, level, crc);
        } catch (BadNodeException e) {
            lost.lost(start, end - start, e);
            return;
        }
        long done = level == 0 ? readExtents(image, start, end) : readChildren(image, start, end);
        if (done < end) {
            lost.lost(done, end - done, ImageReader.bad(slot, "a node of " + (end - start) + " bytes", done - start));
        }
    }

    private long readExtents(NodeImage image, long start, long end) {
        long at = start;
        for (int i = 0; i < image.count(); i++) {
            long next = start + image.end(i);
            if (next <= at || next > end) {
                break;
            }
            long word = image.word(i);
            extents.accept(at, next - at, NodeFormat.address(word), NodeFormat.flags(word));
            at = next;
        }
        return at;
    }

    private long readChildren(NodeImage image, long start, long end) {
        int count = image.count();
        long at = start;
        for (int i = 0; i < count; i++) {
            long next = i + 1 < count ? start + image.childStart(i + 1) : end;
            if (start + image.childStart(i) != at || next <= at || next > end) {
                break;
            }
            read(image.childSlot(i), image.level() - 1, image.childCrc(i), at, next);
            at = next;
        }
        return at;
    }
}
