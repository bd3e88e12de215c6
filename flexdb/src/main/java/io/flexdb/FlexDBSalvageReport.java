package io.flexdb;

import io.flexdb.internal.tools.StoreSalvage;
import java.util.List;

/**
 * What a salvage has brought over, and what is lost.
 *
 * @param findings what is not as it should be, with the keys beside it where pairs are lost; the first 10,000
 * @param findingCount how many findings there were, those left out included
 * @param pairs pairs of the space that were brought over
 * @param lostBytes bytes of the space that were not
 * @param logWrites writes that were brought over from write-ahead logs, after the pairs
 * @param mayHoldRemovedPairs whether deleted pairs may be back, and values be earlier ones, or lack operands: if the
 *     FlexTree or a log is damaged
 * @param recoveredKeyspaces names of keyspaces of the new store that have lost their own, with all their pairs; a dropped
 *     one may be among them if {@code mayHoldRemovedPairs}
 */
public record FlexDBSalvageReport(
        List<FlexDBCheckReport.Finding> findings,
        long findingCount,
        long pairs,
        long lostBytes,
        long logWrites,
        boolean mayHoldRemovedPairs,
        List<String> recoveredKeyspaces) {

    /** Takes copies of the lists. */
    public FlexDBSalvageReport {
        findings = List.copyOf(findings);
        recoveredKeyspaces = List.copyOf(recoveredKeyspaces);
    }

    static FlexDBSalvageReport of(StoreSalvage.Result result) {
        return new FlexDBSalvageReport(
                result.problems().stream().map(FlexDBCheckReport::finding).toList(),
                result.problemCount(),
                result.pairs(),
                result.lostBytes(),
                result.writes(),
                result.mayHoldRemoved(),
                result.recoveredKeyspaces());
    }

    /** Whether everything was brought over. */
    public boolean isComplete() {
        return findingCount == 0;
    }

    /** The figures on one line, then each finding on one. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("FlexDBSalvageReport[findings=" + findingCount + ", pairs=" + pairs
                + ", lostBytes=" + lostBytes + ", logWrites=" + logWrites + ", mayHoldRemovedPairs="
                + mayHoldRemovedPairs + ", recoveredKeyspaces=" + recoveredKeyspaces + "]");
        findings.forEach(finding -> text.append('\n').append(finding));
        return text.toString();
    }
}
