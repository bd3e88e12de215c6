package io.flexdb;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Calls a hook before each operation that changes something or reads a file, on the thread that asks for it. */
public final class HookedVfs extends ForwardingVfs {
    /** What is about to be done. */
    public enum Kind {
        CREATE,
        READ,
        WRITE,
        TRUNCATE,
        FORCE,
        MAKE_DIRECTORY,
        RENAME,
        LINK,
        DELETE,
        SYNC_DIRECTORY,
        LOCK
    }

    /** Does whatever it likes, the blocking of the thread included. */
    @FunctionalInterface
    public interface Hook {
        void before(Kind kind, Path path);
    }

    private final Hook hook;

    public HookedVfs(Vfs vfs, Hook hook) {
        super(vfs);
        this.hook = hook;
    }

    private void before(Kind kind, Path path) {
        hook.before(kind, path);
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode == OpenMode.CREATE) {
            before(Kind.CREATE, file);
        }
        return new HookedFile(super.open(file, mode));
    }

    @Override
    public void createDirectories(Path directory) {
        before(Kind.MAKE_DIRECTORY, directory);
        super.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        before(Kind.RENAME, to);
        super.rename(from, to);
    }

    @Override
    public boolean link(Path file, Path name) {
        before(Kind.LINK, name);
        return super.link(file, name);
    }

    @Override
    public void delete(Path path) {
        before(Kind.DELETE, path);
        super.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        before(Kind.DELETE, path);
        return super.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        before(Kind.SYNC_DIRECTORY, directory);
        super.syncDirectory(directory);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        before(Kind.LOCK, lockFile);
        return super.lock(lockFile);
    }

    private final class HookedFile extends ForwardingVfsFile {
        HookedFile(VfsFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            before(Kind.READ, path());
            return super.read(dst, position);
        }

        @Override
        public void write(ByteBuffer src, long position) {
            before(Kind.WRITE, path());
            super.write(src, position);
        }

        @Override
        public void truncate(long bytes) {
            before(Kind.TRUNCATE, path());
            super.truncate(bytes);
        }

        @Override
        public void force() {
            before(Kind.FORCE, path());
            super.force();
        }
    }
}
