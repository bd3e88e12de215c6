package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups without a directory, above all where the cache has no room for it. */
class FlexDBUncachedTest {
    private static final FlexDBOptions UNCACHED = StoreDriver.SMALL.withCacheBytes(0);
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");

    /** Keys with long beginnings in common and without, some longer than what is read at first. */
    private static byte[] key(int number) {
        String digits = Integer.toString(number * 7919 % 100_003);
        int fill = number % 97 == 0 ? 700 : number % 3 == 0 ? 12 : 0;
        return ("k" + "x".repeat(fill) + digits).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int number, int round) {
        byte[] value = new byte[number % 50 == 0 ? 1500 : number % 60];
        Arrays.fill(value, (byte) (number + round));
        return value;
    }

    /** A store some intervals of which lie in one piece, and others in many. */
    private static StoreDriver store(long seed, int pairs) {
        StoreDriver store = new StoreDriver(UNCACHED);
        Random random = new Random(seed);
        for (int i = 0; i < pairs; i++) {
            store.put(key(i), value(i, 0));
        }
        store.reopen("loaded");
        store.db.defragment();
        for (int i = 0; i < pairs / 2; i++) {
            int number = random.nextInt(pairs / 2);
            if (random.nextInt(5) == 0) {
                store.delete(key(number));
            } else {
                store.put(key(number), value(number, 1));
            }
        }
        store.reopen("scattered");
        return store;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void eachPairIsFoundAndNoOther(long seed) {
        int pairs = 3000;
        StoreDriver store = store(seed, pairs);
        ByteBuffer destination = ByteBuffer.allocate(2000);
        for (int round = 0; round < 3; round++) { // each read a directory is made for now and then
            for (int i = 0; i < pairs; i++) {
                store.get(key(i), "seed " + seed + ", " + i);
                byte[] beside = Arrays.copyOf(key(i), key(i).length + 1);
                store.get(beside, "just above");
                store.get(Arrays.copyOf(key(i), key(i).length - 1), "just below");
                byte[] expected = store.oracle.now().get(key(i));
                int length = store.db.get(ByteBuffer.wrap(key(i)), destination.clear());
                assertEquals(expected == null ? -1 : expected.length, length);
            }
        }
        store.get(new byte[] {0}, "below all");
        store.get(new byte[] {-1}, "above all");
        store.db.close();
    }

    /** An interval of 56 pairs in as many pieces would take as many reads of frames. */
    @Test
    void aLookupReadsAFewPiecesAndNotAllOfThem() {
        StoreDriver store = store(5, 4000);
        store.db.close();
        int[] reads = {0};
        store.setHook((kind, path) -> reads[0] += kind == HookedVfs.Kind.READ && path.equals(DATA) ? 1 : 0);
        store.open();
        reads[0] = 0;
        int lookups = 4000;
        int dear = 0;
        for (int i = 0; i < lookups; i++) {
            int before = reads[0];
            store.db.get(key(i));
            dear += reads[0] - before > 12 ? 1 : 0;
        }
        assertTrue(dear <= lookups / 8, dear + " lookups have read all pieces; one in eight may make a directory");
        assertTrue(reads[0] > lookups, "reads are counted");
        store.db.close();
    }

    @Test
    void aFlippedBitIsFoundOrMeetsNobody() {
        StoreDriver store = store(9, 1500);
        store.db.close();
        TreeMap<byte[], byte[]> expected = store.oracle.now();
        SplittableRandom random = new SplittableRandom(9);
        int failed = 0;
        for (int i = 0; i < Effort.times(30); i++) {
            SimulatedVfs files = store.vfs.copy();
            byte[] data = files.content(DATA);
            int bit = random.nextInt(8 * data.length);
            data[bit >>> 3] ^= (byte) (1 << (bit & 7));
            files.setContent(DATA, data);
            try (FlexDB db = StoreDriver.open(files, UNCACHED)) {
                for (Map.Entry<byte[], byte[]> pair : expected.entrySet()) {
                    try {
                        assertArrayEquals(pair.getValue(), db.get(pair.getKey()), "bit " + bit);
                    } catch (CorruptionException e) {
                        failed++;
                    }
                }
            } catch (CorruptionException e) {
                failed++; // at opening
            }
        }
        assertTrue(failed > 0, "some bits were flipped in pairs");
    }

    @Test
    void whereTheCacheIsFullWhatIsLookedUpOftenStillGetsADirectory() {
        StoreDriver store = store(11, 12_000);
        store.db.close();
        FlexDBOptions small = StoreDriver.SMALL.withCacheBytes(96 << 10);
        try (FlexDB db = StoreDriver.open(store.vfs, small)) {
            for (int i = 0; i < 12_000; i++) {
                db.get(key(i)); // fills it
            }
            assertTrue(db.stats().cache().misses() > 1000, "it is full");
            long hits = 0;
            for (int i = 0; i < 400; i++) {
                long before = db.stats().cache().hits();
                assertArrayEquals(store.oracle.now().get(key(3999)), db.get(key(3999)));
                hits += db.stats().cache().hits() - before;
            }
            assertTrue(hits >= 390, hits + " of 400");
        }
    }
}
