package io.flexdb.internal.read;

import io.flexdb.internal.mem.DeletedRanges;
import java.util.ArrayList;
import java.util.List;

/** Makes one run of several. For one thread, once. */
final class RunJoin {
    /*
     * A key's entries come together from all runs, from the newest back, and what nobody asks for stays behind: whatever
     * is below what sets or removes the key, unless somebody may go back to where that is not there yet.
     */
    private final SpilledCursor[] sources; // the newest first
    private final SpillWriter out;

    private RunJoin(List<SpilledRun> oldestFirst, SpillWriter out) {
        this.out = out;
        this.sources = new SpilledCursor[oldestFirst.size()];
    }

    /** Does it; returns false if a key would have more than a block should: then the runs are to stay as they are. */
    static boolean join(List<SpilledRun> oldestFirst, SpillWriter out) {
        RunJoin join = new RunJoin(oldestFirst, out);
        try {
            for (int i = 0; i < join.sources.length; i++) {
                join.sources[i] = new SpilledCursor(oldestFirst.get(join.sources.length - 1 - i));
                join.sources[i].seekToFirst();
            }
            return join.joinKeys();
        } finally {
            join.release();
        }
    }

    private boolean joinKeys() {
        for (int first = first(); first >= 0; first = first()) {
            SpilledCursor newest = sources[first];
            out.beginKey(newest.table(), newest.ref());
            boolean fits = out.addVersions(newest.table(), newest.ref());
            for (int i = first + 1; i < sources.length && fits; i++) {
                SpilledCursor older = sources[i];
                if (older.isValid() && compare(i, first) == 0) {
                    fits = out.addVersions(older.table(), older.ref());
                    older.next();
                }
            }
            if (!fits) {
                return false;
            }
            out.endKey();
            newest.next(); // last, as it has the key
        }
        return true;
    }

    /** The newest source with the lowest key; -1 if all have ended. */
    private int first() {
        int first = -1;
        for (int i = 0; i < sources.length; i++) {
            if (sources[i].isValid() && (first < 0 || compare(i, first) < 0)) {
                first = i;
            }
        }
        return first;
    }

    private int compare(int a, int b) {
        return FrontCursor.compareKeys(sources[a], sources[b]);
    }

    private void release() {
        for (SpilledCursor source : sources) {
            if (source != null) {
                source.release();
            }
        }
    }

    /** The ranges that runs have deleted, or null. */
    static DeletedRanges joinRanges(List<SpilledRun> runs, Marks marks) {
        List<DeletedRanges> all = new ArrayList<>();
        List<Long> through = new ArrayList<>();
        for (SpilledRun run : runs) {
            if (run.ranges() != null) {
                all.add(run.ranges());
                through.add(run.through());
            }
        }
        return DeletedRanges.join(all, through, marks::divide);
    }
}
