package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceRange;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.IntervalRef;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.keys.BadRecordException;
import io.flexdb.internal.keys.KeyBytes;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Brings pairs and whole intervals from the FlexSpace into memory, each pair verified. Any thread. */
public final class IntervalReader {
    /*
     * A point lookup needs one pair of an interval. The cache has the interval's directory, which says where in the
     * interval those pairs are that may be the one, and only they are read. Where there is no directory the whole
     * interval is read, and its directory is kept.
     *
     * Pairs are verified by their own checksums, so that the frames that they lie in need not be read. A checksum has to
     * be the one in the directory, too: a pair that its segment had in an earlier use is sound by itself. So where there
     * is no directory, and where a checksum does not match, the frames are read and verified: directories are right for
     * as long as they are kept, and what is wrong with a file is told by name.
     */
    /** Returned where a key has no pair. */
    static final int ABSENT = -1;

    private final SpaceReads reads;
    private final IntervalCache cache;
    private final TouchedIntervals touched;
    private final Path dataFile;

    /** @param touched learns which coarse intervals are read */
    public IntervalReader(SpaceReads reads, IntervalCache cache, TouchedIntervals touched, Path dataFile) {
        this.reads = reads;
        this.cache = cache;
        this.touched = touched;
        this.dataFile = dataFile;
    }

    /**
     * Finds the value of a key that belongs to the context's interval, which is not empty. Inside a short read.
     *
     * @param hash the key's {@link io.flexdb.internal.keys.KeyHash}
     * @return bytes of the value, which the context's image has at its base until the context is used again; or ABSENT
     */
    int find(FlexTreeView space, ReadContext context, byte[] key, int keyLength, long hash) {
        IntervalRef interval = context.interval;
        long location = cache.find(interval.contentNumber());
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        if (directory == null) {
            open(space, context);
            int pair = IntervalFormat.find(context.image, context.base, key, 0, keyLength, hash);
            return pair < 0 ? ABSENT : valueAt(context, IntervalFormat.recordPosition(context.image, 0, pair));
        }
        int base = cache.base(location);
        int pair = IntervalFormat.candidate(directory, base, hash, 0);
        while (pair >= 0) {
            long header = loadPair(space, context, directory, base, pair);
            if (RecordFormat.keyLength(header) == keyLength
                    && KeyBytes.equal(key, 0, context.image, RecordFormat.headerBytes(header), keyLength)) {
                return valueAt(context, 0);
            }
            pair = IntervalFormat.candidate(directory, base, hash, pair + 1);
        }
        return ABSENT;
    }

    private static int valueAt(ReadContext context, int recordPosition) {
        long header = IntervalFormat.header(context.image, recordPosition);
        context.base = recordPosition + RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
        return RecordFormat.valueLength(header);
    }

    /**
     * Reads one pair of the context's interval to the beginning of the context's memory, which then is its image.
     * Inside a short read.
     *
     * @param directory of the interval, at a base
     * @return the pair's {@link RecordFormat#readHeader header}
     */
    public long loadPair(FlexTreeView space, ReadContext context, ByteBuffer directory, int base, int pair) {
        int from = IntervalFormat.relativePosition(directory, base, pair);
        int bytes = IntervalFormat.relativePosition(directory, base, pair + 1) - from;
        int checksum = IntervalFormat.checksum(directory, base, pair);
        long logicalOffset = context.interval.logicalOffset() + from;
        ByteBuffer memory = context.memory(bytes);
        context.image = memory;
        SpaceRange range = context.range.set(space, logicalOffset, bytes);
        reads.readUnverified(range, memory, 0);
        if (!isPair(context, bytes, checksum)) {
            reads.readAgain(range, memory, 0);
            if (!isPair(context, bytes, checksum)) {
                throw corruption(
                        logicalOffset, new BadRecordException(0, "a pair of " + bytes + " bytes", "something else"));
            }
        }
        return IntervalFormat.header(memory, 0);
    }

    private static boolean isPair(ReadContext context, int bytes, int checksum) {
        long header = RecordFormat.readHeader(context.image, 0, bytes);
        return header >= 0
                && RecordFormat.recordBytes(header) == bytes
                && RecordFormat.checksum(context.image, 0) == checksum
                && RecordFormat.isSound(context.image, 0, bytes, context.crc);
    }

    /** Reads the context's interval, and builds its image. Inside a short read. */
    public void open(FlexTreeView space, ReadContext context) {
        IntervalRef interval = context.interval;
        load(space, context);
        if (!cache.contains(interval.contentNumber())) {
            cache.insert(context.image, 0, false);
            noteCoarse(interval.logicalOffset(), interval.lengthBytes(), interval.pairCount());
        }
    }

    private void noteCoarse(long logicalOffset, long bytes, int pairs) {
        if (IntervalBounds.isCoarse(bytes, pairs)) {
            touched.add(logicalOffset);
        }
    }

