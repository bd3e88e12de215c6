package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a system like Windows, on which no directory can be opened. */
class UnforcedDirectoriesConformanceTest extends VfsConformanceTest {
    private final Vfs vfs = new RealVfs(FilePermissions.OWNER, null, false);

    @TempDir
    private Path root;

    @Override
    Vfs vfs() {
        return vfs;
    }

    @Override
    Path root() {
        return root;
    }

    @Test
    void onlyDirectoriesAreSynced() throws IOException {
        Path file = Files.createFile(root.resolve("file"));
        assertThrows(StoreIoException.class, () -> vfs.syncDirectory(file));
        assertThrows(StoreIoException.class, () -> vfs.syncDirectory(root.resolve("missing")));
    }
}
