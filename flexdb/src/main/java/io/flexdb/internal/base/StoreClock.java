package io.flexdb.internal.base;

import java.time.Clock;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time of a store, in milliseconds since 1970. It follows the user's clock, but never goes back, and one wrong
 * reading does not count for long. Thread-safe.
 */
public final class StoreClock {
    /*
     * An expired pair must not come back while the store is open, whatever the clock does: it may be reclaimed already,
     * or not. The store therefore keeps the latest time that anybody has seen, and never gives an earlier one. It is
     * written once a millisecond at most.
     *
     * A clock that was ahead and goes back must not stop the time until it has caught up: a pair that lives for 200 ms
     * would live as long as that. The store's time is therefore the clock's reading plus a lead, and passes as the
     * clock passes.
     *
     * T1  The time never goes back.
     * T2  If the clock goes back by more than STEP_MILLIS, the store is ahead of it by as much. By less, the time stands
     *     still until the clock has caught up.
     * T3  The system's clock is held against the one that measures how much time has passed. If it goes ahead of that,
     *     it is believed when it has been ahead for as long as it has gone, and for BELIEVED_MILLIS at most; until then
     *     time goes by what has passed. A short excursion therefore has no effect, and nothing expires early by it. The
     *     measuring clock may stand still while a machine is suspended, so a clock that has gone ahead need not be
     *     wrong.
     * T4  A user's own clock is believed at once when it goes ahead: a user who sets a clock means it. A step over more
     *     than half of what the store is ahead is not time that has passed, but the way back from an excursion.
     * T5  The store's lead shrinks by a thousandth of the time that passes.
     * T6  A mark of the time stays on disk, so that a store whose clock was wrong when it was closed goes on from there.
     *
     * T7  A user's own clock is foreign code, and is not asked in a short read. A read that may need the time asks
     *     before, and goes by that answer. The system's clock is asked where it is needed, as most reads need none.
     *
     * Mostly a reading is less than a second later than the anchor, the reading that was last checked, and less than
     * two seconds have passed since. Such a reading is good as it is. Both clocks are asked: a clock that has gone back
     * by the time that has passed shows the anchor's time again.
     */
    /**
     * The highest reading that counts: the end of the year 9999. Higher ones count as this one. By a measured clock the
     * time goes on behind it.
     */
    static final long MAX_READING = 253_402_300_799_999L;

    static final long STEP_MILLIS = 1000;
    static final long BELIEVED_MILLIS = 60_000;
    static final long MARK_MILLIS = 60_000; // how old a mark may get
    private static final long MIN_READING = -(1L << 62);
    private static final int SLOWER = 1000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** A reading that was looked at. */
    private record Anchor(long reading, long nanos, long ahead) {
        long time() {
            return reading + ahead;
        }
    }

    private static final LongBinaryOperator LARGER = Math::max;

