package io.flexdb.base.epoch;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Things that the writer has unlinked, each with the versions it lives in, until no reader can see it. Writer only.
 */
public final class RetiredQueue {
    /*
     * Entries come in the order in which they were retired, so those past all short reads are a prefix of the ring. Of
     * these, the ones that a pinned version still holds are put aside, so that one old snapshot does not hold back what
     * came later.
     *
     * The problem: there may be very many of them, and while the oldest pin stays others come and go all the time. To
     * look at all of them whenever one goes would take longer than everything else that a publication does.
     * The choice: they are kept by the pins that hold them. These are neighbours in the order of versions: all pins
     * from the entry's birth to before its retirement. So entries are gathered under the newest pin that holds them,
     * and there by the newest pin that is too old to hold them. When a pin goes, what is gathered under it, and held by
     * no older one, is free; the rest goes under the pin before it, as whole lists. No entry is looked at before it is
     * free. And what has become free all at once is freed by and by.
     * The cost: a list for each two pins between which something was retired.
     *
     * Q1  An entry that was put aside is held by those pins and no others: whoever pins a version later has found it
     *     current, and what is past short reads was retired in no later one.
     * Q2  What the pins hold is looked up in a copy that was made after the entry was found to be past short reads.
     * Q3  What a call does depends neither on how many entries are held, nor on how many have become free with a pin:
     *     of those it frees twice as many as were retired since the last call, and some more, so all of them soon.
     */
    private static final int FIELDS = 3; // handle, birth, retired
    private static final int SLICE = 4096;
    private static final long NO_PIN = -1; // older than any version

    private final Epochs epochs;
    private final LongConsumer free;
    private long[] ring = new long[64 * FIELDS];
    private int head;
    private int count;
    private int retiredSinceReclaim;

