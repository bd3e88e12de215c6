package io.flexdb.internal.read;

import io.flexdb.internal.interval.IntervalBounds;

/** How many pairs a cursor brings at once. For one cursor. */
final class PairsAhead {
    /*
     * To bring pairs together costs less than to bring them one after the other: memory is waited for once, and what it
     * takes to begin is paid once. To bring what nobody comes to costs more. So what is brought first is as much as
     * somebody has said that he expects; or else as much as is usual, since who walks again and again often walks as far
     * each time. Usual is what three of four walks of late have reached: it grows by one with each walk that goes
     * farther, and shrinks by three with each that does not get there, so it settles at the length of walks that are all
     * alike, and too much is brought for few of those that are not.
     *
     * Behind that nothing is known: few more, but half of what was usual at least, and then twice as many each time, so
     * that a long walk brings whole intervals all the same.
     */
    private static final int FIRST = 4;
    private static final int FIRST_IF_SLOW = 16;
    private static final int MOST = IntervalBounds.MAX_PAIRS;
    private static final int SHRINKS_BY = 3;

    private int expected;
    private int usual = FIRST;
    private int left; // of those expected, or usual
    private int growing;

    /** A cursor is opened. */
    void reset(int expectedPairs) {
        expected = expectedPairs;
        restart();
    }

    /** It goes elsewhere. */
    void restart() {
        left = expected > 0 ? expected : usual;
        growing = expected > 0 ? FIRST : Math.max(2 * FIRST, usual / 2);
    }

    /** A walk has ended, which has come to so many pairs. One of which somebody has known that is not counted. */
    void ended(int pairs) {
        if (expected > 0) {
            return;
        }
        if (pairs > usual) {
            usual = Math.min(usual + 1, MOST);
        } else if (pairs < usual) {
            usual = Math.max(usual - SHRINKS_BY, FIRST);
        }
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
     * So many are there.
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
