package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.storage.StoreClosedException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What ordinary programs do with files. */
class FlexFileSystemTest extends FilesTest {
    @Test
    void textIsWrittenAndReadByLines() throws IOException {
        Path file = path("/notes/today.txt");
        Files.createDirectories(file.getParent());
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            for (int i = 0; i < 1000; i++) {
                writer.write("line " + i + " äöü\n");
            }
        }
        try (Stream<String> lines = Files.lines(file)) {
            assertEquals(
                    IntStream.range(0, 1000).mapToObj(i -> "line " + i + " äöü").toList(), lines.toList());
        }
        fixture.reopen();
        assertEquals(
                "line 999 äöü", Files.readAllLines(path("/notes/today.txt")).get(999));
    }

    @Test
    void filesOfAllLengthsComeBackAsTheyWere() throws IOException {
        for (int length : List.of(0, 1, 99, 100, 101, 511, 512, 513, 1024, 5000, 3_000_000)) {
            Files.write(path("/f" + length), random(length));
        }
        fixture.reopen();
        for (int length : List.of(0, 1, 99, 100, 101, 511, 512, 513, 1024, 5000, 3_000_000)) {
            assertArrayEquals(random(length), Files.readAllBytes(path("/f" + length)));
            assertEquals(length, Files.size(path("/f" + length)));
        }
    }

    @Test
    void namesMayHaveAnyCharactersButSlashes() throws IOException {
        List<String> names = List.of(" ", "a\nb", "äöü", "日本", "\uD83C\uDF50", "%2F", "a!b", "x".repeat(255), "\\");
        for (String name : names) {
            Files.writeString(path("/").resolve(name), name);
        }
        try (Stream<Path> found = Files.list(path("/"))) {
            assertEquals(
                    names.stream().sorted().toList(),
                    found.map(each -> each.getFileName().toString()).sorted().toList());
        }
        for (String name : names) {
            Path file = path("/").resolve(name);
            assertEquals(file, Path.of(file.toUri()));
            assertEquals(name, Files.readString(Path.of(URI.create(file.toUri().toString()))));
        }
        assertThrows(FileSystemException.class, () -> Files.createFile(path("/" + "x".repeat(256))));
        assertThrows(FileSystemException.class, () -> Files.createFile(path("/" + "ä".repeat(128))));
    }

    @Test
    void aTreeIsWalkedCopiedAndDeletedByVisitors() throws IOException {
        for (int i = 0; i < 40; i++) {
            Path file = path("/tree/" + i % 3 + "/" + i % 5 + "/" + i);
            Files.createDirectories(file.getParent());
            Files.write(file, random(i * 37));
        }
        copyTree(path("/tree"), directory.resolve("out"));
        copyTree(directory.resolve("out"), path("/back"));
        for (int i = 0; i < 40; i++) {
            assertArrayEquals(random(i * 37), Files.readAllBytes(path("/back/" + i % 3 + "/" + i % 5 + "/" + i)));
        }
        Files.walkFileTree(path("/tree"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                assertTrue(attributes.isRegularFile());
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException e) throws IOException {
                Files.delete(each);
                return FileVisitResult.CONTINUE;
            }
        });
        assertFalse(Files.exists(path("/tree")));
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> found = Files.walk(from)) {
            for (Path each : (Iterable<Path>) found::iterator) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    @Test
    void anArchiveIsReadAndWrittenInIt() throws IOException {
        Path archive = path("/archive.zip");
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Files.createDirectory(zip.getPath("/inner"));
            Files.write(zip.getPath("/inner/file"), random(20_000));
        }
        try (FileSystem zip = FileSystems.newFileSystem(archive)) {
            assertArrayEquals(random(20_000), Files.readAllBytes(zip.getPath("/inner/file")));
            Files.writeString(zip.getPath("/more"), "more");
        }
        fixture.reopen();
        try (FileSystem zip = FileSystems.newFileSystem(path("/archive.zip"))) {
            assertEquals("more", Files.readString(zip.getPath("/more")));
            assertArrayEquals(random(20_000), Files.readAllBytes(zip.getPath("/inner/file")));
        }
    }

    @Test
    void aDirectoryIsMovedWithAllThatIsInIt() throws IOException {
        Files.createDirectories(path("/a/b/c"));
        Files.write(path("/a/b/c/f"), random(2000));
        Files.createDirectory(path("/x"));
        Files.exists(path("/a/b/c/f")); // so that the directories are known
        Files.move(path("/a/b"), path("/x/y"));
        assertFalse(Files.exists(path("/a/b/c/f")));
        assertArrayEquals(random(2000), Files.readAllBytes(path("/x/y/c/f")));
        assertThrows(FileSystemException.class, () -> Files.move(path("/x"), path("/x/y/c/x")));
        assertThrows(FileSystemException.class, () -> Files.move(path("/x/y"), path("/x/y/y")));
        fixture.assertSound();
    }

    @Test
    void whatIsReplacedLeavesNothing() throws IOException {
        Files.write(path("/large"), random(5000));
        Files.write(path("/other"), random(4000));
        Files.move(path("/other"), path("/large"), StandardCopyOption.REPLACE_EXISTING);
        assertArrayEquals(random(4000), Files.readAllBytes(path("/large")));
        Files.copy(path("/large"), path("/copy"));
        Files.write(path("/copy"), random(50));
        assertArrayEquals(random(4000), Files.readAllBytes(path("/large")));
        Files.copy(path("/copy"), path("/large"), StandardCopyOption.REPLACE_EXISTING);
        assertEquals(0, fixture.files().check().blocks());
        Files.createDirectories(path("/d/e"));
        assertThrows(
                DirectoryNotEmptyException.class,
                () -> Files.move(path("/copy"), path("/d"), StandardCopyOption.REPLACE_EXISTING));
        assertThrows(FileAlreadyExistsException.class, () -> Files.move(path("/copy"), path("/large")));
        assertThrows(FileAlreadyExistsException.class, () -> Files.copy(path("/copy"), path("/large")));
    }

    @Test
    void linksLeadToFilesAndDirectories() throws IOException {
        Files.createDirectories(path("/data/2026"));
        Files.writeString(path("/data/2026/f"), "text");
        Files.createSymbolicLink(path("/now"), path("data/2026"));
        Files.createSymbolicLink(path("/data/up"), path("../now/f"));
        assertEquals("text", Files.readString(path("/now/f")));
        assertEquals("text", Files.readString(path("/data/up")));
        assertEquals(path("/data/2026/f"), path("/data/../data/up").toRealPath());
        assertEquals(path("/data/up"), path("/data/up").toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertEquals(path("/now/f"), path("/data/../now/./f").toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertEquals(path("/now/../up"), path("/now/../up").toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertEquals(path("/now/../../data"), path("/now/../../data").toRealPath(LinkOption.NOFOLLOW_LINKS));
        Files.createSymbolicLink(path("/loop"), path("loop"));
        assertThrows(FileSystemException.class, () -> Files.readString(path("/loop")));
        assertFalse(Files.exists(path("/loop")));
        Files.delete(path("/now"));
        assertTrue(Files.exists(path("/data/2026/f")));
    }

    @Test
    void timesAreThoseThatWereSet() throws IOException {
        Path file = Files.createFile(path("/f"));
        Path folder = Files.createDirectory(path("/d"));
        for (Path each : List.of(file, folder, path("/"))) {
            FileTime created = FileTime.fromMillis(1000);
            FileTime modified = FileTime.fromMillis(2000);
            FileTime accessed = FileTime.fromMillis(3000);
            Files.getFileAttributeView(each, BasicFileAttributeView.class).setTimes(modified, accessed, created);
            BasicFileAttributes attributes = Files.readAttributes(each, BasicFileAttributes.class);
            assertEquals(created, attributes.creationTime());
            assertEquals(modified, attributes.lastModifiedTime());
            assertEquals(accessed, attributes.lastAccessTime());
        }
        Files.copy(file, path("/copy"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.copy(folder, path("/copied"), StandardCopyOption.COPY_ATTRIBUTES);
        assertEquals(FileTime.fromMillis(2000), Files.getLastModifiedTime(path("/copy")));
        assertEquals(FileTime.fromMillis(2000), Files.getLastModifiedTime(path("/copied")));
        Files.writeString(file, "changed");
        Files.createFile(folder.resolve("new"));
        assertTrue(Files.getLastModifiedTime(file).toMillis() > 3000);
        assertTrue(Files.getLastModifiedTime(folder).toMillis() > 3000);
        assertThrows(IllegalArgumentException.class, () -> Files.setAttribute(file, "size", 1L));
        assertThrows(UnsupportedOperationException.class, () -> Files.getAttribute(file, "posix:owner"));
        assertThrows(IllegalArgumentException.class, () -> Files.getAttribute(file, "basic:owner"));
        assertThrows(UnsupportedOperationException.class, () -> Files.readAttributes(file, PosixFileAttributes.class));
        assertNotEquals(
                Files.readAttributes(file, BasicFileAttributes.class).fileKey(),
                Files.readAttributes(folder, BasicFileAttributes.class).fileKey());
    }

    @Test
    void aDirectoryOfManyFilesIsListedInOrder() throws IOException {
        Path many = Files.createDirectory(path("/many"));
        for (int i = 0; i < 2500; i++) {
            Files.createFile(many.resolve(Integer.toString(i)));
        }
        List<String> expected =
                IntStream.range(0, 2500).mapToObj(Integer::toString).sorted().toList();
        try (Stream<Path> found = Files.list(many)) {
            assertEquals(
                    expected, found.map(each -> each.getFileName().toString()).toList());
        }
        List<String> told = new ArrayList<>();
        fixture.files().forEachEntry(many, (each, attributes) -> {
            assertTrue(attributes.isRegularFile());
            told.add(each.getFileName().toString());
        });
        assertEquals(expected, told);
    }

    @Test
    void aStreamOfADirectoryIsIteratedOnceAndFiltered() throws IOException {
        Files.createFile(path("/a"));
        Files.createFile(path("/b"));
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path("/"), each -> each.endsWith("b"))) {
            assertEquals(path("/b"), found.iterator().next());
            assertThrows(IllegalStateException.class, found::iterator);
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path("/"), each -> {
            throw new IOException("no");
        })) {
            assertThrows(
                    DirectoryIteratorException.class, () -> found.iterator().hasNext());
        }
        DirectoryStream<Path> closed = Files.newDirectoryStream(path("/"));
        closed.close();
        assertThrows(IllegalStateException.class, closed::iterator);
    }

    @Test
    void theRootStaysWhatItIs() throws IOException {
        Path root = path("/");
        assertThrows(FileSystemException.class, () -> Files.delete(root));
        assertThrows(FileSystemException.class, () -> fixture.files().deleteRecursively(root));
        assertThrows(FileAlreadyExistsException.class, () -> Files.createDirectory(root));
        assertThrows(FileSystemException.class, () -> Files.move(root, path("/x")));
        Files.copy(root, path("/x"));
        assertTrue(Files.isDirectory(path("/x")));
        assertEquals(root, path("/x/../..").toRealPath());
        assertEquals(
                List.of(root),
                List.of(fixture.files().getRootDirectories().iterator().next()));
    }

    @Test
    void temporaryFilesAndDirectoriesAreMade() throws IOException {
        Path made = Files.createTempDirectory(path("/"), "t");
        Path file = Files.createTempFile(made, "a", ".tmp");
        assertTrue(Files.isRegularFile(file));
        assertTrue(Files.isWritable(file));
        assertFalse(Files.isExecutable(file));
        assertEquals("flexdb", Files.getFileStore(file).type());
        assertTrue(Files.getFileStore(file).getTotalSpace() > 0);
        assertTrue(Files.getFileStore(file).supportsFileAttributeView(BasicFileAttributeView.class));
        assertThrows(NoSuchFileException.class, () -> Files.getFileStore(path("/none")));
    }

    @Test
    void twoFileSystemsOfAStoreDoNotKnowEachOther() throws IOException {
        FlexDB db = fixture.db();
        try (FlexFileSystem other =
                FlexFileSystem.open(db, FlexFilesOptions.defaults().withName("other"))) {
            Files.writeString(path("/f"), "one");
            Files.write(other.getPath("/f"), random(9000));
            assertEquals("one", Files.readString(path("/f")));
            assertFalse(Files.isSameFile(path("/f"), other.getPath("/f")));
            Files.copy(other.getPath("/f"), path("/large"));
            assertArrayEquals(random(9000), Files.readAllBytes(path("/large")));
            Files.move(other.getPath("/f"), path("/f"), StandardCopyOption.REPLACE_EXISTING);
            assertArrayEquals(random(9000), Files.readAllBytes(path("/f")));
            assertFalse(Files.exists(other.getPath("/f")));
            assertThrows(
                    FileSystemException.class,
                    () -> Files.move(path("/f"), other.getPath("/f"), StandardCopyOption.ATOMIC_MOVE));
            Files.createDirectories(other.getPath("/d/e"));
            assertThrows(DirectoryNotEmptyException.class, () -> Files.move(other.getPath("/d"), path("/d")));
            Files.move(other.getPath("/d/e"), path("/e"));
            assertTrue(Files.isDirectory(path("/e")));
        }
    }

    /** The clock of the target fails at each time in turn when it is asked. */
    @Test
    void aCopyFromAnotherFileSystemThatFailsLeavesWhatItWasToReplace() throws IOException {
        Files.write(path("/from"), random(700_000));
        boolean ended = false;
        for (int call = 1; !ended; call++) {
            ClockWithHook clock = new ClockWithHook();
            try (FlexFileSystem other = FlexFileSystem.open(
                    fixture.db(), FilesFixture.SMALL.withName("other").withClock(clock))) {
                Path to = Files.writeString(other.getPath("/to"), "old");
                clock.at(call, () -> {
                    throw new IllegalStateException("the clock has stopped");
                });
                try {
                    Files.copy(path("/from"), to, StandardCopyOption.REPLACE_EXISTING);
                    ended = !clock.hasRun();
                    assertTrue(ended);
                    assertArrayEquals(random(700_000), Files.readAllBytes(to));
                } catch (IOException | IllegalStateException e) {
                    assertTrue(clock.hasRun());
                    assertEquals("old", Files.readString(to), "call " + call);
                    assertEquals(1, other.check().files(), "call " + call);
                    assertEquals(0, other.check().blocks(), "call " + call);
                }
                assertEquals(List.of(), other.check().problems());
            }
        }
    }

    @Test
    void blocksOfTheUsualSizeFitTheSmallestMemtables() throws IOException {
        FlexDBOptions smallest = FlexDBOptions.defaults().withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES);
        try (FlexDB db = FlexDB.open(directory.resolve("smallest"), smallest);
                FlexFileSystem files = FlexFileSystem.open(db)) {
            assertEquals(16 << 10, files.blockBytes());
            byte[] expected = random(300_000);
            Path file = Files.write(files.getPath("/f"), Arrays.copyOf(expected, 400));
            Files.write(file, Arrays.copyOfRange(expected, 400, 150_001), StandardOpenOption.APPEND);
            Files.write(file, Arrays.copyOfRange(expected, 150_001, 300_000), StandardOpenOption.APPEND);
            try (SeekableByteChannel channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                for (int at : new int[] {16_383, 7, 131_071, 250_000}) {
                    channel.position(at).write(ByteBuffer.wrap(new byte[40_000]));
                    Arrays.fill(expected, at, at + 40_000, (byte) 0);
                }
            }
            assertArrayEquals(expected, Files.readAllBytes(file));
            assertEquals(List.of(), files.check().problems());
        }
    }

    @Test
    void oneFileSystemIsOpenOnceAtATime() throws IOException {
        assertThrows(FileSystemAlreadyExistsException.class, () -> FlexFileSystem.open(fixture.db()));
        fixture.files().close();
        FlexFileSystem again = FlexFileSystem.open(fixture.db());
        assertEquals(FilesFixture.SMALL.blockBytes(), again.blockBytes()); // whatever is asked for
        again.close();
        fixture.reopen();
    }

    @Test
    void aClosedFileSystemIsNotUsed() throws IOException {
        Path file = Files.writeString(path("/f"), "x");
        SeekableByteChannel channel = Files.newByteChannel(file);
        FlexFileSystem closed = fixture.files();
        closed.close();
        closed.close();
        assertFalse(closed.isOpen());
        assertFalse(channel.isOpen());
        assertThrows(ClosedChannelException.class, channel::size);
        assertThrows(ClosedFileSystemException.class, () -> Files.readString(file));
        assertThrows(ClosedFileSystemException.class, () -> Files.createDirectory(file));
        assertThrows(ClosedFileSystemException.class, () -> closed.getPath("/"));
        fixture.reopen();
    }

    @Test
    void aFileSystemWhoseStoreIsClosedIsClosedToo() throws IOException {
        Path file = Files.writeString(path("/f"), "x");
        SeekableByteChannel channel = Files.newByteChannel(file);
        fixture.db().close();
        ClosedFileSystemException thrown = assertThrows(ClosedFileSystemException.class, () -> Files.readString(file));
        assertTrue(thrown.getCause() instanceof StoreClosedException);
        fixture.files().close();
        assertFalse(channel.isOpen());
        fixture.reopen();
    }

    @Test
    void whatIsNotThereIsSaidSo() {
        FlexFileSystem files = fixture.files();
        assertThrows(UnsupportedOperationException.class, files::newWatchService);
        assertThrows(UnsupportedOperationException.class, files::getUserPrincipalLookupService);
        assertThrows(UnsupportedOperationException.class, () -> Files.createLink(path("/l"), path("/f")));
        assertThrows(UnsupportedOperationException.class, () -> path("/f").toFile());
        assertNull(Files.getFileAttributeView(path("/"), java.nio.file.attribute.PosixFileAttributeView.class));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexFilesOptions.defaults().withBlockBytes(511));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexFilesOptions.defaults().withSmallFileBytes(-1));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexFilesOptions.defaults().withName("a/b"));
        assertThrows(
                NullPointerException.class, () -> FlexFilesOptions.defaults().withClock(null));
        assertThrows(NullPointerException.class, () -> FlexFileSystem.open(null));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexFileSystem.open(
                        fixture.db(), FlexFilesOptions.defaults().withName("x").withBlockBytes(1 << 19)));
    }

    @Test
    void filesAreFoundByGlobs() throws IOException {
        Files.createDirectories(path("/src/main"));
        Files.writeString(path("/src/main/A.java"), "class A {}", StandardCharsets.UTF_8);
        Files.createFile(path("/src/readme"));
        try (Stream<Path> found = Files.find(
                path("/src"),
                9,
                (each, attributes) ->
                        fixture.files().getPathMatcher("glob:**/*.java").matches(each))) {
            assertEquals(List.of(path("/src/main/A.java")), found.toList());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