    private long[] pins = {Long.MAX_VALUE}; // ascending, and the largest number behind them
    private long pinEventsSeen;
    private HeldByPin[] held = new HeldByPin[4]; // ascending by pin; those that have entries, and maybe others
    private int heldPins;
    private int heldCount;
    private final Handles unheld = new Handles(); // to be freed
    private long visits;

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
        retiredSinceReclaim++;
    }

    /** Frees what can be freed, or as much of it as a call may (Q3), and returns how much that was. Never blocks. */
    public int reclaim() {
        long safe = epochs.safeEpoch(); // Q2: before the pins
        long events = epochs.pinEvents();
        if (events != pinEventsSeen) {
            pinEventsSeen = events;
            pins = epochs.pinnedVersions(pins);
            letGoOfUnpinned();
        }
        int freed = freeUnheld(SLICE + 2 * retiredSinceReclaim);
        retiredSinceReclaim = 0;
        int mask = ring.length / FIELDS - 1;
        while (count > 0) {
            int at = head * FIELDS;
            long retired = ring[at + 2];
            if (retired >= safe) {
                break;
            }
            visits++;
            if (!hold(ring[at], ring[at + 1], retired)) {
                assert epochs.isPastShortReads(retired) && !epochs.isPinned(ring[at + 1], retired);
                free.accept(ring[at]);
                freed++;
            }
            head = (head + 1) & mask;
            count--;
        }
        return freed;
    }

    private int freeUnheld(int most) {
        int freed = 0;
        while (freed < most && unheld.count > 0) {
            free.accept(unheld.take());
            freed++;
        }
        visits += freed;
        return freed;
    }

    // ---- what pins hold

    /** Puts an entry aside if a pin holds it, and returns whether one does. */
    private boolean hold(long handle, long birth, long retired) {
        long newest = newestPinBelow(retired);
        if (newest < birth) {
            return false;
        }
        heldBy(newest).since(newestPinBelow(birth)).add(handle);
        heldCount++;
        return true;
    }

    private void letGoOfUnpinned() {
        for (int i = heldPins - 1; i >= 0; ) {
            HeldByPin at = held[i];
            if (Arrays.binarySearch(pins, at.pin) >= 0) {
                i--;
                continue;
            }
            System.arraycopy(held, i + 1, held, i, --heldPins - i);
            held[heldPins] = null;
            letGo(at);
            i = Math.min(i, heldPins - 1); // an older pin may have come in before those not looked at
        }
    }

    private void letGo(HeldByPin gone) {
        long older = newestPinBelow(gone.pin);
        for (int i = 0; i < gone.count; i++) {
            visits++;
            if (older <= gone.tooOld[i]) {
                heldCount -= gone.handles[i].count;
                unheld.addAll(gone.handles[i]);
            } else {
                heldBy(older).since(newestPinBelow(gone.tooOld[i] + 1)).addAll(gone.handles[i]);
            }
        }
    }

    private long newestPinBelow(long version) {
        int at = Arrays.binarySearch(pins, version);
        int below = at >= 0 ? at : -at - 1;
        return below == 0 ? NO_PIN : pins[below - 1];
    }

    private HeldByPin heldBy(long pin) {
        int at = heldPins; // as a rule it is the last one
        while (at > 0 && held[at - 1].pin > pin) {
            at--;
        }
        if (at > 0 && held[at - 1].pin == pin) {
            return held[at - 1];
        }
        if (heldPins == held.length) {
            held = Arrays.copyOf(held, 2 * heldPins);
        }
        System.arraycopy(held, at, held, at + 1, heldPins - at);
        heldPins++;
        held[at] = new HeldByPin(pin);
        return held[at];
    }

    /** The entries of which a pin is the newest that holds them. */
    private static final class HeldByPin {
        final long pin;
        long[] tooOld = new long[2]; // ascending: the newest pins that do not hold them
        Handles[] handles = new Handles[2];
        int count;

        private HeldByPin(long pin) {
            this.pin = pin;
        }

        Handles since(long newestTooOld) {
            int at = Arrays.binarySearch(tooOld, 0, count, newestTooOld);
            if (at >= 0) {
                return handles[at];
            }
            at = -at - 1;
            if (count == tooOld.length) {
                tooOld = Arrays.copyOf(tooOld, 2 * count);
                handles = Arrays.copyOf(handles, 2 * count);
            }
            System.arraycopy(tooOld, at, tooOld, at + 1, count - at);
            System.arraycopy(handles, at, handles, at + 1, count - at);
            count++;
            tooOld[at] = newestTooOld;
            handles[at] = new Handles();
            return handles[at];
        }
    }

    /** Handles in no order. To put two lists together costs the same however long they are. */
    private static final class Handles {
        private static final int MAX_CHUNK = 4096;

        private static final class Chunk {
            final long[] handles;
            int count;
            Chunk next;

            Chunk(int capacity) {
                handles = new long[capacity];
            }
        }

        private Chunk first;
        private Chunk last;
        int count;

        void add(long handle) {
            if (last == null || last.count == last.handles.length) {
                Chunk chunk = new Chunk(last == null ? 4 : Math.min(MAX_CHUNK, 2 * last.count));
                link(chunk, chunk);
            }
            last.handles[last.count++] = handle;
            count++;
        }

        /** Takes what another list has, which is not used any more. */
        void addAll(Handles other) {
            link(other.first, other.last);
            count += other.count;
        }

        private void link(Chunk from, Chunk to) {
            if (last == null) {
                first = from;
            } else {
                last.next = from;
            }
            last = to;
        }

        long take() {
            long handle = first.handles[--first.count];
            count--;
            if (first.count == 0) {
                first = first.next;
                last = first == null ? null : last;
            }
            return handle;
        }
    }

    /** Entries not yet freed, those held by pins included. */
    public int size() {
        return count + heldCount + unheld.count;
    }

    /** Entries that only a pinned version holds back. */
    public int heldByPins() {
        return heldCount;
    }

    /** How many entries, and lists of them, have been looked at. For tests: time would tell less. */
    long visits() {
        return visits;
    }
}
