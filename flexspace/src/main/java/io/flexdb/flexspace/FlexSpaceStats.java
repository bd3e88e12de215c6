package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.engine.SpaceFigures;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import io.flexdb.storage.StoreHealth;

/**
 * Figures of an open {@link FlexSpace}, as of one moment. Bytes written count since the space was opened.
 *
 * @param size bytes of the address space
 * @param extents extents in the FlexTree
 * @param liveBytes bytes of segments that the address space uses
 * @param segments segments in the data file
 * @param freeSegments segments that are free
 * @param segmentBytes bytes of a segment
 * @param dataBytesWritten bytes written to the data file
 * @param logBytesWritten bytes written to logical logs
 * @param treeBytesWritten bytes written to the FlexTree file
 * @param bytesMoved bytes moved by garbage collection
 * @param extentsScanned extents that garbage collection looked at
 * @param bytesFreed dead bytes of the segments that garbage collection emptied
 * @param segmentsFreed segments that garbage collection emptied
 * @param checkpoints checkpoints made
 * @param checkpointWaits how often a change waited for one, because the logs had become as long as they may
 * @param treeMemoryBytes off-heap bytes of the FlexTree
 * @param snapshots snapshots that are open
 * @param pinnedSegments segments without live bytes that cannot be used again because of them
 * @param scrubbedBytes bytes that the scrub has read and verified, or found damaged
 * @param scrubPasses how often it has read everything
 * @param scrubFindings places that it found damaged, counted again in each pass
 * @param cacheHits frames that reads found in the cache
 * @param cacheMisses frames that reads found in the file only; 0 if there is no cache
 * @param cacheBytes off-heap bytes that the cache has taken
 * @param retiredNodeBytes those of its nodes that only readers of older versions, or snapshots, may still see
 * @param bufferBytes off-heap bytes of segment buffers
 * @param freeBufferBytes those of them that wait to be used
 * @param bufferWaits how often a change waited for a reader of a segment buffer
 * @param scratchBytes off-heap bytes that reads of the data file use, or leave to the next ones
 * @param mappedBytes bytes of the data file that are mapped for reads; 0 if system calls are used
 * @param frameTableBytes bytes of heap for checksums of the data file
 * @param nativeIo whether JNA serves for what the JDK lacks
 * @param health what the space still does
 */
public record FlexSpaceStats(
        long size,
        long extents,
        long liveBytes,
        int segments,
        int freeSegments,
        int segmentBytes,
        long dataBytesWritten,
        long logBytesWritten,
        long treeBytesWritten,
        long bytesMoved,
        long extentsScanned,
        long bytesFreed,
        long segmentsFreed,
        long checkpoints,
        long checkpointWaits,
        long treeMemoryBytes,
        int snapshots,
        int pinnedSegments,
        long scrubbedBytes,
        long scrubPasses,
        long scrubFindings,
        long cacheHits,
        long cacheMisses,
        long cacheBytes,
        long retiredNodeBytes,
        long bufferBytes,
        long freeBufferBytes,
        long bufferWaits,
        long scratchBytes,
        long mappedBytes,
        long frameTableBytes,
        boolean nativeIo,
        StoreHealth health) {

    /** The figures of an engine, by its writer. */
    static FlexSpaceStats of(SpaceEngine engine, int snapshots) {
        SpaceFigures figures = engine.figures();
        return new FlexSpaceStats(
                engine.size(),
                figures.extentCount(),
                figures.liveBytes(),
                figures.segmentCount(),
                engine.freeSegmentCount(),
                engine.segmentBytes(),
                figures.dataBytesWritten(),
                figures.logBytesWritten(),
                figures.treeBytesWritten(),
                figures.bytesMoved(),
                figures.extentsScanned(),
                figures.bytesFreed(),
                figures.segmentsFreed(),
                figures.checkpoints(),
                figures.checkpointWaits(),
                figures.treeMemoryBytes(),
                snapshots,
                engine.pinnedSegmentCount(),
                engine.scrubber().bytesRead(),
                engine.scrubber().passes(),
                engine.scrubber().findingCount(),
                figures.cacheHits(),
                figures.cacheMisses(),
                figures.cacheBytes(),
                figures.retiredNodeBytes(),
                figures.bufferMemoryBytes(),
                figures.freeBufferBytes(),
                figures.bufferWaits(),
                figures.scratchMemoryBytes(),
                figures.mappedBytes(),
                figures.checksumMemoryBytes(),
                NativeIo.isAvailable(),
                engine.health().current());
    }
}
