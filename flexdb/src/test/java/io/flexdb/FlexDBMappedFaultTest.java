package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write-ahead log that is mapped becomes shorter, or its device fails, under eight threads. */
class FlexDBMappedFaultTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = Effort.times(8);

    private final ReentrantLock lock = new ReentrantLock();
    private volatile int dimension = 1;

    @TempDir
    private Path root;

    /** What leaves a thread of the caller, and the store, when all is over. */
    private final Queue<Throwable> untyped = new ConcurrentLinkedQueue<>();

    private final AtomicInteger ended = new AtomicInteger();

    @Test
    void aLogCutShortUnderItsWritersFailsTheStoreAndNothingElse() throws Exception {
        assumeTrue(new RealVfs().mapsSafely(root), "the directory for temporary files maps safely");
        long seed = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            cutLogsUnderWriters(root.resolve("store" + round), seed + round);
        }
        System.out.println(untyped.size() + " errors without a type, " + ended + " threads of " + ROUNDS * THREADS
                + " ended as they should, seed " + seed);
        assertEquals(List.of(), List.copyOf(untyped), "seed " + seed);
        assertEquals(ROUNDS * THREADS, ended.get(), "threads that ended as they should");
    }

    private void cutLogsUnderWriters(Path directory, long seed) throws Exception {
        FlexDB db = FlexDB.open(
                directory, FlexDBOptions.defaults().withMemtableBytes(1 << 20).withDurability(Durability.OS));
        CountDownLatch written = new CountDownLatch(2000);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed * THREADS + i);
            threads.add(new Thread(() -> writeUntilFailed(db, random, written), "writer-" + i));
        }
        threads.forEach(thread -> thread.setUncaughtExceptionHandler((ended, e) -> untyped.add(e)));
        threads.forEach(Thread::start);
        written.await();
        long giveUp = System.nanoTime() + Waiting.LONGEST.toNanos();
        while (threads.stream().anyMatch(Thread::isAlive)) {
            cutLogs(directory.resolve("wal")); // again and again: the one in use may have been renamed meanwhile
            if (System.nanoTime() > giveUp) {
                untyped.add(new AssertionError("threads hang, seed " + seed));
                return;
            }
            Thread.yield();
        }
        StoreFailedException failed = assertThrows(
                StoreFailedException.class, () -> db.get(new byte[1]), () -> "the store works on, seed " + seed);
        if (!(failed.getCause() instanceof StoreIoException)) {
            throw new AssertionError("the cause is not what the writers met, seed " + seed, failed);
        }
        closeQuietly(db);
    }

    private void writeUntilFailed(FlexDB db, Random random, CountDownLatch written) {
        byte[] key = new byte[8];
        try {
            while (true) {
                random.nextBytes(key);
                db.put(key, new byte[random.nextInt(random.nextInt(8) == 0 ? 20_000 : 200)]);
                random.nextBytes(key);
                db.get(key);
                written.countDown();
            }
        } catch (StorageException expected) {
            lock.lock(); // what a fault that is delivered late hits as well as anything
            lock.unlock();
            enterVm();
            ended.incrementAndGet();
        } catch (Throwable e) {
            untyped.add(e);
        } finally {
            while (written.getCount() > 0) {
                written.countDown();
            }
        }
    }

    /** Gives the JVM an occasion to deliver what it has kept back. */
    private void enterVm() {
        assertTrue(new byte[dimension][dimension].length > 0);
    }

    private static void cutLogs(Path wal) throws IOException {
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(wal)) {
            for (Path log : logs) {
                try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                } catch (NoSuchFileException e) {
                    // it was renamed meanwhile: another one is cut
                }
            }
        }
    }

    private void closeQuietly(FlexDB db) {
        try {
            db.close();
        } catch (StorageException e) {
            // the store has failed
        } catch (Throwable e) {
            untyped.add(e);
        }
    }
}
