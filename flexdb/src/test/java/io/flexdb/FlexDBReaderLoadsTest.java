package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers beside a writer that makes bulk loads: what they show is the state after some write or load, in one order. */
class FlexDBReaderLoadsTest {
    private static final int KEYS = 300;

    private boolean within; // what a reader does is no point
    private int points;
    private int loads;
    private int trailing; // loads behind the last write

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "key%04d", i).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(Random random) {
        byte[] value = new byte[1 + random.nextInt(90)];
        random.nextBytes(value);
        return value;
    }

    /** With memtables and logs that nothing of the test fills. */
    private static StoreDriver large() {
        return StoreDriver.closed(StoreDriver.SMALL.withMemtableBytes(1 << 20), new SimulatedVfs());
    }

    private static FlexDBReader open(StoreDriver store) {
        return FlexDB.openReadOnly(store.vfs, StoreDriver.DIRECTORY, store.options, true);
    }

    private static void load(StoreDriver store, byte[] value, int... keys) {
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int key : keys) {
            pairs.put(key(key), value);
        }
        store.load(pairs);
    }

    @Test
    void whatAReaderHasSeenBeforeALoadDoesNotHideIt() {
        StoreDriver store = large();
        store.open();
        try (FlexDBReader reader = open(store)) {
            for (int round = 0; round < 5; round++) {
                store.put(key(1), new byte[] {(byte) round, 1});
                store.put(key(2), new byte[] {(byte) round, 2});
                reader.refresh(); // both are in the reader's memtable
                load(store, new byte[] {(byte) round, 3}, 1, 5);
                store.put(key(9), new byte[] {(byte) round, 4});
                reader.refreshWithLoads();
                assertArrayEquals(new byte[] {(byte) round, 3}, reader.get(key(1)));
                assertArrayEquals(new byte[] {(byte) round, 2}, reader.get(key(2)));
                assertArrayEquals(new byte[] {(byte) round, 4}, reader.get(key(9)));
                store.deleteRange(key(0), key(8));
                assertEquals(store.oracle.sequence(), reader.refresh());
                assertEquals(1, StoreDriver.all(reader.cursor()).size());
            }
        }
        store.db.close();
    }

    @Test
    void aWriteBehindALoadShowsWithTheLoad() {
        StoreDriver store = large();
        store.open();
        try (FlexDBReader reader = open(store)) {
            for (int round = 0; round < 5; round++) {
                load(store, new byte[] {(byte) round}, 1, 2, 3);
                load(store, new byte[] {(byte) (round + 100)}, 4, 5, 6);
                store.put(key(7), new byte[] {(byte) round});
                assertEquals(store.oracle.sequence(), reader.refresh());
                StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "round " + round);
                try (FlexDBReader another = open(store)) {
                    StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(another.cursor()), "round " + round);
                }
            }
        }
        store.db.close();
    }

    private void requireState(StoreDriver store, FlexDBReader reader, String at) {
        try {
            StoreOracle oracle = store.oracle.copy();
            int least = Math.max(0, oracle.writesSinceDurable() - 1 - trailing);
            oracle.found(StoreDriver.all(reader.cursor()), reader.sequence(), least, at);
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
    }

    private void step(StoreDriver store, Random random) {
        store.clock.advance(1);
        int key = random.nextInt(KEYS);
        int kind = random.nextInt(16);
        if (kind == 0) {
            TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
            for (int i = 0; i < 1 + random.nextInt(40); i++) {
                pairs.put(key(key + random.nextInt(40)), value(random));
            }
            loads++;
            trailing++;
            store.load(pairs);
            return;
        }
        if (kind == 1) {
            store.deleteRange(key(key), key(key + 1 + random.nextInt(60)));
        } else if (kind < 4) {
            store.delete(key(key));
        } else if (kind < 7) {
            store.merge(key(key), value(random));
        } else {
            List<Edit> edits = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(8); i++) {
                edits.add(new Edit(key(random.nextInt(KEYS)), value(random)));
            }
            store.batch(edits, store.options.durability());
        }
        trailing = 0;
    }

    @ParameterizedTest
    @CsvSource({"1, 65536", "2, 65536", "3, 1048576", "4, 1048576", "5, 200000", "6, 200000"})
    void atAnyOperationAReaderShowsAPrefixOfWritesAndLoads(long seed, int memtableBytes) {
        Random random = new Random(seed);
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(memtableBytes);
        StoreDriver store = StoreDriver.closed(options.withMaxLeasedBytes(seed % 2 * 1_000_000), new SimulatedVfs());
        FlexDBReader[] readers = new FlexDBReader[2];
        long[] last = {0, 0};
        store.open();
        int[] until = {20};
        store.setHook((kind, path) -> {
            if (within || --until[0] > 0) {
                return;
            }
            within = true;
            until[0] = random.nextInt(loads % 3 == 0 ? 3 : 40);
            int which = points++ % 2;
            String at = "seed " + seed + ", point " + points;
            if (readers[which] == null) {
                readers[which] = open(store);
            } else {
                boolean loadIsLast = trailing > 0; // of that a refresh need not know
                long sequence = which == 0 && !loadIsLast ? readers[0].refresh() : readers[which].refreshWithLoads();
                assertTrue(sequence >= last[which], at);
                last[which] = sequence;
            }
            requireState(store, readers[which], at);
            if (random.nextInt(30) == 0) {
                readers[which].close();
                readers[which] = null;
                last[which] = 0;
            }
            within = false;
        });
        store.db.close();
        store.open(); // from here on with the hook
        for (int i = 0; i < 600; i++) {
            step(store, random);
        }
        within = true;
        for (FlexDBReader reader : readers) {
            if (reader != null) {
                reader.refreshWithLoads();
                StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "seed " + seed);
                reader.close();
            }
        }
        store.db.close();
        assertTrue(loads > 10 && points > 200, loads + " loads, " + points + " points");
    }
}
