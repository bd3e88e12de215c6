package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data file that is mapped becomes shorter under eight threads that get and scan. */
class FlexDBMappedReadFaultTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 4 * Integer.getInteger("flexdb.test.effort", 1);
    private static final int KEYS = 20_000;
    private static final int GOOD_BEFORE_THE_CUT = 2_000;
    private static final int AFTER_THE_CUT = 2_000;
    private static final FlexDBOptions OPTIONS =
            FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(1 << 20);

    @TempDir
    private Path root;

    /** What should leave no thread. */
    private final Queue<Throwable> untyped = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong good = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private final AtomicInteger ended = new AtomicInteger();
    private volatile boolean cut;
    private volatile int dimension = 1;

    @BeforeEach
    void mappingIsSafe() {
        assumeTrue(new RealVfs().mapsSafely(root), "the directory for temporary files maps safely");
    }

    private static byte[] key(int i) {
        return ByteBuffer.allocate(8).putInt(i).putInt(~i).array();
    }

    private static byte[] value(int i) {
        byte[] value = new byte[i % 100 == 0 ? 9000 : 100 + i % 50];
        new Random(i).nextBytes(value);
        return value;
    }

    private Path newStore() {
        Path directory = root.resolve("store");
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i * 7919 % KEYS), value(i * 7919 % KEYS));
            }
        }
        return directory;
    }

    @Test
    void aDataFileCutShortUnderItsReadersFailsTheirReadsAndNothingElse() throws Exception {
        long seed = System.nanoTime();
        Path directory = newStore();
        Path data = directory.resolve("space/data");
        Path whole = Files.copy(data, root.resolve("whole"));
        for (int round = 0; round < ROUNDS; round++) {
            cutUnderReaders(directory, data, new Random(seed + round));
            assertEquals(List.of(), List.copyOf(untyped), "seed " + seed + ", round " + round);
            Files.copy(whole, data, StandardCopyOption.REPLACE_EXISTING);
            try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(value(i), db.get(key(i)), "key " + i + ", seed " + seed + ", round " + round);
                }
            }
            Files.copy(data, whole, StandardCopyOption.REPLACE_EXISTING);
        }
        System.out.println(good + " good reads, " + bad + " storage exceptions, " + untyped.size()
                + " errors without a type, " + ended + " of " + ROUNDS * THREADS
                + " threads ended as they should, seed "
                + seed);
        assertEquals(ROUNDS * THREADS, ended.get(), "threads that ended as they should");
        assertTrue(bad.get() > 0, "no read has met the cut");
    }

    private void cutUnderReaders(Path directory, Path data, Random random) throws Exception {
        cut = false;
        long enough = good.get() + GOOD_BEFORE_THE_CUT;
        FlexDB db = FlexDB.open(directory, OPTIONS);
        try {
            assertEquals(Reads.MAPPED, db.stats().reads());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random own = new Random(random.nextLong());
                threads.add(new Thread(() -> read(db, own), "reader-" + i));
            }
            threads.forEach(thread -> thread.setUncaughtExceptionHandler((dead, e) -> untyped.add(e)));
            threads.forEach(Thread::start);
            while (good.get() < enough && untyped.isEmpty()) {
                Thread.onSpinWait();
            }
            long bytes = Files.size(data);
            try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
                for (int step = 0; step < 4; step++) {
                    bytes = step == 3 ? 0 : (long) (bytes * random.nextDouble());
                    channel.truncate(bytes);
                    Thread.yield();
                    cut = step > 0;
                }
            }
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(60));
                assertFalse(thread.isAlive(), thread + " hangs");
            }
        } finally {
            closeQuietly(db);
        }
    }

    private void read(FlexDB db, Random random) {
        int left = AFTER_THE_CUT;
        while (left > 0) {
            left -= cut ? 1 : 0;
            int i = random.nextInt(KEYS);
            lock.lock(); // what a fault that is delivered late strikes as well as anything
            try {
                if (random.nextInt(8) == 0) {
                    scan(db, i, random.nextInt(40));
                } else {
                    assertArrayEquals(value(i), db.get(key(i)));
                }
                good.incrementAndGet();
            } catch (StoreIoException | CorruptionException e) {
                bad.incrementAndGet();
            } finally {
                lock.unlock();
            }
        }
        assertTrue(new byte[dimension][dimension].length > 0); // gives the JVM an occasion to deliver what is pending
        ended.incrementAndGet();
    }

    private static void scan(FlexDB db, int from, int length) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(from));
            for (int i = from; i < Math.min(KEYS, from + length); i++) {
                assertArrayEquals(key(i), cursor.key());
                assertArrayEquals(value(i), cursor.value());
                cursor.next();
            }
        }
    }

    /** Nothing was written, so close may find the file too short, or not look at it. */
    private void closeQuietly(FlexDB db) {
        try {
            db.close();
        } catch (StoreIoException | CorruptionException e) {
            bad.incrementAndGet();
        } catch (Throwable e) {
            untyped.add(e);
        }
    }

    /** Reads go on where the file is, and the store keeps what is written to other parts of it. */
    @Test
    void aStoreWhoseFileIsWholeAgainGoesOn() throws IOException {
        Path directory = newStore();
        Path data = directory.resolve("space/data");
        byte[] whole = Files.readAllBytes(data);
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            for (int round = 0; round < 3; round++) {
                int failed = 0;
                try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
                    channel.truncate(4096);
                    for (int i = 0; i < KEYS; i += 50) {
                        failed += isReadable(db, i) ? 0 : 1;
                    }
                    channel.write(ByteBuffer.wrap(whole), 0);
                }
                assertTrue(failed > 0, "some are not in memory");
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(value(i), db.get(key(i)), "key " + i + ", round " + round);
                }
            }
            db.put(key(KEYS), value(KEYS));
        }
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            assertArrayEquals(value(KEYS), db.get(key(KEYS)));
        }
    }

    private static boolean isReadable(FlexDB db, int i) {
        try {
            assertArrayEquals(value(i), db.get(key(i)));
            return true;
        } catch (StoreIoException | CorruptionException e) {
            return false;
        }
    }
}
