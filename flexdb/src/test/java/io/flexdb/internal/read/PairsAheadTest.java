package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.internal.interval.Interval;
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
        assertComes(4, 8, 16, 32, Interval.MAX_PAIRS, Interval.MAX_PAIRS);
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

    @Test
    void pairsThatWereThereDoNotMakeAWalkBringMore() {
        ahead.reset(0);
        ahead.came(4, false);
        assertComes(4, 8);
    }
}
