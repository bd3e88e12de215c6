package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Cursors over several sources that have keys in common, and cursors that rest and serve again. */
class FlexDBCursorTest {
    private static final int KEYS = 300;
    private static final int VALUE_BYTES = 250; // a memtable has room for some 150 of them

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "a-key-%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    /** A cursor and where it should be. */
    private static final class Walk implements AutoCloseable {
        final FlexCursor cursor;
        final TreeMap<byte[], byte[]> model;
        final boolean keysOnly;
        Map.Entry<byte[], byte[]> expected;

        Walk(FlexDB db, ReadOptions options, TreeMap<byte[], byte[]> model) {
            this.cursor = db.cursor(options);
            byte[] lower = options.lowerBound();
            byte[] upper = options.upperBound();
            TreeMap<byte[], byte[]> shown = new TreeMap<>(lower == null ? model : model.tailMap(lower));
            this.model = upper == null ? shown : new TreeMap<>(shown.headMap(upper));
            this.keysOnly = options.keysOnly();
        }

        /** Steps are more frequent than seeks, and go on in their direction for a while. */
        void move(Random random) {
            int steps = 1 + random.nextInt(12);
            int kind = random.nextInt(10);
            byte[] to = key(random.nextInt(KEYS + 2));
            for (int i = 0; i < steps; i++) {
                if (expected != null && kind < 4) {
                    cursor.next();
                    expected = model.higherEntry(expected.getKey());
                } else if (expected != null && kind < 7) {
                    cursor.prev();
                    expected = model.lowerEntry(expected.getKey());
                } else if (kind == 7 && i % 2 == 0) {
                    cursor.seekForPrev(to);
                    expected = model.floorEntry(to);
                } else if (kind == 7) {
                    cursor.seekForPrev(ByteBuffer.wrap(to));
                    expected = model.floorEntry(to);
                } else if (kind == 8 && i % 2 == 0) {
                    cursor.seekToFirst();
                    expected = model.firstEntry();
                } else if (kind == 8) {
                    cursor.seekToLast();
                    expected = model.lastEntry();
                } else if (i % 2 == 0) {
                    cursor.seek(to);
                    expected = model.ceilingEntry(to);
                } else {
                    cursor.seek(ByteBuffer.wrap(to));
                    expected = model.ceilingEntry(to);
                }
                check();
            }
        }

        void check() {
            assertEquals(expected != null, cursor.isValid());
            if (expected != null) {
                assertArrayEquals(expected.getKey(), cursor.key());
                if (keysOnly) {
                    assertThrows(IllegalStateException.class, cursor::value);
                } else {
                    assertArrayEquals(expected.getValue(), cursor.value());
                }
                assertEquals(0, cursor.compareKey(expected.getKey()));
                assertTrue(cursor.compareKey(key(KEYS + 9)) < 0 && cursor.compareKey(new byte[1]) > 0);
                assertEquals(expected.getKey().length, cursor.keyLength());
                assertEquals(expected.getValue().length, cursor.valueLength());
            }
        }

        @Override
        public void close() {
            cursor.close();
        }
    }

    private static void change(FlexDB db, TreeMap<byte[], byte[]> model, Random random) {
        byte[] key = key(random.nextInt(KEYS));
        if (random.nextInt(3) == 0) {
            db.delete(key);
            model.remove(key);
        } else {
            byte[] value = new byte[random.nextInt(VALUE_BYTES)];
            random.nextBytes(value);
            db.put(key, value);
            model.put(key, value);
        }
    }

