package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.internal.tree.NodeFormat;

/**
 * The counts of a space since it was opened, and the space and memory that it takes now: for statistics, nothing is
 * decided by it. By the writer where nothing else is said.
 */
public final class SpaceFigures {
    private final FlexTree tree;
    private final TreeFile treeFile;
    private final SegmentStore store;
    private final SpaceReads reads;
    private final GarbageCollector collector;
    private final SpaceDurability durability;

    SpaceFigures(
            FlexTree tree,
            TreeFile treeFile,
            SegmentStore store,
            SpaceReads reads,
            GarbageCollector collector,
            SpaceDurability durability) {
        this.tree = tree;
        this.treeFile = treeFile;
        this.store = store;
        this.reads = reads;
        this.collector = collector;
        this.durability = durability;
    }

    /** Bytes written to the data file. */
    public long dataBytesWritten() {
        return store.bytesWritten();
    }

    /** Bytes written to logical logs. */
    public long logBytesWritten() {
        return durability.logBytesWritten();
    }

    /** Bytes written to the FlexTree file. */
    public long treeBytesWritten() {
        return treeFile.bytesWritten();
    }

    /** Length of the logs that a recovery would read now. */
    public long logBytes() {
        return durability.logBytes();
    }

    /** Checkpoints made since opening. */
    public long checkpoints() {
        return durability.checkpoints();
    }

    /** How often a change waited for a checkpoint since opening, because of the length of the logs. */
    public long checkpointWaits() {
        return durability.checkpointWaits();
    }

    /** Bytes moved by garbage collection since opening. */
    public long bytesMoved() {
        return collector.bytesMoved();
    }

    /** Extents that garbage collection has looked at since opening. */
    public long extentsScanned() {
        return collector.extentsScanned();
    }

    /** Dead bytes of the segments that garbage collection has emptied since opening. */
    public long bytesFreed() {
        return collector.bytesFreed();
    }

    /** Segments that garbage collection has emptied since opening. */
    public long segmentsFreed() {
        return collector.segmentsFreed();
    }

    /** Frames that reads have found in the cache. */
    public long cacheHits() {
        return reads.cacheHits();
    }

    /** Frames that reads have looked for in the cache, and found in the file only. */
    public long cacheMisses() {
        return reads.cacheMisses();
    }

    /** Off-heap bytes of the cache. */
    public long cacheBytes() {
        return reads.cacheBytes();
    }

    /** Live bytes in segments. */
    public long liveBytes() {
        return store.liveBytes();
    }

    /** Segments in the data file. */
    public int segmentCount() {
        return store.segmentCount();
    }

    /** Extents in the tree, by the writer's state. */
    public long extentCount() {
        return tree.extentCount();
    }

    /** Off-heap bytes of the tree. */
    public long treeMemoryBytes() {
        return tree.memoryBytes();
    }

    /** Off-heap bytes of the nodes that the tree consists of, by the writer's state; a part of those of the tree. */
    public long nodeBytes() {
        return tree.nodeCount() * NodeFormat.NODE_BYTES;
    }

    /** Off-heap bytes of nodes that only readers of older versions may still see; a part of those of the tree. */
    public long retiredNodeBytes() {
        return tree.retiredNodeCount() * NodeFormat.NODE_BYTES;
    }

    /** Off-heap bytes of segment buffers, those that are free included. Any thread. */
    public long bufferMemoryBytes() {
        return store.buffers().memoryBytes();
    }

    /** Off-heap bytes of segment buffers that wait to be used. Any thread, for which it is about so many. */
    public long freeBufferBytes() {
        return store.buffers().freeBytes();
    }

    /** How often a change waited for a reader of a segment buffer since opening. */
    public long bufferWaits() {
        return store.buffers().waits();
    }

    /** Off-heap bytes that reads of the file use, or leave to the next ones. Any thread. */
    public long scratchMemoryBytes() {
        return reads.scratchBytes();
    }

    /** Bytes of the data file that are mapped for reads. Any thread. */
    public long mappedBytes() {
        return store.mappedBytes();
    }

    /** Bytes of checksums of frames on the heap. Any thread, for which it is about so many. */
    public long checksumMemoryBytes() {
        return store.frameTableBytes();
    }
}
