package io.flexdb.internal.interval;

import java.util.Arrays;

/**
 * The intervals that take the place of one. Reused by the writer; keeps its arrays.
 */
public final class IntervalReplacement {
    private byte[] anchors = new byte[1024];
    private int anchorBytes;
    int[] anchorFrom = new int[16];
    int[] anchorLength = new int[16];
    long[] lengthBytes = new long[16];
    long[] contentNumber = new long[16];
    int[] pairCount = new int[16];
    int[] hint = new int[16];
    private int count;

    /** Forgets what it held. */
    public IntervalReplacement clear() {
        count = 0;
        anchorBytes = 0;
        return this;
    }

    /** The first interval, which keeps the anchor of the one replaced. */
    public IntervalReplacement first(long bytes, int pairs, long content) {
        if (count != 0) {
            throw new IllegalStateException("the first of the intervals is already given");
        }
        append(bytes, pairs, content);
        return this;
    }

    /** One more interval, with an anchor above all before it; the anchor is copied. */
    public IntervalReplacement add(byte[] anchor, int from, int length, long bytes, int pairs, long content) {
        if (count == 0) {
            throw new IllegalStateException("the first of the intervals comes first, and has no anchor of its own");
        }
        if (length < 1 || length > KeyArena.MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "anchor length must be from 1 to " + KeyArena.MAX_KEY_BYTES + ": " + length);
        }
        if (anchorBytes + length > anchors.length) {
            anchors = Arrays.copyOf(anchors, Math.max(anchorBytes + length, 2 * anchors.length));
        }
        System.arraycopy(anchor, from, anchors, anchorBytes, length);
        append(bytes, pairs, content);
        anchorFrom[count - 1] = anchorBytes;
        anchorLength[count - 1] = length;
        anchorBytes += length;
        return this;
    }

    private void append(long bytes, int pairs, long content) {
        if (bytes < 0 || pairs < 0) {
            throw new IllegalArgumentException("an interval cannot have " + bytes + " bytes and " + pairs + " pairs");
        }
        if (count == lengthBytes.length) {
            int larger = 2 * count;
            anchorFrom = Arrays.copyOf(anchorFrom, larger);
            anchorLength = Arrays.copyOf(anchorLength, larger);
            lengthBytes = Arrays.copyOf(lengthBytes, larger);
            contentNumber = Arrays.copyOf(contentNumber, larger);
            pairCount = Arrays.copyOf(pairCount, larger);
            hint = Arrays.copyOf(hint, larger);
        }
        lengthBytes[count] = bytes;
        pairCount[count] = pairs;
        contentNumber[count] = content;
        hint[count] = 0;
        count++;
    }

    /** Gives an interval the {@linkplain Interval#hint hint} that its readers find. */
    public void setHint(int part, int value) {
        hint[part] = value;
    }

    byte[] anchors() {
        return anchors;
    }

    /** Bytes of the anchor of one of them that is not the first. */
    public int anchorLength(int part) {
        return anchorLength[part];
    }

    /** Copies the anchor of one of them that is not the first to the start of an array with room for it. */
    public void anchor(int part, byte[] destination) {
        System.arraycopy(anchors, anchorFrom[part], destination, 0, anchorLength[part]);
    }

    /** Intervals given. */
    public int count() {
        return count;
    }

    /** Bytes of one of them. */
    public long bytes(int part) {
        return lengthBytes[part];
    }

    /** Pairs of one of them. */
    public int pairs(int part) {
        return pairCount[part];
    }

    /** The number of the content of one of them. */
    public long content(int part) {
        return contentNumber[part];
    }

    /** Bytes of all their anchors. */
    public int anchorBytes() {
        return anchorBytes;
    }

    /** Bytes of all intervals given. */
    public long totalBytes() {
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += lengthBytes[i];
        }
        return total;
    }
}
