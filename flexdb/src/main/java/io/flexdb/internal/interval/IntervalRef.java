package io.flexdb.internal.interval;

import io.flexdb.internal.base.KeyBytes;
import java.nio.ByteBuffer;

/**
 * One interval as {@link SparseIndex#find} found it. Reused by its owner; not for several threads. The anchors are read
 * from the index, so they must be asked for while the view they came from is still protected.
 */
public final class IntervalRef {
    private KeyArena keys;
    private long logicalOffset;
    private long lengthBytes;
    private long contentNumber;
    private int pairCount;
    private int anchorRef;
    private int upperRef;
    private ByteBuffer leaf;
    private int leafBase;
    private int index;

    void set(KeyArena keys, long logicalOffset, long lengthBytes, ByteBuffer leaf, int leafBase, int index) {
        this.keys = keys;
        this.logicalOffset = logicalOffset;
        this.lengthBytes = lengthBytes;
        this.contentNumber = IndexNodes.content(leaf, leafBase, index);
        this.pairCount = IndexNodes.pairs(leaf, leafBase, index);
        this.leaf = leaf;
        this.leafBase = leafBase;
        this.index = index;
    }

    void setAnchors(int anchorRef, int upperRef) {
        this.anchorRef = anchorRef;
        this.upperRef = upperRef;
    }

    /** Where the interval begins in the FlexSpace. */
    public long logicalOffset() {
        return logicalOffset;
    }

    /** Its bytes, possibly none. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** The number of its content, which no other content has or will have. */
    public long contentNumber() {
        return contentNumber;
    }

    /** Its KV pairs. */
    public int pairCount() {
        return pairCount;
    }

    /**
     * A note on this content, or on an earlier one of this interval; 0 if there is none. The reader must check it
     * against certain knowledge. While the view that it was found in is protected, as is {@link #setHint}.
     */
    public int hint() {
        return IndexNodes.hint(leaf, leafBase, index);
    }

    /** Notes something for whoever comes next. Any thread, at any time. */
    public void setHint(int hint) {
        IndexNodes.setHint(leaf, leafBase, index, hint);
    }

    /** Whether an interval follows. */
    public boolean hasNext() {
        return upperRef != 0;
    }

    /** Bytes of the anchor; 0 for the first interval. */
    public int anchorLength() {
        return keys.length(anchorRef);
    }

    /** Copies the anchor to the start of an array with room for it, and returns its length. */
    public int anchor(byte[] destination) {
        return keys.copyTo(anchorRef, destination);
    }

    /** Bytes of the next interval's anchor, or -1 if there is none. */
    public int upperAnchorLength() {
        return upperRef == 0 ? -1 : keys.length(upperRef);
    }

    /** Copies the next interval's anchor to the start of an array with room for it: its length, or -1 if none. */
    public int upperAnchor(byte[] destination) {
        return upperRef == 0 ? -1 : keys.copyTo(upperRef, destination);
    }

    /** How many bytes all keys that belong to the interval begin with in common, at least. */
    public int commonPrefix() {
        return upperRef == 0 || keys.length(anchorRef) == 0 ? 0 : keys.commonPrefix(anchorRef, upperRef);
    }

    /**
     * How many bytes all keys begin with in common, at least, that belong to one of the intervals that come in the place
     * of this one: what its anchor and the next one have in common.
     */
    public int commonPrefix(IntervalReplacement in, int part) {
        boolean isLast = part == in.count() - 1;
        if (part == 0) {
            return isLast ? commonPrefix() : commonPrefix(in, part + 1, anchorRef);
        }
        if (isLast) {
            return upperRef == 0 ? 0 : commonPrefix(in, part, upperRef);
        }
        return KeyBytes.commonPrefix(
                in.anchors(),
                in.anchorFrom[part],
                in.anchorLength[part],
                in.anchors(),
                in.anchorFrom[part + 1],
                in.anchorLength[part + 1]);
    }

    private int commonPrefix(IntervalReplacement in, int part, int ref) {
        return keys.commonPrefix(in.anchors(), in.anchorFrom[part], in.anchorLength[part], ref);
    }

    /** Whether a key is the anchor. */
    public boolean isAnchor(byte[] key) {
        return anchorLength() == key.length && keys.compare(key, 0, key.length, anchorRef) == 0;
    }

    /** Whether a key belongs to an interval before this one. */
    public boolean isBelowAnchor(byte[] key, int from, int length) {
        return anchorLength() > 0 && keys.compare(key, from, length, anchorRef) < 0;
    }

    /** Whether a key not below this interval's anchor belongs to this interval. */
    public boolean isBelowUpperAnchor(byte[] key, int from, int length) {
        return upperRef == 0 || keys.compare(key, from, length, upperRef) < 0;
    }

    @Override
    public String toString() {
        return "IntervalRef[offset=" + logicalOffset + ", bytes=" + lengthBytes + ", content=" + contentNumber
                + ", pairs=" + pairCount + "]";
    }
}
