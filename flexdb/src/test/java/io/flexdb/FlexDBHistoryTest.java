package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A store against a sorted map, over long random histories with closings, kills and power cuts. */
class FlexDBHistoryTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final FlexDBOptions SMALL = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20)
            .withSpace(FlexSpaceOptions.defaults()
                    .withSegments(64 * 512, 512)
                    .withCheckpointLogBytes(16384)
                    .withLogBufferBytes(2048));

    @Test
    void aStoreIsWhatTheSameWritesMakeOfASortedMap() {
        for (long seed = 0; seed < 30L * Integer.getInteger("flexdb.test.effort", 1); seed++) {
            new History(seed).run(1500);
        }
    }

    private static final class History {
        private final long seed;
        private final Random random;
        private SimulatedVfs vfs = new SimulatedVfs();
        private FlexDB db;
        private TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        private final List<TreeMap<byte[], byte[]>> sinceSync = new ArrayList<>();
        private final int keys;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.keys = 20 + random.nextInt(3000);
        }

        void run(int steps) {
            open();
            for (int step = 0; step < steps; step++) {
                step("seed " + seed + ", step " + step);
            }
            compareAll("seed " + seed + " at the end");
            db.close();
        }

        private void open() {
            db = FlexDB.open(vfs, DIRECTORY, SMALL, true);
            sinceSync.clear();
            sinceSync.add(new TreeMap<>(model));
        }

        private void step(String at) {
            switch (random.nextInt(100)) {
                case 0 -> {
                    db.close();
                    open();
                    compareAll(at);
                }
                case 1 -> {
                    vfs = vfs.kill();
                    open();
                    compareAll(at);
                }
                case 2 -> powerCut(at);
                case 3 -> {
                    db.sync();
                    sinceSync.clear();
                    sinceSync.add(new TreeMap<>(model));
                }
                case 4, 5 -> batch();
                case 6, 7, 8 -> walk(at);
                default -> one(at);
            }
        }

        private void powerCut(String at) {
            vfs = vfs.crash(random.nextLong());
            db = FlexDB.open(vfs, DIRECTORY, SMALL, true);
            TreeMap<byte[], byte[]> found = all();
            assertTrue(
                    sinceSync.stream().anyMatch(state -> sameContent(state, found)),
                    () -> at + ": found " + found.size() + " pairs, not a state since the last sync");
            model = found;
            sinceSync.clear();
            sinceSync.add(new TreeMap<>(model));
        }

        private void one(String at) {
            byte[] key = key();
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                    db.delete(key);
                    model.remove(key);
                    sinceSync.add(new TreeMap<>(model));
                }
                case 2, 3 -> assertArrayEquals(model.get(key), db.get(key), at);
                default -> {
                    byte[] value = value();
                    db.put(key, value);
                    model.put(key, value);
                    sinceSync.add(new TreeMap<>(model));
                }
            }
        }

        private void batch() {
            WriteBatch batch = new WriteBatch();
            for (int i = random.nextInt(30); i >= 0; i--) {
                byte[] key = key();
                if (random.nextInt(4) == 0) {
                    batch.delete(key);
                    model.remove(key);
                } else {
                    byte[] value = value();
                    batch.put(key, value);
                    model.put(key, value);
                }
            }
            db.write(batch);
            sinceSync.add(new TreeMap<>(model));
        }

        private void walk(String at) {
            try (FlexCursor cursor = db.cursor()) {
                byte[] key = key();
                Map.Entry<byte[], byte[]> expected;
                if (random.nextBoolean()) {
                    cursor.seek(key);
                    expected = model.ceilingEntry(key);
                } else {
                    cursor.seekForPrev(key);
                    expected = model.floorEntry(key);
                }
                for (int i = 0; i < 40; i++) {
                    assertEquals(expected != null, cursor.isValid(), at);
                    if (expected == null) {
                        return;
                    }
                    assertArrayEquals(expected.getKey(), cursor.key(), at);
                    assertArrayEquals(expected.getValue(), cursor.value(), at);
                    if (random.nextInt(3) > 0) {
                        cursor.next();
                        expected = model.higherEntry(expected.getKey());
                    } else {
                        cursor.prev();
                        expected = model.lowerEntry(expected.getKey());
                    }
                }
            }
        }

        private byte[] key() {
            return ("key" + random.nextInt(keys)).getBytes();
        }

        private byte[] value() {
            byte[] value = new byte[random.nextInt(random.nextInt(40) == 0 ? 8000 : 200)];
            random.nextBytes(value);
            return value;
        }

        private TreeMap<byte[], byte[]> all() {
            TreeMap<byte[], byte[]> all = new TreeMap<>(Arrays::compareUnsigned);
            try (FlexCursor cursor = db.cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    all.put(cursor.key(), cursor.value());
                }
            }
            return all;
        }

        private void compareAll(String at) {
            assertTrue(sameContent(model, all()), at);
        }

        private static boolean sameContent(TreeMap<byte[], byte[]> a, TreeMap<byte[], byte[]> b) {
            if (a.size() != b.size()) {
                return false;
            }
            var left = a.entrySet().iterator();
            var right = b.entrySet().iterator();
            while (left.hasNext()) {
                var x = left.next();
                var y = right.next();
                if (!Arrays.equals(x.getKey(), y.getKey()) || !Arrays.equals(x.getValue(), y.getValue())) {
                    return false;
                }
            }
            return true;
        }
    }
}
