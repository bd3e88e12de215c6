package io.flexdb.internal.write;

import io.flexdb.internal.interval.IntervalCursor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Removes expired pairs from the space, whether anybody writes beside them or not. By the thread that commits. */
final class Sweeper {
    /*
     * Problem: only the end of each pair is known, and only when the pair is read. To look at all pairs again and again
     * costs too much, and to know the end of each takes too much memory. Choice: the committer counts how many bytes
     * expire when, and among which keys (Expiries). Once expired pairs are a good part of their range, one sweep goes
     * through that range, interval by interval, and writes those anew of which a good part has expired. So it reads
     * some times the bytes that it frees, and expired pairs take about a third of the space of live ones.
     *
     * After an opening nothing is counted yet, and of a bulk load nothing is: the first sweep counts.
     *
     * It works in slices, and rests after each for some times as long as that took. So it takes a part of the thread
     * even while one commit follows the other.
     */
    private static final int SHARE = 4; // one such part of the range, or of an interval, is worth it
    private static final int REST_FACTOR = 3; // of the time that a slice took
    private static final int REST_FACTOR_TO_COUNT = 9;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Committer parts; // has what this works with
    private final Compactor compactor;
    private final Expiries expiries;
    private final LongSupplier nanoClock;
    private final IntervalCursor at;
    private final Expiries.Part uncounted = new Expiries.Part();
    private byte[] next; // where the sweep under way goes on; null if there is none
    private byte[] end; // of it; null for no end
    private boolean counts; // it does
    private long due; // when to look, or to go on

    Sweeper(Committer parts, Compactor compactor, LongSupplier nanoClock) {
        this.parts = parts;
        this.compactor = compactor;
        this.expiries = parts.expiries;
        this.nanoClock = nanoClock;
        this.at = parts.index.cursor();
        this.due = nanoClock.getAsLong();
    }

    /** Says that pairs are in a range of which nobody has counted when they expire. */
    void count(byte[] from, byte[] to) {
        uncounted.addRange(from, to);
    }

    /** Whether it is time to look, or to go on. */
    boolean isDue() {
        return hasWork() && nanoClock.getAsLong() - due >= 0;
    }

    /** How long to wait, if nothing else comes, before asking again. */
    long nanosToNextLook() {
        return hasWork() ? Math.max(1, due - nanoClock.getAsLong()) : Long.MAX_VALUE;
    }

    private boolean hasWork() {
        return next != null || !uncounted.isEmpty() || !expiries.isEmpty();
    }

    /** Whether a sweep is under way, which begins if it is worth it. */
    boolean begin(long now) {
        if (next == null && now != Long.MIN_VALUE) { // while a store is recovered
            Expiries.Part expired = expiries.due(now);
            counts = !uncounted.isEmpty();
            if (counts) {
                begin(uncounted);
            } else if (isWorthIt(expired)) {
                begin(expired);
            } else {
                due = nanoClock.getAsLong() + LOOK_NANOS;
            }
        }
        return next != null && now != Long.MIN_VALUE;
    }

    private void begin(Expiries.Part part) {
        next = part.from;
        end = part.to;
        part.clear();
    }

    private boolean isWorthIt(Expiries.Part expired) {
        return !expired.isEmpty()
                && expired.bytes >= parts.engine.segmentBytes() / 2
                && expired.bytes * SHARE >= offset(expired.to) - offset(expired.from);
    }

    private long offset(byte[] key) {
        if (key == null) {
            return parts.index.current().totalBytes();
        }
        at.seek(parts.index.current(), key, 0, key.length);
        long offset = at.logicalOffset();
        at.reset();
        return offset;
    }

    /** Goes on with the sweep; returns whether it has ended. */
    boolean sweepSome(long now, Runnable publish) {
        long start = nanoClock.getAsLong();
        Compactor.Step step = compactor.sweepSome(next, end, SHARE, counts ? now : Long.MIN_VALUE, publish);
        if (step.refusal() != null) { // later there may be room
            uncounted.addRange(step.next(), end);
            due = nanoClock.getAsLong() + TimeUnit.SECONDS.toNanos(1);
            next = null;
            return true;
        }
        next = step.next();
        long took = nanoClock.getAsLong() - start;
        due = start + took * (1 + (counts ? REST_FACTOR_TO_COUNT : REST_FACTOR));
        return next == null;
    }

    @Override
    public String toString() {
        return "Sweeper[" + expiries + "]";
    }
}
