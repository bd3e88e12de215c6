package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import org.junit.jupiter.api.Test;

class IntervalsTest {
    private static final byte[] KEYS = {1, 2};

    private final Epochs epochs = new Epochs();
    private final SparseIndex index = new SparseIndex(epochs, new OffHeap());
    private final Intervals intervals = new Intervals(index, new IntervalCache(epochs, 1 << 20, new OffHeap()), null);

    /** Two threads may have read it, at times between which garbage collection has moved its pairs. */
    @Test
    void aCoarseIntervalIsDividedOnce() {
        intervals.append(new byte[0], 0, 0, 4000, Interval.UNKNOWN_PAIRS);
        intervals.append(new byte[] {9}, 0, 1, 4000, Interval.UNKNOWN_PAIRS);
        Division counted = new Division();
        counted.begin(1);
        counted.parts.first(4000, 2, 1);
        counted.end(KEYS, 1, 1, 1, true);
        Division divided = new Division();
        divided.begin(1);
        divided.parts.first(2000, 1, intervals.newContent()).add(KEYS, 1, 1, 2000, 1, intervals.newContent());
        divided.end(KEYS, 1, 1, 1, true);
        assertEquals(2, intervals.coarseCount());
        assertTrue(intervals.divide(counted));
        assertFalse(intervals.divide(divided));
        assertEquals(1, intervals.coarseCount());
        assertEquals(2, index.intervalCount());
        IndexChecker.check(index);
    }

    @Test
    void onlyTheWriterSeesWhatIsNotPublished() {
        index.setWriter(() -> false);
        assertThrows(AssertionError.class, index::current);
        assertThrows(AssertionError.class, () -> intervals.append(KEYS, 0, 1, 1, 1));
    }
}
