package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** FlexSpace as what is measured. */
final class FlexAddressSpace implements AddressSpace {
    private final FlexSpace space;
    private final boolean barrierIsCheckpoint;

    /**
     * Measures this space, and closes it at the end.
     *
     * @param barrierIsCheckpoint whether a barrier writes the FlexTree, as in the paper, or the logical log alone
     */
    FlexAddressSpace(FlexSpace space, boolean barrierIsCheckpoint) {
        this.space = space;
        this.barrierIsCheckpoint = barrierIsCheckpoint;
    }

    @Override
    public void insert(long logicalOffset, ByteBuffer buffer) {
        space.insertRange(logicalOffset, buffer);
    }

    @Override
    public void write(long logicalOffset, ByteBuffer buffer) {
        space.write(logicalOffset, buffer);
    }

    @Override
    public void read(long logicalOffset, ByteBuffer buffer) {
        space.read(logicalOffset, buffer);
    }

    @Override
    public void barrier() {
        if (barrierIsCheckpoint) {
            space.checkpoint();
        } else {
            space.sync();
        }
    }

    @Override
    public long size() {
        return space.size();
    }

    @Override
    public OptionalLong bytesWritten() {
        return OptionalLong.of(space.stats().written().totalBytes());
    }

    @Override
    public void close() {
        space.close();
    }
}
