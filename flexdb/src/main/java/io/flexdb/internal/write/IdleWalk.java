package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.IntervalCursor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Goes through all intervals while nobody uses the store, for the {@link Defragmenter}. By the thread that commits. */
final class IdleWalk {
    /*
     * Problem: intervals that nobody reads stay in pieces. Each piece takes an extent of the FlexTree, in memory, and a
     * read of its own from a disk once somebody comes. Choice: a store that nobody uses writes them anew.
     *
     * A walk begins only if there are some more extents than the walk before has left, or than there are intervals, so
     * that it costs what changes have asked for and not what is stored: an eighth as many as there are intervals. It
     * stops as soon as the store is used, and goes on once it rests again.
     */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int NEW_EXTENTS_SHARE = 8;

    private final SpaceEngine engine;
    private final LongSupplier uses;
    private final IntervalCursor at;
    private final EntryKey next = new EntryKey(); // the anchor to go on with
    private boolean isUnderWay;
    private long seenUses;
    private long usedAt; // when these were seen to have changed
    private long extentsLeft; // by the last walk
    private long
            coarseCount; // of intervals that the last walk could not do anything about, as they were not divided yet
    private long intervalsThen; // there were when it ended

    /**
     * @param uses how often the store was read and written; any number that stays the same while it is not
     * @param now by the clock
     */
    IdleWalk(Committer parts, LongSupplier uses, long now) {
        this.engine = parts.engine;
        this.uses = uses;
        this.at = parts.index.cursor();
        this.seenUses = uses.getAsLong();
        this.usedAt = now;
    }

    /** Whether to go on, or to begin. */
    boolean isWanted(IndexView index, long now) {
        return isIdle(now) && (isUnderWay || isWorthIt(index));
    }

    private boolean isIdle(long now) {
        long used = uses.getAsLong();
        if (used != seenUses) {
            seenUses = used;
            usedAt = now;
        }
        return now - usedAt >= IDLE_NANOS;
    }

    private boolean isWorthIt(IndexView index) {
        long intervals = index.intervalCount();
        if (coarseCount > 0 && intervals != intervalsThen) {
            return true;
        }
        long extents = engine.current().extentCount();
        extentsLeft = Math.min(extents, Math.max(extentsLeft, intervals));
        return extents - extentsLeft > intervals / NEW_EXTENTS_SHARE;
    }

    /** Begins, unless it is under way, and stands on the interval to look at. */
    IntervalCursor stand(IndexView index) {
        if (!isUnderWay) {
            isUnderWay = true;
            coarseCount = 0;
            next.makeRoom(0);
        }
        at.seek(index, next.bytes, 0, next.length);
        return at;
    }

    /** Goes to the next interval; the one it stood on may have become several. Returns false if it was the last one. */
    boolean next(IndexView index) {
        stand(index);
        coarseCount += at.isCoarse() ? 1 : 0;
        boolean found = at.next();
        if (found) {
            next.makeRoom(at.anchorLength());
            at.anchor(next.bytes);
        } else {
            end(index);
        }
        at.reset();
        return found;
    }

    private void end(IndexView index) {
        isUnderWay = false;
        intervalsThen = index.intervalCount();
        extentsLeft = engine.current().extentCount();
    }

    /** Ends a slice. Its own reads do not count as use; without room the walk ends where it is. */
    void worked(boolean room, IndexView index) {
        seenUses = uses.getAsLong();
        if (!room) {
            end(index);
        }
    }

    /** In how many nanoseconds it may go on, as far as is known; never if it is not under way. */
    long nanosLeft(long now) {
        return isUnderWay ? Math.max(1, usedAt + IDLE_NANOS - now) : Long.MAX_VALUE;
    }
}
