package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeleteRecursivelyTest extends FilesTest {
    private void delete(String path) throws IOException {
        fixture.files().deleteRecursively(path(path));
    }

    private void assertNothingIsLeft() throws IOException {
        FlexFilesCheckReport report = fixture.files().check();
        assertEquals(new FilesChecked(1, 0, 0, 0, 0, java.util.List.of()), report);
    }

    @Test
    void nothingIsLeftOfATree() throws IOException {
        for (int i = 0; i < 1500; i++) {
            Path file = path("/tree/" + i % 7 + "/" + i % 11 + "/" + i);
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[i]);
        }
        Files.createSymbolicLink(path("/tree/link"), path("/keep"));
        Files.writeString(path("/keep"), "this");
        delete("/tree");
        assertFalse(Files.exists(path("/tree")));
        assertEquals("this", Files.readString(path("/keep")));
        delete("/keep");
        assertNothingIsLeft();
        assertThrows(NoSuchFileException.class, () -> delete("/tree"));
        assertThrows(NoSuchFileException.class, () -> delete("/tree/a"));
    }

    @Test
    void treesThatWereMadeInTurnsAreKeptApart() throws IOException {
        Random random = new Random(9);
        for (int i = 0; i < 3000; i++) {
            Path file = path("/" + (random.nextBoolean() ? "go" : "stay") + "/" + i % 10 + "/" + i);
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[i % 1300]);
        }
        long stay = countFiles("/stay");
        Files.move(path("/go/3"), path("/stay/moved"));
        Files.move(path("/stay/4"), path("/go/moved"));
        stay += countFiles("/stay/moved") - countFiles("/go/moved");
        delete("/go");
        fixture.assertSound();
        assertEquals(stay, fixture.files().check().files());
        for (Path each : (Iterable<Path>) Files.walk(path("/stay")).filter(Files::isRegularFile)::iterator) {
            assertEquals(Integer.parseInt(each.getFileName().toString()) % 1300, Files.readAllBytes(each).length);
        }
        delete("/stay");
        assertNothingIsLeft();
    }

    private long countFiles(String path) throws IOException {
        try (var found = Files.walk(path(path))) {
            return found.filter(Files::isRegularFile).count();
        }
    }

    @Test
    void anOpenFileOfATreeIsReadUntilItIsClosed() throws IOException {
        Files.createDirectories(path("/tree/a"));
        Files.write(path("/tree/a/open"), new byte[2000]);
        Files.write(path("/tree/a/small"), new byte[20]);
        Files.write(path("/tree/a/shut"), new byte[2000]);
        try (SeekableByteChannel open =
                        Files.newByteChannel(path("/tree/a/open"), StandardOpenOption.READ, StandardOpenOption.WRITE);
                SeekableByteChannel small = Files.newByteChannel(path("/tree/a/small"))) {
            delete("/tree");
            fixture.assertSound();
            assertEquals(4, fixture.files().check().blocks());
            open.position(1000).write(ByteBuffer.allocate(2000));
            assertEquals(3000, open.size());
            assertEquals(20, small.size());
        }
        assertNothingIsLeft();
    }

    @Test
    void aDirectoryWithThousandsOfDirectoriesIsDeleted() throws IOException {
        for (int i = 0; i < 2500; i++) {
            Files.createDirectory(Files.createDirectories(path("/wide")).resolve("d" + i));
        }
        StringBuilder deep = new StringBuilder("/deep");
        for (int i = 0; i < 300; i++) {
            deep.append("/d");
        }
        Files.createDirectories(path(deep.toString()));
        assertTrue(Files.isDirectory(path(deep.toString())));
        delete("/wide");
        delete("/deep");
        assertNothingIsLeft();
    }

    /** Numbers of which no two follow each other are the most ranges; they are to fit the smallest memtable. */
    @Test
    void aTreeOfManyRunsIsDeletedInAStoreWithTheSmallestMemtable() throws IOException {
        try (FlexDB db = FlexDB.open(
                        directory.resolve("least"),
                        FlexDBOptions.defaults().withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES));
                FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            Files.createDirectory(files.getPath("/go"));
            Files.createDirectory(files.getPath("/stay"));
            for (int i = 0; i < 1200; i++) {
                Files.createDirectory(files.getPath("/go/" + i));
                Files.createDirectory(files.getPath("/stay/" + i));
            }
            files.deleteRecursively(files.getPath("/go"));
            assertEquals(new FilesChecked(1202, 0, 0, 0, 0, java.util.List.of()), files.check());
        }
    }

    @Test
    void aFileThatIsDeletedWhenItIsClosedMayBeClosedWhileItsTreeIsDeleted() throws IOException {
        for (int call = 1; call <= 4; call++) { // to put the tree aside, and to delete three directories' own pairs
            ClockWithHook clock = new ClockWithHook();
            try (FlexFileSystem files = FlexFileSystem.open(
                    fixture.db(), FilesFixture.SMALL.withName("other").withClock(clock))) {
                Files.createDirectories(files.getPath("/tree/a/b"));
                Path file = files.getPath("/tree/a/f");
                SeekableByteChannel channel = Files.newByteChannel(
                        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
                channel.write(ByteBuffer.allocate(2000));
                clock.at(call, channel::close);
                files.deleteRecursively(files.getPath("/tree"));
                assertTrue(clock.hasRun());
                assertEquals(new FilesChecked(1, 0, 0, 0, 0, java.util.List.of()), files.check());
            }
        }
    }

    @Test
    void directoriesBesideEachOtherAreDeletedByFewTransactions() throws IOException {
        ClockWithHook clock = new ClockWithHook();
        try (FlexFileSystem files = FlexFileSystem.open(
                fixture.db(), FilesFixture.SMALL.withName("other").withClock(clock))) {
            for (int i = 0; i < 250; i++) {
                Files.createDirectories(files.getPath("/wide/" + i));
            }
            clock.at(7, () -> {
                throw new AssertionError("a transaction too many");
            });
            files.deleteRecursively(files.getPath("/wide"));
            assertFalse(clock.hasRun());
            clock.at(0, null);
            assertEquals(new FilesChecked(1, 0, 0, 0, 0, java.util.List.of()), files.check());
        }
    }
}
