package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only files of an operating system can do to a store. */
class RealVfsTest {
    private static final int FILE_BYTES = 64 * 1024;
    private static final ByteBuffer PATTERN = patternOfFile();

    @TempDir
    private Path root;

    private final RealVfs vfs = new RealVfs();

    @BeforeEach
    @AfterEach
    void noDescriptorIsOpen() throws IOException {
        List<Path> open = new ArrayList<>();
        for (Path link : openDescriptors()) {
            open.add(target(link));
        }
        assertEquals(List.of(), open);
    }

    @Test
    void thatNobodyCanKnowWhetherThereIsSomethingIsNoNo() throws IOException {
        Path loop = root.resolve("loop");
        Files.createSymbolicLink(loop, loop);
        assertTrue(vfs.exists(loop));
        assertThrows(StoreIoException.class, () -> vfs.exists(loop.resolve("a")));
        assertThrows(StoreIoException.class, () -> vfs.isDirectory(loop));
        assertThrows(StoreIoException.class, () -> vfs.isDirectory(loop.resolve("a")));
        assertThrows(StoreIoException.class, () -> vfs.isPlainFile(loop.resolve("a")));
        assertThrows(StoreIoException.class, () -> vfs.isPlainDirectory(loop.resolve("a/b")));
        try (VfsLock lock = vfs.lock(root.resolve("LOCK"))) { // below it names are looked up in open directories
            assertTrue(vfs.exists(loop), () -> "below " + lock);
            assertThrows(StoreIoException.class, () -> vfs.exists(loop.resolve("a")));
            Files.writeString(root.resolve("file"), "no directory");
            assertFalse(vfs.exists(root.resolve("file/a")));
            assertFalse(vfs.isDirectory(root.resolve("file/a/b")));
        }
    }

    @Test
    void aSymbolicLinkIsNoPlainFileOrDirectory() throws IOException {
        Path directory = Files.createDirectory(root.resolve("directory"));
        Path file = Files.writeString(root.resolve("file"), "text");
        Path toDirectory = Files.createSymbolicLink(root.resolve("to-directory"), directory);
        Path toFile = Files.createSymbolicLink(root.resolve("to-file"), file);
        Path toNothing = Files.createSymbolicLink(root.resolve("to-nothing"), root.resolve("nothing"));
        assertTrue(vfs.isDirectory(toDirectory));
        assertFalse(vfs.isPlainDirectory(toDirectory));
        assertTrue(vfs.isPlainDirectory(directory));
        assertFalse(vfs.isPlainFile(toFile));
        assertTrue(vfs.isPlainFile(file));
        assertTrue(vfs.exists(toNothing));
        assertFalse(vfs.isDirectory(toNothing));
        assertFalse(vfs.isPlainFile(toNothing));
    }

