package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** The reads of a {@link FlexSpace}, of its snapshots and channels: each in an epoch, on one view. Thread-safe. */
final class FlexSpaceReads {
    /*
     * Nothing stands between entering an epoch and the try that leaves it: a space waits for ever to be closed if one
     * is left behind. Allocations, which may fail, are made before.
     */
    private final FlexSpaceAccess access;
    private final SpaceReads reads;
    private final StripedPool<ExtentCursor> cursors;

    FlexSpaceReads(FlexSpaceAccess access, SpaceEngine engine) {
        this(access, engine, ExtentCursor::new);
    }

    FlexSpaceReads(FlexSpaceAccess access, SpaceEngine engine, Supplier<ExtentCursor> newCursor) {
        this.access = access;
        this.reads = engine.reads();
        this.cursors = new StripedPool<>(newCursor);
    }

    /** Bytes that are there now. */
    long size() {
        int ticket = access.enterRead();
        try {
            return access.published().size();
        } finally {
            access.exit(ticket);
        }
    }

    /** Reads from a view that is pinned, or, if it is null, what is there now. */
    void read(FlexTreeView pinned, long logicalOffset, ByteBuffer buffer) {
        int length = Arguments.writableLengthOf(buffer);
        int ticket = pinned == null ? access.enterRead() : access.enter();
        try {
            FlexTreeView view = pinned == null ? access.published() : pinned;
            Arguments.checkRange(logicalOffset, length, view.size());
            reads.read(view, logicalOffset, buffer, buffer.position(), length);
        } finally {
            access.exit(ticket);
        }
        buffer.position(buffer.limit());
    }

    /**
     * Reads what there is now, as much as the buffer takes.
     *
     * @return how many bytes, or -1 if there are none at the offset
     */
    int readUpToEnd(long logicalOffset, ByteBuffer buffer) {
        int length;
        int ticket = access.enterRead();
        try {
            FlexTreeView view = access.published();
            if (logicalOffset >= view.size()) {
                return -1;
            }
            length = (int) Math.min(buffer.remaining(), view.size() - logicalOffset);
            reads.read(view, logicalOffset, buffer, buffer.position(), length);
        } finally {
            access.exit(ticket);
        }
        buffer.position(buffer.position() + length);
        return length;
    }

    /** Makes what the caller returns of an extent. */
    interface ExtentFactory<T> {
        T create(long logicalOffset, long length);
    }

    /** Reads from the beginning of an extent, in a view that is pinned, or, if it is null, in what is there now. */
    <T> T readExtent(FlexTreeView pinned, long logicalOffset, ByteBuffer buffer, ExtentFactory<T> factory) {
        Arguments.writableLengthOf(buffer);
        ExtentCursor cursor = cursors.borrow(); // lost if the space is closed; there are others
        int ticket = pinned == null ? access.enterRead() : access.enter();
        try {
            FlexTreeView view = pinned == null ? access.published() : pinned;
            Arguments.checkRange(logicalOffset, 1, view.size());
            cursor.reset(view);
            cursor.seek(logicalOffset);
            int length = Math.min(cursor.length(), buffer.remaining());
            reads.readExtent(cursor, buffer, buffer.position(), length);
            buffer.position(buffer.position() + length);
            return factory.create(cursor.logicalOffset(), cursor.length());
        } finally {
            access.exit(ticket);
            cursors.giveBack(cursor);
        }
    }
}
