package io.flexdb.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever is asked of a channel, the answer is that of a channel of the platform's own file system. */
class ChannelAnswersTest extends FilesTest {
    private static final byte[] CONTENT = random(1300);

    private Path theirs;
    private Path ours;
    private int questions;

    private interface Question {
        Object ask(Path directory) throws IOException;
    }

    private interface OfChannel {
        Object ask(FileChannel channel) throws IOException;
    }

    @BeforeEach
    void makeDirectories() throws IOException {
        theirs = Files.createDirectory(directory.resolve("theirs"));
        ours = Files.createDirectory(path("/ours"));
    }

    @AfterEach
    void hasAsked() {
        assertTrue(questions > 0);
    }

    /** Asks the same of both, with a file "f" and a directory "d" each. */
    private void same(String name, Question question) throws IOException {
        questions++;
        assertEquals(answer(theirs, question), answer(ours, question), name);
    }

    private static List<Object> answer(Path directory, Question question) throws IOException {
        Files.createDirectories(directory.resolve("d"));
        Files.write(directory.resolve("f"), CONTENT);
        Object answer;
        try {
            answer = question.ask(directory);
        } catch (IOException | RuntimeException e) {
            answer = kind(e);
        }
        Thread.interrupted();
        return List.of(answer, content(directory.resolve("f")), Files.exists(directory.resolve("new")));
    }

    /** Kinds that are no class of the platform's own. */
    private static String kind(Exception e) {
        return e instanceof FileSystemException
                        && !(e instanceof NoSuchFileException || e instanceof FileAlreadyExistsException)
                ? "IOException"
                : e.getClass().getSimpleName();
    }

    private static String content(Path file) throws IOException {
        return Files.exists(file) ? brief(Files.readAllBytes(file)) : "absent";
    }

    private static String brief(byte... bytes) {
        return bytes.length + " bytes, " + Arrays.hashCode(bytes);
    }

    private void sameOf(String name, OfChannel question, OpenOption... options) throws IOException {
        same(name, directory -> {
            try (FileChannel channel = FileChannel.open(directory.resolve("f"), options)) {
                return question.ask(channel);
            }
        });
    }

    private static String read(ByteBuffer... buffers) {
        StringBuilder text = new StringBuilder();
        for (ByteBuffer each : buffers) {
            byte[] bytes = new byte[each.position()];
            each.duplicate().flip().get(bytes);
            text.append(brief(bytes)).append('|');
        }
        return text.toString();
    }

    private static ByteBuffer room(int bytes) {
        return ByteBuffer.allocate(bytes);
    }

    private static ByteBuffer[] rooms(int... bytes) {
        return Arrays.stream(bytes).mapToObj(ByteBuffer::allocateDirect).toArray(ByteBuffer[]::new);
    }

    private static ByteBuffer[] full(int... bytes) {
        return Arrays.stream(bytes)
                .mapToObj(each -> ByteBuffer.wrap(random(each)))
                .toArray(ByteBuffer[]::new);
    }

