package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every file system promises. */
abstract class VfsConformanceTest {
    /** The file system under test. */
    abstract Vfs vfs();

    /** An existing, empty directory of it. */
    abstract Path root();

    private Path file(String name) {
        return root().resolve(name);
    }

    private VfsFile create(String name, byte... content) {
        VfsFile file = vfs().open(file(name), OpenMode.CREATE);
        file.write(ByteBuffer.wrap(content), 0);
        return file;
    }

    private byte[] contentOf(String name) {
        try (VfsFile file = vfs().open(file(name), OpenMode.READ)) {
            ByteBuffer all = ByteBuffer.allocate((int) file.size());
            file.readFully(all, 0);
            return all.array();
        }
    }

    @Test
    void spaceIsAllocatedBehindWhatWasWritten() {
        VfsFile file = create("a", (byte) 1, (byte) 2, (byte) 3);
        file.allocate(3, 700_000);
        assertEquals(700_003, file.size());
        ByteBuffer found = ByteBuffer.allocate(5);
        file.readFully(found, 0);
        assertArrayEquals(new byte[] {1, 2, 3, 0, 0}, found.array());
        file.allocate(5, 10);
        assertEquals(700_003, file.size());
        file.close();
        assertThrows(StoreClosedException.class, () -> file.allocate(0, 1));
        try (VfsFile readOnly = vfs().open(file("a"), OpenMode.READ)) {
            assertThrows(NonWritableChannelException.class, () -> readOnly.allocate(0, 1));
        }
    }

    @Test
    void hintsChangeNothingAndNeverFail() {
        VfsFile file = create("a", (byte) 1, (byte) 2, (byte) 3);
        file.startWriting(0, 3);
        file.startWriting(1 << 20, 4096); // behind the end
        file.prefetch(0, 3);
        file.prefetch(1 << 20, 4096);
        file.force();
        assertEquals(3, file.size());
        file.close();
        file.startWriting(0, 3);
        file.prefetch(0, 3);
        assertArrayEquals(new byte[] {1, 2, 3}, contentOf("a"));
    }