    /** Those of files below the root, where that can be found out. */
    private List<Path> openDescriptors() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        List<Path> open = new ArrayList<>();
        if (!Files.isDirectory(descriptors)) {
            return open;
        }
        try (DirectoryStream<Path> links = Files.newDirectoryStream(descriptors)) {
            for (Path link : links) {
                if (Files.isSymbolicLink(link) && target(link).startsWith(root.toRealPath())) {
                    open.add(link);
                }
            }
        }
        return open;
    }

    private static Path target(Path link) {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            return Path.of("/closed/meanwhile");
        }
    }

    /** A file in which the byte at each position follows from the position. */
    private VfsFile patterned(String name) {
        VfsFile file = vfs.open(root.resolve(name), OpenMode.CREATE);
        file.write(PATTERN.duplicate(), 0);
        return file;
    }

    private static ByteBuffer patternOfFile() {
        ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
        for (int i = 0; i < FILE_BYTES; i++) {
            all.put(pattern(i));
        }
        return all.flip();
    }

    private static byte pattern(long position) {
        return (byte) (position * 31 >>> 3);
    }

    private static void checkPattern(VfsFile file, int position, ByteBuffer buffer) {
        buffer.clear();
        file.readFully(buffer, position);
        assertEquals(-1, buffer.flip().mismatch(PATTERN.slice(position, buffer.capacity())));
    }

    /** Leaves the file as an interrupt within an operation would. */
    private static void breakChannel(VfsFile file) {
        try {
            ((RealVfsFile) file).channel().close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anOperationGoesOnAfterAnInterruptHasClosedTheChannel() {
        try (VfsFile file = patterned("a")) {
            List<Runnable> operations = List.of(
                    () -> checkPattern(file, 77, ByteBuffer.allocateDirect(100)),
                    () -> file.write(ByteBuffer.wrap(new byte[] {pattern(5), pattern(6)}), 5),
                    () -> assertEquals(FILE_BYTES, file.size()),
                    () -> file.truncate(FILE_BYTES),
                    file::force,
                    () -> file.map(10),
                    () -> file.mapForReading(0, 10));
            for (Runnable operation : operations) {
                FileChannel before = ((RealVfsFile) file).channel();
                breakChannel(file);
                operation.run();
                assertNotSame(before, ((RealVfsFile) file).channel());
            }
            checkPattern(file, 0, ByteBuffer.allocate(FILE_BYTES));
        }
    }

    @Test
    void aFileForReadingIsOpenedAgainForReading() throws IOException {
        patterned("a").close();
        Files.setPosixFilePermissions(root.resolve("a"), PosixFilePermissions.fromString("r--------"));
        try (VfsFile file = vfs.open(root.resolve("a"), OpenMode.READ)) {
            breakChannel(file);
            checkPattern(file, 7, ByteBuffer.allocate(10));
        }
    }

    @Test
    void aRenamedFileIsOpenedAgainByItsNewName() {
        vfs.createDirectories(root.resolve("d"));
        try (VfsFile file = patterned("d/a")) {
            vfs.rename(root.resolve("d/a"), root.resolve("d/b"));
            vfs.rename(root.resolve("d"), root.resolve("e"));
            patterned("other").close();
            breakChannel(file);
            checkPattern(file, 7, ByteBuffer.allocate(10));
        }
    }

    @Test
    void aFileIsOpenedAgainInADirectoryThatOthersHaveRenamed() throws IOException {
        vfs.createDirectories(root.resolve("d"));
        vfs.createDirectories(root.resolve("other"));
        try (VfsFile file = patterned("d/a");
                VfsFile second = patterned("d/b")) {
            Files.move(root.resolve("d"), root.resolve("e"));
            vfs.createDirectories(root.resolve("d"));
            try (VfsFile stranger = vfs.open(root.resolve("d/a"), OpenMode.CREATE)) {
                for (VfsFile each : List.of(file, second)) {
                    breakChannel(each);
                    checkPattern(each, 7, ByteBuffer.allocate(10));
                    breakChannel(each);
                    each.write(ByteBuffer.wrap(new byte[] {pattern(5), pattern(6)}), 5);
                    breakChannel(each);
                    each.force();
                    checkPattern(each, 0, ByteBuffer.allocate(FILE_BYTES));
                }
                assertEquals(0, stranger.size());
            }
            vfs.rename(root.resolve("e/b"), root.resolve("other/c"));
        }
        try (VfsFile moved = patterned("d/c")) {
            vfs.rename(root.resolve("d/c"), root.resolve("other/d"));
            Files.move(root.resolve("other"), root.resolve("far"));
            breakChannel(moved);
            checkPattern(moved, 0, ByteBuffer.allocate(FILE_BYTES));
        }
    }

    /** Everything goes by the path of the lock, and to the directory that had it then. */
    @Test
    void pathsBelowALockMeanWhatTheyMeantWhenItWasTaken() throws IOException {
        Path d = root.resolve("d");
        vfs.createDirectories(d);
        Files.createDirectory(root.resolve("elsewhere"));
        Path linked = Files.createSymbolicLink(d.resolve("linked"), root.resolve("elsewhere"));
        VfsLock lock = vfs.lock(d.resolve("LOCK"));
        vfs.createDirectories(d.resolve("sub"));
        boolean maps = vfs.mapsSafely(d.resolve("sub"));
        patterned("d/sub/old").close();
        patterned("d/linked/old").close();

        Files.move(d, root.resolve("e"));
        Files.createDirectories(d.resolve("sub"));
        Files.writeString(d.resolve("sub/strange"), "strange");
        try (VfsFile file = patterned("d/sub/new")) {
            file.allocate(FILE_BYTES, FILE_BYTES);
            file.prefetch(0, FILE_BYTES);
            breakChannel(file);
            checkPattern(file, 0, ByteBuffer.allocate(FILE_BYTES));
            breakChannel(file);
            file.force();
            assertEquals(maps, file.map(FILE_BYTES) != null);
            assertEquals(maps, file.mapForReading(0, FILE_BYTES) != null);
            vfs.rename(d.resolve("sub/new"), d.resolve("renamed"));
            breakChannel(file);
            checkPattern(file, 0, ByteBuffer.allocate(FILE_BYTES));
        }
        assertEquals(maps, vfs.mapsSafely(d.resolve("sub")));
        assertEquals(List.of("LOCK", "linked", "renamed", "sub"), vfs.list(d));
        assertEquals(List.of("old"), vfs.list(d.resolve("sub")));
        assertEquals(List.of("old"), vfs.list(linked));
        assertTrue(vfs.exists(d.resolve("renamed")));
        assertFalse(vfs.exists(d.resolve("sub/strange")));
        assertFalse(vfs.isDirectory(d.resolve("renamed")));
        assertTrue(vfs.isDirectory(d));
        assertTrue(vfs.isDirectory(linked));
        vfs.syncDirectory(d);
        vfs.syncDirectory(d.resolve("sub"));
        vfs.createDirectories(d.resolve("sub"));
        assertThrows(StoreIoException.class, () -> vfs.createDirectories(d.resolve("other")));
        vfs.delete(d.resolve("sub/old"));
        assertTrue(vfs.deleteIfExists(d.resolve("sub")));
        assertFalse(vfs.deleteIfExists(d.resolve("sub")));
        assertFalse(vfs.deleteIfExists(d.resolve("sub/old")));
        lock.close();
        lock.close();

        assertEquals(List.of("sub"), vfs.list(d)); // means what it leads to again
        assertEquals(List.of("strange"), vfs.list(d.resolve("sub")));
        assertEquals(List.of("LOCK", "linked", "renamed"), vfs.list(root.resolve("e")));
    }

    @Test
    void aFileGetsAnotherNameWhereThatCanBeDone() throws IOException {
        vfs.createDirectories(root.resolve("d"));
        vfs.createDirectories(root.resolve("other"));
        try (VfsFile file = patterned("d/a")) {
            assertEquals(1, file.linkCount());
            assertTrue(vfs.link(root.resolve("d/a"), root.resolve("other/b")));
            assertEquals(2, file.linkCount());
            try (VfsFile same = vfs.open(root.resolve("other/b"), OpenMode.READ)) {
                file.write(ByteBuffer.wrap(new byte[] {99}), 0);
                ByteBuffer read = ByteBuffer.allocate(1);
                same.readFully(read, 0);
                assertEquals(99, read.get(0));
                assertEquals(2, same.linkCount());
            }
            assertFalse(vfs.link(root.resolve("d/a"), root.resolve("other/b")), "there is something");
            assertFalse(vfs.link(root.resolve("d/missing"), root.resolve("other/c")));
            assertFalse(vfs.link(root.resolve("d/a"), root.resolve("missing/c")));
            assertFalse(vfs.link(root.resolve("d"), root.resolve("other/c")), "a directory");
            Files.createSymbolicLink(root.resolve("d/symbolic"), root.resolve("d/a"));
            assertFalse(vfs.link(root.resolve("d/symbolic"), root.resolve("other/c")));
            vfs.delete(root.resolve("other/b"));
            assertEquals(1, file.linkCount());
        }
    }

    /** Which names are meant can't be told to the system then. */
    @Test
    void aFileInADirectoryThatOthersHaveRenamedGetsNoOtherName() throws IOException {
        Path d = root.resolve("d");
        vfs.createDirectories(d);
        vfs.createDirectories(root.resolve("other"));
        try (VfsLock lock = vfs.lock(d.resolve("LOCK"));
                VfsFile file = patterned("d/a")) {
            Files.move(d, root.resolve("e"));
            Files.createDirectories(d);
            Files.writeString(d.resolve("a"), "strange");
            assertFalse(vfs.link(d.resolve("a"), root.resolve("other/b")));
            assertFalse(vfs.exists(root.resolve("other/b")));
            assertEquals(Integer.MAX_VALUE, file.linkCount());
            vfs.link(root.resolve("other/b"), d.resolve("b"));
            assertEquals(List.of("LOCK", "a"), vfs.list(d), lock.toString());
        }
        assertEquals("strange", Files.readString(d.resolve("a")));
    }

    @Test
    void anotherFileOfTheSameNameIsNotTakenForTheFile() throws IOException {
        try (VfsFile file = patterned("a")) {
            Files.move(root.resolve("a"), root.resolve("b"));
            breakChannel(file);
            assertThrows(StoreIoException.class, () -> checkPattern(file, 0, ByteBuffer.allocate(1)));
            Files.createFile(root.resolve("a"));
            StoreIoException thrown = assertThrows(StoreIoException.class, file::force);
            assertTrue(thrown.getMessage().contains("another file has taken its name"), thrown.getMessage());
            assertThrows(StoreIoException.class, file::size);
            Files.delete(root.resolve("a"));
            Files.move(root.resolve("b"), root.resolve("a"));
            checkPattern(file, 0, ByteBuffer.allocate(10));
        }
    }

    @Test
    void interruptsFailNoReaderAndAreAllHandedBack() throws InterruptedException {
        long seed = System.nanoTime();
        try (VfsFile file = patterned("a")) {
            FileChannel before = ((RealVfsFile) file).channel();
            // Seven readers, and one that writes the same bytes again and forces them.
            Interrupted threads = new Interrupted(8, (thread, random, buffer) -> {
                int position = random.nextInt(FILE_BYTES - buffer.capacity());
                checkPattern(file, position, buffer);
                if (thread == 0) {
                    file.write(buffer, position);
                    if (random.nextInt(20) == 0) {
                        file.force();
                    }
                }
            });
            threads.run(seed, Effort.times(200));
            assertNotSame(before, ((RealVfsFile) file).channel(), "some interrupt has met an operation");
            checkPattern(file, 0, ByteBuffer.allocate(FILE_BYTES));
        }
    }

    private interface Step {
        void run(int thread, Random random, ByteBuffer buffer);
    }

    /** Threads that repeat a step while they are interrupted at random; each interrupt must be seen by its thread. */
    private static final class Interrupted {
        private final AtomicIntegerArray pending;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicInteger stopped = new AtomicInteger();
        private final List<Thread> threads = new ArrayList<>();
        private final Step step;

        Interrupted(int count, Step step) {
            this.pending = new AtomicIntegerArray(count);
            this.step = step;
        }

        void run(long seed, int interrupts) throws InterruptedException {
            for (int i = 0; i < pending.length(); i++) {
                int index = i;
                threads.add(new Thread(() -> repeat(index, new Random(seed + index)), "interrupted-" + i));
            }
            threads.forEach(Thread::start);
            Random random = new Random(seed);
            int sent = 0;
            while (sent < interrupts && failure.get() == null) {
                int victim = random.nextInt(threads.size());
                if (pending.compareAndSet(victim, 0, 1)) {
                    threads.get(victim).interrupt();
                    sent++;
                } else {
                    Thread.yield();
                }
            }
            while (failure.get() == null && !nothingPending()) {
                Thread.yield();
            }
            stopped.set(1);
            for (Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get(), () -> "seed " + seed + ": " + failure.get());
        }

        private boolean nothingPending() {
            for (int i = 0; i < pending.length(); i++) {
                if (pending.get(i) != 0) {
                    return false;
                }
            }
            return true;
        }

        private void repeat(int index, Random random) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(2048);
            try {
                while (stopped.get() == 0) {
                    step.run(index, random, buffer);
                    if (Thread.interrupted()) {
                        pending.set(index, 0);
                    }
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }
    }

    @Test
    void closingUnderReadersEndsThemWithAClosedException() throws InterruptedException {
        VfsFile keeper = patterned("a");
        for (int round = 0; round < 50; round++) {
            VfsFile file = vfs.open(root.resolve("a"), OpenMode.READ_WRITE);
            CountDownLatch reading = new CountDownLatch(4);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                boolean forcing = i == 0;
                readers.add(new Thread(() -> {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
                    try {
                        while (true) {
                            checkPattern(file, 4096, buffer);
                            if (forcing) {
                                file.force();
                            }
                            reading.countDown();
                        }
                    } catch (StoreClosedException expected) {
                        return;
                    } catch (Throwable e) {
                        failure.set(e);
                        reading.countDown();
                    }
                }));
            }
            readers.forEach(Thread::start);
            reading.await();
            file.close();
            for (Thread reader : readers) {
                reader.join();
            }
            assertNull(failure.get(), () -> String.valueOf(failure.get()));
        }
        keeper.close();
    }

    @Test
    void filesAndDirectoriesAreForTheOwnerOnly() throws IOException {
        vfs.createDirectories(root.resolve("d/e"));
        patterned("d/e/a").close();
        vfs.lock(root.resolve("d/LOCK")).close();
        assertEquals("rwx------", permissions("d"));
        assertEquals("rwx------", permissions("d/e"));
        assertEquals("rw-------", permissions("d/e/a"));
        assertEquals("rw-------", permissions("d/LOCK"));
    }

    private String permissions(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(name)));
    }

    @Test
    void symbolicLinksAreNotFollowedToFiles() throws IOException {
        patterned("target").close();
        Files.createSymbolicLink(root.resolve("link"), root.resolve("target"));
        Files.createSymbolicLink(root.resolve("dangling"), root.resolve("nothing"));
        assertThrows(StoreIoException.class, () -> vfs.open(root.resolve("link"), OpenMode.READ));
        assertThrows(StoreIoException.class, () -> vfs.open(root.resolve("link"), OpenMode.READ_WRITE));
        assertThrows(StoreIoException.class, () -> vfs.open(root.resolve("dangling"), OpenMode.CREATE));
        assertFalse(Files.exists(root.resolve("nothing")));
        assertTrue(vfs.exists(root.resolve("dangling")));
        vfs.delete(root.resolve("link"));
        assertTrue(vfs.exists(root.resolve("target")));
    }

    @Test
    void aStoreMayLieBehindALinkToADirectory() throws IOException {
        Files.createDirectory(root.resolve("d"));
        Path link = Files.createSymbolicLink(root.resolve("link"), root.resolve("d"));
        assertTrue(vfs.isDirectory(link));
        vfs.createDirectories(link);
        vfs.createDirectories(link.resolve("e"));
        vfs.open(link.resolve("e/a"), OpenMode.CREATE).close();
        vfs.syncDirectory(link);
        assertEquals(List.of("e"), vfs.list(link));
        assertTrue(vfs.exists(root.resolve("d/e/a")));
    }

    @Test
    void aPipeIsRefusedAndDoesNotBlock() throws Exception {
        Process made = new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start();
        assumeTrue(made.waitFor() == 0, "mkfifo works");
        assertThrows(StoreIoException.class, () -> vfs.open(root.resolve("pipe"), OpenMode.READ));
        assertThrows(StoreIoException.class, () -> vfs.open(root.resolve("pipe"), OpenMode.READ_WRITE));
        assertThrows(StoreIoException.class, () -> vfs.lock(root.resolve("pipe")));
    }

    @Test
    void mappingIsForFileSystemsKnownToKeepIt() {
        assertThrows(StoreIoException.class, () -> vfs.mapsSafely(root.resolve("none")));
        assumeTrue(Files.isDirectory(Path.of("/proc/self")));
        assertFalse(vfs.mapsSafely(Path.of("/proc/self")));
    }

    @Test
    void aMappingOutlivesTheFile() {
        MappedFile map;
        try (VfsFile file = patterned("a")) {
            map = file.map(FILE_BYTES);
        }
        assumeTrue(map != null, "the directory for temporary files maps safely");
        ByteBuffer found = ByteBuffer.allocate(100);
        map.read(1000, found, 0, 100);
        assertEquals(-1, found.mismatch(PATTERN.slice(1000, 100)));
    }

    @Test
    void theyCanBePrinted() {
        VfsFile file = patterned("a");
        assertEquals("RealVfsFile[" + root.resolve("a") + "]", file.toString());
        file.close();
        assertEquals("RealVfsFile[" + root.resolve("a") + ", closed]", file.toString());
        assertEquals("RealVfs", vfs.toString());
    }

    /** That no descriptor is left is looked at after every test. */
    @Test
    void prefetchesTakeOneDescriptorThatGoesWithTheFile() throws Exception {
        VfsFile file = vfs.open(root.resolve("file"), OpenMode.CREATE);
        file.write(PATTERN.duplicate(), 0);
        List<Path> before = openDescriptors();
        for (int i = 0; i < 100; i++) {
            file.prefetch(i, FILE_BYTES);
            file.prefetch(1L << 50, -1);
        }
        List<Path> added = openDescriptors();
        added.removeAll(before);
        assertEquals(NativeIo.isAvailable() ? 1 : 0, added.size());
        for (Path link : added) {
            String info = Files.readString(
                    Path.of("/proc/self/fdinfo", link.getFileName().toString()));
            assertTrue(info.matches("(?s).*flags:\\s*0?2\\d{6}\\s.*"), "closed in children: " + info);
        }
        Thread.currentThread().interrupt();
        file.prefetch(0, 1);
        assertTrue(Thread.interrupted());
        file.close();
        file.prefetch(0, 1);
        file.close();
    }

    @Test
    void aFileIsClosedWhileOthersPrefetch() throws Exception {
        for (int round = 0; round < 50; round++) {
            VfsFile file = vfs.open(root.resolve("file" + round), OpenMode.CREATE);
            CountDownLatch begun = new CountDownLatch(2);
            Runnable prefetching = () -> {
                file.prefetch(0, 1);
                begun.countDown();
                for (int i = 0; i < 1000; i++) {
                    file.prefetch(i, 1);
                }
            };
            Thread[] threads = {new Thread(prefetching), new Thread(prefetching)};
            for (Thread thread : threads) {
                thread.start();
            }
            begun.await();
            file.close();
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    @Test
    void nothingCountsAsForcedUnlessTheForceHasReturned() throws IOException {
        Error error = new OutOfMemoryError("for a test");
        IOException failed = assertThrows(
                IOException.class,
                () -> RealVfs.forceUninterrupted(() -> {}, () -> {
                    throw error;
                }));
        assertSame(error, failed.getCause());
        IOException met = new IOException("for a test");
        assertSame(
                met,
                assertThrows(
                        IOException.class,
                        () -> RealVfs.forceUninterrupted(() -> {}, () -> {
                            throw met;
                        })));
        RealVfs.forceUninterrupted(() -> {}, () -> {});
    }

    /** No error of a force can be behind it, so it is told as what it is, wherever it is met. */
    @Test
    void wantOfMemoryBeforeAForceIsToldAsSuch() {
        OutOfMemoryError error = new OutOfMemoryError("for a test");
        assertSame(
                error,
                assertThrows(
                        OutOfMemoryError.class,
                        () -> RealVfs.forceUninterrupted(
                                () -> {
                                    throw error;
                                },
                                () -> fail("forced all the same"))));
    }

    /** Pieces of the heap go through a few buffers that all threads share. */
    @Test
    void manyThreadsWriteBytesOfTheHeap() throws Exception {
        int threads = 8;
        int bytes = 3 * StagingBuffers.BYTES / 2;
        try (VfsFile file = vfs.open(root.resolve("a"), OpenMode.CREATE)) {
            List<Future<?>> writes = new ArrayList<>();
            ExecutorService executor = Executors.newFixedThreadPool(threads);
            for (int i = 0; i < 20 * threads; i++) {
                byte[] content = new byte[bytes];
                Arrays.fill(content, (byte) i);
                int position = i * bytes;
                writes.add(executor.submit(() -> {
                    ByteBuffer src = ByteBuffer.wrap(content);
                    file.write(src, position);
                    assertFalse(src.hasRemaining());
                }));
            }
            for (Future<?> write : writes) {
                write.get();
            }
            executor.shutdown();
            ByteBuffer found = ByteBuffer.allocate(bytes);
            for (int i = 0; i < writes.size(); i++) {
                file.read(found.clear(), (long) i * bytes);
                byte[] content = new byte[bytes];
                Arrays.fill(content, (byte) i);
                assertArrayEquals(content, found.array(), "write " + i);
            }
        }
    }

    @Test
    void whatWasForgottenHasNoDescriptorsOnceItIsCollected() throws IOException {
        Path path = Files.write(root.resolve("file"), new byte[FILE_BYTES]);
        for (int i = 0; i < 20; i++) {
            openAndForget(path);
        }
        Waiting.collectWhile(() -> {
            new RealVfs().open(path, OpenMode.READ).close(); // which closes what was collected
            return hasOpenDescriptors();
        });
    }

    /** Not in the method that waits, whose frame might keep it. */
    private static void openAndForget(Path path) {
        VfsFile file = new RealVfs().open(path, OpenMode.READ);
        file.prefetch(0, FILE_BYTES);
    }

    private boolean hasOpenDescriptors() {
        try {
            return !openDescriptors().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