    /** Kinds of calls with arguments that are right. */
    private static Map<String, OfChannel> calls() {
        Map<String, OfChannel> calls = new LinkedHashMap<>();
        calls.put("read", channel -> channel.read(room(10)));
        calls.put("read nothing", channel -> channel.read(room(0)));
        calls.put("read at", channel -> channel.read(room(10), 5));
        calls.put("read nothing at", channel -> channel.read(room(0), 5));
        calls.put("scatter", channel -> channel.read(rooms(3, 0, 700)));
        calls.put("scatter into none", channel -> channel.read(rooms()));
        calls.put("scatter into some", channel -> channel.read(rooms(3, 2, 700), 1, 1));
        calls.put("write", channel -> channel.write(room(10)));
        calls.put("write nothing", channel -> channel.write(room(0)));
        calls.put("write at", channel -> channel.write(room(10), 5));
        calls.put("write far behind", channel -> channel.write(room(10), 5000));
        calls.put("write nothing far behind", channel -> channel.write(room(0), 5000));
        calls.put("gather", channel -> channel.write(full(3, 0, 700)));
        calls.put("gather from none", channel -> channel.write(full()));
        calls.put("gather from some", channel -> channel.write(full(3, 2, 700), 1, 1));
        calls.put("position", FileChannel::position);
        calls.put("set the position", channel -> channel.position(7).position());
        calls.put("set the position behind", channel -> channel.position(7000).position());
        calls.put("size", FileChannel::size);
        calls.put("truncate", channel -> channel.position(500).truncate(20).position());
        calls.put(
                "truncate behind",
                channel -> channel.position(500).truncate(2000).position());
        calls.put(
                "truncate between",
                channel -> channel.position(5000).truncate(2000).position());
        calls.put("force", channel -> {
            channel.force(true);
            channel.force(false);
            return "forced";
        });
        calls.put("transfer to", channel -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            long count = channel.transferTo(1290, 500, Channels.newChannel(bytes));
            return count + brief(bytes.toByteArray());
        });
        calls.put("transfer nothing to", channel -> channel.transferTo(1, 0, sink()));
        calls.put("transfer to from behind", channel -> channel.transferTo(5000, 1, sink()));
        calls.put("transfer from", channel -> channel.transferFrom(source(900), 900, 2000));
        calls.put("transfer a part from", channel -> channel.transferFrom(source(900), 900, 20));
        calls.put("transfer nothing from", channel -> channel.transferFrom(source(900), 900, 0));
        calls.put("transfer from an end", channel -> channel.transferFrom(source(0), 900, 9));
        calls.put("lock", channel -> text(channel.lock()));
        calls.put("lock a range", channel -> text(channel.lock(3, 4, false)));
        calls.put("share a lock", channel -> text(channel.lock(3, 4, true)));
        calls.put("try to lock", channel -> text(channel.tryLock()));
        calls.put("try to share a lock", channel -> text(channel.tryLock(Long.MAX_VALUE - 1, 1, true)));
        return calls;
    }

    private static String text(FileLock lock) throws IOException {
        String before = lock.position() + "+" + lock.size() + lock.isShared() + lock.isValid();
        lock.release();
        lock.release();
        return before + lock.isValid() + (lock.acquiredBy() == lock.channel());
    }

    private static WritableByteChannel sink() {
        return Channels.newChannel(new ByteArrayOutputStream());
    }

    private static java.nio.channels.ReadableByteChannel source(int bytes) {
        return Channels.newChannel(new ByteArrayInputStream(random(bytes)));
    }

    /** Calls with arguments that are wrong. */
    private static Map<String, OfChannel> wrongCalls() {
        Map<String, OfChannel> calls = new LinkedHashMap<>();
        calls.put("read null", channel -> channel.read((ByteBuffer) null));
        calls.put("read null at", channel -> channel.read(null, 1));
        calls.put("read into read-only", channel -> channel.read(room(1).asReadOnlyBuffer()));
        calls.put("read into read-only at", channel -> channel.read(room(1).asReadOnlyBuffer(), 1));
        calls.put("read before", channel -> channel.read(room(1), -1));
        calls.put("scatter null", channel -> channel.read(new ByteBuffer[1]));
        calls.put(
                "scatter into read-only",
                channel -> channel.read(new ByteBuffer[] {room(1), room(1).asReadOnlyBuffer()}));
        calls.put("scatter outside", channel -> channel.read(rooms(3), 1, 1));
        calls.put("scatter a negative count", channel -> channel.read(rooms(3), 0, -1));
        calls.put("write null", channel -> channel.write((ByteBuffer) null));
        calls.put("write null at", channel -> channel.write(null, 1));
        calls.put("write before", channel -> channel.write(room(1), -1));
        calls.put("gather null", channel -> channel.write(new ByteBuffer[] {room(1), null}));
        calls.put("gather outside", channel -> channel.write(full(3), 1, 1));
        calls.put("set a negative position", channel -> channel.position(-1));
        calls.put("truncate below zero", channel -> channel.truncate(-1));
        calls.put("transfer to null", channel -> channel.transferTo(0, 1, null));
        calls.put("transfer to from before", channel -> channel.transferTo(-1, 1, sink()));
        calls.put("transfer a negative count to", channel -> channel.transferTo(0, -1, sink()));
        calls.put("transfer to closed", channel -> {
            WritableByteChannel closed = sink();
            closed.close();
            return channel.transferTo(0, 1, closed);
        });
        calls.put("transfer from null", channel -> channel.transferFrom(null, 0, 1));
        calls.put("transfer from to before", channel -> channel.transferFrom(source(3), -1, 1));
        calls.put("transfer a negative count from", channel -> channel.transferFrom(source(3), 0, -1));
        calls.put("map null", channel -> channel.map(null, 0, 1));
        calls.put("map before", channel -> channel.map(FileChannel.MapMode.READ_ONLY, -1, 1));
        calls.put("map a negative size", channel -> channel.map(FileChannel.MapMode.READ_ONLY, 0, -1));
        calls.put("lock before", channel -> channel.lock(-1, 1, false));
        calls.put("lock a negative size", channel -> channel.tryLock(0, -1, false));
        calls.put("lock too far", channel -> channel.tryLock(Long.MAX_VALUE, 1, false));
        return calls;
    }

    private static List<OpenOption[]> waysToOpen() {
        List<OpenOption[]> ways = new ArrayList<>();
        ways.add(new OpenOption[] {});
        ways.add(new OpenOption[] {READ});
        ways.add(new OpenOption[] {WRITE});
        ways.add(new OpenOption[] {READ, WRITE});
        ways.add(new OpenOption[] {APPEND});
        ways.add(new OpenOption[] {WRITE, APPEND, DSYNC});
        return ways;
    }

    @Test
    void eachCallOnEachKindOfChannel() throws IOException {
        Map<String, OfChannel> calls = calls();
        calls.putAll(wrongCalls());
        for (OpenOption[] way : waysToOpen()) {
            for (Map.Entry<String, OfChannel> call : calls.entrySet()) {
                sameOf(call.getKey() + " of " + Arrays.toString(way), call.getValue(), way);
            }
        }
        assertTrue(questions > 350);
    }

    @Test
    void eachCallOnAClosedChannel() throws IOException {
        Map<String, OfChannel> calls = calls();
        calls.putAll(wrongCalls());
        for (OpenOption[] way : waysToOpen()) {
            for (Map.Entry<String, OfChannel> call : calls.entrySet()) {
                sameOf(
                        call.getKey() + " of closed " + Arrays.toString(way),
                        channel -> {
                            channel.close();
                            return call.getValue().ask(channel);
                        },
                        way);
            }
        }
    }

    @Test
    void eachCallOfAThreadThatWasInterrupted() throws IOException {
        Map<String, OfChannel> calls = calls();
        calls.remove("transfer nothing from"); // which some JDKs return from at once
        for (OpenOption[] way : waysToOpen()) {
            for (Map.Entry<String, OfChannel> call : calls.entrySet()) {
                sameOf(
                        call.getKey() + " interrupted of " + Arrays.toString(way),
                        channel -> {
                            Thread.currentThread().interrupt();
                            List<Object> results = new ArrayList<>();
                            try {
                                results.add(call.getValue().ask(channel));
                            } catch (IOException | RuntimeException e) {
                                results.add(kind(e));
                            }
                            results.add(Thread.interrupted());
                            results.add(channel.isOpen());
                            return results;
                        },
                        way);
            }
        }
    }

    /** Streams and whole files have nothing that an interrupt could close. */
    @Test
    void eachStreamOfAThreadThatWasInterrupted() throws IOException {
        Map<String, Question> questions = new LinkedHashMap<>();
        questions.put("read all", directory -> brief(Files.readAllBytes(directory.resolve("f"))));
        questions.put(
                "write all",
                directory -> brief(Files.readAllBytes(Files.write(directory.resolve("f"), random(700), APPEND))));
        questions.put("copy", directory -> {
            Files.copy(directory.resolve("f"), directory.resolve("copy"));
            Files.delete(directory.resolve("copy"));
            return "copied";
        });
        questions.put("stream in", directory -> {
            try (InputStream in = Files.newInputStream(directory.resolve("f"))) {
                return brief(in.readAllBytes());
            }
        });
        questions.put("stream out", directory -> {
            try (OutputStream out = Files.newOutputStream(directory.resolve("f"))) {
                out.write(random(800));
            }
            return "written";
        });
        for (Map.Entry<String, Question> question : questions.entrySet()) {
            same(question.getKey(), directory -> {
                Thread.currentThread().interrupt();
                return List.of(question.getValue().ask(directory), Thread.interrupted());
            });
        }
    }

    @Test
    void whereReadsAndWritesLeaveThePosition() throws IOException {
        for (OpenOption[] way : waysToOpen()) {
            for (long start : new long[] {0, 100, 1299, 1300, 1301, 4000}) {
                for (Map.Entry<String, OfChannel> call : calls().entrySet()) {
                    sameOf(
                            call.getKey() + " at " + start + " of " + Arrays.toString(way),
                            channel -> {
                                channel.position(start);
                                return List.of(call.getValue().ask(channel), channel.position(), channel.size());
                            },
                            way);
                }
            }
        }
    }

    @Test
    void whatIsRead() throws IOException {
        for (long start : new long[] {0, 100, 511, 512, 1200, 1299, 1300, 1301}) {
            for (int[] lengths : new int[][] {{0}, {1}, {2000}, {3, 0, 5}, {100, 900, 500}, {511, 1, 1, 512, 1024}}) {
                sameOf(
                        "read " + Arrays.toString(lengths) + " at " + start,
                        channel -> {
                            ByteBuffer[] buffers = rooms(lengths);
                            return channel.position(start).read(buffers) + read(buffers) + channel.position();
                        },
                        READ);
                sameOf(
                        "read at " + start,
                        channel -> {
                            ByteBuffer buffer = room(lengths[0]);
                            return channel.read(buffer, start) + read(buffer) + channel.position();
                        },
                        READ);
            }
        }
    }

    /** All sets of options that a file may be opened with, where there is a file, a directory, a link or nothing. */
    @Test
    void eachSetOfOptions() throws IOException {
        List<OpenOption> all = List.of(
                READ,
                WRITE,
                APPEND,
                CREATE,
                CREATE_NEW,
                TRUNCATE_EXISTING,
                SPARSE,
                SYNC,
                DELETE_ON_CLOSE,
                LinkOption.NOFOLLOW_LINKS);
        for (int set = 0; set < 1 << all.size(); set++) {
            Set<OpenOption> options = new HashSet<>();
            for (int i = 0; i < all.size(); i++) {
                if ((set >> i & 1) != 0) {
                    options.add(all.get(i));
                }
            }
            if (options.contains(SYNC) && options.contains(SPARSE) // neither changes the answer
                    || options.contains(CREATE_NEW)
                            && !writes(options)) { // means nothing, but that there links are followed
                continue;
            }
            for (String name : List.of("f", "d", "link", "gone", "new", "f/below")) {
                same(name + " with " + options, directory -> open(directory, name, options));
            }
        }
    }

    private static boolean writes(Set<OpenOption> options) {
        return options.contains(WRITE) || options.contains(APPEND);
    }

    /** Opens and closes a file; links lead to a file and to nothing. */
    private static Object open(Path directory, String name, Set<OpenOption> options) throws IOException {
        List<String> links = List.of("link", "gone");
        for (String link : links) {
            Files.deleteIfExists(directory.resolve(link));
        }
        Files.deleteIfExists(directory.resolve("new"));
        Files.deleteIfExists(directory.resolve("target"));
        Files.createSymbolicLink(
                directory.resolve("link"), directory.getFileSystem().getPath("f"));
        Files.createSymbolicLink(
                directory.resolve("gone"), directory.getFileSystem().getPath("target"));
        List<Object> results = new ArrayList<>();
        try (SeekableByteChannel channel = Files.newByteChannel(directory.resolve(name), options)) {
            results.add(channel instanceof FileChannel);
        } catch (IOException | RuntimeException e) {
            results.add(kind(e));
        }
        for (String each : List.of("f", "d", "link", "gone", "new", "target")) {
            results.add(Files.exists(directory.resolve(each), LinkOption.NOFOLLOW_LINKS));
        }
        if (options.contains(DELETE_ON_CLOSE)) {
            Files.deleteIfExists(directory.resolve("f"));
        }
        return results;
    }

    @Test
    void aDirectoryIsOpenedToBeForcedAndNotToBeRead() throws IOException {
        Map<String, OfChannel> calls = calls();
        // What the size of a directory means is up to the file system.
        calls.keySet().removeAll(Set.of("size", "transfer to", "transfer to from behind"));
        calls.putAll(wrongCalls());
        for (OpenOption[] way : new OpenOption[][] {{}, {READ}, {WRITE}, {READ, WRITE}, {APPEND}}) {
            for (Map.Entry<String, OfChannel> call : calls.entrySet()) {
                same(call.getKey() + " of a directory", directory -> {
                    try (FileChannel channel = FileChannel.open(directory.resolve("d"), way)) {
                        return call.getValue().ask(channel);
                    }
                });
            }
        }
        for (Path root : List.of(theirs, ours)) {
            assertThrows(IOException.class, () -> Files.readAllBytes(root.resolve("d")));
            assertThrows(
                    IOException.class,
                    () -> Files.newInputStream(root.resolve("d")).read());
        }
    }

    // ---- several channels

    private interface OfChannels {
        Object ask(FileChannel one, FileChannel other) throws IOException;
    }

    private void sameOfTwo(String name, Set<OpenOption> one, Set<OpenOption> other, OfChannels question)
            throws IOException {
        same(name, directory -> {
            try (FileChannel first = FileChannel.open(directory.resolve("f"), one);
                    FileChannel second = FileChannel.open(directory.resolve("f"), other)) {
                return question.ask(first, second);
            }
        });
    }

    @Test
    void transfersBetweenChannels() throws IOException {
        List<Set<OpenOption>> ways = List.of(Set.of(READ), Set.of(WRITE), Set.of(READ, WRITE), Set.of(APPEND));
        for (Set<OpenOption> one : ways) {
            for (Set<OpenOption> other : ways) {
                sameOfTwo("transfer to " + one + other, one, other, (first, second) -> {
                    long count = first.transferTo(1250, 500, second.position(900));
                    return List.of(count, first.position(), second.position());
                });
                // Which fault is told first depends on the JDK, and whether what is appended is read.
                if (other.contains(READ) ? one.contains(APPEND) : !writes(one)) {
                    continue;
                }
                sameOfTwo("transfer from " + one + other, one, other, (first, second) -> {
                    long count = first.transferFrom(second.position(1250), 900, 500);
                    return List.of(count, first.position(), second.position());
                });
            }
        }
        same("transfer to a new file", directory -> {
            try (FileChannel first = FileChannel.open(directory.resolve("f"));
                    FileChannel second = FileChannel.open(directory.resolve("new"), CREATE, WRITE)) {
                long count = first.transferTo(0, Long.MAX_VALUE, second);
                return count + content(directory.resolve("new"));
            } finally {
                Files.delete(directory.resolve("new"));
            }
        });
        same("transfer within a channel", directory -> {
            try (FileChannel channel = FileChannel.open(directory.resolve("f"), READ, WRITE)) {
                return List.of(channel.transferTo(0, 600, channel), channel.position());
            }
        });
    }

    @Test
    void noTwoLocksOfAFileOverlap() throws IOException {
        long[][] ranges = {{0, Long.MAX_VALUE}, {0, 10}, {5, 1}, {9, 1}, {10, 1}, {10, 10}, {Long.MAX_VALUE - 1, 1}};
        for (long[] one : ranges) {
            for (long[] other : ranges) {
                for (int shared = 0; shared < 4; shared++) {
                    boolean first = (shared & 1) != 0;
                    boolean second = (shared & 2) != 0;
                    sameOfTwo("locks", Set.of(READ, WRITE), Set.of(READ, WRITE), (a, b) -> {
                        FileLock lock = a.lock(one[0], one[1], first);
                        List<Object> results = new ArrayList<>();
                        for (FileChannel each : List.of(a, b)) {
                            try {
                                text(each.tryLock(other[0], other[1], second));
                                text(each.lock(other[0], other[1], second));
                                results.add("locked");
                            } catch (OverlappingFileLockException e) {
                                results.add("overlaps");
                            }
                        }
                        lock.release();
                        results.add(text(b.lock(other[0], other[1], second)));
                        return results;
                    });
                }
            }
        }
    }

    @Test
    void aLockEndsWithItsChannel() throws IOException {
        sameOfTwo("closed", Set.of(READ, WRITE), Set.of(WRITE), (a, b) -> {
            FileLock first = a.lock();
            FileLock closed = first;
            boolean before = first.isValid();
            a.close();
            String release = "released";
            try {
                closed.close();
            } catch (IOException e) {
                release = kind(e);
            }
            FileLock second = b.lock();
            return List.of(before, first.isValid(), release, second.isValid(), text(second));
        });
        same("other files", directory -> {
            Files.write(directory.resolve("other"), CONTENT);
            try (FileChannel a = FileChannel.open(directory.resolve("f"), WRITE);
                    FileChannel b = FileChannel.open(directory.resolve("other"), WRITE)) {
                a.lock();
                b.lock();
                return "locked";
            } finally {
                Files.delete(directory.resolve("other"));
            }
        });
        same("by another path", directory -> {
            Files.createDirectories(directory.resolve("d"));
            try (FileChannel a = FileChannel.open(directory.resolve("f"), WRITE);
                    FileChannel b = FileChannel.open(directory.resolve("d/../f"), WRITE)) {
                a.lock();
                return b.tryLock();
            }
        });
    }

    @Test
    void aLockOfNoBytesReachesToTheEnd() throws IOException {
        questions++;
        try (FileChannel channel = FileChannel.open(Files.createFile(path("/f")), WRITE)) {
            FileLock lock = channel.lock(5, 0, false);
            assertEquals(Long.MAX_VALUE - 5, lock.size());
            assertThrows(OverlappingFileLockException.class, () -> channel.tryLock(900, 1, false));
            text(channel.lock(4, 1, false));
        }
    }

    /** The platform's own did nothing before Java 21. */
    @Test
    void aTransferFromBehindTheEndLeavesAHole() throws IOException {
        questions++;
        try (FileChannel channel = FileChannel.open(Files.write(path("/f"), CONTENT), READ, WRITE)) {
            assertEquals(50, channel.transferFrom(source(50), 2000, 100));
            ByteBuffer all = room(3000);
            assertEquals(2050, channel.read(all, 0));
            assertEquals(0, all.get(1500));
            assertEquals(ByteBuffer.wrap(random(50)), all.slice(2000, 50));
        }
    }

    @Test
    void nothingIsMapped() throws IOException {
        questions++;
        try (FileChannel channel = FileChannel.open(Files.write(path("/f"), CONTENT), READ, WRITE)) {
            for (FileChannel.MapMode mode : List.of(
                    FileChannel.MapMode.READ_ONLY, FileChannel.MapMode.READ_WRITE, FileChannel.MapMode.PRIVATE)) {
                assertThrows(UnsupportedOperationException.class, () -> channel.map(mode, 0, 1));
            }
        }
    }

    /** A source and a sink that take and give some bytes at a time. */
    @Test
    void transfersWithChannelsThatTakeAndGiveAFewBytes() throws IOException {
        for (int most : new int[] {1, 7, 600}) {
            sameOf(
                    "a slow sink",
                    channel -> {
                        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                        long count = channel.transferTo(0, 100, few(most, bytes));
                        return count > 0 && count == bytes.size();
                    },
                    READ);
            sameOf("a slow source", channel -> channel.transferFrom(few(most, null), 10, 1000), READ, WRITE);
        }
    }

    private static ByteChannel few(int most, ByteArrayOutputStream out) {
        return new ByteChannel() {
            private int given;

            @Override
            public int read(ByteBuffer to) {
                int count = Math.min(Math.min(most, to.remaining()), 900 - given);
                to.put(new byte[count]);
                given += count;
                return count == 0 ? -1 : count;
            }

            @Override
            public int write(ByteBuffer from) {
                int count = Math.min(most, from.remaining());
                for (int i = 0; i < count; i++) {
                    out.write(from.get());
                }
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
    }
}
