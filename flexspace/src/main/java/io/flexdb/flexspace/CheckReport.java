package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.check.CheckResult;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a check of a {@link FlexSpace}. It does not change, so any thread may read it. {@code toString()} has the
 * figures on one line, then each finding on one.
 *
 * <p>Later releases may add figures. Only the library implements this interface and the one in it.
 */
public sealed interface CheckReport permits SpaceReports.Check {
    /** The number of findings that are listed. More of them, in a store damaged all over, would fill the memory. */
    int MAX_FINDINGS = CheckResult.MAX_FINDINGS;

    /** The damage and disorder found, at most {@link #MAX_FINDINGS}. The list can't be changed. */
    List<Finding> findings();

    /** The number of findings, those included that {@link #findings} leaves out. */
    long findingCount();

    /** Bytes of files that were read: verified, or found damaged. */
    long bytesRead();

    /** The number of extents in the FlexTree. */
    long extents();

    /** The number of segments with live data, all of which were read. */
    int segments();

    /** Whether nothing was found. */
    default boolean isSound() {
        return findingCount() == 0;
    }

    /** One thing that is not as it should be. */
    sealed interface Finding permits SpaceReports.Finding {
        /** The file, or the one from which the structure in memory came. */
        Path file();

        /** The byte in the file at which the damaged unit starts, from 0. */
        long position();

        /** The content that should be there, for a person to read. */
        String expected();

        /** The content that is there, for a person to read. */
        String found();
    }
}
