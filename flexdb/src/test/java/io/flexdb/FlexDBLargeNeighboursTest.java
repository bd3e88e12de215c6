package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pairs beside values so large that no interval which has one is in memory as a whole. */
class FlexDBLargeNeighboursTest {
    private static final int STEPS = 120;
    private static final int KEYS = 60;
    private static final int LARGE = 17 << 10; // more than an interval is read whole
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL.withLargeValueBytes(2000);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(Random random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    /** The ways in which commits and reads work. */
    private enum Kind {
        USUAL(OPTIONS),
        STITCHED(OPTIONS.withStitchingThresholdBytes(300)),
        FILTERED(OPTIONS.withRangeFilter(true)),
        WITHOUT_CACHE(OPTIONS.withCacheBytes(0)),
        THROUGH_LOG(OPTIONS.withLargeValueBytes(1 << 20).withMemtableBytes(1 << 20));

        private final FlexDBOptions options;

        Kind(FlexDBOptions options) {
            this.options = options;
        }
    }

    @ParameterizedTest
    @EnumSource
    void randomChangesBesideLargeValuesAreAsTheyShouldBe(Kind kind) {
        for (int seed = 0; seed < Effort.times(1); seed++) {
            String at = kind + ", seed " + seed;
            Random random = new Random(seed);
            StoreDriver store = new StoreDriver(kind.options);
            for (int step = 0; step < STEPS; step++) {
                change(store, random, at + ", step " + step);
            }
            store.assertSame(at);
            store.assertSameBackward(at);
            assertEquals(List.of(), store.db.check().findings(), at);
            store.db.close();
            store.open();
            store.assertSame(at + ", opened");
            store.db.close();
        }
    }

    private static void change(StoreDriver store, Random random, String at) {
        byte[] key = key(random.nextInt(KEYS));
        switch (random.nextInt(16)) {
            case 0, 1 -> store.put(key, value(random, LARGE + random.nextInt(40_000)));
            case 2 -> store.delete(key);
            case 3 -> store.merge(key(KEYS + random.nextInt(KEYS)), value(random, 20));
            case 4 -> {
                int first = random.nextInt(KEYS);
                store.deleteRange(key(first), key(first + 1 + random.nextInt(4)));
            }
            case 5 -> load(store, random);
            case 6 -> largeBatch(store, random);
            case 7 -> {
                store.kill(at); // intervals are coarse then
                store.assertSameBackward(at);
            }
            case 8 -> store.powerCut(random.nextLong(), at);
            case 9 -> store.reopen(at);
            case 10 -> {
                lookUp(store, random, at);
                store.db.defragment();
                store.db.buildFilters();
            }
            default -> {
                for (int i = 0; i < 12; i++) { // which is more than a memtable now and then
                    store.put(key(random.nextInt(KEYS)), value(random, random.nextInt(1500)));
                }
            }
        }
    }

    private static void load(StoreDriver store, Random random) {
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        int first = random.nextInt(KEYS);
        for (int i = 0; i < 6; i++) {
            pairs.put(key(first + 2 * i), value(random, i == 3 ? LARGE + random.nextInt(9000) : random.nextInt(300)));
        }
        store.load(pairs);
    }

    private static void largeBatch(StoreDriver store, Random random) {
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            edits.add(new Edit(key(random.nextInt(KEYS)), i % 7 == 0 ? null : value(random, 1800)));
        }
        if (store.options.memtableBytes() == OPTIONS.memtableBytes()) {
            store.largeBatch(edits);
        } else { // it fits one
            store.batch(edits, Durability.OS);
        }
    }

    private static void lookUp(StoreDriver store, Random random, String at) {
        for (int i = 0; i < KEYS; i++) {
            byte[] key = key(i);
            store.get(key, at);
            byte[] expected = store.oracle.get(key);
            assertEquals(expected == null ? -1 : expected.length, store.db.valueLength(key), at);
            assertEquals(expected != null, store.db.containsKey(key), at);
            if (expected != null && expected.length > 0) {
                int from = random.nextInt(expected.length);
                ByteBuffer part = ByteBuffer.allocate(100);
                try (ValueReader value = store.db.openValue(key)) {
                    value.read(part, from);
                }
                int length = Math.min(100, expected.length - from);
                assertEquals(length, part.position(), at);
                assertEquals(part.flip(), ByteBuffer.wrap(expected, from, length), at);
            }
        }
    }

