package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system is closed, and opened again over the same store, in the middle of what others do. */
class FlexFileSystemCloseTest {
    @TempDir
    private Path directory;

    private FlexDB db;

    @BeforeEach
    void open() {
        db = FlexDB.open(directory.resolve("store"));
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void aCopyIsWholeOrNotThereWhereverTheFileSystemIsClosedMeanwhile() throws IOException {
        byte[] content = FilesTest.random(600_000);
        boolean ended = false;
        for (int call = 1; !ended; call++) {
            ClockWithHook clock = new ClockWithHook();
            FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL.withClock(clock));
            Files.write(files.getPath("/from"), content);
            FlexFileSystem[] again = new FlexFileSystem[1];
            clock.at(call, () -> {
                files.close();
                again[0] = FlexFileSystem.open(db, FilesFixture.SMALL);
            });
            try {
                Files.copy(files.getPath("/from"), files.getPath("/to"));
                ended = !clock.hasRun();
                assertTrue(ended, "a closed file system has copied, call " + call);
                files.close();
            } catch (ClosedFileSystemException e) {
                assertFalse(files.isOpen());
            }
            try (FlexFileSystem now = ended ? FlexFileSystem.open(db, FilesFixture.SMALL) : again[0]) {
                assertEquals(List.of(), now.check().problems());
                assertEquals(ended ? 2 : 1, now.check().files(), "call " + call);
                assertEquals(ended, Files.exists(now.getPath("/to")));
                assertArrayEquals(content, Files.readAllBytes(now.getPath(ended ? "/to" : "/from")));
            }
            assertTrue(call > 5 || !ended, "a copy takes some changes");
        }
    }

    @Test
    void aTreeGoesThoughTheFileSystemIsClosedWhileItIsDeleted() throws IOException {
        boolean ended = false;
        for (int call = 1; !ended; call++) {
            ClockWithHook clock = new ClockWithHook();
            FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL.withClock(clock));
            Files.createDirectories(files.getPath("/tree/a/b"));
            Files.write(files.getPath("/tree/a/f"), FilesTest.random(3000));
            clock.at(call, files::close);
            try {
                files.deleteRecursively(files.getPath("/tree"));
                ended = !clock.hasRun();
                assertTrue(ended, "a closed file system has deleted, call " + call);
                files.close();
            } catch (ClosedFileSystemException e) {
                assertFalse(files.isOpen());
            }
            try (FlexFileSystem now = FlexFileSystem.open(db, FilesFixture.SMALL)) {
                assertEquals(List.of(), now.check().problems());
                assertEquals(call > 1, !Files.exists(now.getPath("/tree")));
                assertEquals(call > 1 ? 0 : 6, now.check().blocks());
            }
        }
    }

    @Test
    void aFileSystemOfWhichAChannelFailsToCloseIsClosedAllTheSame() throws IOException {
        ClockWithHook clock = new ClockWithHook();
        FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL.withClock(clock));
        SeekableByteChannel[] channels = new SeekableByteChannel[3];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = Files.newByteChannel(
                    files.getPath("/f" + i),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
        }
        clock.at(1, () -> {
            throw new IllegalStateException("the clock has stopped");
        });
        IOException thrown = assertThrows(IOException.class, files::close);
        assertTrue(thrown.getCause() instanceof IllegalStateException, thrown::toString);
        for (SeekableByteChannel each : channels) {
            assertFalse(each.isOpen());
        }
        try (FlexFileSystem now = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            assertEquals(1, now.check().files()); // the one that could not be deleted
        }
    }

    @Test
    void keyspacesOfOtherUseAreNotTaken() throws IOException {
        Keyspace entries = db.createKeyspace("a.entries");
        db.createKeyspace("b.blocks").put(new byte[] {1}, new byte[] {2});
        entries.put(new byte[] {1}, new byte[] {2});
        for (String name : List.of("a", "b")) {
            assertThrows(IOException.class, () -> FlexFileSystem.open(db, FilesFixture.SMALL.withName(name)));
        }
        assertArrayEquals(new byte[] {2}, entries.get(new byte[] {1}));
        assertNull(entries.get(new byte[8]));
        FlexFileSystem.open(db, FilesFixture.SMALL.withName("c")).close();
    }
}
