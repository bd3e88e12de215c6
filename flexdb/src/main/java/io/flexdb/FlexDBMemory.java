package io.flexdb;

/**
 * The memory that a store holds, as of the moment at which {@link FlexDB#stats} was called: off-heap bytes by what they
 * are for, and their sum. Memory that the store no longer uses counts until the garbage collector has freed it. The
 * figures do not change afterwards, so any thread may read them.
 *
 * <p>Later releases add figures. Only the library implements this interface.
 */
public sealed interface FlexDBMemory permits Figures.Memory {
    /** Bytes that all uses but the indexes share, see {@link FlexDBOptions#withMemoryBytes}. */
    long budgetBytes();

    /** Bytes of the cache: directories of intervals, and frames where the data file is not mapped. */
    long cacheBytes();

    /** Bytes of memtables that take writes, or wait for their commit. */
    long activeMemtableBytes();

    /** Bytes of memtables without entries, ready for use. */
    long spareMemtableBytes();

    /** Bytes of committed memtables that a reader, cursor or snapshot may still see. */
    long retiredMemtableBytes();

    /** Bytes of the sparse index: its nodes and keys. */
    long indexBytes();

    /** Bytes of range filters; 0 unless {@link FlexDBOptions#withRangeFilter} asks for them. */
    long filterBytes();

    /** Bytes of the FlexTree. */
    long treeBytes();

    /** Bytes of segments that are being filled and written. */
    long segmentBytes();

    /** Bytes of the buffers of reads under way and of cursors, and of those kept for later reads. */
    long readBytes();

    /** Bytes of the buffers of commits, logs and checkpoints. */
    long commitBytes();

    /** Bytes on the heap that grow with the data: checksums of frames. {@link #totalBytes} does not have them. */
    long heapBytes();

    /**
     * Bytes of write-ahead logs and of the data file that are mapped, whether they are in memory or not. They are the
     * operating system's page cache, which takes the memory back when it needs it. {@link #totalBytes} does not have
     * them.
     */
    long mappedBytes();

    /** Bytes of all memtables: active, spare and retired ones. */
    default long memtableBytes() {
        return activeMemtableBytes() + spareMemtableBytes() + retiredMemtableBytes();
    }

    /** Bytes of sparse index, range filters and FlexTree, which grow with the data and are not in the budget. */
    default long indexesBytes() {
        return indexBytes() + filterBytes() + treeBytes();
    }

    /** All off-heap bytes. */
    default long totalBytes() {
        return cacheBytes() + memtableBytes() + indexesBytes() + segmentBytes() + readBytes() + commitBytes();
    }
}
