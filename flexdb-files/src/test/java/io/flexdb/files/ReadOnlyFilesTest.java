package io.flexdb.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A file system of a store that is read only, beside its writer. */
class ReadOnlyFilesTest extends FilesTest {
    private FlexDBReader reader;
    private FlexFileSystem files;

    @BeforeEach
    void openReadOnly() throws IOException {
        Files.createDirectories(path("/d/e"));
        Files.write(path("/d/small"), random(50));
        Files.write(path("/d/large"), random(5000));
        Files.createSymbolicLink(path("/link"), path("d"));
        reader = FlexDB.openReadOnly(directory.resolve("store"));
        files = FlexFileSystem.openReadOnly(reader);
    }

    @AfterEach
    void closeReader() throws IOException {
        files.close();
        reader.close();
    }

    @Test
    void everythingIsRead() throws IOException {
        assertTrue(files.isReadOnly());
        assertFalse(fixture.files().isReadOnly());
        assertArrayEquals(random(50), Files.readAllBytes(files.getPath("/d/small")));
        assertArrayEquals(random(5000), Files.readAllBytes(files.getPath("/link/large")));
        assertEquals("d", Files.readSymbolicLink(files.getPath("/link")).toString());
        assertEquals(files.getPath("/d/e"), files.getPath("link/e").toRealPath());
        try (Stream<Path> paths = Files.walk(files.getPath("/"))) {
            assertEquals(
                    List.of("/", "/d", "/d/e", "/d/large", "/d/small", "/link"),
                    paths.map(Path::toString).toList());
        }
        assertEquals(5000, Files.size(files.getPath("/d/large")));
        assertEquals(Files.getLastModifiedTime(path("/d/large")), Files.getLastModifiedTime(files.getPath("/d/large")));
        assertTrue(files.check().isSound());
        assertEquals(2, files.check().files());
        FileStore space = Files.getFileStore(files.getPath("/d"));
        assertTrue(space.isReadOnly());
        assertEquals(Long.MAX_VALUE, space.getTotalSpace());
        try (FileChannel channel = FileChannel.open(files.getPath("/d/large"))) {
            ByteBuffer read = ByteBuffer.allocate(5000);
            assertEquals(100, channel.position(4900).read(read));
            assertThrows(NonWritableChannelException.class, () -> channel.write(read));
            channel.force(true);
            assertTrue(channel.tryLock(0, 10, true).isValid());
        }
        try (FileChannel channel = FileChannel.open(files.getPath("/d"), READ)) {
            channel.force(true);
        }
        assertTrue(Files.isReadable(files.getPath("/d/small")));
        assertFalse(Files.isWritable(files.getPath("/d/small")));
        assertTrue(Files.isWritable(path("/d/small")));
        assertEquals(files.getPath("/d"), Files.createDirectories(files.getPath("/d")), "is there");
    }

    private static void refused(Executable change) {
        assertThrows(ReadOnlyFileSystemException.class, change);
    }

    @Test
    void eachChangeIsRefused() throws IOException {
        Path small = files.getPath("/d/small");
        refused(() -> Files.write(small, new byte[1]));
        refused(() -> Files.newByteChannel(small, APPEND));
        refused(() -> FileChannel.open(small, READ, WRITE));
        refused(() -> FileChannel.open(small, READ, DELETE_ON_CLOSE));
        refused(() -> FileChannel.open(files.getPath("/new"), CREATE, WRITE));
        refused(() -> Files.newOutputStream(files.getPath("/new")));
        refused(() -> Files.createFile(files.getPath("/new")));
        refused(() -> Files.createDirectory(files.getPath("/new")));
        assertThrows(FileAlreadyExistsException.class, () -> Files.createDirectory(files.getPath("/d")));
        refused(() -> Files.createSymbolicLink(files.getPath("/new"), small));
        refused(() -> Files.delete(small));
        refused(() -> Files.deleteIfExists(small));
        refused(() -> files.deleteRecursively(files.getPath("/d")));
        refused(() -> Files.move(small, files.getPath("/new")));
        refused(() -> Files.move(small, path("/new")));
        refused(() -> Files.move(path("/d/small"), files.getPath("/new")));
        refused(() -> Files.copy(small, files.getPath("/new")));
        refused(() -> Files.copy(path("/d/small"), small, StandardCopyOption.REPLACE_EXISTING));
        refused(() -> Files.setLastModifiedTime(small, FileTime.fromMillis(0)));
        refused(() -> Files.setAttribute(small, "creationTime", FileTime.fromMillis(0)));
        files.refresh();
        assertEquals(fixture.files().check().toString(), files.check().toString());
    }

