package io.flexdb.internal.commit;

import io.flexdb.internal.filter.RangeFilters;
import io.flexdb.internal.index.IndexView;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.IntervalRef;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.storage.StoreMemoryException;
import java.util.function.LongSupplier;

/**
 * Makes the filters of intervals that have none, once somebody has asked for them: after the store was opened, and where
 * intervals have become others without their keys being read. By the thread that commits, while it has nothing else to
 * do, in slices, and for a fourth of the time.
 */
public final class FilterBuilder {
    private static final int AT_ONCE = 16;
    private static final int REST_FACTOR = 3; // of the time that a slice took

    private final Committer parts; // has what this works with
    private final RangeFilters filters; // null if there are none
    private final TouchedIntervals unfiltered;
    private final LongSupplier nanoClock;
    private final GatheredEntries none = new GatheredEntries();
    private final EntryKey key = new EntryKey();
    private final IntervalCursor at;
    private long due;

    FilterBuilder(Committer parts, RangeFilters filters, TouchedIntervals unfiltered, LongSupplier nanoClock) {
        this.parts = parts;
        this.filters = filters;
        this.unfiltered = unfiltered;
        this.nanoClock = nanoClock;
        this.at = parts.index.cursor();
        this.due = nanoClock.getAsLong();
        none.reset(Committer.NO_TABLES);
        if (filters == null) {
            unfiltered.end();
        }
    }

    /** Whether there is something to do now. */
    public boolean isDue() {
        return !unfiltered.isEmpty() && nanoClock.getAsLong() - due >= 0;
    }

    /** How long to wait before asking again, if there is something to do. */
    long nanosToNextLook() {
        return unfiltered.isEmpty() ? Long.MAX_VALUE : Math.max(1, due - nanoClock.getAsLong());
    }

    /** Makes some. */
    void buildSome() {
        long start = nanoClock.getAsLong();
        for (int i = 0; i < AT_ONCE; i++) {
            long offset = unfiltered.poll();
            if (offset < 0) {
                break;
            }
            build(offset);
        }
        parts.shrink();
        long now = nanoClock.getAsLong();
        due = now + REST_FACTOR * (now - start);
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
        at.copyAnchor(key.bytes);
        at.reset();
        IntervalRef interval = parts.context.interval;
        parts.index.find(index, key.bytes, 0, key.length, interval);
        if (interval.lengthBytes() == 0
                || IntervalBounds.isCoarse(interval.lengthBytes(), interval.pairCount())
                || filters.has(interval.contentNumber())) {
            return;
        }
        int ticket = parts.epochs.enter();
        try {
            parts.old.readImage(parts.engine.current());
            parts.content.merge(parts.old, none, true, parts.reclaiming);
            parts.filterWriter.make(parts.content, interval);
        } catch (UnreadableException | OutOfMemoryError | StoreMemoryException e) {
            return; // who reads it is told
        } finally {
            parts.epochs.exit(ticket);
        }
    }

    @Override
    public String toString() {
        return "FilterBuilder[" + filters + "]";
    }
}
