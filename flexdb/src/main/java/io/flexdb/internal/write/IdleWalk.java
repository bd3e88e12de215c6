package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.read.StoreVersions;
import java.util.concurrent.TimeUnit;

/** Goes through all intervals while nobody uses the store, for the {@link Defragmenter}. By the thread that commits. */
final class IdleWalk {
    /*
     * Problem: intervals that nobody reads stay in pieces. Each piece takes an extent of the FlexTree, in memory, and a
     * read of its own from a disk once somebody comes. Choice: a store that nobody uses writes them anew.
     *
     * A walk begins only if there are some more extents than the walk before has left, or than there are intervals, so
     * that it costs what changes have asked for and not what is stored: an eighth as many as there are intervals. Once
     * all intervals are divided that a crash has left too large, there is one more.
     *
     * Intervals stay the same ones. So the cache keeps what it has of them, and gets nothing that nobody reads.
     *
     * It stops as soon as the store is used, and goes on once it rests again. While a snapshot, a cursor or a
     * transaction is open, or a check or a copy under way, it waits, for what it replaces would be kept for them: in
     * the file, and as nodes in memory, for which holders are ended at last. It also waits for who follows the files
     * and has asked for time, since it would replace what he reads.
     */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NANOS = IDLE_NANOS / 10;
    private static final int NEW_EXTENTS_SHARE = 8;
    private static final long MOST_RETIRED_BYTES =
            16 << 20; // of nodes, for whoever holds a version without being named

    private final SpaceEngine engine;
    private final Intervals intervals;
    private final StoreVersions versions;
    private final IntervalCursor at;
    private final ExtentCursor extents = new ExtentCursor();
    private final EntryKey next = new EntryKey(); // the anchor to go on with
    private boolean isUnderWay;
    private boolean isHeld; // as of the next
    private long lookedAt;
    private boolean isLeased; // as of the next
    private long leasesLookedAt;
    private long seenSequence;
    private long usedAt; // when a use was seen, or there was no room
    private long extentsPassed; // of the intervals that the walk has passed
    private long extentsLeft; // by the last walk
    private boolean leftCoarse; // intervals that are still to be divided

    /** @param now by the clock */
    IdleWalk(Committer parts, StoreVersions versions, long now) {
        this.engine = parts.engine;
        this.intervals = parts.intervals;
        this.versions = versions;
        this.at = parts.index.cursor();
        this.usedAt = now;
        this.leasesLookedAt = now - LOOK_NANOS;
    }

    /**
     * Whether to go on, or to begin, unless {@linkplain #mayGoOn somebody is in the way}. Looks at memory alone: writers
     * wait for whoever asks this.
     */
    boolean isWanted(long now) {
        boolean waits = isHeld && now - lookedAt < LOOK_NANOS;
        return isIdle(now) && !waits && (isUnderWay || isWorthIt());
    }

    /**
     * Whether nobody is in the way; if somebody is, it waits for a while. Ends what nobody has any more, and may read
     * the store's directory: so not under a lock.
     */
    boolean mayGoOn(long now) {
        lookedAt = now;
        try {
            isHeld = isHeldNow() || isLeased(now);
        } catch (OutOfMemoryError e) { // the heap is full, which is no reason to fail a store that nobody uses
            isHeld = true;
        }
        return !isHeld;
    }

    private boolean isIdle(long now) {
        if (now - usedAt < LOOK_NANOS) { // or readers would write what they share each time that the thread wakes up
            return false;
        }
        long sequence = versions.visibleSequence();
        if (versions.takeRead() || sequence != seenSequence) {
            seenSequence = sequence;
            usedAt = now;
        }
        return now - usedAt >= IDLE_NANOS;
    }

    private boolean isWorthIt() {
        if (leftCoarse && intervals.coarseCount() == 0) {
            return true;
        }
        long count = intervals.index.intervalCount();
        long extentCount = engine.current().extentCount();
        extentsLeft = Math.min(extentCount, Math.max(extentsLeft, count));
        return extentCount - extentsLeft > count / NEW_EXTENTS_SHARE;
    }

    private boolean isHeldNow() {
        if (versions.retiredNodeBytes() > MOST_RETIRED_BYTES) {
            versions.reclaim();
        }
        if (versions.holders.areAny()) {
            versions.holders.takeBackLost(); // nobody else does while the store rests
        }
        return versions.holders.areAny() || versions.retiredNodeBytes() > MOST_RETIRED_BYTES;
    }

    private boolean isLeased(long now) {
        if (now - leasesLookedAt >= LOOK_NANOS) { // for each look lists the store's directory
            leasesLookedAt = now;
            isLeased = engine.isLeased();
        }
        return isLeased;
    }

    /** Begins, unless it is under way, and stands on the interval to look at. */
    IntervalCursor stand(IndexView index) {
        if (!isUnderWay) {
            isUnderWay = true;
            extentsPassed = 0;
            next.makeRoom(0);
        }
        at.seek(index, next.bytes, 0, next.length);
        return at;
    }

    /**
     * Goes to the next interval; the one it stood on may have become several. Returns false, and has ended, if it was
     * the last one.
     *
     * @throws OutOfMemoryError if there is none for the next one's anchor; it stands where it stood
     */
    boolean next(IndexView index) {
        stand(index);
        int extentsHere = extentsThatBeginThere();
        boolean found = at.next();
        if (found) {
            next.makeRoom(at.anchorLength());
            at.anchor(next.bytes);
            extentsPassed += extentsHere;
        } else {
            isUnderWay = false;
            extentsLeft = extentsPassed + extentsHere;
            leftCoarse = intervals.coarseCount() > 0;
        }
        at.reset();
        return found;
    }

    private int extentsThatBeginThere() {
        long begin = at.logicalOffset();
        long end = begin + at.lengthBytes();
        int count = 0;
        extents.reset(engine.current());
        for (boolean found = extents.seek(begin); found && extents.logicalOffset() < end; found = extents.next()) {
            count += extents.logicalOffset() >= begin ? 1 : 0;
        }
        return count;
    }

    /** There was no room, or no memory, for the interval that it stands on: it goes on there after a while. */
    void waitForRoom(long now) {
        usedAt = now;
    }

    /** In how many nanoseconds it may go on, as far as is known; never if it is not under way, or waits for others. */
    long nanosLeft(long now) {
        return isUnderWay && !isHeld ? Math.max(1, usedAt + IDLE_NANOS - now) : Long.MAX_VALUE;
    }
}
