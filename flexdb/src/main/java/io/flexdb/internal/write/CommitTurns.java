package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import java.util.function.LongSupplier;

/** Has the commit thread and writers take turns on a processor that are shorter than those of the system. */
public final class CommitTurns {
    /*
     * The problem: where there are no more processors than threads that write, the system lets each thread run for some
     * milliseconds at a time. A commit takes a large part of a processor, so one write in a few hundred met such a turn
     * of it and took as long, and so did all writes that waited for that write's lock or number.
     *
     * The choice: both give way long before the system has them to. The commit thread yields after a short turn. If
     * others had the processor then, its next turn is as long as it was without, within a bound: so a commit goes on at
     * a good pace beside threads that don't give the processor back soon, readers for example. A writer who sees that a
     * commit has not run for a while parks for a moment, which it may use. If the commit waits for the disk, for
     * example, parking does not help; so in one stop of a commit only a few writes park.
     *
     * Writers who park, for that or in a write stall (WritePacer), have no use for the processor: a yield would give it
     * to others, and the writers would wait for longer. So the commit thread goes on then.
     *
     * If processors are free a yield returns at once, and no commit stands still.
     */
    static final long TURN_NANOS = 50_000;
    static final long MAX_TURN_NANOS = 500_000;
    static final long STOP_NANOS = 200_000;
    static final int MAX_PARKS = 8;
    static final long HELD_NANOS = 200_000;
    private static final long PARK_NANOS = 50_000;

    private final LongSupplier clock;
    private final Runnable yield;
    private final Runnable park;
    private long turnEnds; // by the commit thread
    private volatile long lastSeen; // at work, by the clock, which the commit thread writes; 0 while it is not at work
    private volatile long held; // when a writer was held back last, by the clock; 0 if none was
    private volatile int parks; // since it was last seen at work; roughly, as the last writer wins

    CommitTurns() {
        this(System::nanoTime, Thread::yield, () -> Pause.nanos(PARK_NANOS));
    }

    CommitTurns(LongSupplier clock, Runnable yield, Runnable park) {
        this.clock = clock;
        this.yield = yield;
        this.park = park;
    }

    /** Begins work that takes long. By the commit thread, as the next two. */
    void begin() {
        long now = clock.getAsLong();
        turnEnds = now + TURN_NANOS;
        seen(now);
    }

    /** Ends it. */
    void end() {
        lastSeen = 0;
    }

    /** To be called every few microseconds of the work, with nothing held that others wait for. Else does nothing. */
    void pass() {
        if (lastSeen == 0) {
            return;
        }
        long now = clock.getAsLong();
        if (now - turnEnds >= 0) {
            long before = now;
            if (!areHeldBack(now)) {
                yield.run();
                now = clock.getAsLong();
            }
            turnEnds = now + Math.min(MAX_TURN_NANOS, Math.max(TURN_NANOS, now - before));
        }
        seen(now);
    }

    private boolean areHeldBack(long now) {
        long last = held;
        return last != 0 && now - last < HELD_NANOS;
    }

    /** A writer waits for the commit to get on. To be called again and again while it does. */
    public void heldBack() {
        held = clock.getAsLong() | 1; // never 0
    }

    private void seen(long now) {
        lastSeen = now | 1; // never 0
        if (parks != 0) {
            parks = 0;
        }
    }

    /** Waits a moment if the commit thread is at work but has not run for a while. By writers, with nothing held. */
    public void giveWay() {
        long seen = lastSeen;
        if (seen == 0) {
            return;
        }
        int before = parks;
        if (before < MAX_PARKS && clock.getAsLong() - seen >= STOP_NANOS) {
            parks = before + 1;
            heldBack();
            park.run();
        }
    }
}
