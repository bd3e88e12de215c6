package io.flexdb.flexspace.internal.check;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects what a check finds. For one thread. */
public final class Findings {
    private final List<Finding> list = new ArrayList<>();
    private long count;

    void add(Path file, long position, String expected, String found) {
        count++;
        if (list.size() < CheckResult.MAX_FINDINGS) {
            list.add(new Finding(file, position, expected, found));
        }
    }

    /** The text of a failure, by itself if it is one of damage. */
    void add(Path file, long position, String expected, StorageException e) {
        if (e instanceof CorruptionException corruption) {
            add(corruption);
        } else {
            add(file, position, expected, String.valueOf(e.getMessage()));
        }
    }

    void add(CorruptionException e) {
        add(e.file(), e.position(), e.expected(), e.found());
    }

    void add(Findings others) {
        for (Finding finding : others.list) {
            add(finding.file(), finding.position(), finding.expected(), finding.found());
        }
        count += others.count - others.list.size();
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Returns the findings since the last time, and forgets them. */
    List<Finding> take() {
        List<Finding> taken = List.copyOf(list);
        list.clear();
        count = 0;
        return taken;
    }

    public CheckResult result(long bytesRead, long extents, int segments) {
        return new CheckResult(List.copyOf(list), count, bytesRead, extents, segments);
    }
}
