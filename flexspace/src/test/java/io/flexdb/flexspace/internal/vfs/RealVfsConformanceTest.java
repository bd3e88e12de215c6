package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class RealVfsConformanceTest extends VfsConformanceTest {
    private final Vfs vfs = new RealVfs();

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
}
