package io.flexdb.flexspace;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** A space as a file; see {@link FlexSpace#openChannel}. */
final class FlexSpaceChannel implements SeekableByteChannel {
    private final FlexSpaceReads reads;
    private final FlexSpaceChanges changes;
    private final boolean writable;
    private final ReentrantLock positionLock = new ReentrantLock();
    private long position;
    private volatile boolean closed;

    FlexSpaceChannel(FlexSpaceReads reads, FlexSpaceChanges changes, boolean writable) {
        this.reads = reads;
        this.changes = changes;
        this.writable = writable;
    }

    @Override
    public int read(ByteBuffer dst) throws ClosedChannelException {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("dst is read-only, nothing can be read into it");
        }
        positionLock.lock();
        try {
            checkOpen();
            int read = dst.hasRemaining() ? reads.readUpToEnd(position, dst) : 0;
            position += Math.max(read, 0);
            return read;
        } finally {
            positionLock.unlock();
        }
    }

    @Override
    public int write(ByteBuffer src) throws ClosedChannelException {
        Objects.requireNonNull(src, "src");
        positionLock.lock();
        try {
            checkWritable();
            int length = src.remaining();
            if (length > 0) {
                changes.write(position, src);
            }
            position += length;
            return length;
        } finally {
            positionLock.unlock();
        }
    }

    @Override
    public long position() throws ClosedChannelException {
        positionLock.lock();
        try {
            checkOpen();
            return position;
        } finally {
            positionLock.unlock();
        }
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws ClosedChannelException {
        if (newPosition < 0) {
            throw new IllegalArgumentException("newPosition must not be negative: " + newPosition);
        }
        positionLock.lock();
        try {
            checkOpen();
            position = newPosition;
            return this;
        } finally {
            positionLock.unlock();
        }
    }

    @Override
    public long size() throws ClosedChannelException {
        checkOpen();
        return reads.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws ClosedChannelException {
        if (size < 0) {
            throw new IllegalArgumentException("size must not be negative: " + size);
        }
        positionLock.lock();
        try {
            checkWritable();
            changes.truncateIfLonger(size);
            position = Math.min(position, size);
            return this;
        } finally {
            positionLock.unlock();
        }
    }

    private void checkOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private void checkWritable() throws ClosedChannelException {
        checkOpen();
        if (!writable) {
            throw new NonWritableChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "FlexSpaceChannel[" + (writable ? "writable" : "read-only") + (closed ? ", closed]" : "]");
    }
}
