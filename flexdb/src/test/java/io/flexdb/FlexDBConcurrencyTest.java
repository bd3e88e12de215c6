package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads on one store, with its own commit thread. */
class FlexDBConcurrencyTest {
    private static final int WRITERS = 8;

    private static FlexDB open(SimulatedVfs vfs, HookedVfs.Hook hook, Durability durability) {
        return FlexDB.open(
                new HookedVfs(vfs, hook), StoreDriver.DIRECTORY, StoreDriver.SMALL.withDurability(durability), false);
    }

    private static FlexDB open(SimulatedVfs vfs) {
        return open(vfs, (kind, path) -> {}, Durability.OS);
    }

    private static byte[] key(String name, int number) {
        return String.format(Locale.ROOT, "%s%05d", name, number).getBytes(StandardCharsets.UTF_8);
    }

    /** Holds a thread up at some operations until others have gone on, or for a moment if they wait for this one. */
    private static final class Pauses implements HookedVfs.Hook {
        private final Random random;
        private long operations;

        Pauses(long seed) {
            this.random = new Random(seed);
        }

        @Override
        public synchronized void before(HookedVfs.Kind kind, Path path) {
            operations++;
            notifyAll();
            if (random.nextInt(12) == 0) {
                long until = operations + 1 + random.nextInt(20);
                boolean interrupted = false;
                for (int i = 0; i < 4 && operations < until; i++) {
                    try {
                        wait(1);
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OS", "SYNC"})
    void whatEightWritersWereToldIsThereAfterTheEnd(Durability durability) throws InterruptedException {
        for (int round = 0; round < Effort.times(6); round++) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB db = open(vfs, new Pauses(round), durability);
            AtomicIntegerArray acknowledged = new AtomicIntegerArray(WRITERS);
            AtomicLong highest = new AtomicLong();
            Workers workers = new Workers();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                workers.start("writer-" + writer, () -> writeUntilTheEnd(db, number, acknowledged, highest));
            }
            int wanted = 400 + 300 * round;
            Waiting.whileTrue(() -> highest.get() < wanted && !workers.hasFailed());
            SimulatedVfs left = durability == Durability.SYNC ? vfs.crash(round) : vfs.kill();
            workers.join();
            closeDead(db);
            checkRecovered(left, acknowledged, highest.get(), durability + ", round " + round);
        }
    }

    /** Each write is a batch of three, so that one that was kept in part would be seen. */
    private static void writeUntilTheEnd(FlexDB db, int writer, AtomicIntegerArray acknowledged, AtomicLong highest) {
        WriteBatch batch = new WriteBatch();
        try {
            for (int i = 0; ; i++) {
                batch.clear();
                for (int part = 0; part < 3; part++) {
                    batch.put(key("w" + writer + "p" + part + "-", i), new byte[20 + i % 90]);
                }
                long sequence = db.write(batch);
                acknowledged.set(writer, i + 1);
                highest.accumulateAndGet(sequence, Math::max);
            }
        } catch (SimulatedCrash | StorageException e) {
            // The end, met by this thread or by another.
        }
    }

    private static void closeDead(FlexDB db) {
        try {
            db.close();
        } catch (SimulatedCrash | StorageException e) {
            // Its threads have ended all the same.
        }
    }

    private static void checkRecovered(SimulatedVfs left, AtomicIntegerArray acknowledged, long highest, String at) {
        try (FlexDB db = open(left)) {
            assertTrue(db.stats().lastSequence() >= highest, at);
            int found = 0;
            for (int writer = 0; writer < WRITERS; writer++) {
                int count = 0;
                while (db.get(key("w" + writer + "p0-", count)) != null) {
                    assertEquals(20 + count % 90, db.get(key("w" + writer + "p1-", count)).length, at);
                    assertEquals(20 + count % 90, db.get(key("w" + writer + "p2-", count)).length, at);
                    count++;
                }
                assertTrue(count >= acknowledged.get(writer), at + ": " + count + " of writer " + writer);
                found += 3 * count;
            }
            assertEquals(found, StoreDriver.all(db).size(), at);
            assertEquals(found, db.stats().lastSequence(), at);
        }
    }

    @Test
    void aBatchIsSeenWholeOrNotAtAll() throws InterruptedException {
        int accounts = 40;
        FlexDB db = open(new SimulatedVfs(), new Pauses(1), Durability.OS);
        WriteBatch first = new WriteBatch();
        for (int i = 0; i < accounts; i++) {
            first.put(key("account", i), amount(100, 60));
        }
        db.write(first);
        Workers workers = new Workers();
        AtomicBoolean done = new AtomicBoolean();
        workers.start("mover", () -> {
            try {
                moveMoney(db, accounts, Effort.times(2500));
            } finally {
                done.set(true);
            }
        });
        for (int reader = 0; reader < 3; reader++) {
            int number = reader;
            workers.start("reader-" + reader, () -> {
                while (!done.get()) {
                    assertEquals(100 * accounts, number == 0 ? sumByGets(db, accounts) : sumByCursor(db, number == 1));
                }
            });
        }
        workers.join();
        db.close();
    }

    private static void moveMoney(FlexDB db, int accounts, int times) {
        Random random = new Random(4);
        for (int i = 0; i < times; i++) {
            byte[] from = key("account", random.nextInt(accounts));
            byte[] to = key("account", random.nextInt(accounts));
            if (!Arrays.equals(from, to)) {
                int moved = random.nextInt(50);
                int padding = random.nextInt(300);
                db.write(new WriteBatch()
                        .put(from, amount(ByteBuffer.wrap(db.get(from)).getInt() - moved, padding))
                        .put(to, amount(ByteBuffer.wrap(db.get(to)).getInt() + moved, padding)));
            }
        }
    }

    private static byte[] amount(int amount, int padding) {
        return ByteBuffer.allocate(4 + padding).putInt(amount).array();
    }

    private static int sumByGets(FlexDB db, int accounts) {
        int sum = 0;
        try (Snapshot snapshot = db.snapshot()) {
            for (int i = 0; i < accounts; i++) {
                sum += ByteBuffer.wrap(snapshot.get(key("account", i))).getInt();
            }
        }
        return sum;
    }

    private static int sumByCursor(FlexDB db, boolean forward) {
        int sum = 0;
        try (FlexCursor cursor = db.cursor()) {
            if (forward) {
                cursor.seekToFirst();
            } else {
                cursor.seekToLast();
            }
            while (cursor.isValid()) {
                sum += ByteBuffer.wrap(cursor.value()).getInt();
                if (forward) {
                    cursor.next();
                } else {
                    cursor.prev();
                }
            }
        }
        return sum;
    }

    @Test
    void everyThreadReadsWhatItWrote() throws InterruptedException {
        FlexDB db = open(new SimulatedVfs());
        Workers workers = new Workers();
        for (int thread = 0; thread < 4; thread++) {
            int number = thread;
            workers.start("thread-" + thread, () -> {
                Random random = new Random(number);
                for (int i = 0; i < Effort.times(3000); i++) {
                    byte[] key = key("t" + number + "-", random.nextInt(300));
                    if (random.nextInt(4) == 0) {
                        db.delete(key);
                        assertNull(db.get(key));
                    } else {
                        byte[] value = ByteBuffer.allocate(4 + random.nextInt(100))
                                .putInt(i)
                                .array();
                        db.put(key, value);
                        assertArrayEquals(value, db.get(key));
                    }
                }
            });
        }
        workers.join();
        db.close();
    }

    @Test
    void aSnapshotStaysAsItWasOverRotationsAndCommits() throws InterruptedException {
        FlexDB db = open(new SimulatedVfs());
        Workers workers = new Workers();
        AtomicBoolean done = new AtomicBoolean();
        workers.start("writer", () -> {
            Random random = new Random(3);
            for (int i = 0; i < Effort.times(8000); i++) {
                db.put(key("key", random.nextInt(700)), new byte[random.nextInt(200)]);
            }
            done.set(true);
        });
        for (int reader = 0; reader < 2; reader++) {
            workers.start("reader-" + reader, () -> {
                while (!done.get() && !workers.hasFailed()) {
                    compareSnapshotTwice(db);
                }
            });
        }
        workers.join();
        db.close();
    }

    private static void compareSnapshotTwice(FlexDB db) {
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
            TreeMap<byte[], byte[]> once = StoreDriver.all(cursor);
            once.forEach((key, value) -> assertArrayEquals(value, snapshot.get(key)));
            StoreOracle.assertSame(once, StoreDriver.all(cursor), "snapshot " + snapshot.sequence());
        }
    }

    /** One thread closes snapshots that another reads: it reads what was there, or is told that it is closed. */
    @Test
    void aSnapshotMayBeClosedWhileItIsRead() throws InterruptedException {
        FlexDB db = open(new SimulatedVfs());
        for (int i = 0; i < 300; i++) {
            db.put(key("key", i), ByteBuffer.allocate(104).putInt(i).array());
        }
        Workers workers = new Workers();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Snapshot> shared = new AtomicReference<>(db.snapshot());
        workers.start("writer", () -> {
            Random random = new Random(3);
            for (int i = 0; i < Effort.times(12_000); i++) {
                int key = random.nextInt(300);
                db.put(key("key", key), ByteBuffer.allocate(104).putInt(key).array());
                if (i % 20 == 0) {
                    shared.getAndSet(db.snapshot()).close();
                }
            }
            done.set(true);
        });
        for (int reader = 0; reader < 2; reader++) {
            int seed = reader;
            workers.start("reader-" + reader, () -> {
                Random random = new Random(seed);
                while (!done.get() && !workers.hasFailed()) {
                    int key = random.nextInt(300);
                    try {
                        byte[] value = shared.get().get(key("key", key));
                        assertEquals(key, ByteBuffer.wrap(value).getInt());
                    } catch (StoreClosedException e) {
                        // Closed a moment ago.
                    }
                }
            });
        }
        workers.join();
        shared.get().close();
        db.close();
    }

    @Test
    void closingTurnsAllOthersAway() throws InterruptedException {
        for (int round = 0; round < Effort.times(25); round++) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB db = open(vfs, (kind, path) -> {}, Durability.values()[round % 3]);
            AtomicLong count = new AtomicLong();
            Workers workers = new Workers();
            AtomicIntegerArray written = new AtomicIntegerArray(2);
            for (int writer = 0; writer < 2; writer++) {
                int number = writer;
                until(workers, "writer-" + writer, i -> {
                    db.put(key("w" + number, i), new byte[100]);
                    written.set(number, i + 1);
                    count.incrementAndGet();
                });
            }
            until(workers, "getter", i -> db.get(key("w0", i % 1000)));
            until(workers, "walker", i -> StoreDriver.all(db));
            until(workers, "snapper", i -> {
                try (Snapshot snapshot = db.snapshot()) {
                    snapshot.get(key("w1", i % 1000));
                }
            });
            until(workers, "syncer", i -> {
                db.sync();
                db.stats();
            });
            int enough = 20 + 100 * round;
            Waiting.whileTrue(() -> count.get() < enough && !workers.hasFailed());
            workers.start("closer", db::close);
            db.close();
            workers.join();
            try (FlexDB again = open(vfs)) {
                assertEquals(
                        written.get(0) + written.get(1), StoreDriver.all(again).size(), "round " + round);
            }
        }
    }

