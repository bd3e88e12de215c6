package io.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deleted pairs are passed at once, and nothing that is there with them. */
class FlexDBQueueTest {
    private static final int PAIRS = 4000;
    private static final byte[] VALUE = new byte[20];

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", 1_000_000 + number).getBytes(US_ASCII);
    }

    private static FlexDB open(long memtableBytes) {
        FlexDBOptions options = StoreDriver.WITHOUT_LARGE.withMemtableBytes((int) memtableBytes);
        return FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, options, true);
    }

    /** Takes the first pair, or the last; null if there is none. */
    private static byte[] poll(Keyspace queue, boolean last, long[] passed) {
        try (FlexCursor cursor = queue.cursor()) {
            long before = cursor.deadPassed();
            if (last) {
                cursor.seekToLast();
            } else {
                cursor.seekToFirst();
            }
            passed[0] += cursor.deadPassed() - before;
            if (!cursor.isValid()) {
                return null;
            }
            byte[] key = cursor.key();
            queue.delete(key);
            return key;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, false, false",
        "true, false, false, false",
        "false, true, false, false",
        "true, true, true, false",
        "false, false, true, true",
        "true, false, false, true"
    })
    void aPollPassesFewOfThosePolledBefore(boolean committed, boolean last, boolean besideSnapshot, boolean named) {
        try (FlexDB db = open(4 << 20)) {
            Keyspace queue = named ? db.createKeyspace("queue") : db;
            for (int i = 0; i < PAIRS; i++) {
                queue.put(key(i), VALUE);
            }
            if (committed) {
                db.flush();
            }
            Snapshot snapshot = besideSnapshot ? db.snapshot() : null;
            long[] passed = {0};
            for (int i = 0; i < 2 * PAIRS; i++) {
                assertArrayEquals(key(last ? PAIRS - 1 - i : i), poll(queue, last, passed));
                queue.put(key(last ? -1 - i : PAIRS + i), VALUE);
            }
            assertTrue(passed[0] < 60L * PAIRS, passed[0] + " dead keys passed");
            if (snapshot != null) {
                try (FlexCursor cursor = queue.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                    cursor.seekToFirst();
                    assertArrayEquals(key(0), cursor.key());
                    cursor.seekToLast();
                    assertArrayEquals(key(PAIRS - 1), cursor.key());
                }
                snapshot.close();
            }
        }
    }

    @Test
    void anEmptyQueueIsFoundEmptyAtOnceAndWhatComesIsTaken() {
        try (FlexDB db = open(4 << 20)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(i), VALUE);
                db.delete(key(i));
            }
            long[] passed = {0};
            for (int i = 0; i < PAIRS; i++) {
                boolean last = i % 2 == 1;
                assertNull(poll(db, last, passed));
                int number = i % 3 == 0 ? PAIRS + i : i % 3 == 1 ? -i : i;
                db.put(key(number), VALUE);
                assertArrayEquals(key(number), poll(db, last, passed));
            }
            assertTrue(passed[0] < 100L * PAIRS, passed[0] + " dead keys passed");
        }
    }

    @Test
    void pairsThatHaveExpiredAreDeadToo() {
        TestClock clock = new TestClock();
        FlexDBOptions options =
                StoreDriver.WITHOUT_LARGE.withMemtableBytes(4 << 20).withClock(clock);
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, options, true)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(i), VALUE, WriteOptions.timeToLive(Duration.ofMillis(10 + i)));
            }
            FlexCursor before = db.cursor();
            long[] passed = {0};
            for (int i = 0; i < PAIRS; i++) {
                clock.advance(i == 0 ? 10 : 1);
                try (FlexCursor cursor = db.cursor()) {
                    long passedBefore = cursor.deadPassed();
                    cursor.seekToFirst();
                    passed[0] += cursor.deadPassed() - passedBefore;
                    assertArrayEquals(i + 1 < PAIRS ? key(i + 1) : null, cursor.isValid() ? cursor.key() : null);
                }
            }
            assertTrue(passed[0] < 60L * PAIRS, passed[0] + " dead keys passed");
            before.seekToFirst();
            assertArrayEquals(key(0), before.key());
            before.close();
        }
    }

    @Test
    void whatATransactionHasNotSeenSinceItWasDeadIsInItsFootprint() {
        try (FlexDB db = open(4 << 20)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(i), VALUE);
            }
            for (int i = 0; i < PAIRS - 10; i++) {
                poll(db, false, new long[1]);
            }
            for (boolean writes : new boolean[] {false, true}) {
                try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                    if (writes) {
                        transaction.put(key(700), VALUE); // in front of what is dead
                    }
                    try (FlexCursor cursor = transaction.cursor()) {
                        cursor.seekToFirst();
                        assertArrayEquals(key(writes ? 700 : PAIRS - 10), cursor.key());
                        if (writes) {
                            cursor.next();
                            assertArrayEquals(key(PAIRS - 10), cursor.key());
                            cursor.prev();
                            assertArrayEquals(key(700), cursor.key());
                        }
                    }
                    db.put(key(500), VALUE);
                    db.delete(key(500));
                    transaction.put(key(PAIRS), VALUE);
                    assertThrows(ConflictException.class, transaction::commit);
                }
            }
        }
    }

    @Test
    void aBulkLoadIntoWhatWasDeadIsSeen() {
        try (FlexDB db = open(4 << 20)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(2 * i), VALUE);
            }
            FlexCursor old = null;
            for (int i = 0; i < PAIRS - 1; i++) {
                poll(db, false, new long[1]);
                if (i == PAIRS / 2) {
                    old = db.cursor();
                }
            }
            try (BulkLoad load = db.bulkLoad()) {
                load.add(key(101), VALUE);
                load.add(key(103), VALUE);
                load.commit();
            }
            assertArrayEquals(key(101), poll(db, false, new long[1]));
            assertArrayEquals(key(103), poll(db, false, new long[1]));
            assertArrayEquals(key(2 * PAIRS - 2), poll(db, false, new long[1]));
            old.seekToFirst();
            assertArrayEquals(key(2 * (PAIRS / 2 + 1)), old.key());
            old.close();
        }
    }

    /** Long stretches are deleted key by key, and single keys put into them; walks of all kinds meet what is there. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void walksMeetWhatASortedMapHas(long seed) {
        Random random = new Random(seed);
        StoreDriver store =
                new StoreDriver(StoreDriver.WITHOUT_LARGE.withMemtableBytes(random.nextBoolean() ? 1 << 20 : 64 << 10));
        List<Map.Entry<Snapshot, TreeMap<byte[], byte[]>>> snapshots = new ArrayList<>();
        int steps = Effort.times(150);
        for (int step = 0; step < steps; step++) {
            String at = "seed " + seed + ", step " + step;
            store.clock.advance(random.nextInt(3));
            int first = random.nextInt(1000);
            switch (random.nextInt(12)) {
                case 0 -> {
                    for (int i = 0; i < 200; i++) {
                        store.put(key((first + i) % 1000), VALUE);
                    }
                }
                case 1 -> store.put(key(first), VALUE, 1 + random.nextInt(300));
                case 2 -> store.merge(key(first), new byte[] {1, 2});
                case 3 -> store.deleteRange(key(first), key(first + 50));
                case 4, 5 -> {
                    for (int i = 0; i < 300; i++) {
                        store.delete(key(first + i));
                    }
                }
                case 6 -> store.flush();
                case 7 -> {
                    if (snapshots.size() > 3) {
                        snapshots.remove(0).getKey().close();
                    }
                    snapshots.add(Map.entry(store.db.snapshot(), new TreeMap<>(store.oracle.now())));
                }
                case 8 -> {
                    TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
                    pairs.put(key(first), VALUE);
                    store.load(pairs);
                }
                default -> store.put(key(first), VALUE);
            }
            try (FlexCursor cursor = store.db.cursor()) {
                assertSteps(cursor, store.oracle.now(), random, at);
            }
            for (Map.Entry<Snapshot, TreeMap<byte[], byte[]>> snapshot : snapshots) {
                ReadOptions options = ReadOptions.defaults().withSnapshot(snapshot.getKey());
                try (FlexCursor cursor = store.db.cursor(options)) {
                    assertSteps(cursor, snapshot.getValue(), random, at + ", snapshot");
                }
            }
            if (random.nextInt(4) == 0) {
                try (Transaction transaction = store.db.begin()) {
                    TreeMap<byte[], byte[]> own = new TreeMap<>(store.oracle.now());
                    for (int i = random.nextInt(20); i >= 0; i--) {
                        byte[] key = key(random.nextInt(1000));
                        if (random.nextBoolean()) {
                            transaction.put(key, VALUE);
                            own.put(key, VALUE);
                        } else {
                            transaction.delete(key);
                            own.remove(key);
                        }
                    }
                    try (FlexCursor cursor = transaction.cursor()) {
                        assertSteps(cursor, own, random, at + ", transaction");
                    }
                }
            }
        }
        snapshots.forEach(snapshot -> snapshot.getKey().close());
        store.assertSame("the end");
        store.assertSameBackward("the end");
        store.db.close();
    }

    private static void assertSteps(FlexCursor cursor, TreeMap<byte[], byte[]> pairs, Random random, String at) {
        byte[] from = key(random.nextInt(1000));
        boolean backward = random.nextBoolean();
        byte[] expected;
        if (backward) {
            cursor.seekForPrev(from);
            expected = pairs.floorKey(from);
        } else {
            cursor.seek(from);
            expected = pairs.ceilingKey(from);
        }
        for (int i = 0; i < 4; i++) {
            assertArrayEquals(expected, cursor.isValid() ? cursor.key() : null, at);
            if (expected == null) {
                return;
            }
            if (backward) {
                cursor.prev();
                expected = pairs.lowerKey(expected);
            } else {
                cursor.next();
                expected = pairs.higherKey(expected);
            }
            if (random.nextInt(4) == 0 && expected != null && cursor.isValid()) {
                backward = !backward;
                cursor.seek(expected);
            }
        }
    }

    /** A pair that was put into a dead run is found, whatever others note of the keys that they pass meanwhile. */
    @Test
    void whatWasPutIsFoundWhileOthersPassWhatIsDead() throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean ended = new AtomicBoolean();
        try (FlexDB db = FlexDB.open(
                new SimulatedVfs(),
                StoreDriver.DIRECTORY,
                StoreDriver.WITHOUT_LARGE.withMemtableBytes(1 << 20),
                false)) {
            for (int i = 0; i < 1000; i++) {
                db.put(key(i), VALUE);
                db.delete(key(i));
            }
            List<Thread> walkers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean backward = i == 1;
                walkers.add(new Thread(() -> {
                    try {
                        while (!ended.get()) {
                            try (FlexCursor cursor = db.cursor()) {
                                if (backward) {
                                    cursor.seekToLast();
                                } else {
                                    cursor.seekToFirst();
                                }
                            }
                        }
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                }));
            }
            walkers.forEach(Thread::start);
            Random random = new Random(3);
            for (int i = 0; i < Effort.times(3000) && failure.get() == null; i++) {
                byte[] key = key(random.nextInt(1000));
                db.put(key, VALUE);
                try (FlexCursor cursor = db.cursor()) {
                    cursor.seekToFirst();
                    assertTrue(cursor.isValid(), "put " + i);
                    assertArrayEquals(key, cursor.key());
                    cursor.next();
                    assertFalse(cursor.isValid());
                    cursor.seekToLast();
                    assertArrayEquals(key, cursor.key());
                }
                db.delete(key);
                assertNull(poll(db, i % 2 == 0, new long[1]));
            }
            ended.set(true);
            for (Thread walker : walkers) {
                walker.join();
            }
            assertNull(failure.get());
        }
    }
}
