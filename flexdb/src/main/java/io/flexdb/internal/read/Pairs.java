package io.flexdb.internal.read;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.PairPlaces;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** The pairs of an interval in memory, verified, with the place of each. Reused; for one thread. */
public final class Pairs {
    /*
     * With a directory, pairs are brought when they are wanted, and keys are looked for by their windows; with an outline,
     * too, but a key is compared with those of pairs that are brought for that. Without either all of them are there from
     * the beginning: who walks wants each pair in its turn, and looks for a key at most once, so no fingerprints are
     * needed, and one pass finds where each pair is, and verifies it while it is in the processor's cache anyway. Where
     * one has a large value, all of them are there without their values (PairHeads).
     *
     * The memory, which is a context's, begins with the pairs. Their directory can be made behind them.
     */
    private static final long ALL = -1;

    private static final int AHEAD_IF_SLOW = 16; // of the pair that is sought, as who seeks mostly goes on

    private static final int MOST_STARTS_KEPT = 64 << 10;
    private static final long[] NO_OFFSETS = {};

    private final IntervalReader reader;
    final ReadContext context;
    private ByteBuffer memory;
    private int dataBytes; // in it
    private final int[] fewStarts = new int[Interval.MAX_PAIRS];
    private int[] starts = fewStarts; // of each if all are there
    private boolean valuesLeft; // where they are
    private long[] logicalOffsets = NO_OFFSETS; // of each if so
    private int count;
    private long there; // a bit for each pair; or ALL
    private long prefetched; // likewise, of pairs that were not there

    // Needed to bring pairs:
    final PairPlaces places;
    FlexTreeView space; // null if all are there
    long contentNumber;
    long logicalOffset;

    /**
     * @param reader to bring pairs with; null if all are there from the beginning
     * @param context has the memory
     * @param places to bring pairs with, for this alone
     */
    Pairs(IntervalReader reader, ReadContext context, PairPlaces places) {
        this.reader = reader;
        this.context = context;
        this.places = places;
    }

    /**
     * How much memory pairs need with their directory, as far as anybody knows.
     *
     * @param counted how many they are, or {@link Interval#UNKNOWN_PAIRS}
     */
    static int memoryBytes(int dataBytes, int counted) {
        return counted < Interval.UNKNOWN_PAIRS
                ? Math.addExact(dataBytes, Directory.bytes(dataBytes, counted))
                : dataBytes;
    }

    /** Holds no pairs, and no memory. Allocates nothing, so it can't fail. */
    void clear() {
        count = 0;
        there = ALL;
        prefetched = 0;
        memory = null;
        space = null;
        valuesLeft = false;
        if (starts.length > MOST_STARTS_KEPT) {
            starts = fewStarts;
            logicalOffsets = NO_OFFSETS;
        }
    }

    /**
     * Takes the pairs of which a directory, or an outline, tells, to be brought when they are needed.
     *
     * @param view that they are of, which is pinned
     * @param interval that they are of
     * @param data of the context's, with room for the pairs
     * @param directory has the directory or outline, at a base, for now
     */
    void takeDirectory(FlexTreeView view, IntervalCursor interval, ByteBuffer data, ByteBuffer directory, int base) {
        clear();
        places.take(directory, base);
        space = view;
        contentNumber = interval.contentNumber();
        logicalOffset = interval.logicalOffset();
        memory = data;
        there = 0;
        count = places.count();
        dataBytes = places.dataBytes();
    }

    /** Whether all pairs are there from the beginning. */
    boolean areThere() {
        return there == ALL;
    }

    /** Whether a pair is there. */
    boolean isThere(int pair) {
        return there == ALL || (there >>> pair & 1) != 0;
    }

    /** Brings pairs that are not there. Inside a short read. */
    void need(int from, int to) {
        int first = from;
        while (first < to && isThere(first)) {
            first++;
        }
        if (first < to) {
            reader.pairs().loadPairs(this, first, to);
            there |= (1L << to) - (1L << first);
        }
    }

    /** Tells the kernel of pairs that will be needed, as far as anybody knows where they are. Inside a short read. */
    void prefetch(int from, int to) {
        int first = from;
        while (first < to && isThereSoon(first)) {
            first++;
        }
        int end = to;
        while (end > first && isThereSoon(end - 1)) {
            end--;
        }
        if (first < end) {
            reader.pairs().prefetch(places, first, end);
            prefetched |= (1L << end) - (1L << first);
        }
    }

    private boolean isThereSoon(int pair) {
        return isThere(pair) || (prefetched >>> pair & 1) != 0;
    }

    /** Bytes of some pairs. */
    int bytes(int from, int to) {
        return (to < count ? position(to) : dataBytes) - position(from);
    }

