package io.flexdb.internal.write;

import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.storage.StoreMemoryException;
import java.util.function.LongSupplier;

/**
 * Makes the filters of intervals that have none, once somebody has asked for them: after a store was opened that had
 * not been closed with them, and where intervals have become others without their keys being read. By the thread that
 * commits, while it has nothing else to do, in slices, and for a fourth of the time.
 */
public final class FilterBuilder {
    /*
     * Filters that were asked for come first. If many are missing the others follow, one interval after the other from
     * the beginning to the end: later reads will probably ask for them, too, and only a few requests can be noted. A
     * round that has made none, for want of memory, is the last one.
     */
    private static final int AT_ONCE = 16;
    private static final int LOOKED_AT_AT_ONCE = 1024; // to find them
    private static final int MISSING_SHARE = 8; // one in so many intervals is worth a round
    private static final int REST_FACTOR = 3; // of the time that a slice took

    private final Committer parts; // has what this works with
    private final RangeFilters filters; // null if there are none
    private final TouchedIntervals unfiltered;
    private final LongSupplier nanoClock;
    private final EntryKey key = new EntryKey();
    private final IntervalCursor at;
    private long due;
    private boolean goesRound;
    private long nextOffset; // in the round
    private int madeInRound = 1; // or in the last one
    private long unwantedInRound;
    private long unwanted; // intervals in the last whole round: their keyspaces have no filter

    FilterBuilder(Committer parts, RangeFilters filters, TouchedIntervals unfiltered, LongSupplier nanoClock) {
        this.parts = parts;
        this.filters = filters;
        this.unfiltered = unfiltered;
        this.nanoClock = nanoClock;
        this.at = parts.index.cursor();
        this.due = nanoClock.getAsLong();
        if (filters == null) {
            unfiltered.end();
        }
    }

    /** Whether there is something to do now. */
    public boolean isDue() {
        return isWanted() && nanoClock.getAsLong() - due >= 0;
    }

    /** How long to wait before asking again, if there is something to do. */
    long nanosToNextLook() {
        return isWanted() ? Math.max(1, due - nanoClock.getAsLong()) : Long.MAX_VALUE;
    }

    private boolean isWanted() {
        return goesRound || !unfiltered.isEmpty();
    }

    /** Makes some. */
    void buildSome() {
        long start = nanoClock.getAsLong();
        int tried = 0;
        for (long offset = unfiltered.poll(); offset >= 0; offset = unfiltered.poll()) {
            build(offset);
            if (++tried == AT_ONCE) {
                break;
            }
        }
        if (tried > 0 && !goesRound && madeInRound > 0 && areManyMissing()) {
            goesRound = true;
            nextOffset = 0;
            unwantedInRound = 0;
            madeInRound = 0;
        }
        for (int looked = 0; goesRound && tried < AT_ONCE && looked < LOOKED_AT_AT_ONCE; looked++) {
            tried += buildNext();
        }
        parts.shrink();
        long now = nanoClock.getAsLong();
        due = now + REST_FACTOR * (now - start);
    }

    private boolean areManyMissing() {
        long intervals = parts.index.intervalCount();
        if (unwanted > intervals) {
            unwanted = 0; // keyspaces have gone since
        }
        return (intervals - unwanted - filters.count()) * MISSING_SHARE > intervals;
    }

    /** Returns 1 if the next interval of the round had no filter, else 0. */
    private int buildNext() {
        IndexView index = parts.index.current();
        if (nextOffset >= index.totalBytes()) {
            goesRound = false;
            unwanted = unwantedInRound;
            return 0;
        }
        at.seekOffset(index, nextOffset);
        long offset = nextOffset;
        boolean isWanted = filters.isWanted(at);
        boolean has = !isWanted || filters.has(at.contentNumber());
        unwantedInRound += isWanted ? 0 : 1;
        nextOffset = at.logicalOffset() + Math.max(1, at.lengthBytes());
        at.reset();
        if (has) {
            return 0;
        }
        int before = filters.count();
        build(offset);
        madeInRound += filters.count() - before;
        return 1;
    }

    /** Makes all, whether asked for or not. On the caller's thread, in stores without threads. */
    void buildAll() {
        if (filters == null) {
            return;
        }
        IndexView index = parts.index.current();
        for (long offset = 0; offset < index.totalBytes(); ) {
            build(offset);
            at.seekOffset(index, offset);
            offset = at.logicalOffset() + Math.max(1, at.lengthBytes());
            at.reset();
        }
        parts.shrink();
    }

    private void build(long logicalOffset) {
        IndexView index = parts.index.current();
        if (logicalOffset >= index.totalBytes()) {
            return;
        }
        filters.learn(parts.index);
        at.seekOffset(index, logicalOffset);
        key.makeRoom(at.anchorLength());
        at.anchor(key.bytes);
        boolean isWanted = filters.isWanted(at);
        at.reset();
        if (!isWanted) {
            return;
        }
        Interval interval = parts.context.interval;
        parts.index.find(index, key.bytes, 0, key.length, interval);
        if (interval.lengthBytes() == 0 || interval.isCoarse() || filters.has(interval.contentNumber())) {
            return;
        }
        int ticket = parts.epochs.enter();
        try {
            parts.readKeys();
            IntervalEditor editor = parts.editor;
            editor.content.merge(editor.old, editor.none, true, parts.reclaiming);
            editor.filters.make(editor.content, interval);
        } catch (UnreadableException | OutOfMemoryError | StoreMemoryException e) {
            return; // a read of it reports that
        } finally {
            parts.epochs.exit(ticket);
        }
    }

    @Override
    public String toString() {
        return "FilterBuilder[" + filters + "]";
    }
}
