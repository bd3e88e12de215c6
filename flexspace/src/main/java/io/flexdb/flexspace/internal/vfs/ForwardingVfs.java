package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;
import java.util.List;

/** Leaves everything to another file system. Override an operation to see or change it. */
public class ForwardingVfs implements Vfs {
    private final Vfs vfs;

    /** @param vfs does what is asked for */
    public ForwardingVfs(Vfs vfs) {
        this.vfs = vfs;
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        return vfs.open(file, mode);
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
    public boolean isPlainDirectory(Path path) {
        return vfs.isPlainDirectory(path);
    }

    @Override
    public boolean isPlainFile(Path path) {
        return vfs.isPlainFile(path);
    }

    @Override
    public boolean isReadOnly(Path path) {
        return vfs.isReadOnly(path);
    }

    @Override
    public List<String> list(Path directory) {
        return vfs.list(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        vfs.createDirectories(directory);
    }

    @Override
    public void grant(Path directory) {
        vfs.grant(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        vfs.rename(from, to);
    }

    @Override
    public boolean replacesOpenFiles() {
        return vfs.replacesOpenFiles();
    }

    @Override
    public boolean link(Path file, Path name) {
        return vfs.link(file, name);
    }

    @Override
    public void delete(Path path) {
        vfs.delete(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        return vfs.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        vfs.syncDirectory(directory);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        return vfs.lock(lockFile);
    }

    @Override
    public void letGo(Path directory) {
        vfs.letGo(directory);
    }

    @Override
    public BackgroundTask start(String name, Runnable task) {
        return vfs.start(name, task);
    }

    @Override
    public BackgroundWorker worker(String name) {
        return vfs.worker(name);
    }

    @Override
    public boolean mapsSafely(Path directory) {
        return vfs.mapsSafely(directory);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + vfs + "]";
    }
}
