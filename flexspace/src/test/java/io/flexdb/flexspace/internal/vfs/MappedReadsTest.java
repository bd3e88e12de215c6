package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedReadsTest {
    private static final int PART_SHIFT = 14;
    private static final int PART = 1 << PART_SHIFT;

    @TempDir
    private Path directory;

    private final RealVfs vfs = new RealVfs();

    /** How often a file was mapped, and whether it is to be refused. */
    private static final class Watched extends ForwardingVfsFile {
        final VfsFile file;
        final List<String> mappings = new ArrayList<>();
        boolean refuses;
        Runnable beforeMapping = () -> {};

        Watched(VfsFile file) {
            super(file);
            this.file = file;
        }

        @Override
        public MappedFile mapForReading(long position, long bytes) {
            beforeMapping.run();
            mappings.add(position + " " + bytes);
            if (refuses) {
                throw new StoreIoException("map", path(), new IOException("Map failed"));
            }
            return file.mapForReading(position, bytes);
        }
    }

    @BeforeEach
    void mappingIsSafe() {
        assumeTrue(vfs.mapsSafely(directory), "the directory for temporary files maps safely");
    }

    private static byte pattern(long position) {
        return (byte) (position * 31 >>> 3 ^ position >>> 12);
    }

    private Watched create(String name, int bytes) {
        Watched file = new Watched(vfs.open(directory.resolve(name), OpenMode.CREATE));
        grow(file, bytes);
        return file;
    }

    /** Makes a file longer, of the pattern. */
    private static void grow(VfsFile file, long bytes) {
        long from = file.size();
        ByteBuffer more = ByteBuffer.allocate((int) (bytes - from));
        for (int i = 0; i < more.capacity(); i++) {
            more.put(i, pattern(from + i));
        }
        file.write(more, from);
    }

    private static boolean isPattern(ByteBuffer found, int from, long position, int length) {
        for (int i = 0; i < length; i++) {
            if (found.get(from + i) != pattern(position + i)) {
                return false;
            }
        }
        return true;
    }

    private static void assertReads(MappedReads reads, long position, int length) {
        ByteBuffer found = ByteBuffer.allocateDirect(length + 7);
        assertTrue(reads.read(position, found, 5, length), () -> length + " bytes from " + position);
        assertTrue(isPattern(found, 5, position, length), () -> length + " bytes from " + position);
        assertEquals(0, found.get(0), "what is before them");
        assertEquals(0, found.get(length + 5), "what is behind them");
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    @Test
    void readsMayCrossTheBordersOfParts() {
        try (Watched file = create("a", 5 * PART + 100)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertEquals(0, reads.mappedBytes());
            for (int border = PART; border <= 5 * PART; border += PART) {
                assertReads(reads, border - 1, 1);
                assertReads(reads, border, 1);
                assertReads(reads, border - 1, 2);
                assertReads(reads, border - 50, 100);
            }
            assertReads(reads, 0, 5 * PART + 100);
            assertEquals(6, file.mappings.size(), "each part is mapped once: " + file.mappings);
            assertEquals(5 * PART + 100, reads.mappedBytes());
        }
    }

    @Test
    void nothingIsMappedThatIsNotRead() {
        try (Watched file = create("a", 4 * PART)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertReads(reads, 2 * PART + 5, 10);
            assertEquals(List.of(2 * PART + " " + PART), file.mappings);
        }
    }

    @Test
    void aFileThatGrowsIsMappedAsFarAsReadsNeed() {
        try (Watched file = create("a", 100)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertReads(reads, 0, 100);
            grow(file, 5000);
            assertReads(reads, 10, 90);
            assertEquals(1, file.mappings.size(), "what is mapped serves");
            assertReads(reads, 90, 4910);
            grow(file, PART + 10);
            assertReads(reads, 4999, 2);
            assertReads(reads, PART - 3, 13);
            assertEquals(
                    List.of("0 100", "0 5000", "0 " + PART, PART + " 10"),
                    file.mappings,
                    "the last part again, the others once");
        }
    }

    @Test
    void whatTheFileDoesNotHaveIsLeftToASystemCall() {
        try (Watched file = create("a", PART + 10)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertFalse(reads.read(PART, ByteBuffer.allocate(20), 0, 11));
            assertFalse(reads.read(PART - 5, ByteBuffer.allocate(20), 0, 16));
            assertFalse(reads.read(7L * PART, ByteBuffer.allocate(20), 0, 1));
            assertFalse(reads.read(1L << 60, ByteBuffer.allocate(20), 0, 1));
            assertTrue(reads.isPossible());
            assertReads(reads, PART, 10);
        }
    }

    @Test
    void aFileThatWasCutFailsReadsUntilItHasGrownAgain() throws IOException {
        try (Watched file = create("a", 2 * PART)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertReads(reads, 0, 2 * PART);
            cut(file.path(), 4096);
            ByteBuffer found = ByteBuffer.allocateDirect(100);
            for (int i = 0; i < 1000; i++) {
                StoreIoException failed =
                        assertThrows(StoreIoException.class, () -> reads.read(PART + 9, found, 0, 100));
                assertEquals(file.path(), failed.file());
                assertReads(reads, 3000, 1000);
            }
            reads.throwPendingFault(); // none is
            grow(file, 2 * PART);
            assertReads(reads, 0, 2 * PART);
            assertTrue(reads.isPossible());
        }
    }

    @Test
    void aFileThatIsCutWhileItIsMappedIsReadByTheNextOne() {
        try (Watched file = create("a", PART)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            file.beforeMapping = () -> file.truncate(5000);
            assertFalse(reads.read(6000, ByteBuffer.allocate(10), 0, 10));
            assertEquals(5000, file.size());
            file.beforeMapping = () -> {};
            assertTrue(reads.isPossible(), "the next one may do");
            assertReads(reads, 4000, 1000);
        }
    }

    /** A mapping through a channel that can write makes the file as long as the mapping. */
    @Test
    void aFileThatIsCutWhileItIsMappedIsNotMadeLonger() throws Exception {
        AtomicInteger cuts = new AtomicInteger();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (VfsFile file = create("a", PART).file) {
            Thread mapping = new Thread(() -> {
                for (int mappings = 1; cuts.get() < Effort.times(500); mappings++) {
                    if (mappings % 100 == 0) {
                        System.gc(); // each mapping that is left makes a cut slower
                    }
                    try {
                        file.mapForReading(0, PART);
                    } catch (IllegalArgumentException | StoreIoException e) {
                        assertTrue(file.size() <= PART);
                    }
                }
            });
            mapping.setUncaughtExceptionHandler((dead, e) -> failures.add(e));
            mapping.start();
            while (mapping.isAlive()) {
                grow(file, PART);
                Thread.yield();
                file.truncate(5000);
                for (int i = 0; i < 100; i++) {
                    assertEquals(5000, file.size(), "after " + cuts + " cuts");
                }
                cuts.incrementAndGet();
            }
        }
        assertEquals(List.of(), List.copyOf(failures));
    }

    @Test
    void aRefusedMappingIsTheLastThatIsTried() {
        try (Watched file = create("a", 3 * PART)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertReads(reads, 0, 100);
            file.refuses = true;
            assertFalse(reads.read(PART - 5, ByteBuffer.allocate(10), 0, 10));
            assertFalse(reads.isPossible());
            file.refuses = false;
            assertFalse(reads.read(PART, ByteBuffer.allocate(10), 0, 10));
            assertFalse(reads.read(2 * PART, ByteBuffer.allocate(10), 0, 10));
            assertEquals(2, file.mappings.size(), "none is tried again: " + file.mappings);
            assertReads(reads, 0, 100); // what is mapped serves
            assertEquals("MappedReads[" + file.path() + ", not possible]", reads.toString());
        }
    }

    @Test
    void aFileSystemThatMapsNothingLeavesAllToSystemCalls() {
        Path root = Path.of("root").toAbsolutePath();
        SimulatedVfs simulated = new SimulatedVfs(root);
        try (VfsFile file = simulated.open(root.resolve("a"), OpenMode.CREATE)) {
            grow(file, 100);
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            assertTrue(reads.isPossible(), "nobody has asked yet");
            assertFalse(reads.read(0, ByteBuffer.allocate(10), 0, 10));
            assertFalse(reads.isPossible());
            reads.throwPendingFault(); // there can't be one
            assertEquals(0, reads.mappedBytes());
        }
    }

    @Test
    void anInterruptIsStillPendingAfterARead() {
        try (Watched file = create("a", 3 * PART)) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            for (int part = 0; part < 3; part++) {
                Thread.currentThread().interrupt();
                assertReads(reads, part * PART, 100); // which has it mapped
                assertTrue(Thread.interrupted());
            }
            assertTrue(reads.isPossible());
        }
    }

    @Test
    void aClosedFileIsReadAsFarAsItIsMapped() {
        Watched file = create("a", 2 * PART);
        MappedReads reads = new MappedReads(file, PART_SHIFT);
        assertReads(reads, 0, 100);
        file.close();
        assertReads(reads, 100, 1000);
        assertThrows(StoreClosedException.class, () -> reads.read(PART, ByteBuffer.allocate(10), 0, 10));
        assertThrows(StoreClosedException.class, () -> reads.read(PART, ByteBuffer.allocate(10), 0, 10));
    }

    @Test
    void manyThreadsReadAFileThatGrowsAndAreInterrupted() throws Exception {
        int threads = 8;
        int steps = Effort.times(60);
        long seed = System.nanoTime();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        AtomicLong written = new AtomicLong(1000);
        AtomicLong good = new AtomicLong();
        AtomicInteger ended = new AtomicInteger();
        try (VfsFile file = create("a", 1000).file) {
            MappedReads reads = new MappedReads(file, PART_SHIFT);
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(seed + i);
                readers.add(new Thread(() -> {
                    ByteBuffer found = ByteBuffer.allocateDirect(3 * PART);
                    while (ended.get() == 0) {
                        long end = written.get();
                        int length = 1 + random.nextInt((int) Math.min(end, random.nextInt(9) == 0 ? 3 * PART : 300));
                        long position = random.nextInt(3) == 0
                                ? end - length
                                : (long) (random.nextDouble() * (end - length + 1));
                        if (!reads.read(position, found, 0, length) || !isPattern(found, 0, position, length)) {
                            throw new AssertionError(length + " bytes from " + position + " of " + end);
                        }
                        good.incrementAndGet();
                    }
                }));
            }
            readers.forEach(thread -> thread.setUncaughtExceptionHandler((dead, e) -> failures.add(e)));
            readers.forEach(Thread::start);
            Random random = new Random(seed);
            for (int step = 0; step < steps && failures.isEmpty(); step++) {
                long more = written.get() + 1 + random.nextInt(3000);
                grow(file, more);
                written.set(more);
                readers.get(random.nextInt(threads)).interrupt();
                long goOn = good.get() + 2 * threads;
                Waiting.whileTrue(() -> good.get() < goOn && failures.isEmpty());
            }
            ended.set(1);
            for (Thread reader : readers) {
                reader.join();
            }
            assertTrue(reads.isPossible());
        }
        assertEquals(List.of(), List.copyOf(failures), "seed " + seed);
    }
}
