package io.flexdb.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Channels, and what becomes of files that are open. */
class FlexChannelTest extends FilesTest {
    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    @Test
    void aFileIsTheBytesThatWereWrittenWhereverThatWas() throws IOException {
        Random random = new Random(5);
        byte[] expected = new byte[0];
        try (SeekableByteChannel channel = Files.newByteChannel(path("/f"), CREATE, READ, WRITE)) {
            for (int i = 0; i < 2000; i++) {
                int at = random.nextInt(9000);
                if (random.nextInt(8) == 0) {
                    channel.truncate(at);
                    expected = Arrays.copyOf(expected, Math.min(at, expected.length));
                } else {
                    byte[] written = new byte[random.nextInt(random.nextInt(4) == 0 ? 2000 : 50)];
                    random.nextBytes(written);
                    assertEquals(written.length, channel.position(at).write(ByteBuffer.wrap(written)));
                    if (written.length > 0) {
                        expected = Arrays.copyOf(expected, Math.max(expected.length, at + written.length));
                        System.arraycopy(written, 0, expected, at, written.length);
                    }
                }
                assertEquals(expected.length, channel.size(), "step " + i);
                if (i % 20 == 0) {
                    assertArrayEquals(expected, Files.readAllBytes(path("/f")), "step " + i);
                    fixture.assertSound();
                }
            }
        }
        fixture.reopen();
        assertArrayEquals(expected, Files.readAllBytes(path("/f")));
    }

    @Test
    void holesTakeNoBlocksAndReadAsZeros() throws IOException {
        long end = 1L << 39;
        try (SeekableByteChannel channel = Files.newByteChannel(path("/sparse"), CREATE_NEW, READ, WRITE)) {
            channel.write(bytes(1));
            channel.position(end).write(bytes(2));
            ByteBuffer read = ByteBuffer.allocate(1000);
            channel.position(0).read(read);
            assertEquals(1, read.get(0));
            assertEquals(0, read.get(999));
            ByteBuffer tail = ByteBuffer.allocate(10);
            assertEquals(3, channel.position(end - 2).read(tail));
            assertArrayEquals(new byte[] {0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, tail.array());
            assertEquals(-1, channel.position(end + 5).read(tail));
            assertThrows(
                    IOException.class,
                    () -> channel.position(512L * Integer.MAX_VALUE).write(bytes(1)));
        }
        assertEquals(2, fixture.files().check().blocks());
        assertEquals(end + 1, Files.size(path("/sparse")));
        Files.copy(path("/sparse"), path("/copy"));
        assertEquals(4, fixture.files().check().blocks());
        Files.delete(path("/sparse"));
        Files.delete(path("/copy"));
        assertEquals(0, fixture.files().check().blocks());
    }

    @Test
    void whoAppendsWritesAtTheEndWhereverThatIs() throws IOException {
        try (SeekableByteChannel first = Files.newByteChannel(path("/f"), CREATE, APPEND);
                SeekableByteChannel second = Files.newByteChannel(path("/f"), APPEND)) {
            for (int i = 0; i < 500; i++) {
                first.position(0).write(bytes(i));
                second.write(bytes(i + 1));
                assertEquals(2 * i + 2, first.position());
            }
            assertThrows(NonReadableChannelException.class, () -> first.read(bytes(1)));
        }
        byte[] read = Files.readAllBytes(path("/f"));
        for (int i = 0; i < 500; i++) {
            assertEquals((byte) i, read[2 * i]);
            assertEquals((byte) (i + 1), read[2 * i + 1]);
        }
    }

    @Test
    void optionsDoWhatTheySay() throws IOException {
        Path file = path("/f");
        assertThrows(NoSuchFileException.class, () -> Files.newByteChannel(file, WRITE));
        assertThrows(NoSuchFileException.class, () -> Files.newByteChannel(file, READ, CREATE));
        Files.newByteChannel(file, WRITE, CREATE_NEW, SYNC).close();
        assertThrows(FileAlreadyExistsException.class, () -> Files.newByteChannel(file, WRITE, CREATE_NEW));
        Files.writeString(file, "long text");
        Files.newByteChannel(file, READ, TRUNCATE_EXISTING).close();
        assertEquals("long text", Files.readString(file));
        Files.newByteChannel(file, WRITE, TRUNCATE_EXISTING).close();
        assertEquals(0, Files.size(file));
        Files.createSymbolicLink(path("/link"), path("f"));
        assertThrows(FileSystemException.class, () -> Files.newByteChannel(path("/link"), LinkOption.NOFOLLOW_LINKS));
        assertThrows(FileAlreadyExistsException.class, () -> Files.newByteChannel(path("/link"), WRITE, CREATE_NEW));
        Files.createSymbolicLink(path("/dangling"), path("new"));
        Files.writeString(path("/dangling"), "through the link");
        assertEquals("through the link", Files.readString(path("/new")));
        assertThrows(IllegalArgumentException.class, () -> Files.newByteChannel(file, READ, APPEND));
        assertThrows(IllegalArgumentException.class, () -> Files.newByteChannel(file, APPEND, TRUNCATE_EXISTING));
        assertThrows(
                UnsupportedOperationException.class,
                () -> Files.newByteChannel(file, Set.<OpenOption>of(new OpenOption() {})));
        assertThrows(FileSystemException.class, () -> Files.newByteChannel(path("/"), WRITE));
    }

    @Test
    void aChannelDoesWhatItWasOpenedForUntilItIsClosed() throws IOException {
        SeekableByteChannel channel = Files.newByteChannel(Files.writeString(path("/f"), "abc"));
        assertThrows(NonWritableChannelException.class, () -> channel.write(bytes(1)));
        assertThrows(NonWritableChannelException.class, () -> channel.truncate(1));
        assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
        assertThrows(IllegalArgumentException.class, () -> channel.truncate(-1));
        assertThrows(IllegalArgumentException.class, () -> channel.read(bytes(1).asReadOnlyBuffer()));
        assertEquals(0, channel.read(ByteBuffer.allocate(0)));
        channel.close();
        channel.close();
        assertFalse(channel.isOpen());
        assertThrows(ClosedChannelException.class, () -> channel.read(bytes(1)));
        assertThrows(ClosedChannelException.class, channel::position);
    }

    @Test
    void aFileThatIsOpenIsReadAndWrittenAfterItWasMoved() throws IOException {
        Files.createDirectories(path("/d/e"));
        try (SeekableByteChannel channel = Files.newByteChannel(path("/d/f"), CREATE, READ, WRITE)) {
            channel.write(bytes(1, 2, 3));
            Files.move(path("/d/f"), path("/d/e/g"));
            Files.move(path("/d"), path("/x"));
            channel.write(bytes(4));
            assertEquals(4, channel.size());
            Files.writeString(path("/x/f"), "another file");
            channel.write(bytes(5));
        }
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, Files.readAllBytes(path("/x/e/g")));
        assertEquals("another file", Files.readString(path("/x/f")));
    }

