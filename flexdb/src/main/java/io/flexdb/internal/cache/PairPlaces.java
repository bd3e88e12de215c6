package io.flexdb.internal.cache;

import java.nio.ByteBuffer;

/**
 * What a {@linkplain IntervalFormat directory} tells of an interval's pairs but for their fingerprints, copied, since
 * the cache may drop a directory at any time. Reused, by one thread, without garbage.
 */
public final class PairPlaces {
    /** The most pairs that it has room for. */
    public static final int MAX_PAIRS = Long.SIZE - 1;

    private final int[] positions = new int[MAX_PAIRS + 1];
    private final long[] addresses = new long[MAX_PAIRS];
    private final int[] checksums = new int[MAX_PAIRS];
    private final int[] windows = new int[MAX_PAIRS];
    private int count;
    private int skipped;

    /** Takes a directory, which is valid for now, of {@link #MAX_PAIRS} at most. */
    public void take(ByteBuffer directory, int base) {
        count = IntervalFormat.pairCount(directory, base);
        skipped = IntervalFormat.skipped(directory, base);
        IntervalFormat.copyPlaces(directory, base, positions, addresses, checksums, windows);
    }

    /** The number of the pairs. */
    public int count() {
        return count;
    }

    /** How many bytes of each key are not in its window: all keys begin with the same. */
    public int skipped() {
        return skipped;
    }

    /** Where a pair begins, relative to the first; for one behind the last, where that ends. */
    public int position(int pair) {
        return positions[pair];
    }

    /** Bytes of a pair. */
    public int recordBytes(int pair) {
        return positions[pair + 1] - positions[pair];
    }

    /** Where in the data file a pair was when somebody last looked, or {@link IntervalFormat#UNKNOWN}. */
    public long address(int pair) {
        return addresses[pair];
    }

    /** The checksum of a pair's record. */
    public int checksum(int pair) {
        return checksums[pair];
    }

    /** The window of a pair's key. */
    public int window(int pair) {
        return windows[pair];
    }
}
