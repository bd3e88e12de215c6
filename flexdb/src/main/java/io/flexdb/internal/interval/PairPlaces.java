package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * A copy of a {@linkplain Directory directory} of an interval's pairs, without their fingerprints. The cache may
 * drop a directory at any time, so it is copied. Reused, by one thread, without garbage.
 */
public final class PairPlaces {
    /** The most pairs that it has room for. */
    public static final int MAX_PAIRS = Long.SIZE - 1;

    /** Bytes of memory that it takes. */
    public static final int MEMORY_BYTES = Directory.bytes(Integer.MAX_VALUE, MAX_PAIRS);

    /*
     * A walk may need a few pairs of many. A directory is therefore copied as it is, at once, which takes hardly longer
     * than to fetch it from memory. Searches for windows use the copy, and places are taken apart when they are needed.
     */
    private final ByteBuffer copy;
    final int[] positions = new int[MAX_PAIRS + 1];
    final long[] addresses = new long[MAX_PAIRS];
    final int[] checksums = new int[MAX_PAIRS];
    private int windows; // where they begin in the copy
    private int count;
    private int dataBytes;
    private int skipped;
    private boolean outlined;

    /** @param memory a little-endian direct buffer of so many bytes, for this to use */
    public PairPlaces(ByteBuffer memory) {
        this.copy = memory;
    }

    /**
     * Takes a directory or an outline, which is valid for now, of {@link #MAX_PAIRS} at most. An outline tells where pairs
     * begin, and nothing else.
     */
    public void take(ByteBuffer directory, int base) {
        outlined = Directory.isOutline(directory, base);
        if (outlined) {
            count = Directory.pairCount(directory, base);
            dataBytes = Directory.dataBytes(directory, base);
            Directory.copyPositions(directory, base, positions);
            return;
        }
        copy.put(0, directory, base, Directory.bytes(directory, base));
        count = Directory.pairCount(copy, 0);
        dataBytes = Directory.dataBytes(copy, 0);
        skipped = Directory.skipped(copy, 0);
        windows = Directory.windows(copy, 0);
    }

    /** Whether it was an outline. */
    public boolean areOutlined() {
        return outlined;
    }

    /** Has to be called before it is asked for the places of pairs from one to before another. */
    public void place(int from, int to) {
        if (outlined) {
            return; // all are known
        }
        Directory.copyPlaces(copy, 0, from, to, this);
    }

    /** Bytes of all pairs. */
    public int dataBytes() {
        return dataBytes;
    }

    /** The first pair whose window is not below one that is sought, or the number of the pairs. */
    public int lowerBound(int window) {
        // All are counted: to halve takes fewer steps, but of each the processor guesses where it leads to.
        int bound = 0;
        int end = windows + count * Integer.BYTES;
        for (int at = windows; at < end; at += Integer.BYTES) {
            bound += Integer.compareUnsigned(copy.getInt(at), window) < 0 ? 1 : 0;
        }
        return bound;
    }

    /** The first pair from one on, which {@link #lowerBound} has found, whose window is above the one sought there. */
    public int upperBound(int lowerBound, int window) {
        int bound = lowerBound;
        while (bound < count && copy.getInt(windows + bound * Integer.BYTES) == window) {
            bound++;
        }
        return bound;
    }

    /** The number of the pairs. */
    public int count() {
        return count;
    }

    /** How many bytes of each key are not in its window: all keys begin with the same. */
    public int skipped() {
        return skipped;
    }

    /** Where a pair begins, relative to the first; for one behind the last that has its place, where that ends. */
    public int position(int pair) {
        return positions[pair];
    }

    /** Bytes of a pair. */
    public int recordBytes(int pair) {
        return positions[pair + 1] - positions[pair];
    }

    /** Where in the data file a pair was when somebody last looked, or {@link Directory#UNKNOWN}. */
    public long address(int pair) {
        return addresses[pair];
    }

    /** The checksum of a pair's record. */
    public int checksum(int pair) {
        return checksums[pair];
    }
}
