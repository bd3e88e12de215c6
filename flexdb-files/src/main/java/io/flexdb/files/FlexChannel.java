package io.flexdb.files;

import io.flexdb.files.internal.FileContent;
import io.flexdb.files.internal.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;

/** An open file. What is written is in the store when the call returns, for all to see. Threads take turns. */
final class FlexChannel implements SeekableByteChannel {
    private final FlexFileSystem fileSystem;
    private final FileContent content;
    private final OpenFile file;
    private final OpenFlags flags;
    private long position;
    private volatile boolean open = true;

    FlexChannel(FlexFileSystem fileSystem, FileContent content, OpenFile file, OpenFlags flags) {
        this.fileSystem = fileSystem;
        this.content = content;
        this.file = file;
        this.flags = flags;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    private void requireWritable() throws ClosedChannelException {
        requireOpen();
        if (!flags.write()) {
            throw new NonWritableChannelException();
        }
    }

    @Override
    public synchronized int read(ByteBuffer to) throws IOException {
        Objects.requireNonNull(to, "to");
        requireOpen();
        if (!flags.read()) {
            throw new NonReadableChannelException();
        }
        if (to.isReadOnly()) {
            throw new IllegalArgumentException("to must not be read-only");
        }
        if (!to.hasRemaining()) {
            return 0;
        }
        int count = content.read(file, position, to);
        position += Math.max(0, count);
        return count;
    }

    @Override
    public synchronized int write(ByteBuffer from) throws IOException {
        Objects.requireNonNull(from, "from");
        requireWritable();
        int count = from.remaining();
        if (count > 0) {
            position = content.write(file, flags.append() ? -1 : position, from, flags.atLeast());
        }
        return count;
    }

    @Override
    public synchronized long position() throws IOException {
        requireOpen();
        return flags.append() ? content.size(file) : position;
    }

    @Override
    public synchronized SeekableByteChannel position(long newPosition) throws IOException {
        requireOpen();
        if (newPosition < 0) {
            throw new IllegalArgumentException("newPosition must not be negative: " + newPosition);
        }
        position = newPosition;
        return this;
    }

    @Override
    public synchronized long size() throws IOException {
        requireOpen();
        return content.size(file);
    }

    @Override
    public synchronized SeekableByteChannel truncate(long size) throws IOException {
        if (size < 0) {
            throw new IllegalArgumentException("size must not be negative: " + size);
        }
        requireWritable();
        content.truncate(file, size, flags.atLeast());
        position = Math.min(position, size);
        return this;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Closes it without deleting the file. */
    synchronized void release() throws IOException {
        if (open) {
            open = false;
            content.close(file);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        fileSystem.closed(this);
        try {
            if (flags.deleteOnClose()) {
                content.delete(file);
            }
        } finally {
            content.close(file);
        }
    }
}
