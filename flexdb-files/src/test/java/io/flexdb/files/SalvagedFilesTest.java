package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.FlexDBSalvage;
import io.flexdb.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a salvage has lost blocks, files have no zeros: to read there is an error, as of a disk with a bad sector. */
class SalvagedFilesTest {
    private static final FlexDBOptions OPTIONS =
            FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(1 << 20);
    private static final int BLOCK = 512;
    private static final int BLOCKS = 400;

    @TempDir
    Path directory;

    private static byte[] content(long seed) {
        byte[] bytes = new byte[BLOCKS * BLOCK];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private Path store() {
        return directory.resolve("store");
    }

    private Path fresh() {
        return directory.resolve("fresh");
    }

    private void makeFiles() throws IOException {
        try (FlexDB db = FlexDB.open(store(), OPTIONS);
                FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            Files.write(files.getPath("/a"), content(1));
            Files.write(files.getPath("/b"), content(2));
            try (SeekableByteChannel sparse = Files.newByteChannel(
                    files.getPath("/sparse"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                sparse.position((BLOCKS - 1) * BLOCK).write(ByteBuffer.wrap(new byte[] {1}));
            }
        }
    }

    private void flip(byte[] needle) throws IOException {
        Path data = store().resolve("space/data");
        byte[] bytes = Files.readAllBytes(data);
        int at =
                new String(bytes, StandardCharsets.ISO_8859_1).indexOf(new String(needle, StandardCharsets.ISO_8859_1));
        assertTrue(at > 0);
        bytes[at] ^= 1;
        Files.write(data, bytes);
    }

    private static boolean isReadable(SeekableByteChannel channel, byte[] content, int block) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
        channel.position((long) block * BLOCK);
        try {
            channel.read(bytes);
        } catch (FileSystemException e) {
            assertTrue(e.getMessage().contains("was lost before the store was salvaged"), e::getMessage);
            return false;
        }
        assertArrayEquals(Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK), bytes.array());
        return true;
    }

    @Test
    void aBlockThatWasLostIsAnErrorInAFileSystemThatIsReadOnly() throws IOException {
        makeFiles();
        flip(Arrays.copyOfRange(content(1), 100 * BLOCK, 101 * BLOCK));
        FlexDBSalvage.salvage(store(), fresh(), OPTIONS, Progress.NONE);
        for (int opening = 0; opening < 2; opening++) {
            try (FlexDBReader reader = FlexDB.openReadOnly(fresh());
                    FlexFileSystem files = FlexFileSystem.openReadOnly(reader)) {
                assertFalse(FlexDBSalvage.lostRanges(reader).isEmpty());
                assertArrayEquals(content(2), Files.readAllBytes(files.getPath("/b")));
                assertThrows(IOException.class, () -> Files.readAllBytes(files.getPath("/a")));
            }
            try (FlexDB db = FlexDB.open(fresh(), OPTIONS)) {
                FlexFileSystem.open(db, FilesFixture.SMALL).close(); // notes which files are from before
            }
        }
    }

    @Test
    void aBlockThatWasLostIsAnErrorUntilItIsWrittenAnew() throws IOException {
        makeFiles();
        flip(Arrays.copyOfRange(content(1), 100 * BLOCK, 101 * BLOCK));
        assertFalse(
                FlexDBSalvage.salvage(store(), fresh(), OPTIONS, Progress.NONE).isComplete());
        for (int opening = 0; opening < 2; opening++) {
            try (FlexDB db = FlexDB.open(fresh(), OPTIONS);
                    FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
                Path a = files.getPath("/a");
                assertArrayEquals(content(2), Files.readAllBytes(files.getPath("/b")));
                assertEquals(1, Files.readAllBytes(files.getPath("/sparse"))[(BLOCKS - 1) * BLOCK]);
                assertThrows(IOException.class, () -> Files.readAllBytes(a));
                assertThrows(IOException.class, () -> Files.copy(a, files.getPath("/copy")));
                assertFalse(Files.exists(files.getPath("/copy")));
                int lost = 0;
                try (SeekableByteChannel channel = Files.newByteChannel(a)) {
                    for (int block = 0; block < BLOCKS; block++) {
                        lost += isReadable(channel, content(1), block) ? 0 : 1;
                    }
                }
                int blocksOfExtent = (128 << 10) / BLOCK; // the blocks in it behind the damage go along
                assertTrue(lost > 0 && lost <= blocksOfExtent, lost + " lost");
            }
        }
        try (FlexDB db = FlexDB.open(fresh(), OPTIONS);
                FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            Path a = files.getPath("/a");
            try (SeekableByteChannel channel = Files.newByteChannel(a, StandardOpenOption.WRITE)) {
                channel.position(100L * BLOCK + 1);
                assertThrows(IOException.class, () -> channel.write(ByteBuffer.wrap(new byte[3])));
                channel.position(0);
                channel.write(ByteBuffer.wrap(content(1)));
            }
            assertArrayEquals(content(1), Files.readAllBytes(a));
            assertTrue(files.check().isSound());
        }
    }

    /** Once the keyspace that lists losses is dropped, lost blocks read as zeros. */
    @Test
    void withoutTheListOfWhatIsLostThereAreZeros() throws IOException {
        makeFiles();
        flip(Arrays.copyOfRange(content(1), 100 * BLOCK, 101 * BLOCK));
        FlexDBSalvage.salvage(store(), fresh(), OPTIONS, Progress.NONE);
        try (FlexDB db = FlexDB.open(fresh(), OPTIONS)) {
            db.dropKeyspace(FlexDBSalvage.LOST_KEYSPACE);
            try (FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
                byte[] bytes = Files.readAllBytes(files.getPath("/a"));
                assertEquals(0, bytes[100 * BLOCK]);
            }
        }
    }

    /** New files have new numbers, though the number to come was lost: they never have blocks of old ones. */
    @Test
    void aNewFileHasNoBlocksOfAnOldOne() throws IOException {
        makeFiles();
        try (FlexDB db = FlexDB.open(store(), OPTIONS)) {
            byte[] next = ByteBuffer.allocate(12)
                    .putLong(0)
                    .put("next".getBytes(StandardCharsets.US_ASCII))
                    .array();
            String entries = db.keyspaces().stream()
                    .filter(name -> name.endsWith(".entries"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(db.keyspace(entries).get(next) != null);
            db.keyspace(entries).delete(next); // as a salvage by an earlier build has left it
            try (FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
                Path file = files.getPath("/new");
                try (SeekableByteChannel channel =
                        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    channel.position((BLOCKS - 1) * BLOCK).write(ByteBuffer.wrap(new byte[] {1}));
                }
                byte[] expected = new byte[(BLOCKS - 1) * BLOCK + 1];
                expected[expected.length - 1] = 1;
                assertArrayEquals(expected, Files.readAllBytes(file));
                assertArrayEquals(content(1), Files.readAllBytes(files.getPath("/a")));
                assertTrue(files.check().isSound());
            }
        }
    }
}
