package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.storage.CorruptionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check says when somebody else has written the keyspaces, and what a read does then. */
class CheckTest {
    @TempDir
    private Path directory;

    private FlexDB db;
    private FlexFileSystem files;
    private Keyspace entries;
    private Keyspace blocks;

    @BeforeEach
    void open() throws IOException {
        db = FlexDB.open(directory.resolve("store"));
        files = FlexFileSystem.open(db, FilesFixture.SMALL);
        entries = db.keyspace("files.entries");
        blocks = db.keyspace("files.blocks");
        Files.createDirectories(files.getPath("/d/e"));
        Files.write(files.getPath("/d/f"), new byte[1200]);
        Files.createSymbolicLink(files.getPath("/d/l"), files.getPath("f"));
    }

    @AfterEach
    void close() throws IOException {
        files.close();
        db.close();
    }

    private static byte[] key(long directory, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + text.length).putLong(directory).put(text).array();
    }

    private long id(String path) throws IOException {
        return ((FlexAttributes.FileKey) Files.getAttribute(files.getPath(path), "fileKey")).number();
    }

    private void assertProblem(String part) throws IOException {
        List<String> problems = files.check().problems();
        assertTrue(problems.stream().anyMatch(problem -> problem.contains(part)), problems::toString);
    }

    @Test
    void allThatIsThereIsCounted() throws IOException {
        assertEquals(new FilesChecked(3, 1, 1, 3, 1200, List.of()), files.check());
        assertTrue(files.check().isSound());
    }

    @Test
    void aDirectoryThatIsNotThereIsFound() throws IOException {
        entries.delete(key(id("/d"), ""));
        assertProblem("has entries, and is not there");
    }

    @Test
    void aDirectoryWithoutItsEntryIsFound() throws IOException {
        entries.delete(key(id("/d"), "e"));
        assertProblem("and has an entry in null");
    }

    @Test
    void aDirectoryBelowAnotherThanItSaysIsFound() throws IOException {
        byte[] entry = entries.get(key(id("/d"), "e"));
        entries.delete(key(id("/d"), "e"));
        entries.put(key(1, "e"), entry);
        assertProblem("and has an entry in 1");
    }

    @Test
    void directoriesBelowThemselvesAreFound() throws IOException {
        long d = id("/d");
        long e = id("/d/e");
        byte[] entry = entries.get(key(1, "d"));
        byte[] own = entries.get(key(d, ""));
        entries.delete(key(1, "d"));
        entries.put(key(e, "d"), entry);
        entries.put(key(d, ""), ByteBuffer.wrap(own).putLong(0, e).array());
        assertProblem("is below itself");
    }

    @Test
    void aNumberThatStandsInTwoEntriesIsFound() throws IOException {
        entries.put(key(1, "twin"), entries.get(key(id("/d"), "f")));
        assertProblem("stands in two entries");
    }

    @Test
    void aNumberThatNobodyHasReservedIsFound() throws IOException {
        byte[] entry = entries.get(key(id("/d"), "f"));
        entries.put(
                key(id("/d"), "f"), ByteBuffer.wrap(entry).putLong(1, 1L << 50).array());
        assertProblem("never reserved");
    }

    @Test
    void blocksOfNoFileAndBehindTheEndOfOneAreFound() throws IOException {
        long file = id("/d/f");
        blocks.put(ByteBuffer.allocate(12).putLong(777).putInt(0).array(), new byte[1]);
        blocks.put(ByteBuffer.allocate(12).putLong(file).putInt(2).array(), new byte[177]);
        blocks.put(new byte[3], new byte[1]);
        assertProblem("which is not there");
        assertProblem("the file ends at 1200");
        assertProblem("a key of 3 bytes");
    }

    @Test
    void namesThatNoPathCanHaveAreFound() throws IOException {
        byte[] entry = entries.get(key(id("/d"), "f"));
        entries.put(
                key(1, "a/b"), ByteBuffer.wrap(entry).putLong(1, id("/d") + 500).array());
        assertProblem("a name that no path can have");
    }

    @Test
    void damagedEntriesAreFoundAndNotRead() throws IOException {
        byte[] shortened = {2, 0, 0};
        entries.put(key(id("/d"), "f"), shortened);
        entries.put(key(id("/d/e"), ""), shortened);
        IOException thrown = assertThrows(IOException.class, () -> Files.readAllBytes(files.getPath("/d/f")));
        assertTrue(thrown.getCause() instanceof CorruptionException, thrown::toString);
        assertThrows(IOException.class, () -> Files.getLastModifiedTime(files.getPath("/d/e")));
        assertProblem("kind 2 in 3 bytes");
        assertProblem("expected a directory");
    }

    @Test
    void aKeyspaceThatIsNoFileSystemIsRefused() throws IOException {
        Keyspace other = db.createKeyspace("other.entries");
        for (byte[] superblock : new byte[][] {
            new byte[3],
            new byte[16],
            ByteBuffer.allocate(16)
                    .putLong(0x466c657846696c65L)
                    .putInt(2)
                    .putInt(4096)
                    .array(),
            ByteBuffer.allocate(16)
                    .putLong(0x466c657846696c65L)
                    .putInt(1)
                    .putInt(5)
                    .array()
        }) {
            other.put(new byte[8], superblock);
            IOException thrown = assertThrows(
                    IOException.class,
                    () -> FlexFileSystem.open(db, FlexFilesOptions.defaults().withName("other")));
            assertTrue(thrown.getCause() instanceof CorruptionException, thrown::toString);
        }
        try (FlexCursor cursor = other.cursor()) {
            cursor.seekToFirst();
            cursor.next();
            assertTrue(!cursor.isValid(), "nothing was written");
        }
    }
}
