package io.flexdb;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.Version;

/**
 * What memory a store holds, as of one moment: off-heap bytes by what they are for, and their sum. What has been let go
 * of counts until the garbage collector has freed it.
 *
 * @param budgetBytes what all but the indexes share, see {@link FlexDBOptions#withMemoryBytes}
 * @param cacheBytes directories of intervals, and frames where the data file is not mapped
 * @param activeMemtableBytes memtables that take writes, or wait to be committed
 * @param spareMemtableBytes memtables without entries, ready for use
 * @param retiredMemtableBytes memtables committed that a reader, cursor or snapshot may still see
 * @param indexBytes the sparse index: its nodes and keys
 * @param filterBytes range filters, where {@link FlexDBOptions#withRangeFilter} wants them
 * @param treeBytes the FlexTree
 * @param segmentBytes segments that are being filled and written
 * @param readBytes buffers of reads under way, of cursors, and those kept for later reads
 * @param commitBytes buffers of commits, logs and checkpoints
 * @param heapBytes what is on the heap and grows with the data: checksums of frames. Not in {@code totalBytes}
 * @param mappedBytes write-ahead logs and parts of the data file that are mapped, whether they are in memory or not:
 *     the operating system's page cache, which it takes back when it needs to. Not in {@code totalBytes}
 */
public record FlexDBMemory(
        long budgetBytes,
        long cacheBytes,
        long activeMemtableBytes,
        long spareMemtableBytes,
        long retiredMemtableBytes,
        long indexBytes,
        long filterBytes,
        long treeBytes,
        long segmentBytes,
        long readBytes,
        long commitBytes,
        long heapBytes,
        long mappedBytes) {

    /** The figures of a store, within a short read of a version. */
    static FlexDBMemory of(Store store, Version now) {
        OffHeap memory = store.memory;
        long active = now.memtableBytes();
        long spare = store.memLogs.spareTableBytes();
        long memtables = memory.heldBytes(OffHeap.Use.MEMTABLES);
        return new FlexDBMemory(
                store.settings().memoryBytes,
                memory.heldBytes(OffHeap.Use.CACHE),
                active,
                spare,
                Math.max(0, memtables - active - spare),
                memory.heldBytes(OffHeap.Use.INDEX),
                memory.heldBytes(OffHeap.Use.FILTERS),
                memory.heldBytes(OffHeap.Use.TREE),
                memory.heldBytes(OffHeap.Use.SEGMENTS),
                memory.heldBytes(OffHeap.Use.READS) + store.engine.figures().scratchMemoryBytes(),
                memory.heldBytes(OffHeap.Use.COMMITS),
                store.engine.figures().checksumMemoryBytes(),
                store.memLogs.mappedBytes()
                        + now.mappedBytes()
                        + store.engine.figures().mappedBytes());
    }

    /** All memtables. */
    public long memtableBytes() {
        return activeMemtableBytes + spareMemtableBytes + retiredMemtableBytes;
    }

    /** Sparse index, range filters and FlexTree, which grow with the data, beside the budget. */
    public long indexesBytes() {
        return indexBytes + filterBytes + treeBytes;
    }

    /** All off-heap memory. */
    public long totalBytes() {
        return cacheBytes + memtableBytes() + indexesBytes() + segmentBytes + readBytes + commitBytes;
    }
}
