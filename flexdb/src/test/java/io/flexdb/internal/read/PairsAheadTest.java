package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.interval.IntervalBounds;
import org.junit.jupiter.api.Test;

/** How many pairs a cursor brings at once. */
class PairsAheadTest {
    private final PairsAhead ahead = new PairsAhead();

    private void assertComes(int... counts) {
        for (int count : counts) {
            assertEquals(count, ahead.next());
            ahead.came(count, true);
        }
    }

    @Test
    void withoutAnExpectationAWalkBringsFewAtFirstAndThenTwiceAsMany() {
        ahead.reset(0);
        assertComes(4, 8, 16, 32, IntervalBounds.MAX_PAIRS, IntervalBounds.MAX_PAIRS);
        ahead.restart();
        assertComes(4, 8);
    }

    @Test
    void whatIsExpectedComesAtOnceAndNoMore() {
        ahead.reset(10);
        assertComes(10, 4, 8);
        ahead.restart();
        assertEquals(10, ahead.next());
        ahead.came(7, true); // the interval ends
        assertComes(3, 4);
        ahead.reset(130);
        assertComes(56, 56, 18, 4);
        ahead.reset(1);
        ahead.came(56, false); // all of an interval was there
        assertComes(4);
    }

    /** How many come first, after walks of some lengths, again and again. */
    private int firstAfterWalksOf(int... lengths) {
        for (int i = 0; i < 1000; i++) {
            ahead.ended(lengths[i % lengths.length]);
        }
        ahead.restart();
        return ahead.next();
    }

    @Test
    void asMuchIsBroughtFirstAsWalksOfLateHaveNeeded() {
        ahead.reset(0);
        assertEquals(11, firstAfterWalksOf(11));
        assertComes(11, 8, 16);
        assertEquals(51, firstAfterWalksOf(51));
        assertEquals(IntervalBounds.MAX_PAIRS, firstAfterWalksOf(1_000_000));
        assertEquals(4, firstAfterWalksOf(1));
        assertComes(4, 8, 16);
    }

    @Test
    void mostWalksComeToAllThatIsBroughtFirst() {
        ahead.reset(0);
        int first = firstAfterWalksOf(5, 60, 15, 25, 55, 35, 45, 40);
        assertTrue(first >= 5 && first <= 25, "was " + first);
        assertEquals(4, firstAfterWalksOf(1, 50, 1, 2));
    }

    @Test
    void whatIsUsualDoesNotCountWhereSomebodyHasSaidWhatHeExpects() {
        ahead.reset(0);
        firstAfterWalksOf(30);
        ahead.reset(10);
        assertComes(10, 4, 8);
        ahead.reset(0);
        assertComes(30, 15, 30, IntervalBounds.MAX_PAIRS);
    }

    @Test
    void pairsThatWereThereDoNotMakeAWalkBringMore() {
        ahead.reset(0);
        ahead.came(4, false);
        assertEquals(8, ahead.next());
        ahead.came(8, false);
        assertComes(8, 16);
    }
}
