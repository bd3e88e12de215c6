package io.flexdb;

import io.flexdb.internal.open.Problem;
import io.flexdb.internal.open.StoreChecker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * What a check of a {@link FlexDB} has found.
 *
 * @param findings what is not as it should be; the first 10,000 or so
 * @param findingCount how many findings there were, those left out included
 * @param sequence the number of the last write that was visible when the check began
 * @param bytesRead bytes that were read and verified, or found damaged
 * @param pairs sound pairs in the space; what is in memtables alone is not counted
 * @param intervals of the sparse index
 * @param extents of the FlexTree
 * @param segments with live data
 * @param logFrames writes in the write-ahead logs
 */
public record FlexDBCheckReport(
        List<Finding> findings,
        long findingCount,
        long sequence,
        long bytesRead,
        long pairs,
        long intervals,
        long extents,
        int segments,
        long logFrames) {

    /**
     * Something that is not as it should be.
     *
     * @param file the file, or the one from which the structure in memory came
     * @param position the byte in the file at which the damaged unit starts
     * @param expected what should be there
     * @param found what is there
     * @param keys the pairs that are concerned; null if it is not pairs, or not known which
     */
    public record Finding(Path file, long position, String expected, String found, KeyRange keys) {
        @Override
        public String toString() {
            return file + " at " + position + ": expected " + expected + ", found " + found
                    + (keys == null ? "" : "; " + keys);
        }
    }

    /**
     * The pairs between two keys, which are sound themselves and do not belong to it; of one key if both are the same.
     * Keys are as the store has them: those of a named keyspace, and those that begin with 0xFF, have up to 7 bytes in
     * front, see the file format.
     *
     * @param after null: from the first of all on
     * @param before null: up to the last of all
     */
    public record KeyRange(byte[] after, byte[] before) {
        @Override
        public String toString() {
            return "pairs between " + (after == null ? "the first" : text(after)) + " and "
                    + (before == null ? "the last" : text(before));
        }

        private static String text(byte[] key) {
            StringBuilder text = new StringBuilder("\"");
            int length = Math.min(key.length, 64);
            for (char c : new String(key, 0, length, StandardCharsets.ISO_8859_1).toCharArray()) {
                if (c >= ' ' && c <= '~') {
                    text.append(c);
                } else {
                    text.append("\\x").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
                }
            }
            return text.append(length < key.length ? "\"..." : "\"").toString();
        }
    }

    /** Takes a copy of the list. */
    public FlexDBCheckReport {
        findings = List.copyOf(findings);
    }

    static FlexDBCheckReport of(StoreChecker.Result result) {
        return new FlexDBCheckReport(
                result.problems().stream().map(FlexDBCheckReport::finding).toList(),
                result.problemCount(),
                result.sequence(),
                result.bytesRead(),
                result.pairs(),
                result.intervals(),
                result.extents(),
                result.segments(),
                result.logFrames());
    }

    static Finding finding(Problem problem) {
        KeyRange keys = problem.pairs() ? new KeyRange(problem.keyBefore(), problem.keyAfter()) : null;
        return new Finding(problem.file(), problem.position(), problem.expected(), problem.found(), keys);
    }

    /** Whether nothing was found. */
    public boolean isSound() {
        return findingCount == 0;
    }

    /** The figures on one line, then each finding on one, and what to do. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("FlexDBCheckReport[findings=" + findingCount + ", sequence=" + sequence
                + ", bytesRead=" + bytesRead + ", pairs=" + pairs + ", intervals=" + intervals + ", extents=" + extents
                + ", segments=" + segments + ", logFrames=" + logFrames + "]");
        findings.forEach(finding -> text.append('\n').append(finding));
        if (!isSound()) {
            text.append("\nkeep a copy of the directory, and restore a backup or salvage what can be read");
        }
        return text.toString();
    }
}
