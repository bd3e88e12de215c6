package io.flexdb.internal.interval;

/** The largest size of an interval, and the places where a larger one is divided. */
public final class IntervalBounds {
    /*
     * An interval is coarse if it is larger than it may be, or if nobody has counted its pairs yet, because its anchor
     * was sampled. An interval of a single pair may have any size. The committer makes no coarse intervals; opening a
     * store may find some.
     *
     * Pairs are read one by one, so what limits their number is the work of a search among them, and what a cursor may
     * ask of a directory at once (PairPlaces).
     */
    public static final int MAX_BYTES = 16 << 10;
    public static final int MAX_PAIRS = 56;

    /** Pairs of an interval that has not been read since its anchor was sampled. */
    public static final int UNKNOWN_PAIRS = 0xFFFF;

    /** An interval is fragmented if it has more pieces than one for so many pairs. */
    private static final int PAIRS_OF_A_PIECE = 4;

    private IntervalBounds() {}

    /** Whether pairs lie in so many pieces in the data file that who reads all of them pays for it. */
    public static boolean areFragmented(int pieces, int pairs) {
        return pieces > 2 && pieces * PAIRS_OF_A_PIECE > pairs;
    }

    /** Whether an interval is to be divided, or at least to be counted. */
    public static boolean isCoarse(long bytes, int pairs) {
        return pairs > MAX_PAIRS && bytes > 0 || bytes > MAX_BYTES && pairs != 1;
    }

    /** Whether these pairs make more than one interval. */
    public static boolean areDivided(int pairs, long bytes) {
        return pairs > MAX_PAIRS || bytes > MAX_BYTES && pairs > 1;
    }

    /**
     * How many of these pairs each interval gets, so that all get about as many. Pairs that make an interval alone say
     * nothing of the others.
     *
     * @param starts where each pair begins
     * @param end where the last one ends
     */
    public static int pairsEach(long[] starts, int from, int to, long end) {
        int pairs = to - from;
        long bytes = pairs == 0 ? 0 : end - starts[from];
        for (int pair = from; pair < to && bytes > MAX_BYTES; pair++) {
            long length = (pair + 1 < to ? starts[pair + 1] : end) - starts[pair];
            if (length > MAX_BYTES) {
                pairs--;
                bytes -= length;
            }
        }
        long intervals = Math.max((pairs + MAX_PAIRS - 1) / MAX_PAIRS, (bytes + MAX_BYTES - 1) / MAX_BYTES);
        return intervals == 0 ? 1 : (int) ((pairs + intervals - 1) / intervals);
    }

    /**
     * Where the interval ends that begins with a pair.
     *
     * @param starts where each pair begins
     * @param bytes where the last one ends
     * @return the pair behind it
     */
    public static int endOfInterval(long[] starts, int pairs, long bytes, int first, int pairsEach) {
        int end = first + 1;
        while (end < pairs
                && end - first < pairsEach
                && (end + 1 < pairs ? starts[end + 1] : bytes) - starts[first] <= MAX_BYTES) {
            end++;
        }
        return end;
    }
}
