package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Knows which files have not been closed. */
final class CountingVfs implements Vfs {
    private final Vfs vfs;
    private final Set<VfsFile> open = Collections.newSetFromMap(new IdentityHashMap<>());

    CountingVfs(Vfs vfs) {
        this.vfs = vfs;
    }

    int openFiles() {
        return open.size();
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        VfsFile opened = vfs.open(file, mode);
        open.add(opened);
        return (VfsFile) Proxy.newProxyInstance(
                VfsFile.class.getClassLoader(), new Class<?>[] {VfsFile.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        open.remove(opened);
                    }
                    try {
                        return method.invoke(opened, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
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
        vfs.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        vfs.rename(from, to);
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
    public BackgroundTask start(String name, Runnable task) {
        return vfs.start(name, task);
    }

    @Override
    public boolean mapsSafely(Path directory) {
        return vfs.mapsSafely(directory);
    }
}
