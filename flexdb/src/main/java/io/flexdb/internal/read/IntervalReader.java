package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceRange;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.PairPlaces;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.ReaderNotes;
import io.flexdb.internal.interval.SavedDirectories;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.mem.LongBase;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongFunction;

/** Finds pairs in intervals, and brings whole intervals from the FlexSpace into memory, verified. Any thread. */
public final class IntervalReader {
    /*
     * A point lookup needs one pair of an interval, a cursor those from one on. The cache has the interval's directory,
     * which says which pairs those are, where in the interval they are, and, as far as anybody knows, at which address
     * of the data file. Mostly a pair is therefore copied from there, without a search in the FlexTree (PairReader).
     * Where there is no directory the whole interval is read, with its frames, and its directory is kept, or an outline
     * of it where the cache is full: directories are right for as long as they are kept, and what is wrong with a file
     * is told by name.
     *
     * An interval that is larger than a few extents has a large value, which may be more than there is memory for. Of
     * such only the pairs' parts before their values are read (PairHeads), and then the one value that is wanted.
     */

    /** Returned where a key has no pair. */
    static final int ABSENT = -1;

    /**
     * A pair of more bytes is long: of one that is alone in its interval, as nearly all of them are, the value can stay
     * where it is. A shorter one is brought whole, since its frames would be read anyway.
     */
    private static final int LONG_PAIR_BYTES = 8 << 10;

    private static final int HEAD_BYTES = 512;
    private static final int EXTENTS_READ_WHOLE = 8; // of an interval, even if somebody wants to know one pair of it

    /**
     * Where the cache is full, one in so many lookups that miss makes an outline: to make one costs no more than two or
     * three lookups without, as long as they need not wait for a disk.
     */
    private static final int MISSES_PER_OUTLINE = 2;

    private static final int MISSES_PER_OUTLINE_IF_SLOW = 8; // or if it can't be kept

    private final SpaceReads reads;
    private final Intervals intervals;
    private final IntervalCache cache; // theirs, as are the next
    final RangeFilters filters; // or null
    private final ReaderNotes notes;
    private final TouchedIntervals coarse; // of the notes, as is the next
    private final TouchedIntervals fragmented;
    private final Path dataFile;
    private final int mostWholeBytes;
    private final PairReader pairReader;
    private final DiskWaits waits;
    private SavedDirectories saved; // null if there are none

    /**
     * @param intervals have the cache, and filters if there are some
     * @param notes of what is read
     */
    public IntervalReader(SpaceReads reads, Intervals intervals, ReaderNotes notes, Path dataFile, DiskWaits waits) {
        this.reads = reads;
        this.intervals = intervals;
        this.waits = waits;
        this.mostWholeBytes = Math.max(Interval.MAX_BYTES, EXTENTS_READ_WHOLE * reads.maxExtentBytes());
        this.cache = intervals.cache;
        this.filters = intervals.filters;
        this.notes = notes;
        this.coarse = notes.coarse();
        this.fragmented = notes.fragmented();
        this.dataFile = dataFile;
        this.pairReader = new PairReader(reads, cache, fragmented, dataFile);
    }

    /** The intervals that it reads. */
    public Intervals intervals() {
        return intervals;
    }

    /** Notes of what was read. */
    public ReaderNotes notes() {
        return notes;
    }

    /** Gives the cache directories of the last clean close, or no more of them if that is null. While nobody reads. */
    public void restoreFrom(SavedDirectories directories) {
        saved = directories;
    }

    /** Has nobody be given the directory that the last close has saved of a content, whose pairs are going to be moved. */
    public void forgetSaved(long contentNumber) {
        if (saved != null) {
            saved.forget(contentNumber);
        }
    }

    /** Finds the directory or outline of an interval in the cache, where it may be restored first; or -1. */
    private long findOrRestore(long contentNumber, int hint, int pairs, long intervalBytes) {
        long location = cache.find(contentNumber, hint);
        return saved != null && saved.mayHave(contentNumber)
                ? restore(location, contentNumber, pairs, intervalBytes)
                : location;
    }

