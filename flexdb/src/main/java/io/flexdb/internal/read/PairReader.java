package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceRange;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.PairPlaces;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Brings pairs of which a directory or an outline tells from the FlexSpace into memory, each verified. Any thread. */
public final class PairReader {
    /*
     * Pairs are verified by their own checksums, so that the frames that they lie in need not be read. A checksum has to
     * be the one in the directory, too: a pair that its segment had in an earlier use is sound by itself, and an address
     * may be out of date. A pair that does not match is looked for in the FlexTree. One that does not match there
     * either is read with its frames, and verified. So is a pair of an outline, which has neither address nor checksum.
     *
     * Moving a pair makes its address out of date, so finding that out and mending it makes no garbage. Letting go of a
     * fault does. It is done only for bytes that were read at the FlexTree's place for the pair, and should have
     * matched: other mismatches do not show a fault.
     */

    private final SpaceReads reads;
    private final IntervalCache cache;
    private final TouchedIntervals fragmented;
    private final Path dataFile;

    /** @param fragmented learns of which intervals pairs in many pieces are read */
    PairReader(SpaceReads reads, IntervalCache cache, TouchedIntervals fragmented, Path dataFile) {
        this.reads = reads;
        this.cache = cache;
        this.fragmented = fragmented;
        this.dataFile = dataFile;
    }

    /**
     * Reads one pair of the context's interval to the beginning of the context's memory, which then is its image.
     * Inside a short read.
     *
     * @param directory of the interval, or its outline, at a base; learns where the pair is
     * @return the pair's {@link RecordFormat#readHeader header}
     */
    public long loadPair(FlexTreeView space, ReadContext context, ByteBuffer directory, int base, int pair) {
        if (Directory.isOutline(directory, base)) {
            return loadOutlined(space, context, directory, base, pair);
        }
        int from = Directory.relativePosition(directory, base, pair);
        int bytes = Directory.relativePosition(directory, base, pair + 1) - from;
        int checksum = Directory.checksum(directory, base, pair);
        long address = Directory.address(directory, base, pair);
        ByteBuffer memory = context.memory(bytes);
        context.image = memory;
        if (address == Directory.UNKNOWN
                || !reads.readAt(address, memory, 0, bytes)
                || !isPair(memory, 0, bytes, checksum, context.crc)) {
            long logicalOffset = context.interval.logicalOffset() + from;
            long found = search(space, context, logicalOffset, memory, 0, bytes, checksum, address);
            Directory.setAddress(directory, base, pair, found);
        }
        return RecordFormat.header(memory, 0);
    }

    /** Loads a pair by an outline, which has neither address nor checksum: the pair is verified by its frames. */
    private long loadOutlined(FlexTreeView space, ReadContext context, ByteBuffer outline, int base, int pair) {
        int from = Directory.relativePosition(outline, base, pair);
        int bytes = Directory.recordBytes(outline, base, pair);
        long logicalOffset = context.interval.logicalOffset() + from;
        ByteBuffer memory = context.memory(bytes);
        context.image = memory;
        reads.read(context.range.set(space, logicalOffset, bytes), memory, 0);
        return requirePair(memory, 0, bytes, context, logicalOffset);
    }

    /**
     * Reads pairs to where they belong in memory that has those of their interval. Inside a short read.
     *
     * @param pairs has the memory, and what it takes to fill it
     */
    void loadPairs(Pairs pairs, int from, int to) {
        ReadContext context = pairs.context;
        ByteBuffer memory = pairs.memory();
        PairPlaces places = pairs.places;
        long logicalOffset = pairs.logicalOffset;
        if (places.areOutlined()) { // then they are read as one range, and verified by their frames
            int begin = places.position(from);
            SpaceRange range = context.range.set(pairs.space, logicalOffset + begin, places.position(to) - begin);
            reads.read(range, memory, begin);
            noteFragmented(context, logicalOffset, range.pieces(), to - from);
            for (int pair = from; pair < to; pair++) {
                requirePair(memory, places.position(pair), places.recordBytes(pair), context, logicalOffset);
            }
            return;
        }
        places.place(from, to);
        // All are copied before the first is looked at, so that a processor waits for several of them at once.
        int pieces = 0;
        for (int pair = from; pair < to; pieces++) {
            long address = places.address(pair);
            int position = places.position(pair);
            int next = endOfNeighbours(places, pair, to);
            if (address != Directory.UNKNOWN) {
                // Verification finds bytes that have not arrived.
                reads.readAt(address, memory, position, places.position(next) - position);
            }
            pair = next;
        }
        noteFragmented(context, logicalOffset, pieces, to - from);
        for (int pair = from; pair < to; pair++) {
            int position = places.position(pair);
            int bytes = places.recordBytes(pair);
            int checksum = places.checksum(pair);
            if (!isPair(memory, position, bytes, checksum, context.crc)) {
                long at = logicalOffset + position;
                long found = search(pairs.space, context, at, memory, position, bytes, checksum, places.address(pair));
                noteAddress(pairs.contentNumber, pair, found);
            }
        }
    }