    /** The value itself is not read, so no damage in it is met. */
    @Test
    void aLargeValueThatIsDamagedHarmsNoPairBesideIt() {
        Random random = new Random(5);
        StoreDriver store = new StoreDriver(OPTIONS);
        byte[] large = value(random, 100_000);
        for (int i = 0; i < KEYS; i++) {
            store.put(key(i), i == 30 ? large : value(random, 40));
        }
        store.db.close();
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        byte[] sound = store.vfs.content(data);
        byte[] within = Arrays.copyOfRange(large, 50_000, 50_016);
        try (VfsFile file = store.vfs.open(data, OpenMode.READ_WRITE)) {
            for (int at = 0; at + within.length <= sound.length; at++) { // there may be an earlier copy
                if (Arrays.equals(sound, at, at + within.length, within, 0, within.length)) {
                    file.write(ByteBuffer.wrap(new byte[] {(byte) (sound[at] ^ 1)}), at);
                }
            }
        }
        store.open(); // with nothing in the cache
        byte[] rightBehind = Arrays.copyOf(key(30), key(30).length + 1);
        for (int round = 0; round < 2; round++) { // fine intervals, and coarse ones after the kill
            store.put(key(29), value(random, 50));
            store.put(key(31), value(random, 50));
            store.put(rightBehind, value(random, 5000));
            store.delete(rightBehind);
            store.deleteRange(key(28), key(30));
            commit(store);
            assertArrayEquals(store.oracle.get(key(31)), store.db.get(key(31)));
            assertNull(store.db.get(key(29)));
            assertEquals(large.length, store.db.valueLength(key(30)));
            assertThrows(CorruptionException.class, () -> store.db.get(key(30)));
            try (FlexCursor cursor = store.db.cursor()) {
                cursor.seek(key(30));
                assertArrayEquals(key(30), cursor.key());
                assertThrows(CorruptionException.class, cursor::value);
                cursor.next();
                assertArrayEquals(store.oracle.get(key(31)), cursor.value());
            }
            assertTrue(store.db.health().isUsable());
            if (round == 0) {
                store.vfs = store.vfs.kill();
                store.open();
            }
        }
        store.db.close();
    }

    /** Has all that was written so far committed. */
    private static void commit(StoreDriver store) {
        try (BulkLoad load = store.db.bulkLoad()) {
            load.add(key(9000), new byte[1]).commit();
        }
    }

    /** Beside a value of 16 MiB all that a commit takes is for what it changes. */
    @Test
    void aCommitBesideALargeValueNeedsNoMemoryForIt() throws IOException {
        Random random = new Random(6);
        try (FlexDB db =
                StoreDriver.open(new SimulatedVfs(), FlexDBOptions.defaults().withMemtableBytes(1 << 20))) {
            byte[] large = value(random, 16 << 20);
            db.put(key(1), new ValueSource(large, 1 << 20, position -> {}), large.length);
            for (int round = 0; round < 2; round++) {
                for (int i = 2; i < 500; i++) {
                    db.put(key(i), value(random, 4000)); // of the interval of that value, at first
                }
                db.put(key(0), value(random, 10));
                db.delete(key(3));
                assertNull(db.get("key00015".getBytes(StandardCharsets.UTF_8)));
            }
            assertTrue(db.stats().space().bytes() > 16 << 20, db.stats().toString());
            FlexDBMemory memory = db.stats().memory();
            assertTrue(memory.commitBytes() + memory.readBytes() + memory.indexBytes() < 8 << 20, memory.toString());
            assertArrayEquals(large, db.get(key(1)));
        }
    }
}