    private long restore(long location, long contentNumber, int pairs, long intervalBytes) {
        if (cache.isFull() || location >= 0 && (!cache.isOutline(location) || waits.areExpected())) {
            return location;
        }
        long restored = saved.restore(contentNumber, pairs, intervalBytes);
        return restored < 0 ? location : restored;
    }

    /** Reads pairs by the directories and outlines of their intervals. */
    public PairReader pairs() {
        return pairReader;
    }

    /**
     * The value of a key that belongs to the context's interval, or operands that wait for one, in an array of its own;
     * or null. Inside a short read.
     */
    public MergedValue value(FlexTreeView space, ReadContext context, byte[] key, int keyLength) {
        int length = context.interval.lengthBytes() == 0 ? ABSENT : find(space, context, key, keyLength);
        if (length == ABSENT) {
            return null;
        }
        byte[] value = new byte[length];
        context.image.get(context.base, value);
        return new MergedValue(value, context.expiry, context.mergedThrough, context.waits);
    }

    /**
     * Finds the value of a key that belongs to the context's interval, which is not empty. Inside a short read.
     *
     * @return bytes of the value, which the context's image has at its base until the context is used again, and
     *     whether it has expired or not, of which the context knows when that is; or ABSENT
     */
    int find(FlexTreeView space, ReadContext context, byte[] key, int keyLength) {
        Interval interval = context.interval;
        if (interval.lengthBytes() > mostWholeBytes) {
            return findByHeads(space, context, key, keyLength, true);
        }
        int hint = interval.hint();
        long location = findOrRestore(interval.contentNumber(), hint, interval.pairCount(), interval.lengthBytes());
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        if (directory == null) {
            if (isForSearch(space, context)) {
                return search(context, key, keyLength);
            }
            return findInAll(space, context, key, keyLength, cache.isFull());
        }
        if (cache.hint(location) != hint) {
            interval.setHint(cache.hint(location));
        }
        int base = cache.base(location);
        if (Directory.isOutline(directory, base) && !waits.areExpected() && cache.isDirectoryDue(location)) {
            return findInAll(space, context, key, keyLength, false);
        }
        byte fingerprint = cache.fingerprints.of(key, keyLength);
        int pair = Directory.candidate(directory, base, fingerprint, 0);
        while (pair >= 0) {
            long header = loadPair(space, context, directory, base, pair);
            if (RecordFormat.keyLength(header) == keyLength
                    && KeyBytes.equal(key, 0, context.image, RecordFormat.headerBytes(header), keyLength)) {
                return valueAt(context, 0);
            }
            pair = Directory.candidate(directory, base, fingerprint, pair + 1);
        }
        return ABSENT;
    }

    /** Does what {@link PairReader#loadPair} does, and has the cache keep pairs for which a disk had to be waited for. */
    private long loadPair(FlexTreeView space, ReadContext context, ByteBuffer directory, int base, int pair) {
        if (waits.were() || context.isReadTimed()) {
            return loadKeptPair(space, context, directory, base, pair);
        }
        return pairReader.loadPair(space, context, directory, base, pair);
    }

    private long loadKeptPair(FlexTreeView space, ReadContext context, ByteBuffer directory, int base, int pair) {
        int bytes = Directory.recordBytes(directory, base, pair);
        if (copyKeptPair(context, pair, bytes)) {
            if (context.isReadTimed()) { // some of them count as fast reads, so that waits are not expected for ever
                waits.took(0, bytes);
            }
            return RecordFormat.header(context.image, 0);
        }
        long before = waits.nanoClock.getAsLong();
        long header = pairReader.loadPair(space, context, directory, base, pair);
        if (waits.took(waits.nanoClock.getAsLong() - before, bytes) && waits.areExpected()) {
            cache.insertPair(context.interval.contentNumber(), pair, context.image, bytes);
        }
        return header;
    }

    /**
     * Does what {@link PairReader#loadPair} does, unless the cache keeps the pair. For commits, which are about to
     * change it: they keep none.
     */
    public long loadPairToChange(FlexTreeView space, ReadContext context, ByteBuffer directory, int base, int pair) {
        int bytes = Directory.recordBytes(directory, base, pair);
        return copyKeptPair(context, pair, bytes)
                ? RecordFormat.header(context.image, 0)
                : pairReader.loadPair(space, context, directory, base, pair);
    }

