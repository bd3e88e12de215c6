package io.flexdb.internal.open;

import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Problems found by a check or a salvage: all are counted, and the first are kept. For one thread at a time. */
public final class Problems {
    private static final int MOST_KEPT = 10_000;

    private final List<Problem> first = new ArrayList<>();
    private long count;

    /** Adds one. */
    public void add(Problem problem) {
        count++;
        if (first.size() < MOST_KEPT) {
            first.add(problem);
        }
    }

    /** Adds what was thrown when a file was read. */
    public void add(StorageException e, Path path, Problem.Keys keys) {
        add(Problem.of(e, path, keys));
    }

    /** Counts some that nobody has kept. */
    void count(long more) {
        count += more;
    }

    /** Those that are kept. */
    public List<Problem> first() {
        return List.copyOf(first);
    }

    /** How many there are. */
    public long count() {
        return count;
    }
}