    @Test
    void aFileThatIsOpenOutlivesItsDeletion() throws IOException {
        Files.write(path("/f"), new byte[3000]);
        Files.write(path("/other"), new byte[2000]);
        SeekableByteChannel channel = Files.newByteChannel(path("/f"), READ, WRITE);
        try (SeekableByteChannel second = Files.newByteChannel(path("/f"));
                SeekableByteChannel replaced = Files.newByteChannel(path("/other"), WRITE)) {
            Files.delete(path("/f"));
            assertFalse(Files.exists(path("/f")));
            Files.writeString(path("/f"), "a new one");
            channel.position(2999).write(bytes(7, 8));
            assertEquals(3001, second.size());
            Files.move(path("/f"), path("/other"), StandardCopyOption.REPLACE_EXISTING);
            replaced.position(5000).write(bytes(1));
            assertEquals(5001, replaced.size());
            fixture.assertSound();
            channel.close();
            ByteBuffer last = ByteBuffer.allocate(1);
            second.position(3000).read(last);
            assertEquals(8, last.get(0));
        }
        assertEquals("a new one", Files.readString(path("/other")));
        assertEquals(1, fixture.files().check().files());
        assertEquals(0, fixture.files().check().blocks());
    }

    @Test
    void whatACrashLeavesOfADeletedFileGoesWhenTheFileSystemIsOpened() throws IOException {
        Files.write(path("/f"), new byte[30_000]);
        SeekableByteChannel channel = Files.newByteChannel(path("/f"), READ);
        Files.delete(path("/f"));
        assertTrue(fixture.files().check().blocks() > 50);
        fixture.db().close(); // as far as the file system knows, a crash
        fixture.files().close();
        assertFalse(channel.isOpen());
        fixture.reopen();
        assertEquals(0, fixture.files().check().files());
        assertEquals(0, fixture.files().check().blocks());
    }

    @Test
    void aFileIsDeletedWhenItIsClosed() throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(path("/f"), CREATE, WRITE, DELETE_ON_CLOSE)) {
            channel.write(ByteBuffer.allocate(2000));
            Files.move(path("/f"), path("/g"));
        }
        assertEquals(0, fixture.files().check().files());
        try (SeekableByteChannel channel = Files.newByteChannel(path("/f"), CREATE, WRITE, DELETE_ON_CLOSE)) {
            channel.write(ByteBuffer.allocate(2000));
            Files.delete(path("/f"));
            Files.writeString(path("/f"), "another file");
        }
        assertEquals("another file", Files.readString(path("/f")));
    }
}
