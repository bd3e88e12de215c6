package io.flexdb.internal.commit;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.index.IntervalRef;
import io.flexdb.internal.index.IntervalReplacement;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.keys.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Puts the new content of an interval into the space, the index and the cache. For one thread. */
final class IntervalWriter {
    /*
     * I1  Every extent that does not begin with a pair carries the flag RecordFormat.CONTINUATION, and each change to
     *     the space is a group of whole pairs, so that after any prefix of the log the space is a sequence of whole
     *     pairs (O7).
     */
    private final SpaceEngine engine;
    private final Intervals intervals;
    private final IntervalCache cache;
    private final OffHeap memory;
    private final MergedContent content;
    private final IntervalReplacement replacement = new IntervalReplacement();
    private boolean wasCached;
    private byte[] anchor = new byte[256];
    private ByteBuffer imageMemory;

    IntervalWriter(
            SpaceEngine engine, Intervals intervals, IntervalCache cache, OffHeap memory, MergedContent content) {
        this.engine = engine;
        this.intervals = intervals;
        this.cache = cache;
        this.memory = memory;
        this.content = content;
        this.imageMemory = memory.allocate(OffHeap.Use.COMMITS, 64 << 10).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Puts the content in the place of that of an interval.
     *
     * @param key one of its keys
     * @param inPlace whether to change only the pairs that change, or to write the interval anew
     * @param oldWasCached whether the interval is of those that are read
     */
    void replace(EntryKey key, IntervalRef interval, boolean inPlace, boolean oldWasCached) {
        wasCached = oldWasCached;
        engine.beginGroup();
        if (inPlace) {
            replaceInSpace(interval.logicalOffset());
        } else {
            rewrite(interval.logicalOffset(), (int) interval.lengthBytes());
        }
        divide(key, interval);
        engine.endGroup();
    }

    // ---- the space

    private void replaceInSpace(long intervalOffset) {
        for (int change = 0; change < content.changeCount(); change++) {
            int start = content.changeStart(change);
            replaceInSpace(intervalOffset + start, content.removedBytes(change), start, content.addedBytes(change));
        }
    }

    /** One pair's change: nothing, or a pair, in the place of another pair, or of nothing. */
    private void replaceInSpace(long logicalOffset, int removed, int from, int bytes) {
        int max = engine.maxExtentBytes();
        if (removed == bytes && bytes <= max) {
            engine.overwrite(logicalOffset, content.buffer(), from, bytes, 0);
            return;
        }
        if (removed > 0) {
            engine.collapse(logicalOffset, removed);
        }
        insertPair(logicalOffset, from, bytes);
    }

    private void insertPair(long logicalOffset, int from, int bytes) {
        int max = engine.maxExtentBytes();
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(max, bytes - done);
            engine.insert(
                    logicalOffset + done,
                    content.buffer(),
                    from + done,
                    piece,
                    done == 0 ? 0 : RecordFormat.CONTINUATION);
            done += piece;
        }
    }

    /** Writes the new content in the place of the old, in extents of as many whole pairs as fit. */
    private void rewrite(long intervalOffset, int oldBytes) {
        if (oldBytes > 0) {
            engine.collapse(intervalOffset, oldBytes);
        }
        int max = engine.maxExtentBytes();
        int pair = 0;
        while (pair < content.pairs()) {
            int from = content.start(pair);
            int end = content.end(pair++);
            while (pair < content.pairs() && content.end(pair) - from <= max) {
                end = content.end(pair++);
            }
            insertPair(intervalOffset + from, from, end - from);
        }
    }

    // ---- the index

    /** Makes intervals of the new content, in the place of the one there was, and caches them. */
    private void divide(EntryKey key, IntervalRef old) {
        replacement.clear();
        int pairsEach = IntervalBounds.pairsEach(content.pairs(), content.bytes());
        int first = 0;
        while (first < content.pairs()) {
            int end =
                    IntervalBounds.endOfInterval(content.starts(), content.pairs(), content.bytes(), first, pairsEach);
            addInterval(first, end, content.start(first), content.end(end - 1));
            first = end;
        }
        if (content.pairs() == 0) {
            addInterval(0, 0, 0, 0);
        }
        intervals.replace(key.bytes, key.length, old, replacement, content.pairs(), content.bytes());
    }

    private void addInterval(int first, int end, int from, int to) {
        long number = intervals.newContent();
        if (first == 0) {
            replacement.first(to - from, end - first, number);
        } else {
            long header = RecordFormat.readHeader(content.buffer(), from, content.bytes());
            int length = RecordFormat.keyLength(header);
            if (anchor.length < length) {
                anchor = new byte[RecordFormat.MAX_KEY_BYTES];
            }
            content.buffer().get(from + RecordFormat.headerBytes(header), anchor, 0, length);
            replacement.add(anchor, 0, length, to - from, end - first, number);
        }
        int imageBytes = IntervalFormat.imageBytes(to - from, end - first);
        if (end > first && hasImageMemory(imageBytes)) {
            IntervalFormat.build(imageMemory, 0, number, end - first, content.buffer(), from, to - from, null);
            cache.insert(imageMemory, 0, wasCached);
        }
    }

    /** Whether an image can be built: if there is no memory for it, it is not cached now. */
    private boolean hasImageMemory(int bytes) {
        if (imageMemory.capacity() < bytes) {
            ByteBuffer larger = memory.tryAllocate(OffHeap.Use.COMMITS, bytes + bytes / 2);
            if (larger == null) {
                return false;
            }
            imageMemory = larger.order(ByteOrder.LITTLE_ENDIAN);
        }
        return true;
    }
}
