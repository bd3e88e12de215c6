package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Loads beside readers, writers, transactions and the end of the store. */
class FlexDBBulkLoadThreadsTest {
    private static final int KEYS = 600;
    private static final long MORE_THAN_LOADS = 1_000_000;
    private static final int LOADS = Effort.times(60);

    private final FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
    private final AtomicInteger loaded = new AtomicInteger(); // loads that have returned

    /** Every fourth number is loaded; what is between is for others. */
    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(40).putLong(number).array();
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    private void load(int generation) {
        try (BulkLoad load = db.bulkLoad()) {
            for (int i = 0; i < KEYS; i++) {
                load.add(key(4 * i), value(generation));
            }
            load.commit();
        }
    }

    private boolean isOver(Workers workers) {
        return loaded.get() == LOADS || workers.hasFailed();
    }

    @Test
    void everybodySeesAllOfALoadOrNothingAndNoWriteIsLost() throws InterruptedException {
        load(0);
        Workers workers = new Workers();
        workers.start("loads", () -> {
            for (int generation = 1; generation <= LOADS && !workers.hasFailed(); generation++) {
                load(generation);
                loaded.set(generation);
            }
        });
        for (int i = 0; i < 2; i++) {
            workers.start("snapshots", () -> {
                while (!isOver(workers)) {
                    readAll();
                }
            });
        }
        AtomicLong between = new AtomicLong();
        workers.start("writes between", () -> write(workers, 1, KEYS, between));
        AtomicLong behind = new AtomicLong();
        workers.start("writes behind", () -> write(workers, 4 * KEYS + 1, KEYS, behind));
        workers.start("transactions", () -> {
            Random random = new Random(1);
            while (!isOver(workers)) {
                transact(random);
            }
        });
        workers.join();
        assertEquals(LOADS, loaded.get());
        assertWritten(1, KEYS, between.get());
        assertWritten(4 * KEYS + 1, KEYS, behind.get());
        readAll();
        db.openStore().engine.awaitWritten();
        assertTrue(db.check().isSound());
        db.close();
    }

