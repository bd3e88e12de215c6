package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Waiting;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What no writer has to do or to wait for. Nothing is timed here: each test is about who does what. */
class FlexDBStallsTest {
    private static final Path WAL = StoreDriver.DIRECTORY.resolve("wal");

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static boolean isLogMaking(HookedVfs.Kind kind, Path path) {
        return switch (kind) {
            case CREATE, RENAME, SYNC_DIRECTORY -> path.startsWith(WAL);
            default -> false;
        };
    }

    /** Files made, named, and directories forced: once there is a first log, all of that is done beside the writers. */
    @Test
    void noWriterMakesALogButTheFirstOne() throws InterruptedException {
        Map<String, String> seen = new ConcurrentHashMap<>();
        boolean[] first = {true};
        HookedVfs.Hook hook = (kind, path) -> {
            String thread = Thread.currentThread().getName();
            if (thread.startsWith("test-") && isLogMaking(kind, path) && !first[0]) {
                seen.putIfAbsent(kind + " " + path.getFileName(), thread);
            }
        };
        try (FlexDB db =
                FlexDB.open(new HookedVfs(new SimulatedVfs(), hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            db.put(key(0), new byte[10]);
            first[0] = false;
            Workers workers = new Workers();
            for (int writer = 0; writer < 2; writer++) {
                int from = writer;
                workers.start("writer-" + writer, () -> {
                    for (int i = from; i < 6000; i += 2) {
                        db.put(key(i), new byte[300]);
                    }
                });
            }
            workers.join();
        }
        assertEquals(Map.of(), seen);
    }

    /** The log that comes next may take as long as it likes while there is room in the one before. */
    @Test
    void aLogThatIsLongInTheMakingHoldsNobodyUpBeforeItIsNeeded() throws InterruptedException {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        HookedVfs.Hook hook = (kind, path) -> {
            if (kind == HookedVfs.Kind.CREATE
                    && Thread.currentThread().getName().startsWith("flexdb-logs ")) {
                making.countDown();
                Waiting.until(goOn);
            }
        };
        SimulatedVfs vfs = new SimulatedVfs();
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        FlexDB db = FlexDB.open(new HookedVfs(vfs, hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
        db.put(key(0), new byte[10]);
        model.put(key(0), new byte[10]);
        making.await();
        for (int i = 1; i < 100; i++) { // half of a memtable
            db.put(key(i), new byte[300]);
            model.put(key(i), new byte[300]);
        }
        db.sync();
        goOn.countDown();
        for (int i = 100; i < 2000; i++) {
            db.put(key(i), new byte[300]);
            model.put(key(i), new byte[300]);
        }
        StoreOracle.assertSame(model, StoreDriver.all(db), "written");
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            StoreOracle.assertSame(model, StoreDriver.all(again), "again");
        }
    }

    /** So may the log that is kept in reserve. */
    @Test
    void aLogInReserveThatIsLongInTheMakingHoldsNobodyUp() throws InterruptedException {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger made = new AtomicInteger();
        HookedVfs.Hook hook = (kind, path) -> {
            if (kind == HookedVfs.Kind.CREATE
                    && Thread.currentThread().getName().startsWith("flexdb-logs ")
                    && made.incrementAndGet() == 2) {
                making.countDown();
                Waiting.until(goOn);
            }
        };
        FlexDB db =
                FlexDB.open(new HookedVfs(new SimulatedVfs(), hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
        db.put(key(0), new byte[10]);
        making.await();
        for (int i = 1; i < 250; i++) { // more than a memtable
            db.put(key(i), new byte[300]);
        }
        assertEquals(250, StoreDriver.all(db).size());
        goOn.countDown();
        db.close();
    }

    /** Who waits for a log waits, and does not wake the others that do. */
    @Test
    void writersThatWaitForALogSleep() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger puts = new AtomicInteger();
        HookedVfs.Hook hook = (kind, path) -> {
            if (kind == HookedVfs.Kind.CREATE
                    && Thread.currentThread().getName().startsWith("flexdb-logs ")) {
                begun.countDown();
                Waiting.until(goOn);
            }
        };
        FlexDB db =
                FlexDB.open(new HookedVfs(new SimulatedVfs(), hook), StoreDriver.DIRECTORY, StoreDriver.SMALL, false);
        Thread[] writers = new Thread[3];
        int keys = 6000; // so many that no writer ends before there is no log, even if it alone had a processor
        for (int writer = 0; writer < writers.length; writer++) {
            int from = writer;
            writers[writer] = new Thread(() -> {
                for (int i = from; i < keys; i += 3) {
                    db.put(key(i), new byte[300]);
                    puts.incrementAndGet();
                }
            });
            writers[writer].start();
        }
        Waiting.until(begun);
        Waiting.whileTrue(() -> {
            int put = puts.get(); // they also wait for each other, and then go on
            for (int i = 0; i < 1000; i++) {
                Thread.yield();
            }
            return put != puts.get()
                    || !Arrays.stream(writers).allMatch(writer -> writer.getState() == Thread.State.WAITING);
        });
        long before = timesWaited(writers);
        for (int i = 0; i < 20_000; i++) {
            Thread.yield();
        }
        long more = timesWaited(writers) - before;
        goOn.countDown();
        for (Thread writer : writers) {
            writer.join();
        }
        assertTrue(more < 50, "woken " + more + " times");
        assertEquals(keys, StoreDriver.all(db).size());
        db.close();
    }

    private static long timesWaited(Thread[] threads) {
        long times = 0;
        for (Thread thread : threads) {
            times += ManagementFactory.getThreadMXBean()
                    .getThreadInfo(thread.getId())
                    .getWaitedCount();
        }
        return times;
    }

    /** When there is nothing to commit, garbage is collected until nothing is gained any more, as ever. */
    @Test
    void garbageIsCollectedInSpareTime() {
        try (FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            Random random = new Random(5);
            for (int i = 0; i < 20_000; i++) {
                db.put(key(random.nextInt(6000)), new byte[200]);
            }
            for (int i = 0; i < 6000; i++) {
                if (i % 3 > 0) {
                    db.delete(key(i)); // so that each segment has garbage, and most of the space is
                }
            }
            Waiting.whileTrue(() -> {
                FlexDBStats stats = db.stats();
                return stats.written().collectedBytes() == 0
                        || stats.space().segments() - stats.space().freeSegments() > 40;
            });
            FlexDBStats stats = db.stats();
            assertTrue(stats.space().bytes() > 300_000, stats.toString());
        }
    }

    /** The mode of a write may be above the store's: it is kept as well as it would be in a store of that mode. */
    @Test
    void aWriteOfModeOsToAStoreOfModeNoneIsForcedSoon() {
        FlexDBOptions options =
                StoreDriver.SMALL.withDurability(Durability.NONE).withSyncInterval(Duration.ofMillis(5));
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false)) {
            db.put(key(1), key(1));
            long sequence = db.write(new WriteBatch().put(key(2), key(2)), Durability.OS);
            Waiting.whileTrue(() -> db.durableSequence() < sequence);
            FlexDB afterCut = StoreDriver.open(vfs.copy().crash(0), options);
            assertEquals(2, StoreDriver.all(afterCut).size());
        }
    }
}
