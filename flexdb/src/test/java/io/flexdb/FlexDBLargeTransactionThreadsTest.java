package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large transactions beside each other, small ones, plain writes, readers, kills and the end of the store. */
class FlexDBLargeTransactionThreadsTest {
    private static final int KEYS = 250; // every fourth number, all written by each large transaction
    private static final int EACH = Effort.times(25); // commits of a thread

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(long number, int bytes) {
        return ByteBuffer.allocate(bytes).putLong(number).array();
    }

    private static long number(byte[] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    /** Adds one to what all keys have, in a transaction that is larger than a memtable. */
    private static void addToAll(Transaction transaction, Random random) {
        long next = number(transaction.get(key(0))) + 1;
        for (int i = 0; i < KEYS; i++) {
            transaction.put(key(4 * i), value(next, 300 + random.nextInt(200)));
            if (i % 15 == 14) {
                transaction.spill(); // so some runs are joined
            }
        }
        assertTrue(transaction.isSpilled());
        assertEquals(next, number(transaction.get(key(4 * random.nextInt(KEYS)))));
    }

    /** All keys have one number, in whatever is read as of one moment. */
    private static long numberOfAll(FlexDB db) {
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
            long found = number(snapshot.get(key(0)));
            int count = 0;
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                int key = ByteBuffer.wrap(cursor.key()).getInt();
                if (key % 4 == 0 && key < 4 * KEYS) {
                    assertEquals(found, number(cursor.value()));
                    count++;
                }
            }
            assertEquals(found == 0 ? 0 : KEYS, count);
            return found;
        }
    }

    @ParameterizedTest
    @EnumSource
    void noUpdateIsLostAndEverybodySeesAllOfACommitOrNothing(Isolation isolation) throws InterruptedException {
        Workers workers = new Workers();
        AtomicLong committed = new AtomicLong();
        int adders = 3;
        for (int thread = 0; thread < adders; thread++) {
            Random random = new Random(thread);
            workers.start("large", () -> {
                for (int i = 0; i < EACH && !workers.hasFailed(); i++) {
                    db.transact(isolation, transaction -> {
                        addToAll(transaction, random);
                        return null;
                    });
                    committed.incrementAndGet();
                }
            });
        }
        long all = (long) adders * EACH;
        workers.start("snapshots", () -> {
            long last = 0;
            while (committed.get() < all && !workers.hasFailed()) {
                long least = committed.get();
                long found = numberOfAll(db);
                assertTrue(found >= least && found >= last, found + " after " + least + " and " + last);
                last = found;
            }
        });
        AtomicLong between = new AtomicLong();
        workers.start("small ones between", () -> {
            while (committed.get() < all && !workers.hasFailed()) {
                db.transact(Isolation.SNAPSHOT, transaction -> {
                    long next = number(transaction.get(key(41))) + 1;
                    return transaction.put(key(41), value(next, 20));
                });
                between.incrementAndGet();
                db.put(key(42), value(between.get(), 20));
                assertEquals(between.get(), number(db.get(key(42))));
            }
        });
        workers.start("kills", () -> {
            while (committed.get() < all && !workers.hasFailed()) {
                long least = committed.get();
                FlexDB found = FlexDB.open(vfs.copy().kill(), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
                assertTrue(numberOfAll(found) >= least);
                assertTrue(found.check().isSound());
                found.close();
            }
        });
        workers.join();
        assertEquals(all, numberOfAll(db));
        assertEquals(between.get(), number(db.get(key(41))));
        assertTrue(db.check().isSound());
        db.close();
    }

    /** Each may take one from its own key as long as both have something: with both reads checked never too much. */
    @Test
    void serializableOnesDoNotSkewEachOthersWrites() throws InterruptedException {
        long stock = 12;
        db.put(key(100_000), value(stock, 8));
        db.put(key(200_000), value(stock, 8));
        Workers workers = new Workers();
        AtomicLong taken = new AtomicLong();
        for (int thread = 0; thread < 3; thread++) {
            boolean large = thread > 0;
            int own = thread == 1 ? 100_000 : 200_000;
            int first = 1000 * (1 + thread);
            workers.start("taker", () -> {
                boolean more = true;
                while (more && !workers.hasFailed()) {
                    try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                        long one = number(transaction.get(key(100_000)));
                        long other = number(transaction.get(key(200_000)));
                        more = one + other > stock;
                        if (more) {
                            transaction.put(key(own), value(number(transaction.get(key(own))) - 1, 8));
                            for (int i = 0; large && i < 300; i++) {
                                transaction.put(key(first + i), value(i, 400));
                            }
                            transaction.commit();
                            taken.incrementAndGet();
                        }
                    } catch (ConflictException e) {
                        // and once more
                    }
                }
            });
        }
        workers.join();
        assertEquals(stock, taken.get());
        assertEquals(stock, number(db.get(key(100_000))) + number(db.get(key(200_000))));
        db.close();
    }

    /** Else somebody would write it between the check and the link, and both would be right only one after the other. */
    @Test
    void nobodyWritesWhatASerializableOneHasReadWhileItIsMerged() throws InterruptedException {
        db.put(key(100_000), value(1, 8));
        db.close();
        boolean[] committing = {false};
        Thread[] other = {null};
        FlexDB[] hooked = {null};
        HookedVfs.Hook hook = (kind, path) -> {
            if (committing[0] && other[0] == null && kind == HookedVfs.Kind.WRITE && path.endsWith("data")) {
                other[0] = new Thread(() -> hooked[0].put(key(100_000), value(2, 8)), "other");
                other[0].start();
                Waiting.whileTrue(() -> other[0].getState() != Thread.State.WAITING && other[0].isAlive());
                assertTrue(other[0].isAlive(), "it was written");
            }
        };
        hooked[0] = FlexDB.open(new HookedVfs(vfs, hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
        try (Transaction transaction = hooked[0].begin(Isolation.SERIALIZABLE)) {
            assertEquals(1, number(transaction.get(key(100_000))));
            for (int i = 0; i < 400; i++) {
                transaction.put(key(i), value(i, 600));
            }
            assertTrue(transaction.isSpilled());
            committing[0] = true;
            transaction.commit();
            committing[0] = false;
        }
        other[0].join();
        assertEquals(2, number(hooked[0].get(key(100_000))));
        hooked[0].close();
    }

    @Test
    void closingTheStoreEndsThoseThatAreAtWork() throws InterruptedException {
        Workers workers = new Workers();
        CountDownLatch atWork = new CountDownLatch(3);
        for (int thread = 0; thread < 3; thread++) {
            Random random = new Random(thread);
            workers.start(
                    "large",
                    () -> assertThrows(StoreClosedException.class, () -> {
                        while (true) {
                            try (Transaction transaction = db.begin()) {
                                addToAll(transaction, random);
                                atWork.countDown();
                                transaction.commit();
                            } catch (ConflictException e) {
                                // and once more
                            }
                        }
                    }));
        }
        atWork.await();
        db.close();
        workers.join();
        FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
        numberOfAll(again);
        again.close();
    }
}
