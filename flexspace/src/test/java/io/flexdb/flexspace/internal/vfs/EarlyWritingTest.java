package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX) // elsewhere a file that is mapped can't be cut
class EarlyWritingTest {
    private static final String OPENED = "the file is open";
    private static final int PIECE = EarlyWriting.PIECE_BYTES;

    @TempDir
    Path directory;

    /** Does the work when it is told to. */
    private final class Worker implements BackgroundWorker {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private int started;
        private int done;

        @Override
        public BackgroundTask start(Runnable task) {
            tasks.add(task);
            int number = ++started;
            return new BackgroundTask() {
                @Override
                public boolean isDone() {
                    return done >= number;
                }

                @Override
                public void await() {
                    throw new AssertionError("a hint waits");
                }
            };
        }

        void work() {
            tasks.remove().run();
            done++;
        }

        @Override
        public void close() {
            while (!tasks.isEmpty()) {
                work();
            }
        }
    }

    private final Worker worker = new Worker();
    private Path file;
    private int opened;
    private IOException failure;
    private EarlyWriting early;

    @BeforeEach
    void makeFile() throws IOException {
        file = Files.createFile(directory.resolve("file"));
        early = new EarlyWriting(this::open, worker);
    }

    @AfterEach
    void close() throws IOException {
        early.close();
    }

    private FileChannel open() throws IOException {
        opened++;
        if (failure != null) {
            throw failure;
        }
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private void setSize(long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
            if (channel.size() < bytes) {
                channel.write(ByteBuffer.wrap(new byte[] {7}), bytes - 1);
            }
        }
    }

    @Test
    void aPieceIsWrittenOnceThereIsEnoughOfIt() throws IOException {
        setSize(4L * PIECE);
        early.start(0, PIECE / 2);
        early.start(2L * PIECE, PIECE / 2 - 1);
        assertEquals(0, worker.started);
        early.start(PIECE, 1);
        assertEquals(1, worker.started);
        early.start(PIECE, PIECE); // one at a time
        assertEquals(1, worker.started);
        worker.work();
        early.start(0, 1); // what came before the last piece began went with it
        assertEquals(1, worker.started);
        early.start(PIECE, PIECE);
        assertEquals(
                MappedPart.isPossible() ? 2 : 1, worker.started, "without mappings that end, the first was the last");
        assertEquals(1, opened, "the file stays open");
        assertEquals(4L * PIECE, Files.size(file));
    }

    @Test
    void whatIsForcedMeanwhileNeedsNoWriting() throws IOException {
        setSize(PIECE);
        early.start(0, PIECE);
        early.forget();
        worker.work();
        assertEquals(0, opened);
        early.start(0, PIECE - 1);
        assertEquals(1, worker.started);
    }

    @Test
    void whatLiesFarApartIsNotMappedAsOne() throws IOException {
        early.start(0, PIECE - 1);
        early.start(EarlyWriting.MAX_BYTES, PIECE - 1);
        assertEquals(0, worker.started);
        early.start(1L << 40, PIECE);
        assertEquals(1, worker.started);
        worker.work();
        assertEquals(0, Files.size(file));
    }

    @Test
    void aFileThatHasBecomeShorterStaysSo() throws IOException {
        for (long size : new long[] {PIECE + 5, PIECE, 3, 0}) {
            early = new EarlyWriting(this::open, worker);
            setSize(2L * PIECE);
            early.start(PIECE, PIECE);
            early.whileNobodyMaps(() -> {
                try {
                    setSize(size);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            worker.work();
            assertEquals(size, Files.size(file));
            early.close();
        }
    }

    @Test
    void aPartThatWasMappedIsGoneWhenItIsClosed() throws IOException {
        setSize(2L * PIECE);
        try (FileChannel channel = open()) {
            if (!MappedPart.isPossible()) {
                assertThrows(IOException.class, () -> MappedPart.map(channel, PIECE, PIECE));
                return;
            }
            MappedPart part = MappedPart.map(channel, PIECE, PIECE);
            assertTrue(isMapped());
            part.force();
            part.close();
            assertFalse(isMapped(), "or the file's space would not be free when it is deleted");
            assertThrows(IOException.class, () -> MappedPart.map(channel, -1, PIECE));
        }
    }

    private boolean isMapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
    }

    @Test
    void whatFailsIsNotTriedAgainAndFailsNobody() {
        failure = new IOException("told to");
        early.start(0, PIECE);
        worker.work();
        early.start(0, PIECE);
        assertEquals(1, worker.started);
        assertEquals(1, opened);
    }

    @Test
    void nothingIsBegunOnceItIsClosed() throws IOException {
        early.start(0, PIECE);
        early.close();
        assertEquals(1, worker.done);
        assertEquals(0, opened);
        early.start(0, PIECE);
        assertEquals(1, worker.started);
    }

    /** Writes to a file as a store does, cuts it now and then, and prints what has become of it and of the thread. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[0]);
            try (VfsFile file = new RealVfs().open(path, OpenMode.CREATE)) {
                ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
                for (int round = 0; round < 4; round++) {
                    file.truncate((long) round * PIECE);
                    for (long at = (long) round * PIECE; at < (round + 2L) * PIECE; at += some.capacity()) {
                        some.clear().putLong(0, at);
                        file.write(some, at);
                        file.startWriting(at, some.capacity());
                    }
                }
                System.out.print(isThreadThere() + " ");
                file.truncate(PIECE + 8);
                file.force();
            }
            try (FileChannel channel = FileChannel.open(path)) {
                ByteBuffer last = ByteBuffer.allocate(8);
                channel.read(last, PIECE);
                System.out.print(isThreadThere() + " " + channel.size() + " " + last.getLong(0));
            }
        }

        private static boolean isThreadThere() {
            return Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("flexdb-early-writing"));
        }
    }

    @Test
    void aThreadWritesWithoutJnaAndEndsWithTheFile() throws Exception {
        String output = NativeIoTest.runWithoutJna(Child.class, directory.resolve("written"));
        assertEquals(MappedPart.isPossible() + " false " + (PIECE + 8) + " " + PIECE, output);
    }

    /** Opens a file, which must load all that is behind a mapping, and maps a part of it. */
    static final class LoadingChild {
        private LoadingChild() {}

        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[0]);
            try (VfsFile file = new RealVfs().open(path, OpenMode.CREATE)) {
                System.out.println(OPENED);
                file.write(ByteBuffer.allocateDirect(PIECE), 0);
                if (MappedPart.isPossible()) {
                    try (FileChannel channel =
                                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                            MappedPart part = MappedPart.map(channel, 0, PIECE)) {
                        part.force();
                    }
                }
            }
        }
    }

    @Test
    void whatAMappingNeedsIsLoadedWhenAFileIsOpened() throws Exception {
        String[] parts = NativeIoTest.runWithoutJna(LoadingChild.class, directory.resolve("loaded"), "-verbose:class")
                .split(OPENED);
        Pattern ofSegments = Pattern.compile("jdk\\.internal\\.foreign\\.\\w*(Session|SegmentImpl) ");
        assertEquals(MappedPart.isPossible(), ofSegments.matcher(parts[0]).find());
        assertFalse(ofSegments.matcher(parts[1]).find(), parts[1]);
    }
}