    @Test
    void aWorkerDoesAllThatItIsGivenInItsOrder() {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        BackgroundWorker worker = vfs().worker("test-worker");
        for (int i = 0; i < 100; i += 2) {
            int number = i;
            BackgroundTask first = worker.start(() -> done.add(number));
            worker.start(() -> done.add(number + 1));
            first.await();
            assertTrue(first.isDone());
            assertTrue(done.size() > number, "waited for, and not done: " + number);
        }
        worker.close();
        assertEquals(IntStream.range(0, 100).boxed().toList(), List.copyOf(done));
        worker.close();
        assertTrue(
                Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("test-worker")),
                "a thread left behind");
    }

    @Test
    void whatIsWrittenIsRead() {
        create("a", (byte) 1, (byte) 2, (byte) 3).close();
        assertArrayEquals(new byte[] {1, 2, 3}, contentOf("a"));
        try (VfsFile file = vfs().open(file("a"), OpenMode.READ_WRITE)) {
            ByteBuffer source =
                    ByteBuffer.allocateDirect(4).put(1, (byte) 9).position(1).limit(2);
            file.write(source, 1);
            assertEquals(2, source.position());
            file.force();
        }
        assertArrayEquals(new byte[] {1, 9, 3}, contentOf("a"));
    }

    @Test
    void randomWritesAndCutsAgreeWithAByteArray() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] model = new byte[40_000];
        int size = 0;
        try (VfsFile file = vfs().open(file("a"), OpenMode.CREATE)) {
            for (int step = 0; step < 1000; step++) {
                if (random.nextInt(10) == 0) {
                    int kept = random.nextInt(size + 2);
                    file.truncate(kept);
                    if (kept < size) {
                        java.util.Arrays.fill(model, kept, size, (byte) 0);
                        size = kept;
                    }
                } else if (random.nextInt(10) == 0) {
                    file.force();
                } else {
                    byte[] bytes = new byte[random.nextInt(random.nextInt(9000) + 1)];
                    random.nextBytes(bytes);
                    int at = random.nextInt(model.length - bytes.length);
                    file.write(ByteBuffer.wrap(bytes), at);
                    System.arraycopy(bytes, 0, model, at, bytes.length);
                    size = bytes.length == 0 ? size : Math.max(size, at + bytes.length);
                }
                assertEquals(size, file.size(), "seed " + seed);
                int from = random.nextInt(size + 1);
                ByteBuffer read = ByteBuffer.allocate(random.nextInt(size - from + 1));
                file.readFully(read, from);
                assertEquals(
                        ByteBuffer.wrap(model, from, read.capacity()), read.flip(), "seed " + seed + " step " + step);
            }
        }
    }

    @Test
    void aGapReadsAsZeros() {
        try (VfsFile file = create("a", (byte) 1)) {
            file.write(ByteBuffer.wrap(new byte[] {2}), 5000);
            assertEquals(5001, file.size());
            ByteBuffer gap = ByteBuffer.allocate(5001);
            file.readFully(gap, 0);
            byte[] expected = new byte[5001];
            expected[0] = 1;
            expected[5000] = 2;
            assertArrayEquals(expected, gap.array());
        }
    }

    @Test
    void readingAtTheEndReturnsMinusOne() {
        try (VfsFile file = create("a", (byte) 1, (byte) 2)) {
            assertEquals(-1, file.read(ByteBuffer.allocate(1), 2));
            assertEquals(-1, file.read(ByteBuffer.allocate(1), 100));
            ByteBuffer larger = ByteBuffer.allocate(10);
            assertEquals(1, file.read(larger, 1));
            assertEquals(1, larger.position());
        }
    }

    @Test
    void readsAloneAreLikeOthers() {
        VfsFile file = create("a", (byte) 1, (byte) 2, (byte) 3);
        for (ByteBuffer buffer : List.of(ByteBuffer.allocate(5), ByteBuffer.allocateDirect(5))) {
            buffer.put((byte) 9).limit(3);
            assertEquals(2, file.readAlone(buffer, 0));
            assertEquals(3, buffer.position());
            assertEquals(ByteBuffer.wrap(new byte[] {9, 1, 2}), buffer.flip());
            assertEquals(2, file.readAlone(buffer.clear(), 1));
            assertEquals(ByteBuffer.wrap(new byte[] {2, 3}), buffer.flip());
            assertEquals(-1, file.readAlone(buffer.clear(), 3));
            assertEquals(0, file.readAlone(buffer.limit(0), 1));
            buffer.clear();
            assertThrows(IllegalArgumentException.class, () -> file.readAlone(buffer, -1));
        }
        file.close();
        assertThrows(StoreClosedException.class, () -> file.readAlone(ByteBuffer.allocateDirect(1), 0));
    }

    @Test
    void readingFullyPastTheEndIsCorruption() {
        try (VfsFile file = create("a", (byte) 1, (byte) 2)) {
            CorruptionException thrown =
                    assertThrows(CorruptionException.class, () -> file.readFully(ByteBuffer.allocate(5), 1));
            assertEquals(file("a"), thrown.file());
            assertEquals(1, thrown.position());
            assertEquals("5 bytes", thrown.expected());
            assertEquals("the end of the file after 1 bytes", thrown.found());
        }
    }

    @Test
    void cuttingToMoreThanTheSizeDoesNothing() {
        try (VfsFile file = create("a", (byte) 1, (byte) 2)) {
            file.truncate(7);
            assertEquals(2, file.size());
            file.truncate(1);
            assertEquals(1, file.size());
        }
    }

    @Test
    void negativePositionsAreBadArguments() {
        try (VfsFile file = create("a", (byte) 1)) {
            assertThrows(IllegalArgumentException.class, () -> file.read(ByteBuffer.allocate(1), -1));
            assertThrows(IllegalArgumentException.class, () -> file.write(ByteBuffer.allocate(1), -1));
            assertThrows(IllegalArgumentException.class, () -> file.truncate(-1));
        }
    }

    @Test
    void aFileOpenedForReadingIsNotChanged() {
        create("a", (byte) 1).close();
        try (VfsFile file = vfs().open(file("a"), OpenMode.READ)) {
            assertThrows(NonWritableChannelException.class, () -> file.write(ByteBuffer.allocate(1), 0));
            assertThrows(NonWritableChannelException.class, () -> file.truncate(0));
            assertThrows(NonWritableChannelException.class, file::force);
            assertThrows(NonWritableChannelException.class, () -> file.map(1));
        }
        assertArrayEquals(new byte[] {1}, contentOf("a"));
    }

    @Test
    void aClosedFileSaysSo() {
        VfsFile file = create("a", (byte) 1);
        file.close();
        file.close();
        assertThrows(StoreClosedException.class, () -> file.read(ByteBuffer.allocate(1), 0));
        assertThrows(StoreClosedException.class, () -> file.readFully(ByteBuffer.allocate(1), 0));
        assertThrows(StoreClosedException.class, () -> file.write(ByteBuffer.allocate(1), 0));
        assertThrows(StoreClosedException.class, () -> file.write(ByteBuffer.allocate(0), 0));
        assertThrows(StoreClosedException.class, file::size);
        assertThrows(StoreClosedException.class, () -> file.truncate(0));
        assertThrows(StoreClosedException.class, file::force);
        assertThrows(StoreClosedException.class, () -> file.map(1));
        assertThrows(StoreClosedException.class, () -> file.mapForReading(0, 1));
        assertEquals(file("a"), file.path());
    }

    @Test
    void onlyWhatExistsIsOpenedAndOnlyWhatDoesNotIsCreated() {
        assertThrows(StoreIoException.class, () -> vfs().open(file("a"), OpenMode.READ));
        assertThrows(StoreIoException.class, () -> vfs().open(file("a"), OpenMode.READ_WRITE));
        assertFalse(vfs().exists(file("a")));
        create("a", (byte) 1).close();
        assertThrows(StoreIoException.class, () -> vfs().open(file("a"), OpenMode.CREATE));
        assertArrayEquals(new byte[] {1}, contentOf("a"));
        assertThrows(StoreIoException.class, () -> vfs().open(file("none/a"), OpenMode.CREATE));
    }

    @Test
    void aDirectoryIsNotOpenedAsAFile() {
        vfs().createDirectories(file("d"));
        for (OpenMode mode : OpenMode.values()) {
            assertThrows(StoreIoException.class, () -> vfs().open(file("d"), mode));
        }
    }

    @Test
    void directoriesAreMadeWithTheirParentsAndListedInOrder() {
        vfs().createDirectories(file("d/e/f"));
        vfs().createDirectories(file("d/e"));
        create("d/z").close();
        create("d/b").close();
        assertEquals(List.of("b", "e", "z"), vfs().list(file("d")));
        assertTrue(vfs().isDirectory(file("d/e/f")));
        assertFalse(vfs().isDirectory(file("d/z")));
        assertFalse(vfs().isDirectory(file("none")));
        assertTrue(vfs().exists(file("d/z")));
        assertTrue(vfs().exists(file("d")));
        vfs().syncDirectory(file("d"));
        assertThrows(StoreIoException.class, () -> vfs().createDirectories(file("d/z")));
        assertThrows(StoreIoException.class, () -> vfs().createDirectories(file("d/z/y")));
        assertThrows(StoreIoException.class, () -> vfs().list(file("none")));
        assertThrows(StoreIoException.class, () -> vfs().list(file("d/z")));
        assertThrows(StoreIoException.class, () -> vfs().syncDirectory(file("none")));
    }

    @Test
    void thereIsNothingBelowAFileOrBelowNothing() {
        create("a", (byte) 1).close();
        assertFalse(vfs().exists(file("a/b")));
        assertFalse(vfs().exists(file("a/b/c")));
        assertFalse(vfs().isDirectory(file("a/b")));
        assertFalse(vfs().exists(file("none/b")));
        assertFalse(vfs().isDirectory(file("none/b")));
        assertFalse(vfs().isPlainFile(file("a/b")));
        assertFalse(vfs().isPlainDirectory(file("none")));
        assertTrue(vfs().isPlainFile(file("a")));
        assertFalse(vfs().isPlainDirectory(file("a")));
        assertTrue(vfs().isPlainDirectory(root()));
        assertFalse(vfs().isPlainFile(root()));
    }

    @Test
    void renamingReplaces() {
        create("a", (byte) 1).close();
        create("b", (byte) 2).close();
        vfs().rename(file("a"), file("b"));
        assertEquals(List.of("b"), vfs().list(root()));
        assertArrayEquals(new byte[] {1}, contentOf("b"));
        vfs().rename(file("b"), file("b"));
        assertArrayEquals(new byte[] {1}, contentOf("b"));
        assertThrows(StoreIoException.class, () -> vfs().rename(file("none"), file("b")));
        vfs().createDirectories(file("d/e"));
        create("d/c").close();
        assertThrows(StoreIoException.class, () -> vfs().rename(file("b"), file("d")));
        assertThrows(StoreIoException.class, () -> vfs().rename(file("d"), file("d/e/x")));
        vfs().rename(file("b"), file("d/c"));
        assertArrayEquals(new byte[] {1}, contentOf("d/c"));
    }

    @Test
    void anOpenFileFollowsRenames() {
        vfs().createDirectories(file("d"));
        try (VfsFile file = create("d/a", (byte) 1)) {
            vfs().rename(file("d/a"), file("d/b"));
            assertEquals(file("d/b"), file.path());
            vfs().rename(file("d"), file("e"));
            assertEquals(file("e/b"), file.path());
            file.write(ByteBuffer.wrap(new byte[] {2}), 1);
        }
        assertArrayEquals(new byte[] {1, 2}, contentOf("e/b"));
    }

    @Test
    void deletedFilesAreGone() {
        create("a", (byte) 1).close();
        vfs().delete(file("a"));
        assertFalse(vfs().exists(file("a")));
        assertThrows(StoreIoException.class, () -> vfs().delete(file("a")));
        assertFalse(vfs().deleteIfExists(file("a")));
        create("a", (byte) 2).close();
        assertTrue(vfs().deleteIfExists(file("a")));
        vfs().createDirectories(file("d"));
        create("d/a").close();
        assertThrows(StoreIoException.class, () -> vfs().delete(file("d")));
        assertThrows(StoreIoException.class, () -> vfs().deleteIfExists(file("d")));
        vfs().delete(file("d/a"));
        vfs().delete(file("d"));
        assertEquals(List.of(), vfs().list(root()));
    }

    @Test
    void aLockHasOneHolderUntilItIsClosed() {
        VfsLock lock = vfs().lock(file("LOCK"));
        assertEquals(file("LOCK"), lock.path());
        StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs().lock(file("LOCK")));
        assertEquals("this process", refused.holder());
        assertThrows(StoreLockedException.class, () -> vfs().open(file("LOCK"), OpenMode.READ));
        create("a").close();
        lock.close();
        lock.close();
        try (VfsLock again = vfs().lock(file("LOCK"))) {
            lock.close(); // must not touch what another has taken since
            assertThrows(StoreLockedException.class, () -> vfs().lock(again.path()));
        }
        assertTrue(contentOf("LOCK").length > 1);
    }

    @Test
    void aLockNeedsADirectoryAndARegularFile() {
        assertThrows(StoreIoException.class, () -> vfs().lock(file("none/LOCK")));
        vfs().createDirectories(file("LOCK"));
        assertThrows(StoreIoException.class, () -> vfs().lock(file("LOCK")));
        vfs().delete(file("LOCK"));
        vfs().lock(file("LOCK")).close();
    }

    @Test
    void mappingsShowTheFileWhereTheyAreSafe() {
        try (VfsFile file = create("a", new byte[] {1, 0, 0, 0, 0, 0, 0, 0})) {
            MappedFile map = file.map(8);
            assertEquals(vfs().mapsSafely(root()), map != null);
            assertThrows(IllegalArgumentException.class, () -> file.map(9));
            assertThrows(IllegalArgumentException.class, () -> file.map(0));
            if (map != null) {
                assertEquals(8, map.bytes());
                ByteBuffer found = ByteBuffer.allocate(8);
                map.read(0, found, 0, 8);
                assertEquals(1L << 56, found.getLong(0));
                map.write(0, new byte[0], 0, 0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 0, 8);
                file.force();
            } else {
                file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), 0);
            }
        }
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, contentOf("a"));
    }

    @Test
    void mappingsForReadingShowAPartOfTheFileWhereTheyAreSafe() {
        create("a", new byte[5000]).close();
        for (OpenMode mode : List.of(OpenMode.READ, OpenMode.READ_WRITE)) {
            try (VfsFile file = vfs().open(file("a"), mode)) {
                MappedFile map = file.mapForReading(4096, 904);
                assertEquals(vfs().mapsSafely(root()), map != null);
                assertThrows(IllegalArgumentException.class, () -> file.mapForReading(4096, 905));
                assertThrows(IllegalArgumentException.class, () -> file.mapForReading(5000, 1));
                assertThrows(IllegalArgumentException.class, () -> file.mapForReading(0, 0));
                assertThrows(IllegalArgumentException.class, () -> file.mapForReading(-4096, 1));
                if (map == null) {
                    continue;
                }
                assertEquals(904, map.bytes());
                try (VfsFile writer = vfs().open(file("a"), OpenMode.READ_WRITE)) {
                    writer.write(ByteBuffer.wrap(new byte[] {(byte) mode.ordinal(), 7}), 4996);
                }
                ByteBuffer found = ByteBuffer.allocate(4);
                map.read(900, found, 0, 4);
                assertArrayEquals(new byte[] {(byte) mode.ordinal(), 7, 0, 0}, found.array());
            }
        }
        assertEquals(5000, contentOf("a").length);
    }

    @Test
    void anInterruptIsStillPendingAfterAnOperation() {
        vfs().createDirectories(file("d"));
        try (VfsFile file = create("d/a", (byte) 1)) {
            List<Runnable> operations = List.of(
                    () -> file.readFully(ByteBuffer.allocate(1), 0),
                    () -> file.write(ByteBuffer.wrap(new byte[] {2}), 0),
                    file::size,
                    () -> file.truncate(1),
                    file::force,
                    () -> file.map(1),
                    () -> file.mapForReading(0, 1),
                    () -> vfs().syncDirectory(file("d")),
                    () -> vfs().list(file("d")),
                    () -> vfs().lock(file("LOCK")).close(),
                    () -> vfs().open(file("d/a"), OpenMode.READ).close());
            for (Runnable operation : operations) {
                Thread.currentThread().interrupt();
                operation.run();
                assertTrue(Thread.interrupted());
            }
        }
        assertArrayEquals(new byte[] {2}, contentOf("d/a"));
    }
}
