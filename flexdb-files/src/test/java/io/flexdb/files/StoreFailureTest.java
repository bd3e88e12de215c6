package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import org.junit.jupiter.api.Test;

/** What becomes of exceptions of the store. */
class StoreFailureTest extends FilesTest {
    @Test
    void aTargetOfALinkIsNoLongerThanAPath() throws IOException {
        Path longest = path("/" + "x/".repeat(2047) + "x");
        assertEquals(longest, Files.readSymbolicLink(Files.createSymbolicLink(path("/l"), longest)));
        assertThrows(FileSystemException.class, () -> Files.createSymbolicLink(path("/m"), path(longest + "x")));
        assertFalse(Files.exists(path("/m"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void theSpaceOfAClosedStoreIsNotTold() throws IOException {
        FileStore space = Files.getFileStore(path("/"));
        fixture.db().close();
        assertThrows(ClosedFileSystemException.class, space::getTotalSpace);
        fixture.reopen();
    }

    @Test
    void pathsOfAnotherFileSystemAreRefused() throws IOException {
        try (FlexFileSystem other = FlexFileSystem.open(fixture.db(), FilesFixture.SMALL.withName("other"))) {
            Path theirs = Files.createDirectory(other.getPath("/d"));
            FlexFileSystem files = fixture.files();
            assertThrows(ProviderMismatchException.class, () -> files.deleteRecursively(theirs));
            assertThrows(ProviderMismatchException.class, () -> files.forEachEntry(theirs, (path, attributes) -> {}));
            assertTrue(Files.isDirectory(theirs));
        }
    }
}
