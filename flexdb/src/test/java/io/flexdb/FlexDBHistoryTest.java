package io.flexdb;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store against a sorted map, over long random histories with closings, kills and power cuts. */
class FlexDBHistoryTest {
    @ParameterizedTest
    @EnumSource
    void aStoreIsWhatTheSameWritesMakeOfASortedMap(Durability durability) {
        for (long seed = 0; seed < Effort.times(8); seed++) {
            new History(durability, seed).run(2000);
        }
    }

    /** None, one of few outlines, one of some directories and the outlines of the rest, and room for all. */
    private static final int[] CACHES = {0, 64 << 10, 256 << 10, 1 << 20};

    private static final class History {
        private final long seed;
        private final Random random;
        private final StoreDriver store;
        private final int keys;
        private final int usualValueBytes;
        private String at;

        History(Durability durability, long seed) {
            this.seed = seed;
            this.random = new Random(31 * seed + durability.ordinal());
            this.keys = 20 + random.nextInt(random.nextBoolean() ? 100 : 3000);
            this.usualValueBytes = random.nextBoolean() ? 40 : 300;
            FlexDBOptions options = StoreDriver.readingDisk(random.nextBoolean(), StoreDriver.SMALL)
                    .withDurability(durability)
                    .withCacheBytes(CACHES[random.nextInt(CACHES.length)])
                    .withStitchingThresholdBytes(random.nextBoolean() ? FlexDBOptions.DERIVED : random.nextInt(600))
                    .withRangeFilter(random.nextBoolean());
            this.store = new StoreDriver(options);
        }

        void run(int steps) {
            for (int step = 0; step < steps; step++) {
                at = store.options.durability() + ", seed " + seed + ", step " + step;
                try {
                    step();
                } catch (RuntimeException e) {
                    throw new AssertionError(at, e);
                }
            }
            store.assertSame(at);
            store.assertSameBackward(at);
            store.db.close();
        }

        private void step() {
            store.clock.advance(random.nextInt(4));
            switch (random.nextInt(200)) {
                case 0 -> store.reopen(at);
                case 1 -> store.kill(at);
                case 2, 3 -> store.powerCut(random.nextLong(), at);
                case 4 -> store.sync();
                case 5 -> deleteRange();
                case 6, 7, 8, 9, 10 -> store.takeOrCheckSnapshot(at);
                case 11, 12, 13, 14, 15, 16, 17, 18 -> batch();
                case 19, 20, 21, 22, 23, 24 -> walk();
                case 25, 26, 27, 28 -> transaction();
                case 29, 30 -> deleteRange();
                case 31 -> store.db.defragment();
                case 32 -> load();
                case 33 -> store.flush();
                case 34 -> compact();
                default -> one();
            }
        }

        private void one() {
            switch (random.nextInt(10)) {
                case 0, 1 -> store.delete(key());
                case 2, 3 -> store.get(key(), at);
                case 4 -> store.put(key(), value(4000), ttl());
                case 5, 6 -> store.merge(key(), operand());
                default -> store.put(key(), value(40_000));
            }
        }

        private void transaction() {
            Edit meanwhile = random.nextInt(3) == 0 ? null : edits(1).get(0);
            Isolation isolation = Isolation.values()[random.nextInt(2)];
            store.transaction(edits(1 + random.nextInt(20)), edits(random.nextInt(5)), meanwhile, isolation);
        }

        private List<Edit> edits(int count) {
            List<Edit> edits = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                edits.add(
                        random.nextInt(8) == 0
                                ? special()
                                : new Edit(key(), random.nextInt(4) == 0 ? null : value(500)));
            }
            return edits;
        }

        private void batch() {
            List<Edit> edits = new ArrayList<>();
            for (int i = random.nextInt(30); i >= 0; i--) {
                edits.add(
                        random.nextInt(12) == 0
                                ? range()
                                : random.nextInt(6) == 0
                                        ? special()
                                        : new Edit(key(), random.nextInt(4) == 0 ? null : value(i > 0 ? 500 : 40_000)));
            }
            Durability[] all = Durability.values();
            store.batch(edits, all[random.nextInt(all.length)]);
        }

        private void compact() {
            Edit range = range();
            store.compact(range.key(), range.to());
        }

        private void deleteRange() {
            Edit range = range();
            store.deleteRange(range.key(), range.to());
        }

        /** Mostly short, now and then all before a key, all from one on, or all there is. */
        private Edit range() {
            int from = random.nextInt(10_000);
            int to = from + 1 + random.nextInt(random.nextInt(20) == 0 ? 10_000 : 500);
            return Edit.range(random.nextInt(50) == 0 ? null : key(from), to > 9999 ? null : key(to));
        }

        /** A few keys or hundreds, near each other or not. */
        private void load() {
            TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
            int from = random.nextInt(keys);
            int step = random.nextInt(3) == 0 ? 1 + random.nextInt(50) : 1;
            int to = Math.min(keys, from + step * (1 + random.nextInt(300)));
            for (int number = from; number < to; number += step) {
                pairs.put(key(number * (10_000 / keys)), value(random.nextInt(50) == 0 ? 40_000 : 500));
            }
            store.load(pairs);
        }

        private void walk() {
            byte[] bound = random.nextInt(4) == 0 ? key() : null;
            int forward = random.nextInt(4);
            store.walk(
                    key(),
                    random.nextBoolean(),
                    bound,
                    Stream.generate(() -> random.nextInt(4) < forward).limit(40)::iterator,
                    at);
        }

        private Edit special() {
            return random.nextBoolean() ? Edit.merge(key(), operand()) : Edit.expiring(key(), value(500), ttl());
        }

        private byte[] operand() {
            byte[] operand = new byte[random.nextInt(20)];
            random.nextBytes(operand);
            return operand;
        }

        /** A few steps or hundreds of them. */
        private long ttl() {
            return 1 + random.nextInt(random.nextBoolean() ? 20 : 2000);
        }

        private byte[] key() {
            return key(random.nextInt(keys) * (10_000 / keys));
        }

        private static byte[] key(int number) {
            return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
        }

        /** Mostly small, sometimes longer than an extent, seldom longer than several intervals. */
        private byte[] value(int most) {
            int bound = random.nextInt(40) > 0 ? usualValueBytes : random.nextInt(10) > 0 ? 4000 : 40_000;
            bound = Math.min(bound, most);
            byte[] value = new byte[random.nextInt(bound)];
            random.nextBytes(value);
            return value;
        }
    }
}
