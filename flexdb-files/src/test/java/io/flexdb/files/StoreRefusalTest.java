package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.StoresOnSimulatedFiles;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A store in trouble, on simulated files: what users of files see of it, and that they lose nothing by it. */
class StoreRefusalTest {
    private static final int MANY = 400;

    private final SimulatedVfs vfs = new SimulatedVfs(Path.of("/store"));

    private static byte[] content(int number) {
        return FilesTest.random(300 + number * 37 % 2000);
    }

    private FlexDB openStore() {
        return StoresOnSimulatedFiles.open(vfs, Durability.OS);
    }

    /** Writes files until one is refused, and returns how many there are. */
    private static int fill(FlexFileSystem files) {
        int[] made = {0};
        IOException refused = assertThrows(IOException.class, () -> {
            for (; made[0] < 100 * MANY; made[0]++) {
                Path file = files.getPath("/f" + made[0]);
                Files.createFile(file);
                Files.write(file, content(made[0]));
            }
        });
        assertInstanceOf(StoreFullException.class, refused.getCause());
        assertEquals(refused.getCause().getMessage(), refused.getMessage());
        return made[0];
    }

    @Test
    void aFullDiskRefusesToWriteAndToNothingElse() throws IOException {
        try (FlexDB db = openStore();
                FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            Files.write(files.getPath("/first"), content(1));
            long used = 0;
            for (Path file : vfs.files()) {
                used += vfs.content(file).length;
            }
            vfs.setCapacity(used + (1 << 20));
            int made = fill(files);
            assertTrue(made > 10, "files that found room: " + made);
            for (int i = 0; i < made; i++) {
                assertArrayEquals(content(i), Files.readAllBytes(files.getPath("/f" + i)));
            }
            assertEquals(List.of(), files.check().problems());
            for (int i = 0; i < made; i++) {
                Files.delete(files.getPath("/f" + i)); // which needs no room
            }
            Files.deleteIfExists(files.getPath("/f" + made)); // was made, but not written
            for (int i = 0; i < made / 2; i++) {
                Files.write(files.getPath("/again" + i), content(i));
            }
            assertArrayEquals(content(made / 2 - 1), Files.readAllBytes(files.getPath("/again" + (made / 2 - 1))));
            assertEquals(List.of(), files.check().problems());
            vfs.setCapacity(Long.MAX_VALUE);
        }
    }

    @Test
    void damageIsAnIOExceptionOfWhoeverReadsItAndNeverOtherBytes() throws IOException {
        try (FlexDB db = openStore();
                FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL)) {
            for (int i = 0; i < MANY; i++) {
                Files.write(files.getPath("/f" + i), content(i));
            }
        }
        Path data = vfs.files().stream()
                .filter(file -> file.endsWith("data"))
                .findFirst()
                .orElseThrow();
        byte[] sound = vfs.content(data);
        int met = 0;
        for (int at = sound.length / 8; at < sound.length; at += sound.length / 8) {
            byte[] damaged = sound.clone();
            for (int i = 0; i < 64 && at + i < damaged.length; i++) {
                damaged[at + i] ^= 0x10;
            }
            vfs.setContent(data, damaged);
            met += readAll();
        }
        vfs.setContent(data, sound);
        assertTrue(met > 0, "nobody has met the damage");
        assertEquals(0, readAll());
    }

    /** Reads all files, and returns how many could not be read for damage. */
    private int readAll() throws IOException {
        int damaged = 0;
        try (FlexDB db = openStore()) {
            FlexFileSystem files;
            try {
                files = FlexFileSystem.open(db, FilesFixture.SMALL);
            } catch (IOException e) {
                assertInstanceOf(CorruptionException.class, e.getCause());
                return 1;
            }
            try (files) {
                for (int i = 0; i < MANY; i++) {
                    byte[] found;
                    try {
                        found = Files.readAllBytes(files.getPath("/f" + i));
                    } catch (IOException e) {
                        assertInstanceOf(CorruptionException.class, e.getCause(), e::toString);
                        damaged++;
                        continue;
                    }
                    assertArrayEquals(content(i), found);
                }
            }
        }
        return damaged;
    }

    @Test
    void aStoreThatHasFailedTakesNothingAndIsWhatItWasWhenItIsOpenedAgain() throws IOException {
        FlexDB db = openStore();
        FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL);
        Files.write(files.getPath("/kept"), content(1));
        db.sync();
        vfs.failAt(vfs.operationCount() + 1, Fault.EIO, true);
        IOException failed = assertThrows(IOException.class, () -> {
            for (int i = 0; i < MANY; i++) {
                Files.write(files.getPath("/f" + i), content(i));
            }
        });
        assertTrue(failed.getCause() instanceof StorageException, failed::toString);
        IOException afterwards = assertThrows(IOException.class, () -> Files.createDirectory(files.getPath("/d")));
        assertInstanceOf(StoreFailedException.class, afterwards.getCause());
        IOException reading = assertThrows(IOException.class, () -> Files.readAllBytes(files.getPath("/kept")));
        assertInstanceOf(StoreFailedException.class, reading.getCause());
        files.close();
        db.close();
        vfs.clearFaults();
        try (FlexDB again = openStore();
                FlexFileSystem now = FlexFileSystem.open(again, FilesFixture.SMALL)) {
            assertArrayEquals(content(1), Files.readAllBytes(now.getPath("/kept")));
            assertEquals(List.of(), now.check().problems());
            assertFalse(Files.exists(now.getPath("/d")));
        }
    }

    @Test
    void onceTheStoreIsClosedEveryOperationSaysThatTheFileSystemIs() throws IOException {
        FlexDB db = openStore();
        FlexFileSystem files = FlexFileSystem.open(db, FilesFixture.SMALL);
        Path directory = Files.createDirectory(files.getPath("/d"));
        Path file = Files.write(files.getPath("/d/f"), content(3));
        SeekableByteChannel channel = Files.newByteChannel(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        db.close();
        Map<String, Executable> operations = new LinkedHashMap<>();
        operations.put("read", () -> channel.read(ByteBuffer.allocate(1)));
        operations.put("write", () -> channel.write(ByteBuffer.allocate(1)));
        operations.put("size", channel::size);
        operations.put("truncate", () -> channel.truncate(0));
        operations.put("read all", () -> Files.readAllBytes(file));
        operations.put("create", () -> Files.createFile(directory.resolve("g")));
        operations.put("create directory", () -> Files.createDirectory(directory.resolve("e")));
        operations.put("link", () -> Files.createSymbolicLink(directory.resolve("l"), file));
        operations.put("attributes", () -> Files.getLastModifiedTime(file));
        operations.put("times", () -> Files.setLastModifiedTime(file, FileTime.fromMillis(1)));
        operations.put("copy", () -> Files.copy(file, directory.resolve("h")));
        operations.put("move", () -> Files.move(file, directory.resolve("h")));
        operations.put("delete", () -> Files.delete(file));
        operations.put("delete tree", () -> files.deleteRecursively(directory));
        operations.put("each entry", () -> files.forEachEntry(directory, (path, attributes) -> {}));
        operations.put("check", files::check);
        operations.put("list", () -> {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                entries.iterator().hasNext();
            }
        });
        operations.forEach((name, operation) -> assertThrows(ClosedFileSystemException.class, operation, name));
        channel.close();
        files.close();
        assertFalse(files.isOpen());
    }
}
