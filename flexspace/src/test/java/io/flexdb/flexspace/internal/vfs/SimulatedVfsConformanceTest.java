package io.flexdb.flexspace.internal.vfs;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;

class SimulatedVfsConformanceTest extends VfsConformanceTest {
    private final Path root = Path.of("/some/store");
    private final Vfs vfs = new SimulatedVfs(root);

    @Override
    Vfs vfs() {
        return vfs;
    }

    @Override
    Path root() {
        return root;
    }
}
