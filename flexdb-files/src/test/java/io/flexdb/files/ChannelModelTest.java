package io.flexdb.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/**
 * Random calls on three channels of one file, here and on a file of the platform: what they return is the same, and so
 * are the positions and the file. jqwik prints the seed, and shrinks what fails.
 */
class ChannelModelTest {
    /** How the channels are opened. */
    private static final List<Set<OpenOption>> CHANNELS =
            List.of(Set.of(READ, WRITE), Set.of(READ, WRITE), Set.of(APPEND));

    /** One call, with more than it may need. */
    record Call(Kind kind, int channel, int position, int length) {}

    enum Kind {
        READ,
        READ_AT,
        SCATTER,
        WRITE,
        WRITE_AT,
        GATHER,
        POSITION,
        TRUNCATE,
        TRANSFER_TO,
        TRANSFER_FROM,
        TRANSFER_BETWEEN,
        FORCE,
        LOCK,
        RELEASE,
        REOPEN
    }

    @Provide
    Arbitrary<List<Call>> programs() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(0, CHANNELS.size() - 1),
                        Arbitraries.integers().between(0, 6000),
                        Arbitraries.integers().between(0, 1600))
                .as(Call::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(80);
    }

    @Tag("long")
    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void manyMoreCallsReturnTheSame(@ForAll("programs") List<Call> program) throws IOException {
        theSameCallsReturnTheSame(program);
    }

    @Property(tries = 40, shrinking = ShrinkingMode.BOUNDED)
    void theSameCallsReturnTheSame(@ForAll("programs") List<Call> program) throws IOException {
        Path temporary = Files.createTempDirectory("channels");
        Path theirs = temporary.resolve("file");
        try (FilesFixture fixture = new FilesFixture(temporary.resolve("store"))) {
            Files.createFile(theirs);
            Path ours = Files.createFile(fixture.path("/file"));
            try (Opened model = new Opened(theirs);
                    Opened tested = new Opened(ours)) {
                for (Call call : program) {
                    assertEquals(model.run(call), tested.run(call), () -> call + " of " + program);
                }
            }
            assertArrayEquals(Files.readAllBytes(theirs), Files.readAllBytes(ours));
            fixture.reopen();
            assertArrayEquals(Files.readAllBytes(theirs), Files.readAllBytes(fixture.path("/file")));
        } finally {
            Files.deleteIfExists(theirs);
            try (var files = Files.walk(temporary)) {
                for (Path path :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Channels of one file. */
    private static final class Opened implements AutoCloseable {
        private final Path file;
        private final List<FileChannel> channels = new ArrayList<>();
        private final List<FileLock> locks = new ArrayList<>();

        Opened(Path file) throws IOException {
            this.file = file;
            for (Set<OpenOption> options : CHANNELS) {
                channels.add(FileChannel.open(file, options));
            }
        }

        @Override
        public void close() throws IOException {
            for (FileChannel channel : channels) {
                channel.close();
            }
        }

        /** What a call returns, and where all channels are. */
        List<Object> run(Call call) throws IOException {
            List<Object> results = new ArrayList<>();
            try {
                results.add(result(call));
            } catch (RuntimeException e) {
                results.add(e.getClass().getSimpleName());
            }
            for (FileChannel channel : channels) {
                results.add(channel.position());
            }
            results.add(channels.get(0).size());
            return results;
        }

        private Object result(Call call) throws IOException {
            FileChannel channel = channels.get(call.channel);
            return switch (call.kind) {
                case READ -> read(buffer -> channel.read(buffer), call.length);
                case READ_AT -> read(buffer -> channel.read(buffer, call.position), call.length);
                case SCATTER -> scatter(channel, call.length);
                case WRITE -> channel.write(ByteBuffer.wrap(FilesTest.random(call.length)));
                case WRITE_AT -> channel.write(ByteBuffer.wrap(FilesTest.random(call.length)), call.position);
                case GATHER -> channel.write(parts(FilesTest.random(call.length), call.position));
                case POSITION -> channel.position(call.position).position();
                case TRUNCATE -> channel.truncate(call.position).size();
                case TRANSFER_TO -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    long count = channel.transferTo(call.position, call.length, Channels.newChannel(bytes));
                    yield count + " " + Arrays.hashCode(bytes.toByteArray());
                }
                case TRANSFER_FROM -> {
                    // Behind the end the JDKs don't agree.
                    long at = Math.min(call.position, channel.size());
                    ByteArrayInputStream bytes = new ByteArrayInputStream(FilesTest.random(call.length));
                    yield channel.transferFrom(Channels.newChannel(bytes), at, call.position) + " " + bytes.available();
                }
                case TRANSFER_BETWEEN -> {
                    FileChannel source = channels.get((call.channel + 1) % 2); // one that can be read
                    // Where the ranges overlap, how much is read at once shows.
                    long from = Math.min(call.position, source.size());
                    boolean overlap =
                            channel.position() < from + call.length && from < channel.position() + call.length;
                    yield overlap || call.channel == 2 ? 0 : source.transferTo(from, call.length, channel);
                }
                case FORCE -> {
                    channel.force(call.position % 2 == 0);
                    yield 0;
                }
                case LOCK -> {
                    boolean shared = call.length % 2 == 0;
                    FileLock lock = channel.tryLock(call.position, 1 + call.length / 10, shared);
                    locks.add(lock);
                    yield lock.isShared() + " " + lock.isValid();
                }
                case RELEASE -> {
                    if (locks.isEmpty()) {
                        yield "none";
                    }
                    FileLock lock = locks.remove(call.position % locks.size());
                    boolean valid = lock.isValid();
                    if (valid) {
                        lock.release();
                    }
                    yield valid + " " + lock.isValid();
                }
                case REOPEN -> {
                    channel.close();
                    channels.set(call.channel, FileChannel.open(file, CHANNELS.get(call.channel)));
                    yield locks.stream().map(FileLock::isValid).toList();
                }
            };
        }

        private interface Reading {
            int into(ByteBuffer buffer) throws IOException;
        }

        private static String read(Reading reading, int length) throws IOException {
            ByteBuffer buffer = length % 2 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
            int count = reading.into(buffer);
            return count + " " + buffer.flip().hashCode();
        }

        private static String scatter(FileChannel channel, int length) throws IOException {
            ByteBuffer[] buffers = parts(new byte[length], length / 3);
            long count = channel.read(buffers);
            StringBuilder text = new StringBuilder().append(count);
            for (ByteBuffer buffer : buffers) {
                text.append(' ').append(buffer.flip().hashCode());
            }
            return text.toString();
        }

        /** An array in three parts, of which one may be empty. */
        private static ByteBuffer[] parts(byte[] bytes, int cut) {
            int first = Math.min(bytes.length, cut % 700);
            int second = Math.min(bytes.length, first + cut % 5);
            return new ByteBuffer[] {
                ByteBuffer.wrap(bytes, 0, first),
                ByteBuffer.wrap(bytes, first, second - first),
                ByteBuffer.wrap(bytes, second, bytes.length - second)
            };
        }
    }
}
