package io.flexdb.internal.index;

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

    void set(KeyArena keys, long logicalOffset, long lengthBytes, long contentNumber, int pairCount) {
        this.keys = keys;
        this.logicalOffset = logicalOffset;
        this.lengthBytes = lengthBytes;
        this.contentNumber = contentNumber;
        this.pairCount = pairCount;
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
