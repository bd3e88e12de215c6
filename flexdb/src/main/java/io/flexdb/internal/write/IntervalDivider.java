package io.flexdb.internal.write;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Division;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongSupplier;

/** Reads coarse intervals and finds where to divide them. For one thread. */
public final class IntervalDivider {
    /*
     * It reads pair by pair, since nothing else tells where a pair begins. It skips values that reach beyond the bytes
     * read, so an interval of one large pair costs a frame. All used bytes are verified: by their frames, lengths
     * against the interval, keys by their order.
     *
     * An interval is divided where the data file is discontinuous anyway, as it is between intervals that the committer
     * wrote at different times: an interval that lies in one piece is read at once. Parts that are still too large are
     * divided evenly.
     *
     * Of a very large interval only a part is divided at a time, and the rest stays coarse. So neither memory nor the
     * time of a change of the index depends on the content of a file.
     */
    private static final int PIECE_BYTES = 256 << 10;
    private static final int FIRST_BYTES = 4 << 10; // of an interval, and behind a skipped value
    /** Most pairs of small pieces that are joined: such pairs came one by one, so more will come. */
    private static final int JOINED_PAIRS = Interval.MAX_PAIRS * 7 / 8;

    private static final int PAIRS_AT_ONCE = 1 << 16;
    private static final int KEY_BYTES_AT_ONCE = 4 << 20;
    private static final int BYTES_AT_ONCE = 64 << 20;

    private final Path dataFile;
    private final LongSupplier newContent;
    private final int pairsAtOnce;
    private final ExtentCursor pieces = new ExtentCursor();
    private final ByteBuffer piece;
    private final SlidingReader reader;

    // The interval.
    private FlexTreeView space;
    private long intervalOffset;
    private long intervalBytes;
    private long nextPiece; // where the next piece of the data file begins in it

    // The start of each pair, its key, and the pairs with which pieces begin.
    private long[] starts = new long[1024];
    private int[] keyEnds = new int[1024];
    private byte[] keys = new byte[32 << 10];
    private int pairs;
    private int keyBytes;
    private int[] pieceStarts = new int[64];
    private int pieceCount;
    private long dividedBytes;

    /**
     * @param newContent gives numbers for contents
     * @throws OutOfMemoryError if there is no memory for it
     */
    public IntervalDivider(SpaceReads reads, Path dataFile, OffHeap memory, LongSupplier newContent) {
        this(reads, dataFile, memory, newContent, PAIRS_AT_ONCE);
    }