    /**
     * The space, and memtables with the same keys, with others, with deletions, and with nothing: what a walk over them
     * gives is what a sorted map gives, in both directions and by all turns; also while others rest and come again.
     */
    @Test
    void walksOverSeveralSourcesAreThoseOfASortedMap() {
        long seed = new Random().nextLong();
        System.out.println("FlexDBCursorTest seed " + seed);
        Random random = new Random(seed);
        AtomicBoolean blocked = new AtomicBoolean();
        CountDownLatch goOn = new CountDownLatch(1);
        HookedVfs.Hook hook = (kind, path) -> {
            if (blocked.get() && Thread.currentThread().getName().startsWith("flexdb-commit ")) {
                Waiting.until(goOn);
            }
        };
        HookedVfs vfs = new HookedVfs(new SimulatedVfs(), hook);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            walk(db, model, random, 20); // nothing at all
            for (int i = 0; i < 600; i++) {
                change(db, model, random);
            }
            walk(db, model, random, 100);
        }
        // Defragmentation would claim room in the file, and be held up in that: who stages a large value waits for it.
        FlexDBOptions options = StoreDriver.SMALL.withDefragmentedBytesPerSecond(0);
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false)) {
            walk(db, model, random, 100); // the space alone
            blocked.set(true);
            try {
                for (int i = 0; i < 400; i++) { // more than a memtable, which is not committed now
                    change(db, model, random);
                    if (i % 20 == 0) {
                        walk(db, model, random, 20);
                    }
                }
                walk(db, model, random, 200);
            } finally {
                goOn.countDown();
            }
            db.sync();
            walk(db, model, random, 100);
        }
    }

    private static ReadOptions options(Random random, Snapshot snapshot) {
        int lower = random.nextInt(KEYS + 2);
        int upper = lower + random.nextInt(KEYS + 2 - lower);
        return ReadOptions.defaults()
                .withSnapshot(snapshot)
                .withLowerBound(random.nextBoolean() ? null : key(lower))
                .withUpperBound(random.nextBoolean() ? null : key(upper))
                .withKeysOnly(random.nextInt(4) == 0)
                .withExpectedPairs(random.nextBoolean() ? 0 : random.nextInt(100));
    }

    private static void walk(FlexDB db, TreeMap<byte[], byte[]> model, Random random, int moves) {
        List<Walk> walks = new ArrayList<>();
        try (Snapshot snapshot = db.snapshot()) {
            for (int i = 0; i < moves; i++) {
                if (walks.size() < 3) {
                    walks.add(new Walk(db, options(random, random.nextBoolean() ? snapshot : null), model));
                }
                Walk walk = walks.get(random.nextInt(walks.size()));
                walk.move(random);
                if (random.nextInt(6) == 0) {
                    walk.close();
                    walks.remove(walk);
                }
            }
            walks.forEach(Walk::check);
        } finally {
            walks.forEach(Walk::close);
        }
    }

    /** What a closed cursor was made of serves others: it must be out of its reach. */
    @Test
    void aClosedCursorHasNoPartInTheNextOne() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            for (int i = 0; i < 50; i++) {
                db.put(key(i), new byte[i]);
            }
            FlexCursor closed = db.cursor();
            closed.seekToFirst();
            closed.close();
            try (FlexCursor open = db.cursor()) {
                assertFalse(open.isValid());
                open.seek(key(10));
                closed.close();
                assertThrows(StoreClosedException.class, closed::isValid);
                assertThrows(StoreClosedException.class, closed::next);
                assertThrows(StoreClosedException.class, closed::prev);
                assertThrows(StoreClosedException.class, closed::seekToFirst);
                assertThrows(StoreClosedException.class, () -> closed.seek(key(1)));
                assertThrows(StoreClosedException.class, closed::key);
                assertThrows(StoreClosedException.class, closed::value);
                for (int i = 10; i < 50; i++) {
                    assertArrayEquals(key(i), open.key());
                    assertEquals(i, open.valueLength());
                    open.next();
                }
                assertFalse(open.isValid());
            }
        }
    }

    @Test
    void aReadThatFailsLeavesACursorNowhereAndGoodForTheNextSeek() {
        AtomicBoolean failing = new AtomicBoolean();
        HookedVfs.Hook hook = (kind, path) -> {
            if (failing.get() && kind == HookedVfs.Kind.READ) {
                throw new StoreIoException("read", path, new IOException("on purpose"));
            }
        };
        HookedVfs vfs = new HookedVfs(new SimulatedVfs(), hook);
        int count = 2000;
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < count; i++) {
                db.put(key(i), new byte[100]);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            db.put(key(0), new byte[7]); // so that there are two sources
            FlexCursor cursor = db.cursor();
            cursor.seekToFirst();
            assertEquals(7, cursor.valueLength());
            failing.set(true);
            assertThrows(StoreIoException.class, () -> {
                while (true) {
                    cursor.next();
                }
            });
            assertFalse(cursor.isValid());
            assertThrows(IllegalStateException.class, cursor::next);
            assertThrows(StoreIoException.class, () -> cursor.seek(key(count - 1)));
            assertThrows(StoreIoException.class, cursor::seekToLast);
            assertFalse(cursor.isValid());
            failing.set(false);
            cursor.seekForPrev(key(count / 2));
            for (int i = count / 2; i >= 0; i--) {
                assertArrayEquals(key(i), cursor.key());
                assertEquals(i == 0 ? 7 : 100, cursor.valueLength());
                cursor.prev();
            }
            cursor.close();
            failing.set(true);
            try (FlexCursor again = db.cursor()) {
                assertThrows(StoreIoException.class, () -> again.seek(key(count - 1)));
            }
            failing.set(false);
            assertEquals(count, StoreDriver.all(db).size());
            assertEquals(StoreHealth.State.USABLE, db.health().state());
        }
    }
}