    /** Has the context's image be a pair of its interval, if the cache keeps it. */
    private boolean copyKeptPair(ReadContext context, int pair, int bytes) {
        if (!cache.hasPairs()) {
            return false;
        }
        ByteBuffer memory = context.memory(bytes);
        if (!cache.copyPair(context.interval.contentNumber(), pair, bytes, memory)
                || !RecordFormat.isSound(memory, 0, bytes, context.crc)) {
            return false;
        }
        context.image = memory;
        return true;
    }

    /** Reads all of the interval, and has its directory or outline cached. */
    private int findInAll(FlexTreeView space, ReadContext context, byte[] key, int keyLength, boolean forOutline) {
        noteFragmented(context.interval.logicalOffset(), open(space, context, true, forOutline));
        int pair = context.pairs().find(key, keyLength);
        return pair < 0 ? ABSENT : valueAt(context, context.pairs().position(pair));
    }

    /** Whether to look a pair up without reading the whole interval, for which the context's search is prepared then. */
    private boolean isForSearch(FlexTreeView space, ReadContext context) {
        if (!cache.isFull() || !PieceSearch.isFor(context.interval)) {
            return false;
        }
        boolean slow = waits.areExpected() || !cache.mayKeep();
        if (++context.missed % (slow ? MISSES_PER_OUTLINE_IF_SLOW : MISSES_PER_OUTLINE) == 0) {
            return false;
        }
        context.pieceSearch().begin(reads, space, context);
        return true;
    }

    private int search(ReadContext context, byte[] key, int keyLength) {
        Interval interval = context.interval;
        int pieces = context.pieceSearch().pieces();
        noteFragmented(interval.logicalOffset(), interval.isFragmented(pieces));
        try {
            int found = context.pieceSearch().find(key, keyLength);
            return found == PieceSearch.NONE ? ABSENT : valueAt(context, found);
        } catch (BadRecordException e) {
            throw pairReader.corruption(interval.logicalOffset(), e);
        }
    }

    /**
     * Looks a pair up without its value, which is not read if the pair is long: then its lengths and its key are
     * verified by the frames that they lie in.
     *
     * @return bytes of the value, or ABSENT
     */
    int findLength(FlexTreeView space, ReadContext context, byte[] key, int keyLength) {
        Interval interval = context.interval;
        if (interval.lengthBytes() > mostWholeBytes) {
            return findByHeads(space, context, key, keyLength, false);
        }
        if (!isLongPair(interval.pairCount(), interval.lengthBytes())) {
            return find(space, context, key, keyLength);
        }
        int bytes = dataBytes(interval.logicalOffset(), interval.lengthBytes());
        long header = loadHead(space, context, interval.logicalOffset(), bytes);
        if (RecordFormat.keyLength(header) != keyLength
                || !KeyBytes.equal(key, 0, context.image, RecordFormat.headerBytes(header), keyLength)) {
            return ABSENT;
        }
        return lengthAt(context, 0, interval.logicalOffset(), header);
    }

    // ---- large values

    /** Whether an interval of so many bytes has a large value, and is never to be in memory as a whole. */
    public boolean isByHeads(long bytes) {
        return bytes > mostWholeBytes;
    }

    /**
     * Does the work of {@link #find}, or of {@link #findLength} if the value is not wanted, and reads no other value.
     */
    private int findByHeads(FlexTreeView space, ReadContext context, byte[] key, int keyLength, boolean wanted) {
        Interval interval = context.interval;
        long location = cache.find(interval.contentNumber(), interval.hint());
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        if (directory == null) {
            open(space, context, true);
            Pairs pairs = context.pairs();
            int pair = pairs.find(key, keyLength);
            return pair < 0
                    ? ABSENT
                    : found(space, context, key, pairs.position(pair), pairs.logicalOffset(pair), wanted);
        }
        int base = cache.base(location);
        byte fingerprint = cache.fingerprints.of(key, keyLength);
        int pair = Directory.candidate(directory, base, fingerprint, 0);
        while (pair >= 0) {
            long offset = interval.logicalOffset() + Directory.relativePosition(directory, base, pair);
            int bytes = Directory.recordBytes(directory, base, pair);
            long header = loadHead(space, context, offset, bytes);
            if (RecordFormat.keyLength(header) == keyLength
                    && KeyBytes.equal(key, 0, context.image, RecordFormat.headerBytes(header), keyLength)) {
                return found(space, context, key, 0, offset, wanted);
            }
            pair = Directory.candidate(directory, base, fingerprint, pair + 1);
        }
        return ABSENT;
    }

