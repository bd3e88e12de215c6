package io.flexdb.flexspace.internal.segment;

import java.util.Arrays;

/**
 * Says of which sealed segments the checksums stay in memory: so many of them, those that were needed lately. Any
 * number of threads.
 */
final class ChecksumCache {
    /*
     * The problem: checksums are a thousandth of the data, which is too much to keep all of them. The choice: CLOCK
     * over the segments that have some; to read a frame of another one takes one more read, of its footer. A reader
     * that has found an array goes on with it, so one is dropped without a word.
     *
     * K1  A segment that is open or being sealed, or whose footer does not count, is not in here: its checksums are not
     *     in the file. So its array stays what it is until it is sealed and the log says so.
     * K2  What was read from a footer is offered inside the short read, or by the writer, that has read it.
     */
    private static final int LEAST = 4;

    private final int most;
    private final int bytesEach;
    private Segment[] slots = new Segment[LEAST]; // with gaps
    private int slotsUsed; // none from here on
    private int count;
    private int hand;

    /** @param bytes of heap that arrays take at most; room for a few there is always */
    ChecksumCache(SegmentFormat format, long bytes) {
        this.bytesEach = format.dataFrames * Integer.BYTES;
        this.most = (int) Math.max(LEAST, Math.min(Integer.MAX_VALUE / 2, bytes / bytesEach));
    }

    /** Keeps checksums that were read from the footer, unless there are some, and returns those that count. */
    synchronized int[] offer(Segment segment, int[] found) {
        int[] there = segment.checksums;
        if (there != null) {
            return there; // several readers have loaded them at once
        }
        segment.checksums = found;
        add(segment);
        return found;
    }

    /** Lets the checksums of a segment go when others are needed more: they are in the file, and stay as they are. */
    synchronized void sealed(Segment segment) {
        add(segment);
    }

    /** Lets the checksums of a segment go that nobody reads any more. */
    synchronized void drop(Segment segment) {
        forget(segment);
        segment.checksums = null;
    }

    private void add(Segment segment) {
        assert segment.checksumSlot < 0 : segment;
        int slot = count == most ? evict() : freeSlot();
        slots[slot] = segment;
        segment.checksumSlot = slot;
        count++;
    }

    private int freeSlot() {
        if (count == slotsUsed) {
            if (slotsUsed == slots.length) {
                slots = Arrays.copyOf(slots, Math.min(most, 2 * slotsUsed));
            }
            return slotsUsed++;
        }
        while (slots[hand] != null) {
            hand = hand + 1 == slotsUsed ? 0 : hand + 1;
        }
        return hand;
    }

    private int evict() {
        while (true) {
            int slot = hand;
            hand = hand + 1 == slotsUsed ? 0 : hand + 1;
            Segment segment = slots[slot];
            if (!segment.checksumsUsed) {
                forget(segment);
                segment.checksums = null;
                return slot;
            }
            segment.checksumsUsed = false;
        }
    }

    private void forget(Segment segment) {
        int slot = segment.checksumSlot;
        if (slot >= 0) {
            slots[slot] = null;
            segment.checksumSlot = -1;
            count--;
        }
    }

    /** Bytes of the arrays that may be dropped. */
    synchronized long memoryBytes() {
        return (long) count * bytesEach;
    }
}
