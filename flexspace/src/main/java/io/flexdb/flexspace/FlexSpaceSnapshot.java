package io.flexdb.flexspace;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The contents of a {@link FlexSpace} at one moment. Any thread may call any method; reads take no lock.
 *
 * <p>Until it is closed, the disk that it needs is not used again, and the nodes of the FlexTree stay in memory; see
 * {@link FlexSpaceStats.Data#pinnedSegments()}. It does not outlive the space, nor does it survive a crash. After either has
 * been closed, reading throws {@link StoreClosedException}; reads under way finish.
 */
public final class FlexSpaceSnapshot implements AutoCloseable {
    private final FlexSpaceAccess access;
    private final FlexSpaceReads reads;
    private final FlexTreeView view;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger holders = new AtomicInteger(1); // reads under way, and whoever has to close it

    /** Pins what there is now, as the last thing: nothing can fail then that would leave the pin behind. */
    FlexSpaceSnapshot(FlexSpaceAccess access, FlexSpaceReads reads) {
        this.access = access;
        this.reads = reads;
        this.view = access.pin();
    }

    /**
     * Reads bytes into a buffer, which is filled.
     *
     * @throws IndexOutOfBoundsException if the snapshot ends before the buffer is full
     */
    public void read(long logicalOffset, ByteBuffer buffer) {
        hold();
        try {
            reads.read(view, logicalOffset, buffer);
        } finally {
            release();
        }
    }

    /**
     * Reads from the beginning of the extent that a byte lies in, as far as the buffer has room. See
     * {@link FlexSpace#readExtent} for the errors.
     *
     * @param logicalOffset from 0 to before {@link #size()}
     * @param buffer takes the bytes, from its position on
     * @return where the extent begins, and its length
     */
    public FlexSpace.Extent readExtent(long logicalOffset, ByteBuffer buffer) {
        hold();
        try {
            return reads.readExtent(view, logicalOffset, buffer, FlexSpace.Extent::new);
        } finally {
            release();
        }
    }

    /** Bytes of the address space. */
    public long size() {
        if (closed.get()) {
            throw new StoreClosedException("the snapshot");
        }
        access.checkReadable();
        return view.size();
    }

    /** The last user unpins the view: a read that has begun must not lose it. */
    private void hold() {
        int before = holders.get();
        while (!closed.get() && before > 0) {
            if (holders.compareAndSet(before, before + 1)) {
                return;
            }
            before = holders.get();
        }
        throw new StoreClosedException("the snapshot");
    }

    private void release() {
        if (holders.decrementAndGet() == 0) {
            access.unpin(view);
        }
    }

    /** Lets go what only this snapshot needs. Closing again does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    @Override
    public String toString() {
        return "FlexSpaceSnapshot[size=" + view.size() + (closed.get() ? ", closed]" : "]");
    }
}
