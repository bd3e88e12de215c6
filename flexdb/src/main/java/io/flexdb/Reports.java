package io.flexdb;

import io.flexdb.internal.open.Problem;
import io.flexdb.internal.open.StoreChecker;
import io.flexdb.internal.tools.StoreSalvage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The public reports of checks, salvages and backups: records, which callers see as interfaces only, so that a figure
 * more breaks nobody.
 */
final class Reports {
    private Reports() {}

    static FlexDBCheckReport checked(StoreChecker.Result result) {
        StoreChecker.Counted counted = result.counted();
        return new Check(
                findings(result.problems().first()),
                result.problems().count(),
                result.sequence(),
                result.bytesRead(),
                counted.pairs(),
                counted.intervals(),
                counted.extents(),
                counted.segments(),
                counted.logFrames());
    }

    static FlexDBSalvageReport salvaged(StoreSalvage.Result result) {
        return new Salvage(
                findings(result.problems().first()),
                result.problems().count(),
                result.pairs(),
                result.lostBytes(),
                result.writes(),
                result.mayHoldRemoved(),
                List.copyOf(result.recoveredKeyspaces()));
    }

    static List<FlexDBCheckReport.Finding> findings(List<Problem> problems) {
        return problems.stream().map(Reports::finding).toList();
    }

    static FlexDBCheckReport.Finding finding(Problem problem) {
        Problem.Keys pairs = problem.keys();
        KeyRange keys = pairs == null ? null : new KeyRange(pairs.before(), pairs.after());
        return new Finding(problem.file(), problem.position(), problem.expected(), problem.found(), keys);
    }

    record Check(
            List<FlexDBCheckReport.Finding> findings,
            long findingCount,
            long sequence,
            long bytesRead,
            long pairs,
            long intervals,
            long extents,
            int segments,
            long logFrames)
            implements FlexDBCheckReport {
        @Override
        public String toString() {
            StringBuilder text =
                    new StringBuilder("FlexDBCheckReport[findings=" + findingCount + ", sequence=" + sequence
                            + ", bytesRead=" + bytesRead + ", pairs=" + pairs + ", intervals=" + intervals
                            + ", extents=" + extents + ", segments=" + segments + ", logFrames=" + logFrames + "]");
            findings.forEach(finding -> text.append('\n').append(finding));
            if (!isSound()) {
                text.append("\nkeep a copy of the directory, and restore a backup or salvage what can be read");
            }
            return text.toString();
        }
    }

    record Finding(Path file, long position, String expected, String found, FlexDBCheckReport.KeyRange keys)
            implements FlexDBCheckReport.Finding {
        @Override
        public String toString() {
            return file + " at " + position + ": expected " + expected + ", found " + found
                    + (keys == null ? "" : "; " + keys);
        }
    }

    record KeyRange(byte[] after, byte[] before) implements FlexDBCheckReport.KeyRange {
        @Override
        public byte[] after() {
            return after == null ? null : after.clone();
        }

        @Override
        public byte[] before() {
            return before == null ? null : before.clone();
        }

        @Override
        public String toString() {
            return "pairs between " + (after == null ? "the first" : text(after)) + " and "
                    + (before == null ? "the last" : text(before));
        }
    }

    record Salvage(
            List<FlexDBCheckReport.Finding> findings,
            long findingCount,
            long pairs,
            long lostBytes,
            long logWrites,
            boolean mayHoldRemovedPairs,
            List<String> recoveredKeyspaces)
            implements FlexDBSalvageReport {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("FlexDBSalvageReport[findings=" + findingCount + ", pairs=" + pairs
                    + ", lostBytes=" + lostBytes + ", logWrites=" + logWrites + ", mayHoldRemovedPairs="
                    + mayHoldRemovedPairs + ", recoveredKeyspaces=" + recoveredKeyspaces + "]");
            findings.forEach(finding -> text.append('\n').append(finding));
            return text.toString();
        }
    }

    record LostRange(String keyspace, byte[] from, byte[] to, long salvage) implements FlexDBSalvage.LostRange {
        @Override
        public byte[] from() {
            return from.clone();
        }

        @Override
        public byte[] to() {
            return to == null ? null : to.clone();
        }

        @Override
        public String toString() {
            return "LostRange[keyspace=\"" + keyspace + "\", from=" + text(from) + ", to="
                    + (to == null ? "the last" : text(to)) + ", salvage=" + salvage + "]";
        }
    }

    record Backup(long id, Instant time, long sequence, long bytes, long newBytes, FlexDBCheckReport.Finding damage)
            implements FlexDBBackups.Backup {}

    record Retention(List<Long> kept, List<Long> deleted, Map<Long, List<FlexDBCheckReport.Finding>> damaged)
            implements FlexDBBackups.Retention {}

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
