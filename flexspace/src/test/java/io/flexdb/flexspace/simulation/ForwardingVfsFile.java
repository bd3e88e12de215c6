package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Leaves everything to another file. {@link #readFully} reads by {@link #read}, so that overriding that one is enough.
 */
public class ForwardingVfsFile implements VfsFile {
    private final VfsFile file;

    /** @param file does what is asked for */
    public ForwardingVfsFile(VfsFile file) {
        this.file = file;
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public int read(ByteBuffer dst, long position) {
        return file.read(dst, position);
    }

    @Override
    public void prefetch(long position, long bytes) {
        file.prefetch(position, bytes);
    }

    @Override
    public void startWriting(long position, long bytes) {
        file.startWriting(position, bytes);
    }

    @Override
    public void write(ByteBuffer src, long position) {
        file.write(src, position);
    }

    @Override
    public int linkCount() {
        return file.linkCount();
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public void truncate(long bytes) {
        file.truncate(bytes);
    }

    @Override
    public void force() {
        file.force();
    }

    @Override
    public MappedFile map(long bytes) {
        return file.map(bytes);
    }

    @Override
    public MappedFile mapForReading(long position, long bytes) {
        return file.mapForReading(position, bytes);
    }

    @Override
    public void close() {
        file.close();
    }
}
