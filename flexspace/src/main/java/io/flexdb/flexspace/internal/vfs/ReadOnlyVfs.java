package io.flexdb.flexspace.internal.vfs;

import java.nio.file.Path;

/**
 * Files for somebody who changes none: every file is opened for reading, whatever is asked for, and what would change a
 * name fails. So whoever reads beside a writer needs no right to write, and can't do harm by mistake.
 */
public final class ReadOnlyVfs extends ForwardingVfs {
    /** @param vfs has the files */
    public ReadOnlyVfs(Vfs vfs) {
        super(vfs);
    }

    private static UnsupportedOperationException refusal(Path path) {
        return new UnsupportedOperationException("a reader changes nothing: " + path);
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        if (mode == OpenMode.CREATE) {
            throw refusal(file);
        }
        return super.open(file, OpenMode.READ);
    }

    @Override
    public void createDirectories(Path directory) {
        throw refusal(directory);
    }

    @Override
    public void rename(Path from, Path to) {
        throw refusal(from);
    }

    @Override
    public boolean link(Path file, Path name) {
        throw refusal(name);
    }

    @Override
    public void delete(Path path) {
        throw refusal(path);
    }

    @Override
    public boolean deleteIfExists(Path path) {
        throw refusal(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        throw refusal(directory);
    }

    @Override
    public VfsLock lock(Path lockFile) {
        throw refusal(lockFile);
    }
}
