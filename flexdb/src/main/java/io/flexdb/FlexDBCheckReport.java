package io.flexdb;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check of a {@link FlexDB}. It does not change, so any thread may read it. {@code toString()} has the
 * figures on one line, then each finding on one, and what to do.
 *
 * <p>Later releases may add figures. Only the library implements this interface and those in it.
 */
public sealed interface FlexDBCheckReport permits Reports.Check {
    /** The damage and disorder found; the first 10,000 or so. The list can't be changed. */
    List<Finding> findings();

    /** The number of findings, those included that {@link #findings} leaves out. */
    long findingCount();

    /** The sequence number of the last write that was visible when the check began. */
    long sequence();

    /** Bytes that were read: verified, or found damaged. */
    long bytesRead();

    /** The number of sound pairs in the address space. Pairs that only a memtable has do not count. */
    long pairs();

    /** The number of intervals in the sparse index. */
    long intervals();

    /** The number of extents in the FlexTree. */
    long extents();

    /** The number of segments with live data. */
    int segments();

    /** The number of writes in the write-ahead logs. */
    long logFrames();

    /** Whether nothing was found. */
    default boolean isSound() {
        return findingCount() == 0;
    }

    /** One thing that is not as it should be. */
    sealed interface Finding permits Reports.Finding {
        /** The file, or the one from which the structure in memory came. */
        Path file();

        /** The byte in the file at which the damaged unit starts, from 0. */
        long position();

        /** The content that should be there, for a person to read. */
        String expected();

        /** The content that is there, for a person to read. */
        String found();

        /** The keys of the pairs that are concerned; null if it is not pairs, or not known which. */
        @Nullable
        KeyRange keys();
    }

    /**
     * The keys between two others. Those two are sound and do not belong to the range; a range between a key and itself
     * is that key. Keys are as the store has them: those of a named keyspace, and those that begin with 0xFF, have up
     * to 7 bytes in front, see the file format.
     */
    sealed interface KeyRange permits Reports.KeyRange {
        /** The key before the range; null if the range has the first of all. A copy each time. */
        byte @Nullable [] after();

        /** The key behind the range; null if the range has the last of all. A copy each time. */
        byte @Nullable [] before();
    }
}
