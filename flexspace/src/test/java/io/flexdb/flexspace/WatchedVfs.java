package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Tells of each file operation, such as "force data", before it is done, on the thread that does it. */
final class WatchedVfs extends ForwardingVfs {
    private volatile Consumer<String> watcher = operation -> {};

    WatchedVfs(Vfs vfs) {
        super(vfs);
    }

    /** From now on this is told, and may take its time. */
    void watch(Consumer<String> newWatcher) {
        watcher = newWatcher;
    }

    private void tell(String operation, Path path) {
        watcher.accept(operation + " " + path.getFileName());
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        tell("open", file);
        return new ForwardingVfsFile(super.open(file, mode)) {
            @Override
            public int read(ByteBuffer dst, long position) {
                tell("read", path());
                return super.read(dst, position);
            }

            @Override
            public void write(ByteBuffer src, long position) {
                tell("write", path());
                super.write(src, position);
            }

            @Override
            public void truncate(long bytes) {
                tell("truncate", path());
                super.truncate(bytes);
            }

            @Override
            public void force() {
                tell("force", path());
                super.force();
            }
        };
    }

    @Override
    public void rename(Path from, Path to) {
        tell("rename", from);
        super.rename(from, to);
    }

    @Override
    public void delete(Path path) {
        tell("delete", path);
        super.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        tell("delete", path);
        return super.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        tell("sync", directory);
        super.syncDirectory(directory);
    }
}
