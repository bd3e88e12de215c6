package io.flexdb.files;

import io.flexdb.files.internal.RangeLocks;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;

/** A lock on a range of a file, which ends with its channel. */
final class FlexFileLock extends FileLock {
    private final RangeLocks locks;
    private volatile boolean released;

    FlexFileLock(FlexChannel channel, RangeLocks locks, long position, long size, boolean shared) {
        super(channel, position, size, shared);
        this.locks = locks;
    }

    @Override
    public boolean isValid() {
        return !released && acquiredBy().isOpen();
    }

    @Override
    public void release() throws IOException {
        if (!acquiredBy().isOpen()) {
            throw new ClosedChannelException();
        }
        released = true;
        locks.remove(this);
    }
}