    /** Returns the value, or its length, of a record whose part before that is in the context's image. */
    private int found(
            FlexTreeView space, ReadContext context, byte[] key, int position, long logicalOffset, boolean wanted) {
        long header = RecordFormat.header(context.image, position);
        if (!wanted) {
            return lengthAt(context, position, logicalOffset, header);
        }
        byte[] waiting = RecordFormat.hasWaiting(header) ? key : null;
        return loadValue(space, context, logicalOffset, RecordFormat.recordBytes(header), waiting);
    }

    /** The context's image has the part before its value of the pair at a place. */
    private static int lengthAt(ReadContext context, int position, long logicalOffset, long header) {
        noteExtension(context, position, header);
        int length = RecordFormat.valueLength(header);
        context.valueOffset = logicalOffset + RecordFormat.recordBytes(header) - length;
        return length;
    }

    /** @param waiting the key, if operands wait; else null */
    private int loadValue(FlexTreeView space, ReadContext context, long logicalOffset, int bytes, byte[] waiting) {
        ByteBuffer memory =
                waiting == null ? context.valueMemory(bytes) : context.memory(bytes, ReadContext.mergedValue(waiting));
        context.image = memory;
        reads.read(context.range.set(space, logicalOffset, bytes), memory, 0);
        if (!RecordFormat.isSound(memory, 0, bytes, context.crc)) {
            throw pairReader.corruption(
                    logicalOffset, new BadRecordException(0, "a pair that fits its checksum", "one that does not"));
        }
        return valueAt(context, 0);
    }

    /**
     * Finds the value of a key that belongs to the context's interval, which {@linkplain #isByHeads has a large one}, or
     * the operands that wait for it, without reading it. Inside a short read.
     *
     * @param partsFrom gives what reads it, by the logical offset where it begins
     * @return null if the key has no pair
     */
    public LongBase findLong(
            FlexTreeView space,
            ReadContext context,
            byte[] key,
            int keyLength,
            LongFunction<LongBase.Parts> partsFrom) {
        int length = findByHeads(space, context, key, keyLength, false);
        if (length == ABSENT) {
            return null;
        }
        LongBase.Parts parts = partsFrom.apply(context.valueOffset);
        return new LongBase(length, context.waits, context.expiry, context.mergedThrough, parts);
    }

    /** Fills a buffer, whose position moves to its limit, with bytes of the space. Inside a short read. */
    public void readPart(FlexTreeView space, long logicalOffset, ByteBuffer to) {
        int length = to.remaining();
        reads.read(space, logicalOffset, to, to.position(), length);
        to.position(to.limit());
    }

    /** The ways of reading. */
    SpaceReads reads() {
        return reads;
    }

    private static boolean isLongPair(int pairs, long bytes) {
        return pairs == 1 && bytes > LONG_PAIR_BYTES;
    }

    /**
     * Reads lengths and key of a long pair to the beginning of the context's memory, which then is its image. The pair's
     * own checksum is of no use without the value, so the frames are verified.
     */
    private long loadHead(FlexTreeView space, ReadContext context, long logicalOffset, int bytes) {
        int head = Math.min(HEAD_BYTES, bytes);
        while (true) {
            ByteBuffer memory = context.memory(head);
            reads.read(context.range.set(space, logicalOffset, head), memory, 0);
            long header = RecordFormat.readHeader(memory, 0, head);
            if (header < 0 || RecordFormat.recordBytes(header) != bytes) {
                throw pairReader.corruption(
                        logicalOffset, new BadRecordException(0, "a pair of " + bytes + " bytes", "something else"));
            }
            int needed = RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
            if (needed <= head) {
                context.image = memory;
                return header;
            }
            head = needed;
        }
    }

