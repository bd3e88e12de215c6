package io.flexdb.flextree.internal;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * What the writer has unlinked, each with the versions it lives in, until no reader can see it. Writer only.
 */
public final class RetiredQueue {
    /*
     * Entries come in the order in which they were retired, so those past all short reads are a prefix of the ring.
     * Of these, the ones that a pinned version still holds move to a side list, so that one old snapshot does not hold
     * back what came later; the side list is looked at again only after a pin has gone.
     */
    private static final int FIELDS = 3; // handle, birth, retired

    private final Epochs epochs;
    private final LongConsumer free;
    private long[] ring = new long[64 * FIELDS];
    private int head;
    private int count;
    private long[] held = new long[16 * FIELDS];
    private int heldCount;
    private long unpinEventsSeen;

    /**
     * @param epochs the readers
     * @param free called with the handle of each entry that nobody can see any more
     */
    public RetiredQueue(Epochs epochs, LongConsumer free) {
        this.epochs = epochs;
        this.free = free;
    }

    /** Takes what is visible in the versions from {@code birth} to before the one being made now. */
    public void retire(long handle, long birth) {
        long retired = epochs.writerEpoch();
        if (birth >= retired) {
            free.accept(handle); // made and unlinked in the same epoch: no version ever had it
            return;
        }
        int capacity = ring.length / FIELDS;
        if (count == capacity) {
            long[] larger = new long[ring.length * 2];
            int tail = (capacity - head) * FIELDS;
            System.arraycopy(ring, head * FIELDS, larger, 0, tail);
            System.arraycopy(ring, 0, larger, tail, ring.length - tail);
            ring = larger;
            head = 0;
            capacity *= 2;
        }
        int at = ((head + count) & (capacity - 1)) * FIELDS;
        ring[at] = handle;
        ring[at + 1] = birth;
        ring[at + 2] = retired;
        count++;
    }

    /** Frees what can be freed and returns how much that was. Never blocks. */
    public int reclaim() {
        int freed = 0;
        if (heldCount > 0) {
            freed += reclaimHeld();
        }
        int mask = ring.length / FIELDS - 1;
        while (count > 0) {
            int at = head * FIELDS;
            long retired = ring[at + 2];
            if (!epochs.isPastShortReads(retired)) {
                break;
            }
            if (epochs.isPinned(ring[at + 1], retired)) {
                hold(ring[at], ring[at + 1], retired);
            } else {
                free.accept(ring[at]);
                freed++;
            }
            head = (head + 1) & mask;
            count--;
        }
        return freed;
    }

    private int reclaimHeld() {
        long events = epochs.unpinEvents();
        if (events == unpinEventsSeen) {
            return 0;
        }
        unpinEventsSeen = events;
        int kept = 0;
        for (int i = 0; i < heldCount; i++) {
            int at = i * FIELDS;
            if (epochs.isPinned(held[at + 1], held[at + 2])) {
                System.arraycopy(held, at, held, kept * FIELDS, FIELDS);
                kept++;
            } else {
                free.accept(held[at]);
            }
        }
        int freed = heldCount - kept;
        heldCount = kept;
        return freed;
    }

    private void hold(long handle, long birth, long retired) {
        if ((heldCount + 1) * FIELDS > held.length) {
            held = Arrays.copyOf(held, held.length * 2);
        }
        int at = heldCount * FIELDS;
        held[at] = handle;
        held[at + 1] = birth;
        held[at + 2] = retired;
        heldCount++;
    }

    /** Entries not yet freed, those held by pins included. */
    public int size() {
        return count + heldCount;
    }

    /** Entries that only a pinned version holds back. */
    public int heldByPins() {
        return heldCount;
    }
}