    /**
     * Reads the interval under a cursor, which is not empty, into the context's memory. Inside a short read.
     *
     * @param pairs has them then; none if this fails
     * @param follows whether the interval before it, of the same view, is what was read last with this context
     * @param fromFile whether to ask the file, ahead of what is wanted if that is slow, and not its mapping
     */
    void load(
            FlexTreeView space,
            ReadContext context,
            IntervalCursor interval,
            IntervalPairs pairs,
            boolean follows,
            boolean fromFile) {
        long logicalOffset = interval.logicalOffset();
        int bytes = dataBytes(logicalOffset, interval.lengthBytes());
        int counted = interval.pairCount();
        ByteBuffer memory = context.memory(
                counted < IntervalBounds.UNKNOWN_PAIRS ? IntervalPairs.memoryBytes(bytes, counted) : bytes);
        long location = fromFile ? -1 : cache.find(interval.contentNumber());
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        SpaceRange range =
                follows ? context.range.goOn(logicalOffset, bytes) : context.range.set(space, logicalOffset, bytes);
        if (directory == null) {
            reads.read(range, memory, 0);
        } else {
            reads.readUnverified(range, memory, 0);
        }
        if (directory == null || !takes(context, bytes, counted, pairs, directory, cache.base(location))) {
            memory = context.memory(bytes);
            if (directory != null) {
                reads.readAgain(range, memory, 0);
            }
            try {
                take(context, bytes, counted, pairs);
            } catch (BadRecordException e) {
                throw corruption(logicalOffset, e);
            }
        }
        if (directory == null) {
            if (!fromFile && pairs.count() <= IntervalBounds.MAX_PAIRS) {
                cache.insert(pairs.directory(context, interval.contentNumber()), 0, false);
            }
            noteCoarse(logicalOffset, bytes, counted);
        }
    }

    /** Takes pairs that nobody has verified, and returns whether they are those of a directory. */
    private static boolean takes(
            ReadContext context, int bytes, int counted, IntervalPairs pairs, ByteBuffer directory, int base) {
        try {
            take(context, bytes, counted, pairs);
            return pairs.areThoseOf(directory, base);
        } catch (BadRecordException e) {
            return false;
        }
    }

    private static void take(ReadContext context, int bytes, int counted, IntervalPairs pairs) {
        ByteBuffer memory = context.memory(bytes);
        int count = counted;
        if (counted >= IntervalBounds.UNKNOWN_PAIRS) {
            count = IntervalFormat.countPairs(memory, 0, bytes);
            int needed = IntervalPairs.memoryBytes(bytes, count);
            if (memory.capacity() < needed) {
                ByteBuffer larger = context.memory(needed);
                larger.put(0, memory, 0, bytes);
                memory = larger;
            }
        }
        pairs.take(memory, bytes, count, context.crc);
    }

    private int dataBytes(long logicalOffset, long bytes) {
        if (bytes > Integer.MAX_VALUE / 2 + (1 << 24)) {
            throw new CorruptionException(dataFile, logicalOffset, "an interval of 1 GiB at most", bytes + " bytes");
        }
        return (int) bytes;
    }

    private void load(FlexTreeView space, ReadContext context) {
        IntervalRef interval = context.interval;
        long logicalOffset = interval.logicalOffset();
        int dataBytes = dataBytes(logicalOffset, interval.lengthBytes());
        int pairs = interval.pairCount();
        int data = pairs < IntervalBounds.UNKNOWN_PAIRS ? IntervalFormat.directoryBytes(dataBytes, pairs) : 0;
        ByteBuffer memory = context.memory(data + dataBytes);
        reads.read(context.range.set(space, logicalOffset, dataBytes), memory, data);
        try {
            build(context, data, dataBytes);
        } catch (BadRecordException e) {
            throw corruption(logicalOffset, e);
        }
    }

    private CorruptionException corruption(long logicalOffset, BadRecordException e) {
        return new CorruptionException(
                dataFile,
                logicalOffset + e.position(),
                e.expected() + " (the position is a logical offset)",
                e.found());
    }

    /** Builds an image of the interval, the pairs of which the context's memory has at a position. */
    private static void build(ReadContext context, int data, int dataBytes) {
        IntervalRef interval = context.interval;
        ByteBuffer memory = context.memory(dataBytes);
        int pairs = interval.pairCount();
        int count = pairs < IntervalBounds.UNKNOWN_PAIRS ? pairs : IntervalFormat.countPairs(memory, data, dataBytes);
        int directoryBytes = IntervalFormat.directoryBytes(dataBytes, count);
        if (data != directoryBytes) {
            ByteBuffer larger = context.memory(directoryBytes + dataBytes);
            larger.put(directoryBytes, memory.duplicate(), data, dataBytes);
            memory = larger;
        }
        IntervalFormat.build(
                memory,
                0,
                interval.contentNumber(),
                count,
                memory,
                directoryBytes,
                dataBytes,
                context.crc,
                interval.commonPrefix());
        context.image = memory;
        context.base = 0;
    }
}
