package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Reads;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Shuts a file system down under a store, as a dying device does: from then on every access to the disk fails, those
 * through mappings by signals. It is an image mounted by a loop device, so this needs root, xfsprogs and e2fsprogs, and
 * runs only with the profile {@code filesystems}; see docs/testing.md.
 *
 * <p>{@code -Dflexdb.shutdown.cycles=100} sets how often.
 */
class FileSystemShutdownIT {
    private static final int THREADS = 8;
    private static final int CYCLES = Integer.getInteger("flexdb.shutdown.cycles", 10);
    private static final long IMAGE_BYTES = 512L << 20;
    private static final int READ_KEYS = 60_000; // of a store that is only read
    private static final int READS_AFTER = 2_000; // of each thread

    @TempDir
    private Path directory;

    private final Queue<Throwable> untyped = new ConcurrentLinkedQueue<>();
    private final AtomicLong typed = new AtomicLong();
    private final AtomicLong failedReads = new AtomicLong();
    private volatile boolean shutDown;
    private volatile int dimension = 1;
    private Path mounted;

    /** A mapping keeps its file system busy, and lasts until the garbage collector has found it. */
    @AfterEach
    void unmount() throws Exception {
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (mounted != null) {
            System.gc();
            if (System.nanoTime() > giveUp) {
                run("umount", mounted.toString());
            } else if (start("umount", mounted.toString()).waitFor() != 0) {
                continue;
            }
            mounted = null;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xfs", "ext4"})
    void onlyStorageExceptionsLeaveAStoreWhoseFileSystemIsShutDown(String type) throws Exception {
        long seed = System.nanoTime();
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        run("mkfs." + type, "-q", image.toString());
        Path mountPoint = Files.createDirectory(directory.resolve("mounted"));
        Path toRead = mountPoint.resolve("read");
        mount(image, mountPoint);
        fill(toRead);
        unmount();
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            mount(image, mountPoint); // nothing of it is in the page cache
            Path store = mountPoint.resolve("store" + cycle);
            int[] acknowledged = shutDownUnder(store, toRead, new Random(seed + cycle));
            unmount();
            mount(image, mountPoint); // recovers the file system
            checkAcknowledged(store, acknowledged, type + ", seed " + seed + ", cycle " + cycle);
            check(toRead, type + ", seed " + seed + ", cycle " + cycle);
            deleteStore(store);
            unmount();
        }
        System.out.println(type + ": " + CYCLES + " times, " + typed + " storage exceptions, " + failedReads
                + " failed reads, " + untyped.size() + " other errors, seed " + seed);
        assertEquals(List.of(), List.copyOf(untyped), "seed " + seed);
        assertTrue(failedReads.get() > 0, "no read has met the end of the file system");
    }

    private void mount(Path image, Path mountPoint) throws Exception {
        run("mount", "-o", "loop", image.toString(), mountPoint.toString());
        mounted = mountPoint;
    }

    private static Process start(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = start(command);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + said);
    }

