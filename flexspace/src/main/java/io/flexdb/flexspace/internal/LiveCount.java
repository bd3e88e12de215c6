package io.flexdb.flexspace.internal;

/** Counts what lives in each segment in a part of a tree, so that several threads may share the tree. For one thread. */
final class LiveCount {
    private final SegmentFormat format;
    private final int[] usedBytes; // side by side, as the segments are not: neighbours lie in any of them
    private final int[] liveBytes;
    private final LiveFrames[] liveFrames; // null if nobody needs them

    /** @param store which does not change meanwhile */
    LiveCount(SegmentStore store) {
        format = store.format();
        usedBytes = new int[store.segmentCount()];
        for (int number = 0; number < usedBytes.length; number++) {
            Segment segment = store.segment(number);
            usedBytes[number] = segment == null ? 0 : segment.usedBytes;
        }
        liveBytes = new int[usedBytes.length];
        liveFrames = store.refills().isEnabled() ? new LiveFrames[usedBytes.length] : null;
    }

    /**
     * Counts an extent.
     *
     * @return false if that does not lie within a known segment, or overlaps another; the counts are of no use then
     */
    boolean add(long address, long length) {
        long number = address >>> format.segmentShift;
        if (number >= usedBytes.length || length > format.maxExtentBytes) {
            return false;
        }
        int segment = (int) number;
        int position = format.positionOf(address);
        int live = liveBytes[segment] + (int) length;
        if (position + (int) length > usedBytes[segment] || live > usedBytes[segment]) {
            return false;
        }
        liveBytes[segment] = live;
        return liveFrames == null || addToFrames(segment, position, (int) length);
    }

    private boolean addToFrames(int segment, int position, int length) {
        if (liveFrames[segment] == null) {
            liveFrames[segment] = new LiveFrames(format);
        }
        return liveFrames[segment].add(position, length);
    }

    /** Live bytes of a segment. */
    int liveBytes(int segment) {
        return liveBytes[segment];
    }

    /** Live bytes of its frames; null if it has none, or nobody needs them. */
    LiveFrames liveFrames(int segment) {
        return liveFrames == null ? null : liveFrames[segment];
    }
}
