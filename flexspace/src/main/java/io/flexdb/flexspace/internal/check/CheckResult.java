package io.flexdb.flexspace.internal.check;

import java.util.List;

/**
 * The result of a check.
 *
 * @param findings the first ones
 * @param findingCount how many there are
 * @param bytesRead from all files
 * @param extents in the tree
 * @param segments with live bytes
 */
public record CheckResult(List<Finding> findings, long findingCount, long bytesRead, long extents, int segments) {
    /** Findings that are listed; a store that is damaged all over would otherwise fill the memory with them. */
    public static final int MAX_FINDINGS = 10_000;
}
