package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File systems that are opened by name, as any program opens them. */
class FlexFileSystemProviderTest {
    @TempDir
    private Path directory;

    private URI uri(Path store) {
        return URI.create("flexdb:" + store.toUri().toString().replace("!", "%21"));
    }

    @Test
    void theProviderIsInstalled() {
        assertTrue(FileSystemProvider.installedProviders().stream()
                .anyMatch(provider -> provider.getScheme().equals("flexdb")));
    }

    @Test
    void aFileSystemIsMadeAndOpenedByItsUri() throws IOException {
        for (String name : new String[] {"store", "with space", "a!b", "ä%"}) {
            Path store = directory.resolve(name);
            assertThrows(NoSuchFileException.class, () -> FileSystems.newFileSystem(uri(store), Map.of()));
            URI file;
            try (FileSystem files = FileSystems.newFileSystem(uri(store), Map.of("create", "true"))) {
                file = Files.writeString(files.getPath("/a b!"), "text").toUri();
                assertSame(files, FileSystems.getFileSystem(uri(store)));
                assertEquals("text", Files.readString(Path.of(file)));
                assertThrows(
                        FileSystemAlreadyExistsException.class, () -> FileSystems.newFileSystem(uri(store), Map.of()));
            }
            assertThrows(FileSystemNotFoundException.class, () -> Path.of(file));
            try (FileSystem files = FileSystems.newFileSystem(uri(store), Map.of())) {
                assertTrue(files.isOpen());
                assertEquals("text", Files.readString(Path.of(file)));
                assertTrue(Files.getFileStore(Path.of(file)).getUsableSpace() < Long.MAX_VALUE);
                assertThrows(IllegalArgumentException.class, () -> Path.of(uri(store)));
            }
        }
    }

    @Test
    void aFileSystemIsOpenedByTheDirectoryOfItsStore() throws IOException {
        Path store = directory.resolve("store");
        Map<String, Object> environment = Map.of(
                "create", true,
                "store", FlexDBOptions.defaults().withMemtableBytes(1 << 20),
                "files", FlexFilesOptions.defaults().withBlockBytes(1024));
        try (FileSystem files = FileSystems.newFileSystem(uri(store), environment)) {
            Files.writeString(files.getPath("/f"), "text");
            assertEquals(1024, ((FlexFileSystem) files).blockBytes());
        }
        try (FileSystem files = FileSystems.newFileSystem(store, Map.of())) {
            assertEquals("text", Files.readString(files.getPath("/f")));
        }
        try (FlexDB db = FlexDB.open(store);
                FlexFileSystem files = FlexFileSystem.open(db)) {
            assertEquals("text", Files.readString(files.getPath("/f")));
        }
        assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(store, Map.of("store", "none")));
    }

    @Test
    void whatIsNoStoreIsLeftToOtherProviders() throws IOException {
        Path other = Files.createDirectory(directory.resolve("other"));
        assertThrows(ProviderNotFoundException.class, () -> FileSystems.newFileSystem(other));
        Files.writeString(other.resolve("file"), "not ours");
        assertThrows(ProviderNotFoundException.class, () -> FileSystems.newFileSystem(other));
        assertThrows(ProviderNotFoundException.class, () -> FileSystems.newFileSystem(other.resolve("file")));
        assertThrows(IOException.class, () -> FileSystems.newFileSystem(uri(other), Map.of("create", "true")));
        assertEquals(1, other.toFile().list().length);
        assertThrows(
                FileSystemNotFoundException.class, () -> FileSystems.getFileSystem(uri(directory.resolve("none"))));
    }

    @Test
    void oneFileSystemIsOpenOnceAtATimeWhicheverProviderOpensIt() throws IOException {
        Path store = directory.resolve("store");
        try (FlexDB db = FlexDB.open(store);
                FlexFileSystem files =
                        new FlexFileSystemProvider().open(new OpenStore(db, null, null), FlexFilesOptions.defaults())) {
            FlexFileSystemProvider other = new FlexFileSystemProvider();
            assertThrows(
                    FileSystemAlreadyExistsException.class,
                    () -> other.open(new OpenStore(db, null, null), FlexFilesOptions.defaults()));
            assertThrows(FileSystemAlreadyExistsException.class, () -> FlexFileSystem.open(db));
            assertTrue(files.isOpen());
        }
        try (FileSystem files = new FlexFileSystemProvider().newFileSystem(store, Map.of())) {
            assertSame(files, FileSystems.getFileSystem(uri(store)));
            assertThrows(FileSystemAlreadyExistsException.class, () -> FileSystems.newFileSystem(uri(store), Map.of()));
        }
    }

    @Test
    void aUriLeadsToTheNameThatItWasMadeOf() throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(uri(directory.resolve("store")), Map.of("create", "true"))) {
            for (String name :
                    new String[] {"\u00e4", "a\u0308", "\u212b", "\uD83C\uDF50", "%2F", "a b!+;?#[]\\", "\n"}) {
                Path file = Files.writeString(files.getPath("/" + name), name);
                assertTrue(file.toUri().toString().chars().allMatch(each -> each > ' ' && each < 0x7f));
                assertEquals(file, Path.of(file.toUri()));
                assertEquals(name, Files.readString(Path.of(file.toUri())));
            }
        }
    }

    @Test
    void byAPathNoStoreIsMade() throws IOException {
        Path archive = directory.resolve("a.zip");
        try (FileSystem files = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            assertEquals("jar", files.provider().getScheme());
        }
        Path none = directory.resolve("none");
        FileSystemProvider own = FlexFileSystemProvider.installed();
        assertThrows(UnsupportedOperationException.class, () -> own.newFileSystem(none, Map.of("create", "true")));
        assertFalse(Files.exists(none));
    }

    @Test
    void theRootOfTheDiskIsNoStore() {
        Path root = directory.getRoot();
        assertThrows(IOException.class, () -> FileSystems.newFileSystem(uri(root), Map.of("create", "true")));
    }

    @Test
    void afterAFailedOpeningTheStoreIsFree() throws IOException {
        Path store = directory.resolve("store");
        Map<String, Object> environment = Map.of(
                "create", true,
                "store", FlexDBOptions.defaults().withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES),
                "files", FlexFilesOptions.defaults().withBlockBytes(1 << 20));
        assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(uri(store), environment));
        FlexDB.open(store).close();
        assertFalse(FlexUri.parse(uri(store)).id().isEmpty());
    }
}
