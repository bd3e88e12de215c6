package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stays in place when an interval changes, by the stitching threshold, and that the pairs are the same. */
class FlexDBStitchingTest {
    private static final int PAIRS = 2000;
    private static final int VALUE_BYTES = 80;
    private static final int ALL = Integer.MAX_VALUE;
    private static final FlexDBOptions LONG_EXTENTS = StoreDriver.WITHOUT_LARGE.withSpace(
            StoreDriver.WITHOUT_LARGE.space().withSegments(512 * 512, 512)); // of up to 8 KiB

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%06d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int number, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) number);
        return value;
    }

    /** A store whose intervals lie in one piece each. */
    private static StoreDriver whole(int threshold) {
        StoreDriver store = new StoreDriver(LONG_EXTENTS.withStitchingThresholdBytes(threshold));
        for (int i = 0; i < PAIRS; i++) {
            store.put(key(i), value(i, VALUE_BYTES));
        }
        store.reopen("whole");
        return store;
    }

    /** Puts as much behind all others as has the memtable committed. */
    private static void commit(StoreDriver store) {
        for (int i = 0; i < 4 * FlexDBOptions.MIN_MEMTABLE_BYTES / 900; i++) {
            store.put(key(900_000 + i), value(i, 900));
        }
    }

    /** How many bytes of data a change of every 40th pair writes, and how many extents it leaves. */
    private static long[] changed(int threshold) {
        StoreDriver store = whole(threshold);
        long before = store.db.stats().written().dataBytes();
        for (int i = 20; i < PAIRS; i += 40) {
            store.put(key(i), value(i + 1, VALUE_BYTES + 1)); // another length, so it can't be overwritten
        }
        commit(store);
        long[] cost = {
            store.db.stats().written().dataBytes() - before,
            store.db.stats().space().extents()
        };
        store.assertSame("changed with threshold " + threshold);
        store.kill("killed with threshold " + threshold);
        store.db.close();
        return cost;
    }

    @Test
    void theMoreIsStitchedTheLessIsWrittenAndTheMoreExtentsThereAre() {
        long[] inPlace = changed(0);
        long[] stitched = changed(1500);
        long[] rewritten = changed(ALL);
        String figures =
                Arrays.toString(inPlace) + ", " + Arrays.toString(stitched) + ", " + Arrays.toString(rewritten);
        assertTrue(inPlace[0] < stitched[0] && stitched[0] < rewritten[0], "bytes: " + figures);
        assertTrue(inPlace[1] > stitched[1] && stitched[1] > rewritten[1], "extents: " + figures);
    }

    @Test
    void aLargePairThatDoesNotChangeStaysBesideSmallOnesThatDo() {
        long stitched = changedBesideALargePair(4000);
        long rewritten = changedBesideALargePair(ALL);
        assertTrue(rewritten - stitched > 7000, stitched + " and " + rewritten + " bytes");
    }

    private static long changedBesideALargePair(int threshold) {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE.withStitchingThresholdBytes(threshold));
        for (int i = 0; i < 100; i++) {
            store.put(key(i), value(i, i == 50 ? 8000 : 60));
        }
        store.reopen("loaded");
        long before = store.db.stats().written().dataBytes();
        for (int i = 30; i < 70; i++) {
            if (i != 50) {
                store.put(key(i), value(i, 61));
            }
        }
        commit(store);
        long written = store.db.stats().written().dataBytes() - before;
        store.assertSame("changed with threshold " + threshold);
        store.kill("killed with threshold " + threshold);
        store.db.close();
        return written;
    }

    /** Removals between runs that stay, at both ends, and of whole intervals; pairs that come, go and change their size. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 150, 500, 2000, ALL})
    void whateverStaysThePairsAreWhatWasPut(int threshold) {
        Random random = new Random(threshold);
        StoreDriver store = whole(threshold);
        for (int round = 0; round < 12; round++) {
            int changes = 1 << random.nextInt(11);
            int from = random.nextInt(PAIRS);
            for (int i = 0; i < changes; i++) {
                int number = random.nextBoolean() ? random.nextInt(PAIRS) : (from + i) % PAIRS;
                switch (random.nextInt(4)) {
                    case 0 -> store.delete(key(number));
                    case 1 -> store.put(key(number), value(round, random.nextInt(300)));
                    case 2 -> store.put(key(number), value(round, VALUE_BYTES));
                    default ->
                        store.put(
                                (new String(key(number), StandardCharsets.US_ASCII) + "+" + random.nextInt(3))
                                        .getBytes(StandardCharsets.US_ASCII),
                                value(round, 20));
                }
            }
            commit(store);
            store.assertSame("threshold " + threshold + ", round " + round);
            if (round % 4 == 3) {
                store.kill("threshold " + threshold + ", killed in round " + round);
            }
        }
        store.db.defragment();
        store.assertSameBackward("threshold " + threshold + ", whole");
        long extents = store.db.stats().space().extents();
        store.db.defragment();
        assertEquals(extents, store.db.stats().space().extents());
        store.reopen("at the end");
        assertTrue(store.db.check().isSound(), store.db.check().toString());
        store.db.close();
    }
}
