package io.flexdb.flexspace;

import io.flexdb.storage.StoreHealth;

/**
 * Figures of an open {@link FlexSpace}, as of the moment at which {@link FlexSpace#stats} was called. They do not change
 * afterwards, so any thread may read them. Counts, and bytes written, are since the space was opened. {@code toString()}
 * has a group on each line.
 *
 * <p>Later releases add figures and groups. Only the library implements this interface and those in it.
 */
public sealed interface FlexSpaceStats permits SpaceReports.Stats {
    /** Bytes of the address space. */
    long size();

    /** Whether the space takes changes and reads, and the failure that stopped it if it does not. */
    StoreHealth health();

    /** Whether JNA serves for file operations that the JDK lacks. */
    boolean nativeIo();

    /** The number of snapshots that are open. */
    int snapshots();

    /** The FlexTree. */
    Tree tree();

    /** The data file and its segments. */
    Data data();

    /** Bytes written, by kind of file. */
    Written written();

    /** Garbage collection. */
    Collection collection();

    /** Checkpoints of the FlexTree. */
    Checkpoints checkpoints();

    /** The cache of frames of the data file. */
    Cache cache();

    /** Segment buffers, which changes fill. */
    Buffers buffers();

    /** The scrub, which reads all data in the background to find damage. */
    Scrub scrub();

    /** Figures of the FlexTree. */
    sealed interface Tree permits SpaceReports.Tree {
        /** The number of extents. */
        long extents();

        /** Off-heap bytes of its nodes. */
        long memoryBytes();

        /** Bytes of those nodes that only snapshots, or readers of older versions, may still see. */
        long retiredBytes();
    }

    /** Figures of the data file. */
    sealed interface Data permits SpaceReports.Data {
        /** The number of segments. */
        int segments();

        /** The number of those segments that are free. */
        int freeSegments();

        /** The number of segments without live bytes that cannot be used again because of snapshots. */
        int pinnedSegments();

        /** Bytes of one segment. */
        int segmentBytes();

        /** Bytes of segments that the address space uses. */
        long liveBytes();

        /** Bytes that are mapped for reads; 0 if reads are system calls. */
        long mappedBytes();

        /** Off-heap bytes that reads use, or leave to the next ones. */
        long scratchBytes();

        /** Bytes of heap for checksums of frames. */
        long frameTableBytes();
    }

    /** Bytes written to files. */
    sealed interface Written permits SpaceReports.Written {
        /** Bytes written to the data file, those of garbage collection included. */
        long dataBytes();

        /** Bytes written to logical logs. */
        long logBytes();

        /** Bytes written to the FlexTree file. */
        long treeBytes();

        /** Bytes written to all files. */
        default long totalBytes() {
            return dataBytes() + logBytes() + treeBytes();
        }
    }

    /** Figures of garbage collection. */
    sealed interface Collection permits SpaceReports.Collection {
        /** Bytes moved. */
        long bytesMoved();

        /** Dead bytes of the segments that were emptied. */
        long bytesFreed();

        /** The number of segments that were emptied. */
        long segmentsFreed();

        /** The number of extents that were looked at. */
        long extentsScanned();
    }

    /** Figures of checkpoints. */
    sealed interface Checkpoints permits SpaceReports.Checkpoints {
        /** The number of checkpoints made. */
        long count();

        /** How often a change waited for a checkpoint, because the logs had become as long as they may. */
        long waits();
    }

    /** Figures of the cache of frames. */
    sealed interface Cache permits SpaceReports.Cache {
        /** The number of frames that reads found in the cache. */
        long hits();

        /** The number of frames that reads found in the file only; 0 if there is no cache. */
        long misses();

        /** Off-heap bytes that the cache has taken. */
        long memoryBytes();
    }

    /** Figures of segment buffers. */
    sealed interface Buffers permits SpaceReports.Buffers {
        /** Off-heap bytes of all segment buffers. */
        long memoryBytes();

        /** Bytes of the buffers that wait to be used. */
        long freeBytes();

        /** How often a change waited for a reader of a segment buffer. */
        long waits();
    }

    /** Figures of the scrub. */
    sealed interface Scrub permits SpaceReports.Scrub {
        /** Bytes that the scrub has read, sound ones and damaged ones. */
        long bytes();

        /** How often the scrub has read everything. */
        long passes();

        /** The number of places that the scrub found damaged. A place counts again in each pass. */
        long findings();
    }
}
