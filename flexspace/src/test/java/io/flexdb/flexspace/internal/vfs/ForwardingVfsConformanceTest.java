package io.flexdb.flexspace.internal.vfs;

import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;

class ForwardingVfsConformanceTest extends VfsConformanceTest {
    private final Path root = Path.of("/some/store");
    private final Vfs vfs = new ForwardingVfs(new SimulatedVfs(root)) {
        @Override
        public VfsFile open(Path file, OpenMode mode) {
            return new ForwardingVfsFile(super.open(file, mode));
        }
    };

    @Override
    Vfs vfs() {
        return vfs;
    }

    @Override
    Path root() {
        return root;
    }
}
