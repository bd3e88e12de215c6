package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.check.CheckResult;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a check of a {@link FlexSpace}.
 *
 * @param findings what is not as it should be, at most {@link #MAX_FINDINGS}
 * @param findingCount how many findings there were, those left out included
 * @param bytesRead bytes of files that were read and verified, or found damaged
 * @param extents extents of the FlexTree
 * @param segments segments that hold live data, all of which were read
 */
public record CheckReport(List<Finding> findings, long findingCount, long bytesRead, long extents, int segments) {
    /** Findings that are listed; a store that is damaged all over would otherwise fill the memory with them. */
    public static final int MAX_FINDINGS = CheckResult.MAX_FINDINGS;

    /**
     * Something that is not as it should be.
     *
     * @param file the file, or the one from which the structure in memory came
     * @param position the byte in the file at which the damaged unit starts
     * @param expected what should be there
     * @param found what is there
     */
    public record Finding(Path file, long position, String expected, String found) {}

    /** Takes a copy of the list. */
    public CheckReport {
        findings = List.copyOf(findings);
    }

    /** Whether nothing was found. */
    public boolean isSound() {
        return findingCount == 0;
    }

    /** The figures on one line, then each finding on one. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("CheckReport[findings=" + findingCount + ", bytesRead=" + bytesRead
                + ", extents=" + extents + ", segments=" + segments + "]");
        for (Finding finding : findings) {
            text.append('\n').append(finding.file).append(" at ").append(finding.position);
            text.append(": expected ")
                    .append(finding.expected)
                    .append(", found ")
                    .append(finding.found);
        }
        return text.toString();
    }
}