    private static int valueAt(ReadContext context, int recordPosition) {
        long header = RecordFormat.header(context.image, recordPosition);
        context.base = recordPosition + RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
        noteExtension(context, recordPosition, header);
        return RecordFormat.valueLength(header);
    }

    private static void noteExtension(ReadContext context, int recordPosition, long header) {
        context.expiry = RecordFormat.expiry(context.image, recordPosition, header);
        context.mergedThrough = RecordFormat.mergedThrough(context.image, recordPosition, header);
        context.waits = RecordFormat.hasWaiting(header);
    }

    /** The time that reads take, as lookups and cursors have found out. */
    public DiskWaits waits() {
        return waits;
    }

    /** Notes in the directory of an interval where its pairs are, if anybody can read there; returns their pieces. */
    private int locate(FlexTreeView space, ReadContext context, long logicalOffset, ByteBuffer directory, int base) {
        boolean mapped = reads.areMapped();
        int pairs = Directory.pairCount(directory, base);
        int dataBytes = Directory.dataBytes(directory, base);
        SpaceRange range = context.range.set(space, logicalOffset, dataBytes);
        long addressOfAll = range.address(); // known where all pairs lie in one extent
        int pieces = 0;
        long end = Directory.UNKNOWN;
        for (int pair = 0; pair < pairs; pair++) {
            int from = Directory.relativePosition(directory, base, pair);
            int bytes = Directory.relativePosition(directory, base, pair + 1) - from;
            long address = addressOfAll == Directory.UNKNOWN
                    ? range.goOn(logicalOffset + from, bytes).address()
                    : addressOfAll + from;
            if (mapped) {
                Directory.setAddress(directory, base, pair, address);
            }
            pieces += address == end ? 0 : 1;
            end = address + bytes;
        }
        return pieces;
    }

    /** Without a directory each piece is read with the frames that it lies in. */
    private void noteFragmented(long logicalOffset, boolean isFragmented) {
        if (isFragmented) {
            fragmented.add(logicalOffset);
        }
    }

    /**
     * Reads the context's interval: the context has its {@link ReadContext#pairs pairs} then, without their values if
     * one is large, and its directory as its image, at its base. Inside a short read.
     *
     * @param isRead whether the cache is to keep the directory
     * @return whether it is {@linkplain Interval#areFragmented fragmented}
     */
    public boolean open(FlexTreeView space, ReadContext context, boolean isRead) {
        return open(space, context, isRead, false);
    }

    private boolean open(FlexTreeView space, ReadContext context, boolean isRead, boolean forOutline) {
        Interval interval = context.interval;
        long logicalOffset = interval.logicalOffset();
        long content = interval.contentNumber();
        Pairs pairs = context.pairs();
        readAll(
                space,
                context,
                logicalOffset,
                dataBytes(logicalOffset, interval.lengthBytes()),
                interval.pairCount(),
                pairs);
        context.base = pairs.makeDirectory(cache.fingerprints, content, interval.commonPrefix());
        context.image = pairs.memory();
        int pieces = locate(space, context, logicalOffset, context.image, context.base);
        if (isRead && !cache.containsDirectory(content)) {
            long location = keep(context.image, context.base, forOutline);
            if (location >= 0) {
                interval.setHint(cache.hint(location));
            }
            noteCoarse(logicalOffset, interval.lengthBytes(), interval.pairCount());
        }
        return Interval.areFragmented(pieces, pairs.count());
    }

    /** Has the cache keep a directory, or its outline if it has one and that is wanted; returns the location, or -1. */
    private long keep(ByteBuffer directory, int base, boolean forOutline) {
        return forOutline && Directory.hasOutline(directory, base)
                ? cache.insertOutline(directory, base)
                : cache.insert(directory, base, false);
    }

    /** Reads all pairs of an interval into the context's memory, without their values if one is large. */
    private void readAll(
            FlexTreeView space, ReadContext context, long logicalOffset, int bytes, int counted, Pairs pairs) {
        if (isByHeads(bytes)) {
            readHeads(space, context, logicalOffset, bytes, counted, pairs);
            return;
        }
        ByteBuffer memory = context.memory(Pairs.memoryBytes(bytes, counted));
        reads.read(context.range.set(space, logicalOffset, bytes).last(context.endsSoon), memory, 0);
        try {
            pairs.take(memory, bytes, counted, context.crc);
        } catch (BadRecordException e) {
            throw pairReader.corruption(logicalOffset, e);
        }
    }

