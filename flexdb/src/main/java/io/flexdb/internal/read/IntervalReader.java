package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.IntervalRef;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.keys.BadRecordException;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Brings intervals into memory: from the cache, or from the FlexSpace and then into the cache. Any thread. */
public final class IntervalReader {
    private final SpaceEngine engine;
    private final IntervalCache cache;
    private final TouchedIntervals touched;
    private final Path dataFile;

    /** @param touched learns which coarse intervals are read */
    public IntervalReader(SpaceEngine engine, IntervalCache cache, TouchedIntervals touched, Path dataFile) {
        this.engine = engine;
        this.cache = cache;
        this.touched = touched;
        this.dataFile = dataFile;
    }

    /** Opens the image of the context's interval. Inside a short read; valid until its end. */
    public void open(FlexTreeView space, ReadContext context) {
        IntervalRef interval = context.interval;
        open(
                space,
                context,
                interval.logicalOffset(),
                interval.lengthBytes(),
                interval.contentNumber(),
                interval.pairCount());
    }

    /** Opens the image of the interval under a cursor. Inside a short read; valid until its end. */
    public void open(FlexTreeView space, ReadContext context, IntervalCursor interval) {
        open(
                space,
                context,
                interval.logicalOffset(),
                interval.lengthBytes(),
                interval.contentNumber(),
                interval.pairCount());
    }

    private void open(
            FlexTreeView space, ReadContext context, long logicalOffset, long bytes, long content, int pairs) {
        long location = cache.find(content);
        ByteBuffer cached = location < 0 ? null : cache.buffer(location);
        if (cached != null) {
            context.image = cached;
            context.base = cache.base(location);
            return;
        }
        load(space, context, logicalOffset, bytes, content, pairs);
        cache.insert(content, context.image, 0, IntervalFormat.imageBytes(context.image, 0), false);
        if (IntervalBounds.isCoarse(bytes, pairs)) {
            touched.add(logicalOffset);
        }
    }

    private void load(
            FlexTreeView space, ReadContext context, long logicalOffset, long bytes, long content, int pairs) {
        if (bytes > Integer.MAX_VALUE / 2 + (1 << 24)) {
            throw new CorruptionException(dataFile, logicalOffset, "an interval of 1 GiB at most", bytes + " bytes");
        }
        int dataBytes = (int) bytes;
        try {
            if (pairs < IntervalBounds.UNKNOWN_PAIRS) {
                int data = IntervalFormat.dataPosition(0, pairs);
                ByteBuffer memory = context.memory(data + dataBytes);
                engine.read(space, context.extents, logicalOffset, memory, data, dataBytes);
                IntervalFormat.build(memory, 0, content, pairs, memory, data, dataBytes);
                context.image = memory;
            } else {
                buildUnknown(space, context, logicalOffset, dataBytes, content);
            }
        } catch (BadRecordException e) {
            throw new CorruptionException(
                    dataFile,
                    logicalOffset + e.position(),
                    e.expected() + " (the position is a logical offset)",
                    e.found());
        }
        context.base = 0;
    }

    private void buildUnknown(FlexTreeView space, ReadContext context, long logicalOffset, int bytes, long content) {
        ByteBuffer memory = context.memory(bytes);
        engine.read(space, context.extents, logicalOffset, memory, 0, bytes);
        int pairs = IntervalFormat.countPairs(memory, 0, bytes);
        int data = IntervalFormat.dataPosition(0, pairs);
        if (memory.capacity() < data + bytes) {
            memory = context.memory(data + bytes);
            engine.read(space, context.extents, logicalOffset, memory, data, bytes);
        } else {
            memory.put(data, memory.duplicate().order(memory.order()), 0, bytes);
        }
        IntervalFormat.build(memory, 0, content, pairs, memory, data, bytes);
        context.image = memory;
    }
}
