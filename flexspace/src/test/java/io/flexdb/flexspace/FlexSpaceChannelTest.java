package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlexSpaceChannelTest {
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);
    private final SeekableByteChannel channel = space.openChannel(true);

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        space.close();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void writingGoesOnWhereItEndedAndReadingToo() throws IOException {
        assertEquals(5, channel.write(bytes("01234")));
        assertEquals(3, channel.write(bytes("567")));
        assertEquals(8, channel.position());
        assertEquals(8, channel.size());
        assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
        assertSame(channel, channel.position(2));
        assertEquals(2, channel.write(bytes("ab")));
        channel.position(1);
        ByteBuffer three = ByteBuffer.allocate(3);
        assertEquals(3, channel.read(three));
        assertEquals("1ab", new String(three.array(), StandardCharsets.UTF_8));
        ByteBuffer many = ByteBuffer.allocateDirect(100);
        assertEquals(4, channel.read(many), "what there is");
        assertEquals(4, many.position());
        assertEquals(-1, channel.read(many));
        assertEquals(0, channel.read(ByteBuffer.allocate(0)));
        assertEquals(0, channel.write(ByteBuffer.allocate(0)));
        assertEquals("01ab4567", new String(SpaceOracle.contentOf(space), StandardCharsets.UTF_8));
    }

    /** The same random calls to a space and to a file of the operating system. */
    @Test
    void itBehavesAsAFileDoes() throws IOException {
        Random random = new Random(4);
        try (FileChannel file = FileChannel.open(
                directory.resolve("file"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            for (int i = 0; i < 3000; i++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> {
                        byte[] written = SpaceOracle.randomBytes(random, random.nextInt(500));
                        assertEquals(file.write(ByteBuffer.wrap(written)), channel.write(ByteBuffer.wrap(written)));
                    }
                    case 3, 4 -> {
                        long position = random.nextLong(file.size() + 100);
                        file.position(position);
                        channel.position(position);
                    }
                    case 5 -> {
                        long size = Math.max(0, file.size() + 100 - random.nextInt(400));
                        file.truncate(size);
                        channel.truncate(size);
                    }
                    default -> {
                        ByteBuffer expected = ByteBuffer.allocate(random.nextInt(500));
                        ByteBuffer found = ByteBuffer.allocate(expected.capacity());
                        assertEquals(file.read(expected), channel.read(found));
                        assertEquals(expected.flip(), found.flip());
                    }
                }
                assertEquals(file.position(), channel.position());
                assertEquals(file.size(), channel.size());
            }
        }
        assertArrayEquals(Files.readAllBytes(directory.resolve("file")), SpaceOracle.contentOf(space));
        space.checkInvariants();
    }

    @Test
    void streamsReadIt() throws IOException {
        byte[] bytes = SpaceOracle.randomBytes(new Random(1), 50_000);
        channel.write(ByteBuffer.wrap(bytes));
        try (InputStream stream = Channels.newInputStream(space.openChannel(false))) {
            assertArrayEquals(bytes, stream.readAllBytes());
        }
    }

    @Test
    void aReadOnlyChannelChangesNothing() throws IOException {
        channel.write(bytes("abc"));
        SeekableByteChannel reader = space.openChannel(false);
        assertThrows(NonWritableChannelException.class, () -> reader.write(bytes("x")));
        assertThrows(NonWritableChannelException.class, () -> reader.truncate(1));
        ByteBuffer found = ByteBuffer.allocate(3);
        assertEquals(3, reader.read(found));
        assertEquals("abc", new String(found.array(), StandardCharsets.UTF_8));
    }

    @Test
    void badArgumentsAreRefused() throws IOException {
        channel.write(bytes("abc"));
        assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
        assertThrows(IllegalArgumentException.class, () -> channel.truncate(-1));
        assertThrows(
                IllegalArgumentException.class, () -> channel.read(bytes("x").asReadOnlyBuffer()));
        assertThrows(NullPointerException.class, () -> channel.read(null));
        assertThrows(NullPointerException.class, () -> channel.write(null));
        channel.position(Long.MAX_VALUE);
        assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
        assertThrows(IllegalArgumentException.class, () -> channel.write(bytes("x")));
        assertEquals(Long.MAX_VALUE, channel.position());
        assertEquals(3, channel.size());
    }

    @Test
    void closingTheChannelLeavesTheSpaceOpenAndNotTheOtherWayRound() throws IOException {
        channel.write(bytes("abc"));
        SeekableByteChannel other = space.openChannel(true);
        channel.close();
        channel.close();
        assertFalse(channel.isOpen());
        assertThrows(ClosedChannelException.class, () -> channel.write(bytes("x")));
        assertThrows(ClosedChannelException.class, () -> channel.read(ByteBuffer.allocate(1)));
        assertThrows(ClosedChannelException.class, () -> channel.truncate(0));
        assertThrows(ClosedChannelException.class, () -> channel.position(0));
        assertThrows(ClosedChannelException.class, channel::position);
        assertThrows(ClosedChannelException.class, channel::size);
        assertTrue(other.isOpen());
        assertEquals(3, other.size());
        space.close();
        assertThrows(StoreClosedException.class, () -> other.write(bytes("x")));
        assertThrows(StoreClosedException.class, other::size);
    }

    @Test
    void threadsThatShareAChannelWriteOneBehindTheOther() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int writer = 1; writer <= 4; writer++) {
            byte[] record = new byte[100];
            Arrays.fill(record, (byte) writer);
            Thread thread = new Thread(() -> {
                try {
                    for (int i = 0; i < 200; i++) {
                        channel.write(ByteBuffer.wrap(record));
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        byte[] found = SpaceOracle.contentOf(space);
        assertEquals(4 * 200 * 100, found.length);
        int[] records = new int[5];
        for (int at = 0; at < found.length; at += 100) {
            records[found[at]]++;
            for (int i = 1; i < 100; i++) {
                assertEquals(found[at], found[at + i]);
            }
        }
        assertArrayEquals(new int[] {0, 200, 200, 200, 200}, records);
    }
}
