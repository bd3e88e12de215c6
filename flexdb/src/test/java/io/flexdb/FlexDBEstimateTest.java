package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimates of ranges against what they hold. */
class FlexDBEstimateTest {
    private static final int KEYS = 40_000;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static void assertNear(long expected, long found, double most, String at) {
        assertTrue(Math.abs(found - expected) <= most, at + ": " + found + " instead of " + expected);
    }

    @Test
    void whatIsCommittedIsRightButForHalfAnIntervalAtEachEnd() {
        long seed = new Random().nextLong();
        System.out.println("FlexDBEstimateTest seed " + seed);
        Random random = new Random(seed);
        SimulatedVfs vfs = new SimulatedVfs();
        long[] bytesBefore = new long[KEYS + 1];
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < KEYS; i++) {
                byte[] value = new byte[random.nextInt(300)];
                db.put(key(i), value);
                bytesBefore[i + 1] = bytesBefore[i] + RecordFormat.recordBytes(key(i).length, value.length);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            assertEquals(
                    db.stats().space().bytes(), db.estimateRange(null, null).bytes());
            for (int i = 0; i < 1000; i++) {
                int from = random.nextInt(KEYS);
                int to = from + random.nextInt(i % 2 == 0 ? 500 : KEYS + 1 - from);
                to = Math.min(to, KEYS);
                boolean open = i % 10 == 9;
                RangeEstimate estimate = db.estimateRange(open ? null : key(from), key(to));
                int first = open ? 0 : from;
                String at = first + " to " + to;
                long pairs = to - first;
                assertNear(bytesBefore[to] - bytesBefore[first], estimate.bytes(), Interval.MAX_BYTES + 2, at);
                // 256 intervals have at least some 7,000 pairs; what is sampled is uniform here.
                double sampled = pairs < 5000 ? 0 : pairs * 0.1;
                assertNear(pairs, estimate.pairs(), 2 * Interval.MAX_PAIRS + sampled, at);
            }
        }
    }

    @Test
    void shortPairsCountAsManyAsThereAreBesideLongOnes() {
        int shortOnes = KEYS;
        int longOnes = KEYS / 5; // which have two thirds of all bytes
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < shortOnes + longOnes; i++) {
                db.put(key(i), new byte[i < shortOnes ? 0 : 100]);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            long pairs = shortOnes + longOnes;
            assertNear(pairs, db.estimate().pairs(), 0.1 * pairs, "all");
        }
    }

    @Test
    void whatMemtablesHaveIsAdded() {
        try (FlexDB db =
                StoreDriver.open(new SimulatedVfs(), FlexDBOptions.defaults().withMemtableBytes(8 << 20))) {
            for (int i = 0; i < 10_000; i++) {
                db.put(key(i), new byte[100]);
            }
            int bytes = RecordFormat.recordBytes(key(0).length, 100);
            assertEquals(new Figures.Range(900L * bytes, 900), db.estimateRange(key(50), key(950)));
            assertEquals(new Figures.Range(0, 0), db.estimateRange(key(20_000), null));
            assertNear(10_000, db.estimateRange(null, null).pairs(), 1000, "all");
            for (int i = 0; i < 100; i++) {
                db.delete(key(i));
            }
            assertEquals(850, db.estimateRange(key(50), key(950)).pairs());
        }
    }
}
