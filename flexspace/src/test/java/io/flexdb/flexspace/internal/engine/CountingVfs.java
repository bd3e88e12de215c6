package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Knows which files have not been closed. */
class CountingVfs extends ForwardingVfs {
    private final Set<VfsFile> open = new HashSet<>();

    CountingVfs(Vfs vfs) {
        super(vfs);
    }

    int openFiles() {
        return open.size();
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        VfsFile opened = new ForwardingVfsFile(super.open(file, mode)) {
            @Override
            public void close() {
                open.remove(this);
                super.close();
            }
        };
        open.add(opened);
        return opened;
    }
}
