package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Threads that do things to the same directories and files; the fixture checks all when it is closed. */
class FlexFileSystemConcurrencyTest extends FilesTest {
    private static final int THREADS = 4;

    private interface Work {
        void run(int thread) throws Exception;
    }

    private static void inThreads(int threads, Work work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> {
                    work.run(thread);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void filesMadeInOneDirectoryAreAllThere() throws Exception {
        Files.createDirectory(path("/d"));
        int each = Effort.times(300);
        inThreads(THREADS, thread -> {
            for (int i = 0; i < each; i++) {
                Files.write(path("/d/" + thread + "-" + i), new byte[i]);
            }
        });
        try (Stream<Path> found = Files.list(path("/d"))) {
            assertEquals(THREADS * each, found.count());
        }
    }

    @Test
    void oneOfThoseWhoMakeAFileHasMadeIt() throws Exception {
        AtomicInteger made = new AtomicInteger();
        int files = Effort.times(300);
        inThreads(THREADS, thread -> {
            for (int i = 0; i < files; i++) {
                try {
                    Files.createFile(path("/f" + i));
                    made.incrementAndGet();
                } catch (FileAlreadyExistsException e) {
                    assertEquals("/f" + i, e.getFile());
                }
            }
        });
        assertEquals(files, made.get());
    }

    @Test
    void whoeverMakesAFileHasItOpenBeforeOthersCanDeleteIt() throws Exception {
        int files = Effort.times(500);
        AtomicInteger made = new AtomicInteger();
        byte[] content = random(1500);
        inThreads(THREADS, thread -> {
            for (int i = 0; i < files; i++) {
                if (thread % 2 == 0) {
                    Files.deleteIfExists(path("/f"));
                    continue;
                }
                try (SeekableByteChannel channel = Files.newByteChannel(
                        path("/f"), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                    channel.write(ByteBuffer.wrap(content));
                    assertEquals(content.length, channel.size());
                    made.incrementAndGet();
                } catch (FileAlreadyExistsException e) {
                    assertEquals("/f", e.getFile());
                }
            }
        });
        assertTrue(made.get() > 0);
        Files.deleteIfExists(path("/f"));
        assertEquals(0, fixture.files().check().files());
    }

    @Test
    void whatThreadsAppendIsAllThereAndWhole() throws Exception {
        Files.createFile(path("/log"));
        int each = Effort.times(400);
        inThreads(THREADS, thread -> {
            try (SeekableByteChannel log = Files.newByteChannel(path("/log"), StandardOpenOption.APPEND)) {
                for (int i = 0; i < each; i++) {
                    String line = "thread " + thread + " line " + i + " " + "x".repeat(i % 90) + "\n";
                    log.write(ByteBuffer.wrap(line.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
                }
            }
        });
        Set<String> lines = new TreeSet<>(Files.readAllLines(path("/log")));
        assertEquals(THREADS * each, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.matches("thread \\d line \\d+ x*")), "torn lines");
    }

    /** Each is several writes, between which others append. */
    @Test
    void nobodyOverwritesWhatOthersAppendBesideLongWrites() throws Exception {
        Files.createFile(path("/log"));
        int length = 700_000;
        int each = Effort.times(4);
        inThreads(THREADS, thread -> {
            try (SeekableByteChannel log = Files.newByteChannel(path("/log"), StandardOpenOption.APPEND)) {
                for (int i = 0; i < each; i++) {
                    byte[] bytes = new byte[length + thread];
                    java.util.Arrays.fill(bytes, (byte) thread);
                    log.write(ByteBuffer.wrap(bytes));
                }
            }
        });
        long[] found = new long[THREADS];
        for (byte thread : Files.readAllBytes(path("/log"))) {
            found[thread]++;
        }
        for (int thread = 0; thread < THREADS; thread++) {
            assertEquals(each * (length + (long) thread), found[thread], "bytes of thread " + thread);
        }
    }

    /** Nobody sees a part of a write, though it is of many blocks. */
    @Test
    void aReadShowsOneMoment() throws Exception {
        int length = 6000;
        Files.write(path("/f"), new byte[length]);
        AtomicBoolean ended = new AtomicBoolean();
        inThreads(3, thread -> {
            try (SeekableByteChannel channel =
                    Files.newByteChannel(path("/f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                if (thread == 0) {
                    for (int i = 0; i < Effort.times(1000); i++) {
                        ByteBuffer all = ByteBuffer.allocate(length);
                        java.util.Arrays.fill(all.array(), (byte) i);
                        channel.position(0).write(all);
                    }
                    ended.set(true);
                } else {
                    do {
                        ByteBuffer all = ByteBuffer.allocate(length);
                        assertEquals(length, channel.position(0).read(all));
                        for (int i = 1; i < length; i++) {
                            assertEquals(all.get(0), all.get(i), "byte " + i);
                        }
                    } while (!ended.get());
                }
            }
        });
    }

    /** Directories are moved below each other: two that succeeded together could make a circle. */
    @Test
    void directoriesNeverComeToBeBelowThemselves() throws Exception {
        for (int i = 0; i < 5; i++) {
            Files.createDirectory(path("/d" + i));
        }
        AtomicInteger moved = new AtomicInteger();
        inThreads(THREADS, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < Effort.times(300); i++) {
                Path from = anyDirectory(random);
                Path to = anyDirectory(random).resolve("m" + random.nextInt(1000));
                try {
                    Files.move(from, to);
                    moved.incrementAndGet();
                } catch (FileSystemException e) {
                    assertTrue(!(e instanceof java.nio.file.AccessDeniedException));
                }
            }
        });
        assertTrue(moved.get() > 50, "moved " + moved);
        assertEquals(6, fixture.files().check().directories());
        try (Stream<Path> found = Files.walk(path("/"))) {
            assertEquals(6, found.count());
        }
    }

    private Path anyDirectory(Random random) throws IOException {
        while (true) {
            try (Stream<Path> found = Files.walk(path("/"))) {
                List<Path> all = found.toList();
                if (all.size() > 1) {
                    return all.get(1 + random.nextInt(all.size() - 1));
                }
            } catch (java.io.UncheckedIOException e) {
                assertTrue(e.getCause() instanceof FileSystemException, e::toString); // moved away meanwhile
            } catch (NoSuchFileException e) {
                assertTrue(e.getFile() != null);
            }
        }
    }

    @Test
    void treesAreDeletedUnderThoseWhoFillThem() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        inThreads(THREADS, thread -> {
            if (thread == 0) {
                for (int i = 0; i < Effort.times(60); i++) {
                    Files.createDirectories(path("/tree/a/b"));
                    int before = written.get();
                    Waiting.whileTrue(() -> written.get() < before + 5);
                    fixture.files().deleteRecursively(path("/tree"));
                }
                ended.set(true);
                return;
            }
            Random random = new Random(thread);
            while (!ended.get()) {
                try {
                    change(random, thread);
                } catch (FileSystemException e) {
                    assertTrue(e.getFile() != null);
                }
                written.incrementAndGet();
            }
        });
        assertEquals(0, fixture.files().check().blocks());
        assertEquals(0, fixture.files().check().files());
    }

    /** What somebody does in the tree, with a file of his own, that stays open for a while. */
    private void change(Random random, int thread) throws IOException {
        Path file = path(random.nextBoolean() ? "/tree/a/b/f" + thread : "/tree/a/f" + thread);
        try (SeekableByteChannel channel = Files.newByteChannel(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.position(random.nextInt(2000)).write(ByteBuffer.allocate(1000));
            Files.move(file, path("/tree/a/g" + random.nextInt(3)), StandardCopyOption.REPLACE_EXISTING);
            channel.position(random.nextInt(3000)).write(ByteBuffer.allocate(600));
            ByteBuffer read = ByteBuffer.allocate(100);
            assertTrue(channel.position(0).read(read) > 0);
            Files.copy(path("/tree/a/g0"), path("/tree/a/copy" + thread), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
