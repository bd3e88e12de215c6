package io.flexdb.internal.read;

import io.flexdb.internal.interval.Interval;

/** How many pairs a cursor brings at once. For one cursor. */
final class PairsAhead {
    /*
     * If nobody knows how far a walk goes: few at first, then twice as many each time, so that a short walk brings
     * little more than it shows, and a long one whole intervals. If somebody does: as many as are expected and have not
     * come yet, at once; and behind them as if nothing were known, since that walk has become another one.
     */
    private static final int FIRST = 4;
    private static final int FIRST_IF_SLOW = 16;
    private static final int MOST = Interval.MAX_PAIRS;

    private int expected;
    private int left; // of those expected
    private int growing;

    /** A cursor is opened. */
    void reset(int expectedPairs) {
        expected = expectedPairs;
        restart();
    }

    /** It goes elsewhere. */
    void restart() {
        left = expected;
        growing = FIRST;
    }

    /** How many are expected and have not come yet; 0 if nobody knows. */
    int left() {
        return left;
    }

    /** How many to bring next, at least one. */
    int next() {
        return left > 0 ? Math.min(left, MOST) : growing;
    }

    /** How many to prefetch from a disk, of which those are the first: to wait once costs less than to wait twice. */
    int nextIfSlow() {
        return Math.max(next(), FIRST_IF_SLOW);
    }

    /**
     * Notes the number of pairs that are there.
     *
     * @param fetched whether they had to be brought
     */
    void came(int pairs, boolean fetched) {
        if (left > 0) {
            left = Math.max(0, left - pairs);
        } else if (fetched) {
            growing = Math.min(2 * growing, MOST);
        }
    }
}