    private void noteFragmented(ReadContext context, long logicalOffset, int pieces, int pairs) {
        if (Interval.areFragmented(pieces, pairs) && context.isInSample()) {
            fragmented.add(logicalOffset); // some will do: those that are read often come first
        }
    }

    /** Requires that memory has a whole pair of so many bytes at a position, which is that in an interval. */
    private long requirePair(ByteBuffer memory, int position, int bytes, ReadContext context, long logicalOffset) {
        long header = RecordFormat.readHeader(memory, position, position + bytes);
        if (header < 0
                || RecordFormat.recordBytes(header) != bytes
                || !RecordFormat.isSound(memory, position, bytes, context.crc)) {
            throw corruption(
                    logicalOffset, new BadRecordException(position, "a pair of " + bytes + " bytes", "something else"));
        }
        return header;
    }

    /** Tells the kernel where pairs are that will be read, as far as anybody knows. */
    void prefetch(PairPlaces places, int from, int to) {
        if (places.areOutlined()) {
            return;
        }
        places.place(from, to);
        for (int pair = from; pair < to; ) {
            int next = endOfNeighbours(places, pair, to);
            long address = places.address(pair);
            if (address != Directory.UNKNOWN) {
                reads.prefetchAt(address, places.position(next) - places.position(pair));
            }
            pair = next;
        }
    }

    /** The pair behind those that lie together in the data file from a pair on. */
    private static int endOfNeighbours(PairPlaces places, int pair, int to) {
        long address = places.address(pair);
        int position = places.position(pair);
        int next = pair + 1;
        while (next < to && places.address(next) == address + places.position(next) - position) {
            next++;
        }
        return next;
    }

    private void noteAddress(long contentNumber, int pair, long address) {
        long location = cache.findDirectory(contentNumber, 0);
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        if (directory != null) {
            Directory.setAddress(directory, cache.base(location), pair, address);
        }
    }

    /**
     * Looks for a pair in the FlexTree, reads it, and returns its address, or that it is unknown.
     *
     * @param tried the address where it was not; or unknown, if it was not read
     */
    private long search(
            FlexTreeView space,
            ReadContext context,
            long logicalOffset,
            ByteBuffer memory,
            int position,
            int bytes,
            int checksum,
            long tried) {
        SpaceRange range = context.range.set(space, logicalOffset, 1);
        long begin = range.address();
        if (tried != Directory.UNKNOWN && tried == begin) {
            reads.forgetFault();
        }
        long address = range.goOn(logicalOffset, bytes).address();
        if (address != Directory.UNKNOWN && reads.areMapped()) {
            if (reads.readAt(address, memory, position, bytes)
                    && isPair(memory, position, bytes, checksum, context.crc)) {
                return address;
            }
            reads.forgetFault();
        }
        reads.read(range, memory, position);
        if (!isPair(memory, position, bytes, checksum, context.crc)) {
            throw corruption(
                    logicalOffset, new BadRecordException(0, "a pair of " + bytes + " bytes", "something else"));
        }
        return Directory.UNKNOWN;
    }

    /** Whether memory has, at a position, the pair of so many bytes that has a checksum. */
    private static boolean isPair(ByteBuffer memory, int position, int bytes, int checksum, CRC32C crc) {
        if (RecordFormat.checksum(memory, position) != checksum) {
            return false;
        }
        long header = RecordFormat.readHeader(memory, position, position + bytes);
        return header >= 0
                && RecordFormat.recordBytes(header) == bytes
                && RecordFormat.isSound(memory, position, bytes, crc);
    }

    /** The exception for an interval with wrong bytes. */
    public CorruptionException corruption(long logicalOffset, BadRecordException e) {
        return new CorruptionException(
                dataFile,
                logicalOffset + e.position(),
                e.expected() + " (the position is a logical offset)",
                e.found());
    }
}