    /** Makes a divider with fewer pairs at a time, for tests. */
    public IntervalDivider(SpaceReads reads, Path dataFile, OffHeap memory, LongSupplier newContent, int pairsAtOnce) {
        this.dataFile = dataFile;
        this.newContent = newContent;
        this.pairsAtOnce = pairsAtOnce;
        this.piece = memory.allocate(OffHeap.Use.READS, PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        SlidingReader.Source interval = (to, from) -> reads.read(space, intervalOffset + from, to, 0, to.limit());
        this.reader = new SlidingReader(interval, piece, FIRST_BYTES);
    }

    /**
     * Divides the interval under a cursor, which has bytes. Inside a short read that holds the view.
     *
     * @throws CorruptionException if it is not a row of whole pairs with ascending keys
     */
    void divide(FlexTreeView ofSpace, IntervalCursor interval, Division into) {
        space = ofSpace;
        intervalOffset = interval.logicalOffset();
        intervalBytes = interval.lengthBytes();
        into.begin(interval.contentNumber());
        long end = readPairs();
        space = null;
        boolean complete = end == intervalBytes;
        // The rest begins with the last pair read, the key of which is known.
        int divided = complete ? pairs : pairs - 1;
        dividedBytes = complete ? end : starts[divided];
        int piece = 0;
        for (int first = 0; first < divided; ) {
            // As many pieces as make an interval together, or one that makes several.
            int last = endOfPiece(piece++, divided);
            while (last < divided && !isTooLarge(first, endOfPiece(piece, divided))) {
                last = endOfPiece(piece++, divided);
            }
            addEvenly(into, first, last);
            first = last;
        }
        if (!complete) {
            add(into, divided, intervalBytes - dividedBytes, Interval.UNKNOWN_PAIRS, false);
        }
        int highestFrom = keyStart(pairs - 1);
        into.end(keys, keyEnds[0], highestFrom, keyBytes - highestFrom, complete);
    }

    private int endOfPiece(int piece, int divided) {
        return piece + 1 < pieceCount ? Math.min(pieceStarts[piece + 1], divided) : divided;
    }

    private boolean isTooLarge(int first, int end) {
        return end - first > JOINED_PAIRS || start(end) - starts[first] > Interval.MAX_BYTES;
    }

    /** The start of a pair; behind the last one that is divided, the end of that. */
    private long start(int pair) {
        return pair < pairs && starts[pair] < dividedBytes ? starts[pair] : dividedBytes;
    }

    private void addEvenly(Division into, int from, int to) {
        int pairsEach = Interval.pairsEach(starts, from, to, start(to));
        for (int first = from; first < to; ) {
            int end = Interval.endOfInterval(starts, to, start(to), first, pairsEach);
            add(into, first, start(end) - starts[first], end - first, end - first == pairs);
            first = end;
        }
    }

    /** @param all whether the part is the whole interval, so that its content has a number */
    private void add(Division into, int first, long bytes, int count, boolean all) {
        long content = all ? into.content() : newContent.getAsLong();
        if (first == 0) {
            into.parts.first(bytes, count, content);
        } else {
            int from = keyStart(first);
            int before = keyStart(first - 1);
            int length = keyEnds[first] - from;
            int common = KeyBytes.commonPrefix(keys, before, from - before, keys, from, length);
            into.parts.add(keys, from, KeyBytes.separatorLength(common, length), bytes, count, content);
        }
    }

    private int keyStart(int pair) {
        return pair == 0 ? 0 : keyEnds[pair - 1];
    }

    /** Reads pairs from the first one on, two at least if there are, and returns where the last one ends. */
    private long readPairs() {
        pairs = 0;
        keyBytes = 0;
        reader.begin(intervalBytes);
        pieceCount = 0;
        nextPiece = 0;
        pieces.reset(space);
        pieces.seek(intervalOffset);
        long at = 0;
        while (at < intervalBytes
                && (pairs < 2 || pairs < pairsAtOnce && keyBytes < KEY_BYTES_AT_ONCE && at < BYTES_AT_ONCE)) {
            at += readPair(at);
        }
        return at;
    }

    /** Reads the lengths and the key of the pair that begins here, and returns its bytes. */
    private long readPair(long at) {
        long left = intervalBytes - at;
        int headerBytes = (int) Math.min(RecordFormat.MAX_HEADER_BYTES, left);
        int position = reader.load(at, headerBytes);
        long header = RecordFormat.readHeader(piece, position, position + headerBytes);
        int keyLength = header < 0 ? 0 : RecordFormat.keyLength(header);
        if (keyLength == 0 || RecordFormat.recordBytes(header) > left) {
            throw damaged(at, "a pair within " + left + " bytes", RecordFormat.found(header));
        }
        headerBytes = RecordFormat.headerBytes(header);
        position = reader.load(at, headerBytes + keyLength);
        makeRoom(keyLength);
        piece.get(position + headerBytes, keys, keyBytes, keyLength);
        if (pairs > 0
                && Arrays.compareUnsigned(keys, keyStart(pairs - 1), keyBytes, keys, keyBytes, keyBytes + keyLength)
                        >= 0) {
            throw damaged(at, "a key above the one before", "one that is not");
        }
        keyBytes += keyLength;
        if (isStartOfPiece(at)) {
            if (pieceCount == pieceStarts.length) {
                pieceStarts = Arrays.copyOf(pieceStarts, 2 * pieceCount);
            }
            pieceStarts[pieceCount++] = pairs;
        }
        starts[pairs] = at;
        keyEnds[pairs] = keyBytes;
        pairs++;
        return RecordFormat.recordBytes(header);
    }

    private boolean isStartOfPiece(long at) {
        while (nextPiece < at) {
            nextPiece = goToNextPiece();
        }
        return nextPiece == at;
    }

    /** Goes to the next extent that does not follow the one before it in the data file. */
    private long goToNextPiece() {
        while (pieces.isPositioned()) {
            long end = pieces.address() + pieces.length();
            if (pieces.next() && pieces.address() != end) {
                return pieces.logicalOffset() - intervalOffset;
            }
        }
        return Long.MAX_VALUE;
    }

    private void makeRoom(int keyLength) {
        if (pairs == starts.length) {
            starts = Arrays.copyOf(starts, 2 * pairs);
            keyEnds = Arrays.copyOf(keyEnds, 2 * pairs);
        }
        if (keys.length - keyBytes < keyLength) {
            keys = Arrays.copyOf(keys, Math.max(2 * keys.length, keyBytes + keyLength));
        }
    }

    private CorruptionException damaged(long at, String expected, String found) {
        return new CorruptionException(
                dataFile, intervalOffset + at, expected + " (the position is a logical offset)", found);
    }
}