    /**
     * Takes the pairs that a buffer begins with.
     *
     * @param counted how many they must be, or {@link Interval#UNKNOWN_PAIRS}
     * @throws BadRecordException if the bytes are not so many whole pairs with ascending keys, as they were written; it
     *     holds none then
     */
    void take(ByteBuffer data, int bytesOfAll, int counted, CRC32C crc) {
        clear();
        boolean areCounted = counted < Interval.UNKNOWN_PAIRS;
        int at = 0;
        int lastKey = 0;
        int lastKeyLength = 0;
        int pair = 0;
        for (; areCounted ? pair < counted : at < bytesOfAll; pair++) {
            long header = RecordFormat.readWhole(data, at, bytesOfAll);
            if (header < 0) {
                throw new BadRecordException(
                        at, "a record within " + (bytesOfAll - at) + " bytes", RecordFormat.found(header));
            }
            int bytes = RecordFormat.recordBytes(header);
            if (!RecordFormat.isSound(data, at, bytes, crc)) {
                throw new BadRecordException(at, "a pair that fits its checksum", "one that does not");
            }
            int key = at + RecordFormat.headerBytes(header);
            int keyLength = RecordFormat.keyLength(header);
            if (pair > 0 && KeyBytes.compare(data, lastKey, lastKeyLength, data, key, keyLength) >= 0) {
                throw new BadRecordException(at, "a key above the one before", "one that is not");
            }
            setStart(pair, at);
            lastKey = key;
            lastKeyLength = keyLength;
            at += bytes;
        }
        if (at != bytesOfAll) {
            throw new BadRecordException(at, "the end after " + counted + " pairs", "more");
        }
        holdAll(data, bytesOfAll, pair);
    }

    private void setStart(int pair, int start) {
        if (pair == starts.length) {
            starts = Arrays.copyOf(starts, 2 * pair);
        }
        starts[pair] = start;
    }

    private void holdAll(ByteBuffer data, int bytesOfAll, int pairs) {
        memory = data;
        dataBytes = bytesOfAll;
        count = pairs;
        there = ALL;
    }

    int count() {
        return count;
    }

    /**
     * Takes the pairs of an interval without their values. Inside a short read.
     *
     * @param heads reads them
     * @param ofInterval where it is in the space
     * @param counted how many they must be, or {@link Interval#UNKNOWN_PAIRS}
     * @throws BadRecordException if the bytes are not so many whole pairs with ascending keys; it holds none then
     */
    void takeHeads(PairHeads heads, long ofInterval, int bytesOfAll, int counted) {
        clear();
        ByteBuffer data = context.memory(0);
        int headBytes = 0;
        int lastKey = 0;
        int lastKeyLength = 0;
        int pair = 0;
        for (int at = 0; at < bytesOfAll; pair++) {
            long header = heads.header(at);
            int key = headBytes + RecordFormat.headerBytes(header);
            int keyLength = RecordFormat.keyLength(header);
            int end = key + keyLength;
            data = withRoom(data, headBytes, end);
            heads.copy(at, end - headBytes, data, headBytes);
            if (pair > 0 && KeyBytes.compare(data, lastKey, lastKeyLength, data, key, keyLength) >= 0) {
                throw new BadRecordException(at, "a key above the one before", "one that is not");
            }
            setStart(pair, headBytes);
            setLogicalOffset(pair, ofInterval + at);
            lastKey = key;
            lastKeyLength = keyLength;
            headBytes = end;
            at += RecordFormat.recordBytes(header);
        }
        if (counted < Interval.UNKNOWN_PAIRS && counted != pair) {
            throw new BadRecordException(bytesOfAll, "the end after " + counted + " pairs", pair + " pairs");
        }
        holdAll(data, headBytes, pair);
        valuesLeft = true;
    }

    /** The context's memory with room for so many bytes, beginning with those that data begins with. */
    private ByteBuffer withRoom(ByteBuffer data, int bytes, int wanted) {
        ByteBuffer room = context.memory(wanted);
        if (room != data) {
            room.put(0, data, 0, bytes);
        }
        return room;
    }

    private void setLogicalOffset(int pair, long offset) {
        if (pair >= logicalOffsets.length) {
            logicalOffsets = Arrays.copyOf(logicalOffsets, starts.length); // which has the pair
        }
        logicalOffsets[pair] = offset;
    }

    /** Whether values are left where they are. */
    public boolean areValuesLeft() {
        return valuesLeft;
    }

    /** Where in the space a pair begins whose value is left there. */
    long logicalOffset(int pair) {
        return logicalOffsets[pair];
    }

    /** Where in the space a value begins that is left there. */
    long valueOffset(int pair) {
        long header = header(position(pair));
        return logicalOffsets[pair] + RecordFormat.recordBytes(header) - RecordFormat.valueLength(header);
    }