    @Test
    void copiesAreMadeFromIt() throws IOException {
        Files.copy(files.getPath("/d/large"), path("/copy"));
        assertArrayEquals(random(5000), Files.readAllBytes(path("/copy")));
        Path theirs = Files.copy(files.getPath("/d/large"), directory.resolve("copy"));
        assertArrayEquals(random(5000), Files.readAllBytes(theirs));
    }

    @Test
    void itShowsWhatTheWriterHasDoneOnceItIsRefreshed() throws IOException {
        try (FileChannel moved = FileChannel.open(files.getPath("/d/large"));
                FileChannel stays = FileChannel.open(files.getPath("/d/small"))) {
            Files.move(path("/d/large"), path("/d/e/large"));
            Files.move(path("/d/e"), path("/f"));
            Files.write(path("/d/small"), random(60));
            assertTrue(Files.exists(files.getPath("/d/large")));
            assertFalse(Files.exists(files.getPath("/f")));
            assertEquals(5000, moved.size());
            assertEquals(50, stays.size());
            files.refresh();
            assertFalse(Files.exists(files.getPath("/d/large")));
            assertThrows(NoSuchFileException.class, moved::size);
            assertArrayEquals(random(5000), Files.readAllBytes(files.getPath("/f/large")));
            assertEquals(5000, moved.size(), "known again");
            assertEquals(60, stays.size());
        }
        fixture.files().refresh(); // is never behind
        files.close();
        assertThrows(ClosedFileSystemException.class, files::refresh);
    }

    /** The writer writes so much that it uses again what it has replaced, while files are read. */
    @Test
    void readsGoOnWhenTheWriterOvertakesThem() throws IOException {
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 40; i++) {
                Files.write(path("/d/f" + i), random(30_000 + round));
            }
            fixture.db().flush();
            fixture.db().compact();
            for (int i = 0; i < 40; i++) {
                Path file = files.getPath("/d/f" + i);
                if (Files.exists(file)) {
                    byte[] read = Files.readAllBytes(file);
                    assertArrayEquals(random(read.length), read);
                    assertTrue(read.length >= 30_000 && read.length <= 30_000 + round, "length " + read.length);
                }
            }
            if (round % 3 == 0) {
                files.refresh();
            }
        }
        files.refresh();
        assertArrayEquals(random(30_007), Files.readAllBytes(files.getPath("/d/f39")));
    }

    @Test
    void aStoreWithoutThatFileSystemIsRefused() throws IOException {
        FlexFilesOptions other = FlexFilesOptions.defaults().withName("other");
        assertThrows(NoSuchFileException.class, () -> FlexFileSystem.openReadOnly(reader, other));
        assertThrows(FileSystemAlreadyExistsException.class, () -> FlexFileSystem.openReadOnly(reader));
        fixture.db().createKeyspace("other.entries");
        fixture.db().createKeyspace("other.blocks");
        reader.refresh();
        assertThrows(NoSuchFileException.class, () -> FlexFileSystem.openReadOnly(reader, other), "nothing in it");
    }

    @Test
    void aUriOpensAStoreToBeReadOnly() throws IOException {
        URI uri = URI.create("flexdb:" + directory.resolve("store").toUri());
        try (FileSystem byUri = FileSystems.newFileSystem(uri, Map.of("readOnly", true, "create", true))) {
            Path large = byUri.getPath("/d/large");
            assertArrayEquals(random(5000), Files.readAllBytes(Path.of(large.toUri())));
            refused(() -> Files.delete(large));
            FileStore space = Files.getFileStore(large);
            assertTrue(space.getTotalSpace() > space.getUsableSpace());
        }
        URI absent = URI.create("flexdb:" + directory.resolve("absent").toUri());
        assertThrows(
                NoSuchFileException.class,
                () -> FileSystems.newFileSystem(absent, Map.of("readOnly", "true", "create", "true")));
        assertFalse(Files.exists(directory.resolve("absent")));
    }
}
