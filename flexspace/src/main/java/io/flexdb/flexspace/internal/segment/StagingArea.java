package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** The state that all {@link StagedBytes} of a data file share. Any thread, where nothing else is said. */
final class StagingArea {
    private final VfsFile file;
    private final SegmentFormat format;
    private final Epochs epochs;
    private final SegmentPlaces places;
    private final ChecksumCache checksums;
    private final OffHeap memory;
    private final ConcurrentLinkedQueue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<StagedBytes> givenBack = new ConcurrentLinkedQueue<>();
    private final LongAdder bytesWritten = new LongAdder();

    StagingArea(
            VfsFile file,
            SegmentFormat format,
            Epochs epochs,
            SegmentPlaces places,
            ChecksumCache checksums,
            OffHeap memory) {
        this.file = file;
        this.format = format;
        this.epochs = epochs;
        this.places = places;
        this.checksums = checksums;
        this.memory = memory;
    }

    StagedBytes begin() {
        return new StagedBytes(this);
    }

    VfsFile file() {
        return file;
    }

    SegmentFormat format() {
        return format;
    }

    /**
     * A segment to be filled.
     *
     * <p>Who holds an address without a version has found it in something that the version published last has, and
     * pins that one or a later one. So it is from there on that the segment is kept for those who pin.
     */
    Segment openSegment() {
        return places.openStaged(epochs.publishedVersion());
    }

    void count(Segment segment, int bytes) {
        places.countUnlinked(segment, bytes);
    }

    void sealed(Segment segment) {
        segment.usedBytes = format.dataBytes;
        checksums.sealed(segment);
        segment.goTo(Segment.State.SEALING);
        segment.goTo(Segment.State.SEALED);
    }

    ByteBuffer takeBuffer() {
        ByteBuffer buffer = buffers.poll();
        if (buffer != null) {
            return buffer;
        }
        int bytes = Math.max(format.frameBytes, Math.min(StagedBytes.BUFFER_BYTES, format.segmentBytes));
        return memory.allocate(OffHeap.Use.SEGMENTS, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void giveBackBuffer(ByteBuffer buffer) {
        buffers.add(buffer);
    }

    void wrote(int bytes) {
        bytesWritten.add(bytes);
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    void giveBack(StagedBytes closed) {
        givenBack.add(closed);
    }

    /** The next of those that were given back, for the writer; null if there is none. */
    StagedBytes nextGivenBack() {
        return givenBack.poll();
    }
}
