package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyHeads;
import java.util.Arrays;

/**
 * The pairs that a cursor is to show, and hints on its walk. Nobody changes the arrays.
 *
 * @param heads of the keyspace that is shown; keys are shown without them
 * @param lowerBound no key below this one, as it is stored, is shown; null for all
 * @param upperBound no key from this one on, as it is stored, is shown; null for all
 * @param keysOnly whether values are left where they are
 * @param expectedPairs how many pairs will be read from a seek on; 0 if nobody knows
 * @param iteration how an iteration goes; single steps go as they are told
 */
public record Scan(
        KeyHeads heads,
        byte[] lowerBound,
        byte[] upperBound,
        boolean keysOnly,
        int expectedPairs,
        Iteration iteration) {
    /** The direction of an iteration, and the most pairs that it has. */
    public record Iteration(boolean reverse, long limit) {
        /** Through all pairs, in key order. */
        public static final Iteration ALL = new Iteration(false, Long.MAX_VALUE);
    }

    private static final int MOST_EXPECTED = 1 << 20; // more makes no difference

    /** All pairs of all keyspaces as they are stored, of which nobody knows how many will be read. */
    public static final Scan ALL = new Scan(KeyHeads.RAW, null, null, false, 0, Iteration.ALL);

    /** A scan without values. */
    public static final Scan KEYS = new Scan(KeyHeads.RAW, null, null, true, 0, Iteration.ALL);

    /** This scan in one keyspace, to which the bounds belong; the heads of this one are {@link KeyHeads#RAW}. */
    public Scan in(KeyHeads keyspace) {
        return new Scan(
                keyspace,
                lowerBound == null ? keyspace.begin() : keyspace.stored(lowerBound),
                upperBound == null ? keyspace.end() : keyspace.stored(upperBound),
                keysOnly,
                expectedPairs > 0 || iteration.limit() > MOST_EXPECTED ? expectedPairs : (int) iteration.limit(),
                iteration);
    }

    /** Whether the bounds are in order; with two equal ones nothing is shown. */
    public boolean isInOrder() {
        return lowerBound == null || upperBound == null || Arrays.compareUnsigned(lowerBound, upperBound) <= 0;
    }

    boolean isBelow(byte[] key, int length) {
        return lowerBound != null && Arrays.compareUnsigned(key, 0, length, lowerBound, 0, lowerBound.length) < 0;
    }

    boolean isAbove(byte[] key, int length) {
        return upperBound != null && Arrays.compareUnsigned(key, 0, length, upperBound, 0, upperBound.length) >= 0;
    }
}
