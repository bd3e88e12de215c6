package io.flexdb.internal.write;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Knows when nobody has written for a while, nor the space has changed, and has the index and directories saved then for
 * an opening after a kill. By the thread that commits.
 */
final class Rests {
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long MOST_NANOS_TO_RETRY = TimeUnit.HOURS.toNanos(1);
    private static final long BYTES_PER_SECOND = 1 << 20; // on average, of a store that rests again and again

    private final Consumer<Runnable> beforeNextWrite;
    private final LongSupplier lastWrite;
    private final LongSupplier nanoClock;
    private final Runnable beforeWrite = this::forget; // made at opening, as those of CommitThread
    private RestSaver saver; // null until it is known
    private boolean isWritten = true; // the space, since the last look
    private boolean isOver; // all is saved, or nothing can be or is worth it
    private long lastSeen;
    private long restsSince;
    private long notBefore;
    private long nanosToRetry = REST_NANOS; // an interrupted save may have written much

    /**
     * @param beforeNextWrite has something run before the space's files are written to, once
     * @param lastWrite the number of the last write, committed or not
     */
    Rests(Consumer<Runnable> beforeNextWrite, LongSupplier lastWrite, LongSupplier nanoClock) {
        this.beforeNextWrite = beforeNextWrite;
        this.lastWrite = lastWrite;
        this.nanoClock = nanoClock;
        this.notBefore = nanoClock.getAsLong();
    }

    /** Says who saves. Once, before the thread begins. */
    void serve(RestSaver newSaver) {
        saver = newSaver;
    }

    /** Whether it is time to save. */
    boolean isDue() {
        return nanosToNextLook() == 0;
    }

    /** How long to wait for that, if nothing is written meanwhile. */
    long nanosToNextLook() {
        long now = nanoClock.getAsLong();
        if (isWritten) {
            isWritten = false;
            isOver = false;
            restsSince = now;
            beforeNextWrite.accept(beforeWrite);
        }
        long last = lastWrite.getAsLong();
        if (last != lastSeen) {
            lastSeen = last;
            restsSince = now;
        }
        return isOver || saver == null ? Long.MAX_VALUE : Math.max(0, left(now));
    }

    private long left(long now) {
        return Math.max(restsSince + REST_NANOS - now, notBefore - now);
    }

    /** Saves if it is worth it, unless somebody has work for the thread meanwhile. */
    void saveIfWorthIt(BooleanSupplier isFree) {
        isOver = !saver.isWorthIt();
        if (!isOver) {
            save(isFree);
        }
    }

    /** Saves, unless somebody has work for the thread meanwhile. */
    void save(BooleanSupplier isFree) {
        long bytes = saver.save(isFree);
        long now = nanoClock.getAsLong();
        isOver = bytes != 0; // if it failed for want of room, it would take that again and again
        restsSince = now;
        nanosToRetry = bytes != 0 ? REST_NANOS : Math.min(2 * nanosToRetry, MOST_NANOS_TO_RETRY);
        notBefore = now + (bytes != 0 ? TimeUnit.SECONDS.toNanos(bytes / BYTES_PER_SECOND) : nanosToRetry);
        beforeNextWrite.accept(beforeWrite); // saving may have written to the space first
        isWritten = false;
    }

    /** Deletes what was saved, since something is about to be written. */
    void forget() {
        isWritten = true;
        if (saver != null) {
            saver.forget();
        }
    }
}