    /**
     * Makes the directory of these pairs, which are all there, behind them in the memory. It is of whole pairs, even if
     * values are left where they are.
     *
     * @param maxSkipped bytes of keys that its windows may skip
     * @return where it begins
     */
    int makeDirectory(Fingerprints fingerprints, long content, int maxSkipped) {
        DirectoryBuilder builder = context.directoryBuilder();
        builder.clear();
        builder.ensure(count);
        int skipped = count == 0 ? 0 : Math.min(maxSkipped, commonPrefix());
        for (int pair = 0; pair < count; pair++) {
            int at = position(pair);
            builder.add(memory, at, header(at), fingerprints, skipped);
        }
        int bytes = Directory.bytes((int) builder.bytes(), count);
        memory = withRoom(memory, dataBytes, Math.addExact(dataBytes, bytes));
        builder.write(memory, dataBytes, content, 0, count, skipped);
        return dataBytes;
    }

    private int commonPrefix() {
        int first = position(0);
        int last = position(count - 1);
        long firstHeader = header(first);
        long lastHeader = header(last);
        return KeyBytes.commonPrefix(
                memory,
                first + RecordFormat.headerBytes(firstHeader),
                RecordFormat.keyLength(firstHeader),
                memory,
                last + RecordFormat.headerBytes(lastHeader),
                RecordFormat.keyLength(lastHeader));
    }

    /** Where the pairs are. */
    public ByteBuffer memory() {
        return memory;
    }

    /** Where a pair begins in the memory. */
    public int position(int pair) {
        return space != null ? places.position(pair) : starts[pair];
    }

    /** The header of the pair that begins there, for {@link RecordFormat} to take apart. */
    long header(int position) {
        return RecordFormat.readHeader(memory, position, dataBytes);
    }

    /** The first pair whose key is not below the one sought, or the number of the pairs. Inside a short read. */
    int lowerBound(byte[] key, int length) {
        return bound(key, length, 0);
    }

    /** The first pair whose key is above the one sought, or the number of the pairs. Inside a short read. */
    int upperBound(byte[] key, int length) {
        return bound(key, length, 1);
    }

    /** The pair that has a key, or -1. Inside a short read. */
    int find(byte[] key, int length) {
        int pair = lowerBound(key, length);
        return pair < count && compare(key, length, pair) == 0 ? pair : -1;
    }

    /** Compares a key with that of a pair, which is there. */
    public int compare(byte[] key, int length, int pair) {
        return compare(key, length, pair, Integer.MAX_VALUE);
    }

    /** Whether a directory tells, with one pair read at most, that no pair is from a key on to before another. */
    boolean isKnownEmpty(byte[] from, int length, byte[] to) {
        if (space == null || places.areOutlined() || count == 0) {
            return false;
        }
        int skipped = places.skipped();
        int low = places.lowerBound(Directory.window(from, 0, length, skipped));
        int toWindow = Directory.window(to, 0, to.length, skipped);
        if (low < places.upperBound(places.lowerBound(toWindow), toWindow)) {
            return false;
        }
        int near = Math.min(low, count - 1);
        need(near, near + 1);
        return beginsLike(from, length, near, skipped) && beginsLike(to, to.length, near, skipped);
    }

    /** Whether a key begins with what all pairs begin with, so that windows tell where it is among them. */
    private boolean beginsLike(byte[] key, int length, int pair, int skipped) {
        return compare(key, Math.min(length, skipped), pair, skipped) == 0;
    }

    private int bound(byte[] key, int length, int tie) {
        int low = 0;
        int high = count;
        if (space != null && !places.areOutlined()) {
            int skipped = places.skipped();
            int window = Directory.window(key, 0, length, skipped);
            low = places.lowerBound(window);
            high = places.upperBound(low, window); // between them are the pairs of which windows do not tell
            int near = Math.min(low, count - 1);
            if (reader.waits().areExpected()) {
                prefetch(near, Math.min(count, near + AHEAD_IF_SLOW));
            }
            need(near, near + 1);
            int order = compare(key, Math.min(length, skipped), near, skipped);
            if (order != 0) { // the key does not begin with what all pairs begin with, so windows say nothing of it
                return order < 0 ? 0 : count;
            }
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            need(middle, middle + 1);
            // Behind a pair that is below the key, or equal to it where the upper bound is sought.
            if (compare(key, length, middle) + tie > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Compares a key with that of a pair, which is there, or with the first bytes of it. */
    private int compare(byte[] key, int length, int pair, int most) {
        int at = position(pair);
        long header = header(at);
        int keyPosition = at + RecordFormat.headerBytes(header);
        return KeyBytes.compare(key, 0, length, memory, keyPosition, Math.min(RecordFormat.keyLength(header), most));
    }
}