    /** Returns what each thread had been promised when the file system was shut down. */
    private int[] shutDownUnder(Path directory, Path toRead, Random random) throws Exception {
        shutDown = false;
        FlexDB db = FlexDB.open(directory, FlexDBOptions.defaults().withMemtableBytes(1 << 20));
        FlexDB onlyRead = FlexDB.open(toRead);
        assertEquals(Reads.MAPPED, onlyRead.stats().reads());
        AtomicIntegerArray promised = new AtomicIntegerArray(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Random own = new Random(random.nextLong());
            threads.add(new Thread(() -> putAndGet(db, thread, own, promised), "thread-" + i));
        }
        for (int i = 0; i < THREADS; i++) {
            Random own = new Random(random.nextLong());
            threads.add(new Thread(() -> getAndScan(onlyRead, own), "reader-" + i));
        }
        threads.forEach(thread -> thread.setUncaughtExceptionHandler((ended, e) -> untyped.add(e)));
        threads.forEach(Thread::start);
        int enough = 1 + random.nextInt(400);
        while (promised.get(0) < enough && threads.get(0).isAlive()) {
            Thread.onSpinWait();
        }
        int[] acknowledged = new int[THREADS];
        for (int i = 0; i < THREADS; i++) {
            acknowledged[i] = promised.get(i);
        }
        run("xfs_io", "-x", "-c", "shutdown", mounted.toString());
        shutDown = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.MINUTES.toMillis(1));
            assertFalse(thread.isAlive(), thread + " hangs");
        }
        closeQuietly(db);
        closeQuietly(onlyRead);
        return acknowledged;
    }

    private void closeQuietly(FlexDB db) {
        try {
            db.close();
        } catch (StorageException e) {
            typed.incrementAndGet();
        } catch (Throwable e) {
            untyped.add(e);
        }
    }

    /** A method of its own, and the next one too: no frame may hold a store when its file system is unmounted. */
    private static void fill(Path toRead) {
        try (FlexDB db = FlexDB.open(toRead)) {
            for (int i = 0; i < READ_KEYS; i++) {
                db.put(key(0, i), valueToRead(i));
            }
        }
    }

    private static void check(Path toRead, String when) {
        try (FlexDB db = FlexDB.open(toRead)) {
            for (int i = 0; i < READ_KEYS; i++) {
                assertArrayEquals(valueToRead(i), db.get(key(0, i)), when + ", key " + i);
            }
        }
    }

    private static byte[] valueToRead(int i) {
        byte[] value = new byte[400];
        new Random(i).nextBytes(value);
        return value;
    }

    /** Of a store that nobody writes, whose reads go through a mapping: each is right or fails as it should. */
    private void getAndScan(FlexDB db, Random random) {
        for (int left = READS_AFTER; left > 0; ) {
            left -= shutDown ? 1 : 0;
            int i = random.nextInt(shutDown ? READ_KEYS : READ_KEYS / 2); // what is read again is in memory
            try {
                if (random.nextInt(8) > 0) {
                    assertArrayEquals(valueToRead(i), db.get(key(0, i)));
                } else {
                    try (FlexCursor cursor = db.cursor()) {
                        cursor.seek(key(0, i));
                        for (int at = i; at < Math.min(READ_KEYS, i + 20); at++) {
                            assertArrayEquals(valueToRead(at), cursor.value());
                            cursor.next();
                        }
                    }
                }
            } catch (StorageException e) {
                failedReads.incrementAndGet();
            }
        }
        assertTrue(new byte[dimension][dimension].length > 0); // what is pending would strike here
    }

    private static byte[] key(int thread, int number) {
        return ByteBuffer.allocate(8).putInt(thread).putInt(number).array();
    }

    private void putAndGet(FlexDB db, int thread, Random random, AtomicIntegerArray promised) {
        try {
            for (int i = 0; ; i++) {
                boolean durable = random.nextInt(8) == 0;
                byte[] value = new byte[random.nextInt(random.nextInt(8) == 0 ? 20_000 : 200)];
                db.put(key(thread, i), value);
                if (durable) {
                    db.sync();
                    promised.set(thread, i + 1);
                }
                db.get(key(random.nextInt(THREADS), random.nextInt(i + 1)));
            }
        } catch (StorageException e) {
            typed.incrementAndGet();
            assertTrue(new byte[dimension][dimension].length > 0); // what is pending would strike here
        } catch (Throwable e) {
            untyped.add(e);
        }
    }

    private static void checkAcknowledged(Path store, int[] acknowledged, String when) {
        try (FlexDB db = FlexDB.open(store)) {
            for (int thread = 0; thread < THREADS; thread++) {
                for (int i = 0; i < acknowledged[thread]; i++) {
                    assertNotNull(db.get(key(thread, i)), when + ", thread " + thread + ", write " + i);
                }
            }
        }
    }

    private static void deleteStore(Path store) throws IOException {
        try (Stream<Path> paths = Files.walk(store)) {
            for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        }
    }
}
