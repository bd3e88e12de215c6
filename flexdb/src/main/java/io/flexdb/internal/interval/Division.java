package io.flexdb.internal.interval;

import java.util.Arrays;

/**
 * The parts that a coarse interval is divided into. Made by an {@code IntervalDivider}; reused, by one thread at a
 * time.
 */
public final class Division {
    /*
     * It says nothing of where the interval is, which may change while this waits. The content number does not, as long
     * as the content is the same, and a key of the interval finds it.
     */
    public final IntervalReplacement parts = new IntervalReplacement();
    private byte[] lowestKey = new byte[256];
    private int lowestKeyLength;
    private byte[] highestKey = new byte[256];
    private int highestKeyLength;
    private long content;
    private boolean complete;

    /** Begins a division of the interval with this content. */
    public void begin(long ofContent) {
        content = ofContent;
        complete = false;
        parts.clear();
    }

    /**
     * Ends it.
     *
     * @param all whether no part is coarse
     */
    public void end(byte[] keys, int lowestLength, int highestFrom, int highestLength, boolean all) {
        if (lowestKey.length < lowestLength) {
            lowestKey = new byte[Math.max(lowestLength, 2 * lowestKey.length)];
        }
        if (highestKey.length < highestLength) {
            highestKey = new byte[Math.max(highestLength, 2 * highestKey.length)];
        }
        System.arraycopy(keys, 0, lowestKey, 0, lowestLength);
        System.arraycopy(keys, highestFrom, highestKey, 0, highestLength);
        lowestKeyLength = lowestLength;
        highestKeyLength = highestLength;
        complete = all;
    }

    /** The first key of the interval, in an array that may be longer. */
    byte[] lowestKey() {
        return lowestKey;
    }

    int lowestKeyLength() {
        return lowestKeyLength;
    }

    /** The last key that was read of it. */
    byte[] highestKey() {
        return highestKey;
    }

    int highestKeyLength() {
        return highestKeyLength;
    }

    /** The content that was divided. */
    public long content() {
        return content;
    }

    /** Whether no part is coarse; else the last one is to be divided in its turn. */
    public boolean isComplete() {
        return complete;
    }

    @Override
    public String toString() {
        return "Division[content=" + content + ", from=" + Arrays.toString(Arrays.copyOf(lowestKey, lowestKeyLength))
                + ", parts=" + parts.count() + (complete ? "]" : ", the last one coarse]");
    }
}