    private void readAll() {
        long least = loaded.get();
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
            long generation = number(snapshot.get(key(0)));
            assertTrue(generation >= least, generation + " after " + least);
            int count = 0;
            cursor.seekToFirst();
            for (; cursor.isValid() && ByteBuffer.wrap(cursor.key()).getInt() < 4 * KEYS; cursor.next()) {
                if (ByteBuffer.wrap(cursor.key()).getInt() % 4 == 0) {
                    assertEquals(generation, number(cursor.value()));
                    count++;
                }
            }
            assertEquals(KEYS, count);
        }
    }

    /** Puts ascending numbers to some keys in turn, and reads each of them. */
    private void write(Workers workers, int first, int count, AtomicLong written) {
        for (long number = 0; !isOver(workers); number++) {
            byte[] key = key(first + 4 * (int) (number % count));
            db.put(key, value(number));
            assertEquals(number, number(db.get(key)));
            written.set(number);
        }
    }

    private void assertWritten(int first, int count, long last) {
        for (long number = Math.max(0, last - count + 1); number <= last; number++) {
            assertEquals(number, number(db.get(key(first + 4 * (int) (number % count)))));
        }
    }

    /** What a serializable transaction has read of a load is of one, and the newest when it is committed. */
    private void transact(Random random) {
        byte[] place = key(8 * KEYS + random.nextInt(100));
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            int least = loaded.get();
            long generation = number(transaction.get(key(4 * random.nextInt(KEYS))));
            assertEquals(generation, number(transaction.get(key(4 * random.nextInt(KEYS)))));
            transaction.put(place, value(generation));
            transaction.commit();
            assertTrue(generation >= least - 1, generation + ", although " + least + " had been loaded");
        } catch (ConflictException e) {
            assertTrue(e.getMessage().contains("sorted run"), e.getMessage());
        }
    }

    /** The same key is loaded and written: who has been told that the load is done has the later write. */
    @Test
    void aWriteBehindALoadIsNewerAndOneBeforeItOlder() throws InterruptedException {
        load(0);
        byte[] key = key(4 * (KEYS / 2));
        AtomicLong written = new AtomicLong(MORE_THAN_LOADS);
        Workers workers = new Workers();
        workers.start("loads", () -> {
            for (int generation = 1; generation <= LOADS && !workers.hasFailed(); generation++) {
                long before = written.get();
                load(generation);
                long found = number(db.get(key));
                int mine = generation;
                assertTrue(found == mine || found > before, () -> found + " behind load " + mine + ", " + before);
                loaded.set(generation);
            }
        });
        workers.start("writes", () -> {
            for (int i = 1; !isOver(workers); i++) {
                long least = loaded.get();
                long mine = MORE_THAN_LOADS + i;
                db.put(key, value(mine));
                long found = number(db.get(key));
                assertTrue(
                        found == mine || found > least && found < MORE_THAN_LOADS, () -> found + " instead of " + mine);
                written.set(mine);
            }
        });
        workers.join();
        db.close();
    }

    /** Who has seen a write without a load sees that load in the place of the write, once he sees it at all. */
    @Test
    void noWriteThatWasSeenBeforeALoadHidesIt() throws InterruptedException {
        load(0);
        byte[] key = key(4 * (KEYS / 2));
        AtomicInteger replaced = new AtomicInteger();
        Workers workers = new Workers();
        workers.start("loads", () -> {
            for (int generation = 1; generation <= LOADS && !workers.hasFailed(); generation++) {
                load(generation);
                loaded.set(generation);
            }
        });
        workers.start("writes", () -> {
            for (long mine = MORE_THAN_LOADS; !isOver(workers); mine++) {
                db.put(key, value(mine));
                long generation = -1; // that it was seen with
                boolean isMine = true;
                // Some until they are replaced; between others no more than a moment, so that loads are met anywhere.
                for (int i = 0; isMine && (i < 100 || mine % 2 == 0 && !isOver(workers)); i++) {
                    try (Snapshot snapshot = db.snapshot()) {
                        long now = number(snapshot.get(key(0)));
                        isMine = number(snapshot.get(key)) == mine;
                        if (isMine && generation >= 0) {
                            assertEquals(generation, now, "a load that came later is hidden");
                        }
                        replaced.addAndGet(!isMine && generation >= 0 ? 1 : 0);
                        generation = now;
                    }
                }
            }
        });
        workers.join();
        assertTrue(replaced.get() > 0, "nothing was replaced while it was looked at");
        db.close();
    }

    @Test
    void aStoreThatIsClosedEndsALoadInAnyStep() throws InterruptedException {
        for (int round = 0; round < Effort.times(30); round++) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB store = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
            store.put(key(1), value(1));
            CountDownLatch begun = new CountDownLatch(1 + round % 3);
            AtomicInteger done = new AtomicInteger();
            Workers workers = new Workers();
            workers.start("load", () -> {
                try (BulkLoad load = store.bulkLoad()) {
                    begun.countDown();
                    for (int i = 0; i < 300; i++) {
                        load.add(key(4 * i), value(7));
                    }
                    begun.countDown();
                    load.commit();
                    done.set(1);
                } catch (StoreClosedException e) {
                    done.set(2);
                }
                while (begun.getCount() > 0) {
                    begun.countDown();
                }
            });
            begun.await();
            store.close();
            workers.join();
            assertThrows(StoreClosedException.class, store::bulkLoad);
            try (FlexDB again = FlexDB.open(vfs.kill(), StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
                TreeMap<byte[], byte[]> found = StoreDriver.all(again);
                assertEquals(done.get() == 1 ? 301 : 1, found.size(), "round " + round);
                assertArrayEquals(value(1), found.get(key(1)));
            }
        }
    }
}
