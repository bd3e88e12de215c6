package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Leases;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeasedSegmentsTest {
    private final List<Integer> free = new ArrayList<>();
    private final LeasedSegments segments = new LeasedSegments(free::add);
    private final TestLeases leases = new TestLeases();

    private static final class TestLeases implements Leases {
        private long now = 1000;
        private long oldest = NONE;
        private int looks;

        @Override
        public long now() {
            return now;
        }

        @Override
        public long oldest() {
            looks++;
            return oldest;
        }
    }

    private void add(int... numbers) {
        for (int number : numbers) {
            segments.add(number);
        }
        segments.settle();
    }

    private void settleOften() {
        for (int i = 0; i < 100; i++) {
            segments.settle();
        }
    }

    @Test
    void withoutLeasesEachIsFreeAtOnce() {
        add(1, 2);
        assertEquals(List.of(1, 2), free);
        segments.honour(leases, 10);
        add(3, 4, 5);
        assertEquals(List.of(1, 2, 3, 4, 5), free);
        settleOften();
        assertEquals(1, leases.looks, "it costs a look for those that come together");
        assertFalse(segments.giveUp());
    }

    @Test
    void whatBecomesFreeAfterTheOldestStateWasReadIsHeld() {
        segments.honour(leases, 10);
        leases.oldest = 1000; // the same millisecond, of which nobody knows the order
        add(1);
        leases.now = 1500;
        add(2, 3);
        assertEquals(List.of(), free);
        assertEquals(3, segments.count());
        leases.oldest = 1500;
        settleOften();
        assertEquals(List.of(1), free);
        leases.oldest = 1501;
        settleOften();
        assertEquals(List.of(1, 2, 3), free);
    }

    @Test
    void withoutReadersNothingIsHeldAnyMore() {
        segments.honour(leases, 10);
        leases.oldest = 900;
        add(1, 2);
        leases.oldest = Leases.NONE;
        settleOften();
        assertEquals(List.of(1, 2), free);
    }

    @Test
    void onlySoManyAreHeld() {
        segments.honour(leases, 2);
        leases.oldest = 900;
        add(1, 2, 3);
        assertEquals(List.of(1), free);
        add(4, 5);
        assertEquals(List.of(1, 2, 3), free);
        segments.honour(leases, 0);
        settleOften();
        assertEquals(0, segments.count());
    }

    @Test
    void nothingIsHeldForLongWhateverTheClockDoes() {
        segments.honour(leases, 10);
        leases.oldest = 900;
        add(1);
        leases.now += LeasedSegments.MAX_MILLIS - 1;
        add(2);
        assertEquals(List.of(), free);
        leases.now++;
        settleOften();
        assertEquals(List.of(1), free);
        leases.now = 950;
        settleOften();
        assertEquals(List.of(1, 2), free);
    }

    @Test
    void whereThereIsNoSpaceNothingIsHeldForSomeTime() {
        segments.honour(leases, 10);
        leases.oldest = 900;
        add(1, 2);
        assertTrue(segments.giveUp());
        add(3);
        assertEquals(List.of(1, 2, 3), free);
        leases.now += LeasedSegments.MAX_MILLIS;
        add(4);
        assertEquals(1, segments.count());
    }
}
