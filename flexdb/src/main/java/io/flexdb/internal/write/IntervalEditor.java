package io.flexdb.internal.write;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bench at which an interval is changed, by whoever commits, compacts or defragments: has the pairs that it had, what
 * becomes of them, and the intervals that this makes; and puts these into the space, the index and the cache. For one
 * thread.
 */
final class IntervalEditor {
    /*
     * I1  Every extent that does not begin with a pair carries the flag RecordFormat.CONTINUATION, and each change to
     *     the space is a group of whole pairs, so that after any prefix of the log the space is a sequence of whole
     *     pairs (O7).
     */
    static final int NO_STITCHES = Integer.MAX_VALUE; // a threshold

    private final Epochs epochs;
    private final SpaceEngine engine;
    private final Intervals intervals;
    final OldPairs old;
    final MergedContent content;
    final NewIntervals parts;
    final FilterWriter filters; // or null
    final GatheredEntries none = new GatheredEntries();
    private final Reclaiming nothingExpires = new Reclaiming();
    private final Stitches stitches = new Stitches();
    private final ByteBuffer directory = ByteBuffer.allocateDirect(
                    Directory.bytes(Integer.MAX_VALUE, Interval.MAX_PAIRS))
            .order(ByteOrder.LITTLE_ENDIAN);

    /**
     * @param epochs for directories, which lie in the cache
     * @param filters null if there are none
     */
    IntervalEditor(
            Epochs epochs,
            SpaceEngine engine,
            Intervals intervals,
            OldPairs old,
            MergedContent content,
            FilterWriter filters) {
        this.epochs = epochs;
        this.engine = engine;
        this.intervals = intervals;
        this.old = old;
        this.content = content;
        this.parts = new NewIntervals(intervals);
        this.filters = filters;
        none.reset(Committer.NO_TABLES);
    }

    // ---- the content, which changes nothing yet

    /**
     * Makes the content of all pairs of the context's interval but for those that have expired, to be written anew.
     *
     * @throws OutOfMemoryError if there is no memory for it, or for its index
     * @throws StoreMemoryException likewise
     */
    void prepareAnew(Interval interval, Reclaiming reclaiming) {
        int ticket = epochs.enter();
        try {
            old.read(engine.current(), true);
            content.merge(old, none, false, reclaiming); // with its keys, so the filter is made anew
            parts.divide(content, interval);
            ensureIndex();
        } finally {
            epochs.exit(ticket);
        }
    }

