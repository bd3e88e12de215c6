package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlexSpaceConcurrencyTest {
    private static final int RECORD = 64;
    private static final int MIN_READS = 200; // of a thread, even if it does not run before the writer has ended

    @TempDir
    Path directory;

    private final AtomicReference<Throwable> problem = new AtomicReference<>();

    private Thread start(Runnable body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                problem.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** A record is filled with one byte and inserted, removed and overwritten whole; its neighbours, too. */
    private static void checkWholeRecords(byte[] bytes) {
        for (int at = 0; at < bytes.length; at += RECORD) {
            for (int i = 1; i < RECORD; i++) {
                assertEquals(bytes[at], bytes[at + i], "the record at " + at);
            }
        }
    }

    @Test
    void readersSeeWholeOperationsOnlyAndAllThatHaveReturned() throws Exception {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
            run(space, Effort.times(6000));
        }
    }

    @Test
    void readersOfRealFilesSeeWholeOperationsOnlyInSpiteOfInterrupts() throws Exception {
        try (FlexSpace space = FlexSpace.open(directory, CrashHistory.SMALL)) {
            run(space, Effort.times(3000));
        }
        try (FlexSpace space = FlexSpace.open(directory)) {
            checkWholeRecords(SpaceOracle.contentOf(space));
        }
    }

    /** Of few frames, which come and go while they are read, and of all that there are. */
    @Test
    void readersOfACacheSeeWholeOperationsOnlyAndAllThatHaveReturned() throws Exception {
        for (int frames : new int[] {4, 40, 4000}) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexSpaceOptions options = CrashHistory.SMALL.withCacheBytes(frames * CrashHistory.SMALL.frameBytes());
            try (FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, options)) {
                run(space, Effort.times(4000));
                FlexSpaceStats stats = space.stats();
                System.out.println(frames + " frames: " + stats);
                assertTrue(stats.cache().hits() > 0 && stats.cache().misses() > 0, stats::toString);
                assertTrue(stats.collection().segmentsFreed() > 10, stats::toString);
            }
        }
    }

    private void run(FlexSpace space, int operations) throws InterruptedException {
        AtomicInteger appended = new AtomicInteger(); // records of which the writer knows that they are there
        AtomicInteger removed = new AtomicInteger(); // removals begun
        AtomicInteger finished = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        space.insertRange(0, ByteBuffer.wrap(new byte[100 * RECORD]));
        appended.set(100);
        for (int reader = 0; reader < 4; reader++) {
            Random random = new Random(reader);
            readers.add(start(() -> {
                for (int reads = 0; finished.get() == 0 || reads < MIN_READS; reads++) {
                    int removals = removed.get();
                    int known = appended.get();
                    boolean seen = space.size() >= (long) known * RECORD;
                    assertTrue(seen || removals != removed.get(), "an operation that has returned is not seen");
                    int record = random.nextInt(Math.min(known, 1400) - 40);
                    byte[] bytes = new byte[(1 + random.nextInt(40)) * RECORD];
                    space.read((long) record * RECORD, ByteBuffer.wrap(bytes));
                    checkWholeRecords(bytes);
                }
            }));
        }
        Thread writer = start(() -> write(space, appended, removed, operations));
        Thread interrupter = start(() -> {
            Random random = new Random(9);
            while (finished.get() == 0) {
                (random.nextInt(3) == 0 ? writer : readers.get(random.nextInt(4))).interrupt();
                Thread.yield();
            }
        });
        writer.join();
        finished.set(1);
        join(readers);
        interrupter.join();
        assertNull(problem.get(), () -> "" + problem.get());
        space.checkInvariants();
        checkWholeRecords(SpaceOracle.contentOf(space));
    }

    private static void write(FlexSpace space, AtomicInteger appended, AtomicInteger removed, int operations) {
        Random random = new Random(5);
        for (int i = 0; i < operations; i++) {
            int records = (int) (space.size() / RECORD);
            byte[] bytes = new byte[RECORD * (1 + random.nextInt(10))];
            Arrays.fill(bytes, (byte) i);
            int record = random.nextInt(records);
            switch (random.nextInt(12)) {
                case 0 -> space.sync();
                case 1 -> {
                    if (records > 1500 && records - record >= 20) {
                        appended.addAndGet(-20);
                        removed.incrementAndGet();
                        space.collapseRange((long) record * RECORD, 20 * RECORD);
                    }
                }
                case 2, 3, 4 -> {
                    space.insertRange((long) record * RECORD, ByteBuffer.wrap(bytes));
                    appended.addAndGet(bytes.length / RECORD);
                }
                case 5 -> {
                    if (records - record > 30) {
                        space.defragment((long) record * RECORD, 30 * RECORD);
                    }
                }
                default -> {
                    if (records - record >= bytes.length / RECORD) {
                        space.write((long) record * RECORD, ByteBuffer.wrap(bytes));
                    }
                }
            }
        }
    }

    @Test
    void closingTurnsReadersAwayWithoutHarm() throws Exception {
        for (int round = 0; round < Effort.times(60); round++) {
            SimulatedVfs vfs = new SimulatedVfs();
            FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);
            byte[] bytes = SpaceOracle.randomBytes(new Random(round), 30_000);
            space.insertRange(0, ByteBuffer.wrap(bytes));
            CountDownLatch reading = new CountDownLatch(8);
            List<Thread> threads = new ArrayList<>();
            for (int reader = 0; reader < 8; reader++) {
                Random random = new Random(reader);
                threads.add(start(() -> {
                    byte[] found = new byte[500];
                    try {
                        while (true) {
                            int offset = random.nextInt(bytes.length - found.length);
                            space.read(offset, ByteBuffer.wrap(found));
                            reading.countDown();
                            assertArrayEquals(Arrays.copyOfRange(bytes, offset, offset + 500), found);
                        }
                    } catch (StoreClosedException e) {
                        reading.countDown();
                    }
                }));
            }
            reading.await();
            Thread other = start(space::close);
            space.close();
            other.join();
            join(threads);
            assertNull(problem.get(), () -> "" + problem.get());
            SimulatedVfs cut = vfs.crash(0);
            try (FlexSpace again = FlexSpace.open(cut, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
                assertArrayEquals(bytes, SpaceOracle.contentOf(again));
            }
        }
    }

    @Test
    void aSpaceInRealFilesWithDefaultOptionsKeepsWhatItIsGiven() throws Exception {
        Random random = new Random(12);
        byte[] model = SpaceOracle.randomBytes(random, 20 << 20);
        try (FlexSpace space = FlexSpace.open(directory.resolve("a/b"))) {
            space.insertRange(0, ByteBuffer.wrap(model));
            for (int i = 0; i < 40; i++) {
                byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(300_000));
                int offset = random.nextInt(model.length - bytes.length);
                if (i % 2 == 0) {
                    space.write(
                            offset,
                            ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
                    model = SpaceOracle.written(model, offset, bytes);
                } else {
                    space.insertRange(offset, ByteBuffer.wrap(bytes));
                    space.collapseRange(offset / 2, bytes.length);
                    model = SpaceOracle.collapsed(SpaceOracle.inserted(model, offset, bytes), offset / 2, bytes.length);
                }
            }
            space.sync();
            assertArrayEquals(model, SpaceOracle.contentOf(space));
        }
        try (FlexSpace space = FlexSpace.open(directory.resolve("a/b"))) {
            assertArrayEquals(model, SpaceOracle.contentOf(space));
            space.checkInvariants();
        }
        try (var files = Files.list(directory.resolve("a/b"))) {
            assertEquals(
                    List.of("LOCK", "data", "log-", "log.new", "tree"),
                    files.map(file -> file.getFileName().toString().replaceAll("[0-9]", ""))
                            .sorted()
                            .toList());
        }
    }

    @Test
    void readsMakeNoGarbage() {
        try (FlexSpace space = FlexSpace.open(new RealVfs(), directory, CrashHistory.SMALL)) {
            space.insertRange(0, ByteBuffer.wrap(new byte[100_000]));
            space.sync();
            ByteBuffer buffer = ByteBuffer.allocateDirect(700);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = Thread.currentThread().getId();
            long before = 0;
            for (int i = 0; i < 30_000; i++) {
                if (i == 20_000) {
                    before = threads.getThreadAllocatedBytes(id);
                }
                space.read(i * 3L, buffer.clear());
            }
            long allocated = threads.getThreadAllocatedBytes(id) - before;
            assertTrue(allocated < 100_000, allocated + " bytes in 10,000 reads");
        }
    }
}
