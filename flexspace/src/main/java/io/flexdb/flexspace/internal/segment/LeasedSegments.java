package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.base.Leases;
import java.util.ArrayDeque;
import java.util.function.IntConsumer;

/** Segments that are free but for readers of the files, in other processes perhaps, who ask for some time. Writer only. */
final class LeasedSegments {
    /*
     * The problem: who only reads the files of a space cannot pin a version, and comes upon segments that have been used
     * again; then he has to read the state of now, which takes as long as opening, again and again while much is written.
     * The choice: he says since when there is the state that he reads (Leases). Segments that became free after that
     * are not used again for a while. That is a favour and no promise: readers verify all they read in any case, so
     * whatever is used again too soon costs them time and nothing else. So nobody waits here, and nothing here has to
     * be right.
     * The cost: without such readers, one look at the leases for the segments that become free together.
     *
     * H1  Held are maxBytes at most, and none longer than MAX_MILLIS; so whoever hangs, or has died, takes no more disk
     *     than that, and not for longer.
     * H2  Where there is no space, nothing is held, for MAX_MILLIS from then on.
     * H3  They go in the order in which they came.
     */
    static final long MAX_MILLIS = 60_000;

    private static final int TURNS = 64; // without news, until the leases are looked at again

    private record Held(int number, long since) {}

    private final IntConsumer becomesFree;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final ArrayDeque<Integer> fresh = new ArrayDeque<>();
    private Leases leases; // or null
    private int mostSegments;
    private int turns;
    private long nothingUntil = Long.MIN_VALUE;

    /** @param becomesFree takes the number of each that can be used again */
    LeasedSegments(IntConsumer becomesFree) {
        this.becomesFree = becomesFree;
    }

    /** Says whose wishes count, and for how many segments at most. */
    void honour(Leases newLeases, int newMostSegments) {
        leases = newLeases;
        mostSegments = newMostSegments;
    }

    /** Takes one that nobody of this process reads any more. To be followed by {@link #settle}. */
    void add(int number) {
        fresh.add(number);
    }

    /** Lets those go that nobody asks for, or has for too long. */
    void settle() {
        boolean isDue = !fresh.isEmpty() || !held.isEmpty() && ++turns >= TURNS;
        if (!isDue) {
            return;
        }
        turns = 0;
        long oldest = leases == null ? Leases.NONE : leases.oldest();
        long now = oldest == Leases.NONE ? 0 : leases.now();
        if (oldest == Leases.NONE || now < nothingUntil) {
            letAllGo();
            return;
        }
        while (!fresh.isEmpty()) {
            held.add(new Held(fresh.remove(), now));
        }
        while (!held.isEmpty() && !isWanted(held.peek(), oldest, now)) {
            becomesFree.accept(held.remove().number);
        }
    }

    /** Whether it was there when the oldest state was read, as far as H1 allows; a clock that jumps says nothing. */
    private boolean isWanted(Held first, long oldest, long now) {
        long age = now - first.since;
        return oldest <= first.since && age >= 0 && age < MAX_MILLIS && held.size() <= mostSegments;
    }

    private void letAllGo() {
        while (!held.isEmpty()) {
            becomesFree.accept(held.remove().number);
        }
        while (!fresh.isEmpty()) {
            becomesFree.accept(fresh.remove());
        }
    }

    /** Lets all go, and takes none for some time, since there is no space (H2). Returns whether there were any. */
    boolean giveUp() {
        if (held.isEmpty()) {
            return false;
        }
        nothingUntil = leases.now() + MAX_MILLIS;
        letAllGo();
        return true;
    }

    int count() {
        return held.size();
    }
}
