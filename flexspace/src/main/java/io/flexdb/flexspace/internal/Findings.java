package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.CheckReport;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects what a check finds. For one thread. */
final class Findings {
    private final List<CheckReport.Finding> list = new ArrayList<>();
    private long count;

    void add(Path file, long position, String expected, String found) {
        count++;
        if (list.size() < CheckReport.MAX_FINDINGS) {
            list.add(new CheckReport.Finding(file, position, expected, found));
        }
    }

    void add(CorruptionException e) {
        add(e.file(), e.position(), e.expected(), e.found());
    }

    /** What has been found since the last time, and forgets it. */
    List<CheckReport.Finding> take() {
        List<CheckReport.Finding> taken = List.copyOf(list);
        list.clear();
        count = 0;
        return taken;
    }

    CheckReport report(long bytesRead, long extents, int segments) {
        return new CheckReport(list, count, bytesRead, extents, segments);
    }
}