    private final InstantSource source;
    private final LongSupplier nanoClock; // null if the source is taken at its word
    private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);
    private volatile Anchor anchor; // null before the first reading; written under the lock
    private boolean isAhead; // of what has passed, and not believed yet; under the lock, as is the next
    private long aheadSince; // in nanoseconds
    private volatile long reclaimed = Long.MIN_VALUE; // what has expired by then may be
    private volatile boolean isWritten; // times that were given are on disk, or will be
    private final Object markLock = new Object(); // for the mark alone: a disk is slow, and now() must not wait for it
    private long marked = Long.MIN_VALUE; // under the mark's lock, as is the next
    private LongConsumer keeper = time -> {};

    /** The time of a clock, which is held against {@link System#nanoTime} if it is the system's. */
    public StoreClock(InstantSource source) {
        this(source, isOfSystem(source) ? System::nanoTime : null);
    }

    /** @param nanoClock measures how much time has passed; null to take the source at its word */
    StoreClock(InstantSource source, LongSupplier nanoClock) {
        this.source = source;
        this.nanoClock = nanoClock;
    }

    private static boolean isOfSystem(InstantSource source) {
        return source instanceof Clock clock
                ? clock.equals(Clock.system(clock.getZone()))
                : source.equals(InstantSource.system());
    }

    /** Whether readings are checked against the time that passes. */
    boolean isMeasured() {
        return nanoClock != null;
    }

    /** The time, not less than any before. */
    public long now() {
        long reading = Math.max(MIN_READING, Math.min(MAX_READING, source.millis()));
        Anchor last = anchor;
        if (last != null && reading >= last.reading && reading - last.reading < STEP_MILLIS && isRecent(last)) {
            return notBefore(reading + last.ahead);
        }
        return notBefore(look(reading));
    }

    private boolean isRecent(Anchor last) {
        return nanoClock == null || nanoClock.getAsLong() - last.nanos < 2 * STEP_MILLIS * NANOS_PER_MILLI;
    }

    private long notBefore(long time) {
        long last = latest.get();
        return time <= last ? last : latest.accumulateAndGet(time, LARGER);
    }

    /** The time that a reading stands for, if it is not within a second of the anchor. */
    private synchronized long look(long reading) {
        long nanos = nanoClock == null ? 0 : nanoClock.getAsLong();
        Anchor last = anchor;
        if (last == null) {
            return anchor(reading, nanos, Math.max(reading, latest.get()) - reading); // from a mark on
        }
        return nanoClock == null ? follow(last, reading) : follow(last, reading, nanos);
    }

    private long anchor(long reading, long nanos, long ahead) {
        anchor = new Anchor(reading, nanos, ahead);
        return reading + ahead;
    }

    /** Whether the clock is the user's own, and must not be asked in a short read (T7). */
    public boolean isForeign() {
        return nanoClock == null;
    }

    /** The time by a clock that is believed at once. */
    private long follow(Anchor last, long reading) {
        long passed = reading - last.reading;
        if (passed < 0) {
            return passed >= -STEP_MILLIS ? last.time() : anchor(reading, 0, latest.get() - reading); // T2
        }
        boolean isWayBack = passed > last.ahead / 2; // T4
        return anchor(reading, 0, Math.max(0, last.ahead - (isWayBack ? passed : passed / SLOWER)));
    }

    /** The time by a clock that is checked against a measuring one. */
    private long follow(Anchor last, long reading, long nanos) {
        long passed = Math.max(0, (nanos - last.nanos) / NANOS_PER_MILLI);
        long expected = last.time() + passed;
        long tolerance = STEP_MILLIS + passed / SLOWER;
        long excess = reading - expected;
        if (excess > tolerance) { // T3
            if (!isAhead) {
                isAhead = true;
                aheadSince = nanos;
            }
            if ((nanos - aheadSince) / NANOS_PER_MILLI < Math.min(excess, BELIEVED_MILLIS)) {
                return expected;
            }
        }
        isAhead = false;
        boolean agrees = Math.abs(reading + last.ahead - expected) <= tolerance;
        return anchor(reading, nanos, Math.max(0, agrees ? last.ahead - passed / SLOWER : expected - reading));
    }

    /** The time, or the latest known time if the clock fails: work under way must not stop. */
    public long nowOrLatest() {
        try {
            return now();
        } catch (Throwable e) { // of whatever kind: the clock fails, not this store
            return latest.get();
        }
    }

    /**
     * Takes a time. Pairs that have expired by then may be reclaimed from now on, and operands that were made before it
     * must not be written any more. By one thread.
     */
    public long beginReclaiming() {
        reclaimed = nowOrLatest();
        return reclaimed;
    }

    /** The earliest time that an operand may have. */
    public long reclaimed() {
        return reclaimed;
    }

    /** A time so much later, or the last one there is before {@link Long#MAX_VALUE}, which means never. */
    public static long later(long now, long millis) {
        return millis >= Long.MAX_VALUE - Math.max(0, now) ? Long.MAX_VALUE - 1 : now + millis;
    }

    // ---- T6

    /**
     * Has the time begin no earlier than at a mark that was kept. Before anybody asks for it.
     *
     * @param newKeeper keeps a mark, which is above 0
     */
    public void beginAt(long mark, LongConsumer newKeeper) {
        synchronized (markLock) {
            marked = mark;
            keeper = newKeeper;
        }
        if (mark > latest.get()) {
            latest.set(mark);
            nowOrLatest(); // time that passes from here on counts
        }
    }

    /** The time for what is to be written. */
    public long nowToWrite() {
        long time = now();
        if (!isWritten) {
            isWritten = true;
        }
        return time;
    }

    /** Whether there may be pairs that expire. */
    public boolean mayHaveTimes() {
        synchronized (markLock) {
            return isWritten || marked > 0;
        }
    }

    /** Keeps a mark if times were written, and the last one is so old. */
    public void keepMark() {
        keepMark(MARK_MILLIS);
    }

    /** Keeps the last mark. */
    public void keepLastMark() {
        keepMark(1);
    }

    private void keepMark(long age) {
        synchronized (markLock) {
            long time = latest.get();
            if (isWritten && time > 0 && time - Math.max(0, marked) >= age) {
                keeper.accept(time);
                marked = time;
            }
        }
    }
}
