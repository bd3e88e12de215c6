package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that has no room left: deletes go on, and make room; nothing is lost, and nothing is done again and again.
 */
class FlexDBFullTest {
    private static final int ENOUGH_REFUSALS = 20;
    private static final Pattern FREE_BYTES = Pattern.compile("([0-9]+) free bytes on it let deletes go on");

    private final TreeMap<byte[], byte[]> model = StoreOracle.newMap();

    private static FlexDBOptions capped(int segments) {
        return StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(segments * 64L * 512));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(8)
                .putInt(number * 7919 % 100_003)
                .putInt(number)
                .array();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[300];
        value[0] = (byte) number;
        value[1] = (byte) (number >> 8);
        return value;
    }

    private void put(FlexDB db, int number) {
        db.put(key(number), value(number));
        model.put(key(number), value(number));
    }

    private void delete(FlexDB db, int number) {
        db.delete(key(number));
        model.remove(key(number));
    }

    /** Puts until that is refused again and again, and returns how many numbers were used. */
    private int fill(FlexDB db) {
        return untilRefused(number -> put(db, number));
    }

    /** Deletes go on while writes are refused; when there is room, the same handle takes writes again. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void deletingGoesOnAndMakesRoom(boolean inline, boolean readsDisk) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.readingDisk(readsDisk, capped(40));
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
        int count = fill(db);
        for (int i = 0; i < count; i += 2) {
            delete(db, i); // never refused
            assertEquals(null, db.get(key(i)));
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "deleted");
        for (int i = 0; i < count / 8; i++) {
            put(db, i); // never refused
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "with room again");
        db.close();
        try (FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    /** Where room is short memtables are applied out of order, in parts, and again: each operand counts once. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void operandsCountOnceWhereRoomIsShort(boolean inline, boolean readsDisk) {
        for (long seed = 0; seed < Effort.times(2); seed++) {
            Random random = new Random(seed);
            FlexDBOptions options =
                    StoreDriver.readingDisk(readsDisk, capped(40)).withMergeFunction(MergeFunction.ADD);
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
            Map<Integer, Long> sums = new HashMap<>();
            int fillers = 0;
            int deleted = 0;
            for (int refusals = 0; refusals < 40; ) {
                int counter = random.nextInt(150);
                byte[] key = counterKey(counter);
                try {
                    if (random.nextInt(10) == 0) {
                        db.delete(key);
                        sums.remove(counter);
                    } else if (random.nextInt(3) == 0) {
                        db.put(key(fillers), value(fillers));
                        fillers++;
                    } else {
                        db.merge(key, counterValue(counter + 1));
                        sums.merge(counter, counter + 1L, Long::sum);
                    }
                } catch (StoreFullException e) {
                    refusals++;
                    for (int i = 0; i < 40 && deleted < fillers; i++) {
                        db.delete(key(deleted++));
                    }
                }
                if (random.nextInt(20) == 0) {
                    assertSum(sums, db, random.nextInt(150), "seed " + seed);
                }
            }
            for (int counter = 0; counter < 150; counter++) {
                assertSum(sums, db, counter, "seed " + seed);
            }
            SimulatedVfs killed = vfs.kill();
            FlexDB again = FlexDB.open(killed, StoreDriver.DIRECTORY, options, inline);
            for (int counter = 0; counter < 150; counter++) {
                assertSum(sums, again, counter, "killed, seed " + seed);
            }
        }
    }

    private static byte[] counterKey(int counter) {
        return ByteBuffer.allocate(9)
                .putInt(counter * 6151 % 100_003)
                .putInt(counter)
                .array();
    }

    private static byte[] counterValue(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static void assertSum(Map<Integer, Long> sums, FlexDB db, int counter, String at) {
        byte[] found = db.get(counterKey(counter));
        Long sum = found == null ? null : ByteBuffer.wrap(found).getLong();
        assertEquals(sums.get(counter), sum, at + ", counter " + counter);
    }

    /** To drop a keyspace is to delete; to make one is not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeyspaceIsDroppedOnAFullDiskAndMakesRoom(boolean inline) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = capped(40);
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
        Keyspace large = db.createKeyspace("large");
        put(db, 0);
        int count = untilRefused(number -> large.put(key(number), value(number)));
        int made = untilRefused(number -> db.createKeyspace("k" + number));
        assertEquals(1 + made, db.keyspaces().size(), "what was refused is not there");
        db.dropKeyspace("large"); // never refused
        for (int i = 1; i < count / 8; i++) {
            put(db, i); // never refused
        }
        db.createKeyspace("large").put(key(1), value(1));
        StoreOracle.assertSame(model, StoreDriver.all(db), "with room again");
        db.close();
        try (FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
            assertEquals(1 + made, again.keyspaces().size());
            assertArrayEquals(value(1), again.keyspace("large").get(key(1)));
        }
    }

    /** Writes with ascending numbers until that is refused again and again, and returns how many were used. */
    private static int untilRefused(IntConsumer write) {
        int number = 0;
        for (int refusals = 0; refusals < ENOUGH_REFUSALS; ) {
            assertTrue(number < 30_000, "never refused");
            try {
                write.accept(number);
                number++;
            } catch (StoreFullException e) {
                refusals++;
            }
        }
        return number;
    }

    /**
     * What waits to be committed need not fit if it is deleted before. Beside the commit thread what is staged for
     * memtables that wait may hold nearly all that is free: then the oldest one has to do with very little.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsDeletedBeforeItIsCommittedTakesNoRoom(boolean inline) {
        for (int round = 0; round < (inline ? 1 : Effort.times(25)); round++) {
            model.clear();
            FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, capped(40), inline);
            int count = fill(db);
            for (int i = count - 1; i > count - 700; i--) {
                delete(db, i); // what is in memtables still
            }
            put(db, count);
            StoreOracle.assertSame(model, StoreDriver.all(db), "with room again, round " + round);
            db.close();
        }
    }

    /** Who finds no room goes on where it stopped, the next time: what is in the space is not written once more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRefusalWritesNothingAgain(boolean inline) {
        FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, capped(40), inline);
        int number = fill(db);
        long written = db.stats().written().dataBytes();
        for (int refusals = 0; refusals < 100; refusals++) {
            try {
                put(db, number++);
                written = db.stats().written().dataBytes(); // a thread has found some room a little later
                refusals = -1;
            } catch (StoreFullException e) {
                // as most are
            }
        }
        long more = db.stats().written().dataBytes() - written;
        assertTrue(more < 100 << 10, more + " bytes for 100 refusals");
        assertThrows(StoreFullException.class, db::close);
    }

    /** A log that is covered is used again where there is no space for another one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutSpaceForAnotherLogWritesGoOnWithTheOnesThereAre(boolean inline) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, inline);
        for (int i = 0; i < 3000; i++) {
            put(db, i); // so that the space has room of its own
        }
        for (int i = 0; i < 3000; i++) {
            delete(db, i);
        }
        put(db, 0);
        vfs.setCapacity(bytesOf(vfs) + (60 << 10)); // too little for a log
        for (int i = 0; i < 1000; i++) {
            put(db, i % 100);
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "full");
        vfs.setCapacity(Long.MAX_VALUE);
        db.close();
    }

    /**
     * The first log is a small one; where there is no space for more, writes are refused, and nobody waits for ever.
     */
    @Test
    void aDiskWithSpaceForTheFirstLogOnlyRefusesWrites() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(2 << 20);
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false);
        vfs.setCapacity(bytesOf(vfs) + (1 << 20));
        int count = fill(db);
        StoreOracle.assertSame(model, StoreDriver.all(db), "full");
        vfs.setCapacity(Long.MAX_VALUE);
        for (int i = 0; i < 1000; i++) {
            put(db, count + i);
        }
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, options)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    /**
     * On a disk that is full everything can be deleted, in small batches and in any order, until nothing is left; and
     * when the disk has room again, so has the store. Deletes that free little, while as much waits that was put before,
     * may come to the end of what is kept for them; then the refusal says how much is enough, once.
     */
    @ParameterizedTest
    @CsvSource({
        "true, 0, 100",
        "false, 0, 100",
        "true, 1, 300",
        "false, 1, 300",
        "true, 2, 60",
        "false, 2, 60",
        "true, 2, 1000",
        "false, 2, 1000"
    })
    void onAFullDiskAWholeStoreIsDeletedKeyByKey(boolean inline, int order, int valueBytes) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(4 * FlexDBOptions.MIN_MEMTABLE_BYTES); // 8 segments
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
        Random random = new Random(order);
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < 3000; i++) {
            db.put(key(i), value);
            model.put(key(i), value);
        }
        vfs.setCapacity(bytesOf(vfs) + (1 << 20));
        int refusals = 0;
        for (int i = 3000; refusals < ENOUGH_REFUSALS; i++) {
            assertTrue(i < 200_000, "never refused");
            try {
                db.put(key(i), value);
                model.put(key(i), value);
            } catch (StoreFullException e) {
                refusals++;
            }
        }
        List<byte[]> keys = new ArrayList<>(model.keySet());
        if (order == 1) {
            Collections.reverse(keys);
        } else if (order == 2) {
            Collections.shuffle(keys, random);
        }
        boolean wasRefused = false;
        for (int i = 0; i < keys.size(); i += 5) {
            WriteBatch batch = new WriteBatch();
            for (byte[] key : keys.subList(i, Math.min(keys.size(), i + 5))) {
                batch.delete(key);
                model.remove(key);
            }
            try {
                db.write(batch);
            } catch (StoreFullException e) {
                if (wasRefused) {
                    throw new AssertionError("refused again at " + i + " of " + keys.size(), e);
                }
                wasRefused = true;
                vfs.setCapacity(bytesOf(vfs) + bytesThatAreEnough(e));
                db.write(batch);
            }
            if (i % 5000 == 0) {
                StoreOracle.assertSame(model, StoreDriver.all(db), "deleted up to " + i);
            }
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "nothing is left");
        vfs.setCapacity(Long.MAX_VALUE);
        for (int i = 0; i < 1000; i++) {
            db.put(key(i), value);
            model.put(key(i), value);
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "and there is room again");
        db.close();
    }

    /**
     * A store that was closed is opened on a disk without a free byte, and one that was killed, too: what a close has
     * saved makes room for the logs, and so do logs that hold nothing. What is there can be read, and once there is
     * space it is used as before.
     */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "false, true"})
    void aStoreOpensOnADiskThatIsFull(boolean inline, boolean killed) {
        for (int round = 0; round < 4; round++) {
            SimulatedVfs vfs = fullDisk(inline, 10_000, killed ? 60 * round : -1);
            String at = "round " + round;
            FlexDB again = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, inline);
            StoreOracle.assertSame(model, StoreDriver.all(again), at);
            vfs.setCapacity(Long.MAX_VALUE);
            for (int i = 0; i < 5000; i++) {
                delete(again, i);
            }
            StoreOracle.assertSame(model, StoreDriver.all(again), at + ", deleted");
            for (int i = 0; i < 100; i++) {
                put(again, i);
            }
            again.close();
            try (FlexDB last = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, inline)) {
                StoreOracle.assertSame(model, StoreDriver.all(last), at + ", again");
            }
        }
    }

    /** Files go before such an opening is through: wherever it is cut, or has no space after all, nothing is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCutOfAnOpeningOnADiskThatIsFullLosesNothing(boolean killed) {
        // Closed by its threads, one store in a hundred has a spare log, and an opening has less to do then.
        SimulatedVfs full = killed ? fullDisk(false, 2500, 100) : fullDisk(true, 2500, -1);
        SimulatedVfs whole = fullCopy(full);
        long first = whole.operationCount();
        FlexDB.open(whole, StoreDriver.DIRECTORY, StoreDriver.SMALL, true);
        long operations = whole.operationCount() - first;
        assertTrue(operations > 30, operations + " operations");
        int cuts = 0;
        int tried = 0;
        for (long operation = 1; operation <= operations; operation += Effort.step(1)) {
            tried++;
            for (boolean refused : new boolean[] {true, false}) {
                SimulatedVfs vfs = fullCopy(full);
                if (refused) {
                    vfs.failAt(first + operation, Fault.ENOSPC);
                } else {
                    vfs.crashAt(first + operation);
                }
                try {
                    FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, true);
                } catch (SimulatedCrash | StorageException e) {
                    cuts++;
                }
                for (long seed = 0; seed < 4; seed++) {
                    try (FlexDB db = StoreDriver.open(vfs.crash(seed), StoreDriver.SMALL)) {
                        String at = "operation " + operation + ", refused " + refused + ", seed " + seed;
                        StoreOracle.assertSame(model, StoreDriver.all(db), at);
                    }
                }
            }
        }
        assertTrue(cuts >= tried, cuts + " cuts of " + tried);
    }

    private static SimulatedVfs fullCopy(SimulatedVfs vfs) {
        SimulatedVfs copy = vfs.copy();
        copy.setCapacity(bytesOf(copy));
        return copy;
    }

    /**
     * A disk without a free byte, with a durable store that was closed, and opened again and killed if some pairs are
     * to be in its write-ahead logs.
     *
     * @param pairs how many the store has that was closed
     * @param puts how many are in logs; -1 if it was closed
     */
    private SimulatedVfs fullDisk(boolean inline, int pairs, int puts) {
        model.clear();
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, inline)) {
            for (int i = 0; i < pairs; i++) {
                db.put(key(i), key(i));
                model.put(key(i), key(i));
            }
        }
        if (puts >= 0) {
            FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, inline);
            for (int i = 0; i < puts; i++) {
                put(db, 20_000 + i);
            }
            Path logs = StoreDriver.DIRECTORY.resolve("wal");
            SimulatedVfs files = vfs;
            Waiting.whileTrue(() -> puts > 0 && files.list(logs).size() < 3); // until one is ready, and one in reserve
            db.sync();
            SimulatedVfs killed = vfs.kill();
            closeAnyhow(db); // whose threads would go on
            vfs = killed;
        }
        vfs.setCapacity(bytesOf(vfs));
        return vfs;
    }

    /**
     * A log may turn out not to fit when writers have long filled the one before it: still deletes have their place.
     */
    @Test
    void deletesHaveAPlaceHoweverLateItIsKnownThatThereIsNoSpaceForALog() throws Exception {
        SimulatedVfs vfs = new SimulatedVfs();
        AtomicBoolean slow = new AtomicBoolean();
        CountDownLatch filled = new CountDownLatch(1);
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            boolean log = path.getParent() != null && path.getParent().endsWith("wal");
            if (slow.get() && log && Thread.currentThread().getName().startsWith("flexdb-logs ")) {
                await(filled);
                throw new StoreFullException("no space left, as is found out now: " + path);
            }
        });
        FlexDBOptions options = capped(40);
        FlexDB db = FlexDB.open(hooked, StoreDriver.DIRECTORY, options, false);
        AtomicInteger number = new AtomicInteger();
        for (int i = 0; i < 1500; i++) {
            put(db, number.getAndIncrement());
        }
        slow.set(true);
        Thread writer = new Thread(() -> {
            try {
                fillFrom(db, number);
            } catch (StoreFullException e) {
                // As it may be.
            }
        });
        writer.start();
        Waiting.whileTrue(
                () -> writer.getState() != Thread.State.WAITING && writer.isAlive()); // until it waits for the log
        filled.countDown();
        writer.join();
        List<byte[]> keys = new ArrayList<>(model.keySet());
        for (byte[] key : keys.subList(0, 100)) {
            db.delete(key); // never refused
            model.remove(key);
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "deleted");
        slow.set(false);
        closeAnyhow(db);
    }

    /**
     * Where no further log can be made, a commit sets one free when all of it is durable; a moment before, nothing is
     * left to be committed. Who comes in this moment waits for that log, and is not refused.
     */
    @Test
    void whoComesWhileACommitEndsIsNotRefusedTheLogThatItSetsFree() throws InterruptedException {
        AtomicReference<FlexDB> db = new AtomicReference<>();
        AtomicBoolean full = new AtomicBoolean();
        AtomicReference<Thread> logs = new AtomicReference<>(); // the thread that makes them
        AtomicInteger tries = new AtomicInteger();
        Queue<Throwable> refusals = new ConcurrentLinkedQueue<>();
        List<Thread> others = Collections.synchronizedList(new ArrayList<>());
        HookedVfs.Hook hook = (kind, path) -> {
            Thread thread = Thread.currentThread();
            boolean isLog = path.getParent() != null && path.getParent().endsWith("wal");
            boolean makesLogs = thread.getName().startsWith("flexdb-logs ");
            if (isLog && kind == HookedVfs.Kind.CREATE && (full.get() || makesLogs)) {
                if (makesLogs) {
                    logs.set(thread);
                    tries.incrementAndGet();
                }
                throw new StoreFullException("no space, for a test: " + path);
            }
            boolean commitForces = thread.getName().startsWith("flexdb-commit ") && kind == HookedVfs.Kind.FORCE;
            if (full.get() && commitForces && !isLog && others.size() < 30) {
                int number = 100_000 + others.size();
                Thread other = new Thread(() -> {
                    try {
                        db.get().delete(key(number));
                        db.get().put(key(number), value(number));
                    } catch (Throwable e) {
                        refusals.add(e);
                    }
                });
                others.add(other);
                startAndAwaitTry(other, logs, tries);
            }
        };
        db.set(FlexDB.open(new HookedVfs(new SimulatedVfs(), hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false));
        put(db.get(), 0);
        full.set(true);
        for (int i = 1; others.size() < 30; i++) {
            put(db.get(), i);
        }
        for (Thread other : others) {
            other.join();
        }
        assertEquals(List.of(), List.copyOf(refusals));
        full.set(false);
        db.get().close();
    }

    /** Starts a thread, and waits until it has ended, or waits though another log was tried to be made for it. */
    private static void startAndAwaitTry(Thread other, AtomicReference<Thread> logs, AtomicInteger tries) {
        int before = tries.get();
        other.start();
        int waiting = 0;
        while (other.isAlive() && waiting < 2000) {
            boolean bothWait = tries.get() > before
                    && !logs.get().getName().startsWith("flexdb-logs ") // it has done what it was woken for
                    && other.getState() == Thread.State.WAITING;
            waiting = bothWait ? waiting + 1 : 0;
            Thread.yield();
        }
    }

    private void fillFrom(FlexDB db, AtomicInteger number) {
        while (true) {
            put(db, number.get());
            number.incrementAndGet();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES), "never filled");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Fills the disk, deletes everything in small batches, and notes what is durable. */
    private static void deleteAllOnAFullDisk(StoreDriver store, int keys) {
        store.open();
        for (int i = 0; i < keys; i++) {
            store.put(key(i), new byte[1000]);
        }
        store.vfs.setCapacity(bytesOf(store.vfs) + (600 << 10));
        for (int i = keys; true; i++) {
            try {
                store.put(key(i), new byte[1000]);
            } catch (StoreFullException e) {
                store.oracle.forgetLast();
                break;
            }
        }
        List<byte[]> all = new ArrayList<>(store.oracle.now().keySet());
        for (int i = 0; i < all.size(); i += 10) {
            List<StoreOracle.Edit> deletes = new ArrayList<>();
            for (byte[] key : all.subList(i, Math.min(all.size(), i + 10))) {
                deletes.add(new StoreOracle.Edit(key, null));
            }
            store.batch(deletes, Durability.SYNC);
        }
        store.assertSame("nothing is left");
    }

    /**
     * The disk may be full at any moment, also while a log is made that is kept in reserve: nothing is lost by that.
     */
    @Test
    void aDiskThatIsFullAtAnyOperationLosesNothing() {
        StoreDriver whole = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
        deleteAllOnAFullDisk(whole, 150);
        long operations = whole.vfs.operationCount();
        long step = Math.max(1, operations / Effort.times(120));
        for (long operation = 1; operation <= operations; operation += step) {
            StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
            store.vfs.failAt(operation, Fault.ENOSPC);
            try {
                deleteAllOnAFullDisk(store, 150);
            } catch (StorageException e) {
                // A write that was refused, or a store that has failed, since what had its place did not get it.
            }
            assertRecovers(store, store.vfs.kill(), "killed after operation " + operation);
        }
    }

    /** A cut or a kill at any operation of a life on a full disk leaves what was acknowledged. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCutAtAnyOperationOnAFullDiskLosesNothing(boolean readsDisk) {
        FlexDBOptions options = StoreDriver.readingDisk(readsDisk, StoreDriver.SMALL);
        StoreDriver whole = StoreDriver.closed(options, new SimulatedVfs());
        deleteAllOnAFullDisk(whole, 150);
        long operations = whole.vfs.operationCount();
        long step = Math.max(1, operations / Effort.times(75));
        for (long operation = 1; operation <= operations; operation += step) {
            StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
            store.vfs.crashAt(operation);
            try {
                deleteAllOnAFullDisk(store, 150);
            } catch (SimulatedCrash | StorageException e) {
                // Where it was cut.
            }
            for (long seed = 0; seed < 4; seed++) {
                assertRecovers(store, store.vfs.crash(seed), "cut before operation " + operation + ", seed " + seed);
            }
        }
    }

    private static void assertRecovers(StoreDriver store, SimulatedVfs vfs, String at) {
        StoreOracle oracle = store.oracle.copy();
        try (FlexDB db = StoreDriver.open(vfs, store.options)) {
            oracle.found(StoreDriver.all(db), db.stats().lastSequence(), 0, at);
            db.put(key(1), value(1));
        } catch (StorageException e) {
            throw new AssertionError(at, e);
        }
    }

    /**
     * Threads that put and delete on a disk that is full now and then: each finds what it has written, and so does
     * recovery.
     */
    @Test
    void severalThreadsOnAFullDiskLoseNothing() throws InterruptedException {
        for (int seed = 1; seed <= Effort.times(4); seed++) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexDBOptions options = StoreDriver.readingDisk(seed % 2 == 0, StoreDriver.SMALL);
            FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false);
            db.put(key(0), value(0));
            vfs.setCapacity(bytesOf(vfs) + (900 << 10));
            List<TreeMap<byte[], byte[]>> models = new ArrayList<>();
            Workers workers = new Workers();
            for (int writer = 0; writer < 3; writer++) {
                Random random = new Random(10 * seed + writer);
                int first = 1 + 10_000 * writer;
                TreeMap<byte[], byte[]> own = StoreOracle.newMap();
                models.add(own);
                workers.start("writer-" + writer, () -> putAndDelete(db, random, first, own));
            }
            workers.join();
            model.clear();
            model.put(key(0), value(0));
            models.forEach(model::putAll);
            StoreOracle.assertSame(model, StoreDriver.all(db), "seed " + seed);
            vfs.setCapacity(Long.MAX_VALUE);
            SimulatedVfs killed = vfs.kill();
            closeAnyhow(db);
            try (FlexDB again = StoreDriver.open(killed, StoreDriver.SMALL)) {
                StoreOracle.assertSame(model, StoreDriver.all(again), "again, seed " + seed);
            }
        }
    }

    private static void putAndDelete(FlexDB db, Random random, int first, TreeMap<byte[], byte[]> own) {
        for (int step = 0; step < 4000; step++) {
            byte[] key = key(first + random.nextInt(2000));
            boolean deletes = step / 500 % 2 == 1;
            try {
                if (deletes) {
                    db.delete(key);
                    own.remove(key);
                } else {
                    db.put(key, value(step));
                    own.put(key, value(step));
                }
            } catch (StoreFullException e) {
                // As it may be.
            }
        }
    }

    /** The free bytes with which deletes go on, by a refusal of one. */
    static long bytesThatAreEnough(StoreFullException refusal) {
        Matcher free = FREE_BYTES.matcher(refusal.getMessage());
        assertTrue(free.find(), refusal::getMessage);
        return Long.parseLong(free.group(1));
    }

    static long bytesOf(SimulatedVfs vfs) {
        long bytes = 0;
        SimulatedVfs copy = vfs.copy(); // which nobody changes
        for (Path file : copy.files()) {
            try (VfsFile open = copy.open(file, OpenMode.READ)) {
                bytes += open.size();
            }
        }
        return bytes;
    }

    /** Deletes that were applied before what is older are no holes in the history that a crash leaves. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void aCutOfAFullStoreLosesNothingDurable(int seed) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, capped(40), seed % 2 == 0);
        int count = fill(db);
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            delete(db, random.nextInt(count));
            try {
                put(db, random.nextInt(count));
            } catch (StoreFullException e) {
                // As it may be.
            }
        }
        db.sync();
        SimulatedVfs cut = seed % 4 < 2 ? vfs.crash(seed) : vfs.kill();
        closeAnyhow(db);
        try (FlexDB again = FlexDB.open(cut, StoreDriver.DIRECTORY, capped(400), true)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "seed " + seed);
        }
    }

    /** Anything at all, near the cap and over it, against a sorted map. */
    @Test
    void nearTheCapAStoreIsWhatAcceptedWritesMakeOfASortedMap() {
        for (int seed = 1; seed <= Effort.times(12); seed++) {
            model.clear();
            randomHistory(seed);
        }
    }

    private void randomHistory(int seed) {
        Random random = new Random(seed);
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = capped(34 + random.nextInt(8));
        boolean inline = random.nextInt(4) > 0;
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
        double deletes = 0.05 + random.nextInt(5) * 0.1;
        TreeMap<byte[], byte[]> before = null;
        Snapshot snapshot = null;
        for (int step = 0; step < 9000; step++) {
            int number = random.nextInt(6000);
            if (random.nextDouble() < deletes) {
                try {
                    delete(db, number);
                } catch (StoreFullException e) {
                    assertNotNull(snapshot, "seed " + seed + ", step " + step + ": only a snapshot keeps room taken");
                }
            } else {
                try {
                    put(db, number);
                } catch (StoreFullException e) {
                    // As it may be.
                }
            }
            if (step % 1000 == 999) {
                String at = "seed " + seed + ", step " + step;
                StoreOracle.assertSame(model, StoreDriver.all(db), at);
                if (snapshot != null) {
                    try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                        StoreOracle.assertSame(before, StoreDriver.all(cursor), at);
                    }
                    snapshot.close();
                }
                snapshot = random.nextBoolean() ? db.snapshot() : null;
                before = StoreOracle.newMap();
                before.putAll(model);
            }
            if (step % 3000 == 2999) {
                if (snapshot != null) {
                    snapshot.close();
                    snapshot = null;
                }
                db.sync();
                vfs = random.nextBoolean() ? vfs.crash(random.nextInt(1000)) : vfs;
                closeAnyhow(db);
                db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, inline);
                StoreOracle.assertSame(model, StoreDriver.all(db), "seed " + seed + ", opened again at " + step);
                assertArrayEquals(model.get(key(number)), db.get(key(number)), "seed " + seed);
            }
        }
        if (snapshot != null) {
            snapshot.close();
        }
        closeAnyhow(db);
    }

    private static void closeAnyhow(FlexDB db) {
        try {
            db.close();
        } catch (StorageException | SimulatedCrash e) {
            // What has no room stays in the logs, and what is dead writes no more; its threads have ended.
        }
    }
}