    private void readHeads(
            FlexTreeView space, ReadContext context, long logicalOffset, int bytes, int counted, Pairs pairs) {
        PairHeads heads = context.heads();
        heads.begin(reads, space, logicalOffset, bytes);
        try {
            pairs.takeHeads(heads, logicalOffset, bytes, counted);
        } catch (BadRecordException e) {
            throw pairReader.corruption(logicalOffset, e);
        }
    }

    private void noteCoarse(long logicalOffset, long bytes, int pairs) {
        if (Interval.isCoarse(bytes, pairs)) {
            coarse.add(logicalOffset);
        }
    }

    /**
     * Has the pairs of the interval under a cursor, which is not empty. Inside a short read.
     *
     * @param pairs has them then, in memory of the context's: as they are brought if there is a directory, else all;
     *     none if this fails
     * @param fromFile whether to ask the file, ahead of what is wanted if that is slow, and not its mapping
     * @param keysOnly whether the value of a long pair is not wanted
     */
    void load(
            FlexTreeView space,
            ReadContext context,
            IntervalCursor interval,
            Pairs pairs,
            boolean fromFile,
            boolean keysOnly) {
        long logicalOffset = interval.logicalOffset();
        int bytes = dataBytes(logicalOffset, interval.lengthBytes());
        int counted = interval.pairCount();
        if (bytes > mostWholeBytes || keysOnly && isLongPair(counted, bytes)) {
            readHeads(space, context, logicalOffset, bytes, counted, pairs);
            noteCoarse(logicalOffset, bytes, counted);
            return;
        }
        boolean forOutline = cache.isFull();
        if (!fromFile && counted <= PairPlaces.MAX_PAIRS) {
            int hint = interval.hint();
            long location = findOrRestore(interval.contentNumber(), hint, counted, bytes);
            ByteBuffer directory = location < 0 ? null : cache.buffer(location);
            if (directory != null) {
                int base = cache.base(location);
                boolean outline = Directory.isOutline(directory, base);
                forOutline &= !outline || !cache.isDirectoryDue(location);
                // To look for a key by an outline is several reads, one after the other, which should not wait for a
                // disk.
                if (outline ? forOutline && !waits.areExpected() : reads.areMapped()) {
                    if (cache.hint(location) != hint) {
                        interval.setHint(cache.hint(location));
                    }
                    pairs.takeDirectory(space, interval, context.memory(bytes), directory, base);
                    return;
                }
            }
        }
        if (!fromFile && waits.areExpected() && reads.areMapped() && !context.isPrefetched(logicalOffset, bytes)) {
            context.prefetchedFrom = logicalOffset;
            context.prefetchedEnd =
                    reads.prefetch(context.range.set(space, logicalOffset, bytes), bytes + context.bytesBehind);
        }
        readAll(space, context, logicalOffset, bytes, counted, pairs);
        if (fromFile) { // which asks the operating system for each piece
            noteFragmented(logicalOffset, Interval.areFragmented(context.range.pieces(), pairs.count()));
        } else if (pairs.count() <= Interval.MAX_PAIRS) {
            int most = RecordFormat.MAX_KEY_BYTES; // any pairs have no more in common
            int base = pairs.makeDirectory(cache.fingerprints, interval.contentNumber(), most);
            int pieces = locate(space, context, logicalOffset, pairs.memory(), base);
            noteFragmented(logicalOffset, Interval.areFragmented(pieces, pairs.count()));
            long location = keep(pairs.memory(), base, forOutline);
            if (location >= 0) {
                interval.setHint(cache.hint(location));
            }
        }
        noteCoarse(logicalOffset, bytes, counted);
    }

    private int dataBytes(long logicalOffset, long bytes) {
        if (bytes > Integer.MAX_VALUE / 2 + (1 << 24)) {
            throw new CorruptionException(dataFile, logicalOffset, "an interval of 1 GiB at most", bytes + " bytes");
        }
        return (int) bytes;
    }
}
