package io.flexdb;

import io.flexdb.flexspace.internal.engine.SpaceFigures;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.Version;
import io.flexdb.storage.StoreHealth;

/**
 * Figures of an open store, as of one moment. Counts and bytes written are since the store was opened.
 *
 * @param lastSequence the sequence number of the last visible write
 * @param durableSequence every write up to this one is durable
 * @param intervals intervals in the sparse index
 * @param coarseIntervals of these, those that are larger than they should be or have not been counted yet. After a
 *     crash all are; they are divided in spare time, within seconds, and those that are read first. One that can't be
 *     read stays
 * @param extents extents in the FlexTree
 * @param spaceBytes bytes of the address space, which are those of all pairs committed to it
 * @param segments segments in the data file
 * @param freeSegments segments that are free
 * @param diskBytes bytes of the data file's segments
 * @param walBytesWritten bytes written to write-ahead logs
 * @param dataBytesWritten bytes written to the data file
 * @param logBytesWritten bytes written to logical logs
 * @param treeBytesWritten bytes written to the FlexTree file
 * @param collectedBytes bytes moved by garbage collection
 * @param defragmentedBytes bytes of intervals that were written in one piece again because reads met them in many
 * @param checkpoints checkpoints of the FlexTree
 * @param cacheHits lookups of intervals that found their directory in the cache
 * @param cacheMisses lookups of intervals that did not
 * @param filteredReads lookups and seeks that the range filter has answered
 * @param failedMerges merges by commits for which the {@link MergeFunction} has failed, or there was no memory for the
 *     value: the operands wait in the pair
 * @param cacheMemoryBytes off-heap bytes of the cache: directories of intervals, and frames where the data file is not
 *     mapped
 * @param memtableMemoryBytes off-heap bytes of the memtables in use
 * @param treeMemoryBytes off-heap bytes of the FlexTree
 * @param indexMemoryBytes off-heap bytes of the sparse index
 * @param scrubbedBytes bytes that the scrub has read and verified, or found damaged
 * @param scrubPasses how often it has read everything
 * @param scrubFindings places that it found damaged, counted again in each pass
 * @param reads how the data file is read: what the options ask for may not be possible
 * @param health what the store still does
 * @param memory all memory by what it is for
 * @param holders the open snapshots, cursors and others that keep old versions
 */
public record FlexDBStats(
        long lastSequence,
        long durableSequence,
        long intervals,
        long coarseIntervals,
        long extents,
        long spaceBytes,
        int segments,
        int freeSegments,
        long diskBytes,
        long walBytesWritten,
        long dataBytesWritten,
        long logBytesWritten,
        long treeBytesWritten,
        long collectedBytes,
        long defragmentedBytes,
        long checkpoints,
        long cacheHits,
        long cacheMisses,
        long filteredReads,
        long failedMerges,
        long cacheMemoryBytes,
        long memtableMemoryBytes,
        long treeMemoryBytes,
        long indexMemoryBytes,
        long scrubbedBytes,
        long scrubPasses,
        long scrubFindings,
        Reads reads,
        StoreHealth health,
        FlexDBMemory memory,
        FlexDBHolders holders) {

    /** The figures of a store, within a short read of a version. */
    static FlexDBStats of(Store store, Version now, FlexDBHolders holders) {
        SpaceFigures space = store.engine.figures();
        return new FlexDBStats(
                store.visibleSequence(),
                store.sharedForce.durableSequence(),
                now.index().intervalCount(),
                store.intervals.coarseCount(),
                now.space().extentCount(),
                now.space().size(),
                space.segmentCount(),
                store.freeSegments(),
                (long) space.segmentCount() * store.engine.segmentBytes(),
                store.writer().walBytesWritten(),
                space.dataBytesWritten(),
                space.logBytesWritten(),
                space.treeBytesWritten(),
                space.bytesMoved(),
                store.defragmenter.bytesWritten(),
                space.checkpoints(),
                store.cache.hits(),
                store.cache.misses(),
                store.filters == null ? 0 : store.filters.answered(),
                store.commits.failedMerges(),
                store.cache.memoryBytes() + space.cacheBytes(),
                now.memtableBytes(),
                space.treeMemoryBytes(),
                store.index.memoryBytes(),
                store.engine.scrubber().bytesRead(),
                store.engine.scrubber().passes(),
                store.engine.scrubber().findingCount(),
                store.engine.reads().areMapped() ? Reads.MAPPED : Reads.POSITIONAL,
                store.health().current(),
                FlexDBMemory.of(store, now),
                holders);
    }

    /** Bytes written to all files. */
    public long bytesWritten() {
        return walBytesWritten + dataBytesWritten + logBytesWritten + treeBytesWritten;
    }
}
