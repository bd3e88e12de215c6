package io.flexdb;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Calls a hook before each operation that changes something or reads a file, on the thread that asks for it. */
final class HookedVfs implements Vfs {
    /** What is about to be done. */
    enum Kind {
        CREATE,
        READ,
        WRITE,
        TRUNCATE,
        FORCE,
        MAKE_DIRECTORY,
        RENAME,
        DELETE,
        SYNC_DIRECTORY,
        LOCK
    }

    /** Does whatever it likes, the blocking of the thread included. */
    @FunctionalInterface
    interface Hook {
        void before(Kind kind, Path path);
    }

    private final Vfs vfs;
    private volatile Hook hook;

    HookedVfs(Vfs vfs, Hook hook) {
        this.vfs = vfs;
        this.hook = hook;
    }

    void setHook(Hook newHook) {
        hook = newHook;
    }

    private void before(Kind kind, Path path) {
        hook.before(kind, path);
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode == OpenMode.CREATE) {
            before(Kind.CREATE, file);
        }
        return new HookedFile(vfs.open(file, mode));
    }

    @Override
    public boolean exists(Path path) {
        return vfs.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return vfs.isDirectory(path);
    }

    @Override
    public List<String> list(Path directory) {
        return vfs.list(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        before(Kind.MAKE_DIRECTORY, directory);
        vfs.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        before(Kind.RENAME, to);
        vfs.rename(from, to);
    }

    @Override
    public void delete(Path path) {
        before(Kind.DELETE, path);
        vfs.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        before(Kind.DELETE, path);
        return vfs.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        before(Kind.SYNC_DIRECTORY, directory);
        vfs.syncDirectory(directory);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        before(Kind.LOCK, lockFile);
        return vfs.lock(lockFile);
    }

    @Override
    public BackgroundTask start(String name, Runnable task) {
        return vfs.start(name, task);
    }

    @Override
    public boolean mapsSafely(Path directory) {
        return vfs.mapsSafely(directory);
    }

    private final class HookedFile implements VfsFile {
        private final VfsFile file;

        HookedFile(VfsFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            before(Kind.READ, file.path());
            return file.read(dst, position);
        }

        @Override
        public void write(ByteBuffer src, long position) {
            before(Kind.WRITE, file.path());
            file.write(src, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long bytes) {
            before(Kind.TRUNCATE, file.path());
            file.truncate(bytes);
        }

        @Override
        public void force() {
            before(Kind.FORCE, file.path());
            file.force();
        }

        @Override
        public ByteBuffer map(long bytes) {
            return file.map(bytes);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