    /**
     * Makes the content of all pairs of the context's interval, to be {@linkplain #move moved}.
     *
     * @throws OutOfMemoryError if there is no memory for it
     * @throws StoreMemoryException likewise
     */
    void prepareMove() {
        int ticket = epochs.enter();
        try {
            old.read(engine.current(), false);
            content.merge(old, none, false, nothingExpires);
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Makes the content of the pairs read of the context's interval, less some that follow each other. In an epoch. */
    void prepareCut(Interval interval, int first, int end) {
        if (filters != null) {
            filters.change.beginAll(0, 0); // nobody knows which keys go
        }
        content.cut(old, first, end);
        if (!content.haveKeys() && areDivided()) {
            old.read(engine.current(), true); // for the keys
            content.cut(old, first, end);
        }
        parts.divide(content, interval);
    }

    /** Whether the content makes more than one interval. */
    boolean areDivided() {
        return Interval.areDivided(content.pairs(), content.bytes());
    }

    /** Has the index have memory for the new intervals. */
    void ensureIndex() {
        intervals.index.ensure(parts.count(), parts.replacement.anchorBytes());
    }

    // ---- the change

    /** Puts the content in the place of that of an interval, all of it anew or all of it in place. */
    void replace(EntryKey key, Interval interval) {
        replace(key, interval, intervals.cache.contains(interval.contentNumber()), NO_STITCHES);
    }

    /**
     * Puts the content in the place of that of an interval.
     *
     * @param key one of its keys
     * @param referenced whether the interval is of those that are read
     * @param stitchingThreshold from how many bytes on unchanged pairs that lie together stay there, unless all do
     */
    void replace(EntryKey key, Interval interval, boolean referenced, int stitchingThreshold) {
        engine.beginGroup();
        if (content.isInPlace()) {
            replaceInSpace(interval.logicalOffset());
        } else {
            rewrite(interval.logicalOffset(), (int) interval.lengthBytes(), stitchingThreshold);
        }
        replaceInIndex(key, interval, referenced);
        engine.endGroup();
    }

    /**
     * Writes the content of an interval anew, which stays the same one, with what the cache has of it: only the places
     * in its directory are others.
     */
    void move(Interval interval) {
        engine.beginGroup();
        rewrite(interval.logicalOffset(), (int) interval.lengthBytes(), NO_STITCHES);
        engine.endGroup();
        int ticket = epochs.enter();
        try {
            intervals.cache.setAddresses(interval.contentNumber(), content.directory());
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Removes the intervals that were found to follow that of a key, with all they have. */
    void removeFollowing() {
        engine.beginGroup();
        if (intervals.followingBytes() > 0) {
            engine.collapse(intervals.followingOffset(), intervals.followingBytes());
        }
        intervals.removeFollowing();
        engine.endGroup();
    }

    // ---- the space

    private void replaceInSpace(long intervalOffset) {
        for (int i = 0; i < content.changeCount(); i++) {
            ContentChange change = content.change(i);
            long logicalOffset = intervalOffset + change.start;
            long address = change.isLarge() ? link(logicalOffset, change) : replaceInSpace(logicalOffset, change);
            if (change.addedPair >= 0) {
                content.directory().setAddresses(change.addedPair, change.addedPair + 1, address);
            }
        }
    }

    /** One pair's change: nothing, or a pair, in the place of another pair, or of nothing. Returns its address. */
    private long replaceInSpace(long logicalOffset, ContentChange change) {
        int bytes = change.addedBytes;
        if (change.removedBytes == bytes && bytes <= engine.maxExtentBytes()) {
            return engine.overwrite(logicalOffset, content.buffer(), change.addedFrom, bytes, 0);
        }
        if (change.removedBytes > 0) {
            engine.collapse(logicalOffset, change.removedBytes);
        }
        return insertPairs(logicalOffset, change.addedFrom, bytes);
    }

    /** Puts a pair that is in the data file in the place of another pair, or of nothing. Returns its address. */
    private long link(long logicalOffset, ContentChange change) {
        if (change.removedBytes > 0) {
            engine.collapse(
                    logicalOffset, change.removedBytes); // first: it may be the same record, if this is done again
        }
        ByteBuffer entry = content.reference(change.entry);
        int reference = content.referencePosition(change.entry);
        int pieces = LargeReference.pieces(entry, reference, content.referenceBytes(change.entry));
        int bytes = change.addedBytes;
        int done = LargeReference.headBytes(entry, reference);
        if (done > 0) {
            engine.insert(logicalOffset, entry, reference + LargeReference.headAt(pieces), done, 0);
        }
        long address = Directory.UNKNOWN;
        for (int piece = 0; piece < pieces; piece++) {
            int length = Math.min(engine.maxExtentBytes(), bytes - done);
            int flags = done == 0 ? 0 : RecordFormat.CONTINUATION;
            address = LargeReference.address(entry, reference, piece);
            engine.insertStaged(logicalOffset + done, address, length, flags);
            done += length;
        }
        assert done == bytes;
        return bytes <= engine.maxExtentBytes() && pieces == 1 && LargeReference.headBytes(entry, reference) == 0
                ? address
                : Directory.UNKNOWN;
    }

    /** Returns the address, or that it is unknown if they do not lie in one piece. */
    private long insertPairs(long logicalOffset, int from, int bytes) {
        int max = engine.maxExtentBytes();
        long address = Directory.UNKNOWN;
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(max, bytes - done);
            int flags = done == 0 ? 0 : RecordFormat.CONTINUATION;
            address = engine.insert(logicalOffset + done, content.buffer(), from + done, piece, flags);
            done += piece;
        }
        return bytes <= max ? address : Directory.UNKNOWN;
    }

    /** Writes the new content in the place of the old, but for stitched pairs. */
    private void rewrite(long intervalOffset, int oldBytes, int stitchingThreshold) {
        stitches.find(content, engine.current(), intervalOffset, stitchingThreshold);
        int pair = 0;
        int oldFrom = 0;
        while (pair < content.pairs() || oldFrom < oldBytes) {
            int stitched = stitches.firstFrom(pair);
            int oldEnd = stitched < content.pairs() ? content.oldStart(stitched) : oldBytes;
            if (oldEnd > oldFrom) {
                engine.collapse(intervalOffset + content.directory().start(pair), oldEnd - oldFrom);
            }
            writePairs(intervalOffset, pair, stitched);
            pair = stitches.endFrom(stitched);
            oldFrom = oldEnd
                    + (int) (content.directory().start(pair)
                            - content.directory().start(stitched));
        }
    }

    /** In extents of as many whole pairs as fit. */
    private void writePairs(long intervalOffset, int firstPair, int endPair) {
        DirectoryBuilder directoryOfAll = content.directory();
        int max = engine.maxExtentBytes();
        int pair = firstPair;
        while (pair < endPair) {
            int first = pair;
            int from = (int) directoryOfAll.start(pair++);
            while (pair < endPair && directoryOfAll.start(pair + 1) - from <= max) {
                pair++;
            }
            int end = (int) directoryOfAll.start(pair);
            directoryOfAll.setAddresses(first, pair, insertPairs(intervalOffset + from, from, end - from));
        }
    }

    // ---- the index

    /** Has the cache keep the directory that was made last, and returns where, or -1. */
    private long keep(boolean referenced) {
        return content.directory().isOutline()
                ? intervals.cache.insertOutline(directory, 0)
                : intervals.cache.insert(directory, 0, referenced);
    }

    /** Caches the directories of the new intervals, with the pairs kept of the old one, and puts these in its place. */
    private void replaceInIndex(EntryKey key, Interval old, boolean referenced) {
        for (int part = 0; part < parts.count(); part++) {
            if (parts.end(part) > parts.first(part)) {
                content.directory()
                        .write(
                                directory,
                                0,
                                parts.content(part),
                                parts.first(part),
                                parts.end(part),
                                parts.skipped(part));
                long location = keep(referenced);
                parts.replacement.setHint(part, location < 0 ? 0 : intervals.cache.hint(location));
                intervals.cache.movePairs(
                        old.contentNumber(),
                        content.origins(),
                        parts.first(part),
                        parts.end(part),
                        parts.content(part));
            }
        }
        if (filters != null) {
            filters.replace(content, parts, old);
        }
        intervals.replace(key.bytes, key.length, old, parts.replacement, content.pairs(), content.bytes());
    }
}