    private interface Step {
        void run(int i);
    }

    private static void until(Workers workers, String name, Step step) {
        workers.start(name, () -> {
            try {
                for (int i = 0; ; i++) {
                    step.run(i);
                }
            } catch (StoreClosedException e) {
                // As it should be; anything else fails the test.
            }
        });
    }

    @Test
    void interruptsHarmNothing() throws InterruptedException {
        FlexDB db = open(new SimulatedVfs(), new Pauses(9), Durability.SYNC);
        Workers workers = new Workers();
        AtomicBoolean done = new AtomicBoolean();
        Thread[] victims = new Thread[3];
        for (int thread = 0; thread < victims.length; thread++) {
            int number = thread;
            victims[thread] = workers.start("victim-" + thread, () -> {
                for (int i = 0; i < Effort.times(700); i++) {
                    db.put(key("v" + number, i), new byte[150]);
                    assertEquals(150, db.get(key("v" + number, i)).length);
                }
                done.set(true);
            });
        }
        workers.start("interrupter", () -> {
            Random random = new Random(1);
            while (!done.get() && !workers.hasFailed()) {
                victims[random.nextInt(victims.length)].interrupt();
                Thread.yield();
            }
        });
        workers.join();
        Thread.currentThread().interrupt();
        db.close();
        assertTrue(Thread.interrupted());
    }
}
