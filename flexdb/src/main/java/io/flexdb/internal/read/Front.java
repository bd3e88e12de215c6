package io.flexdb.internal.read;

import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Own writes in front of a version of the store: a memtable, and the runs that were spilled before it. Sources count
 * from the newest on. For one thread, and as long as nothing of it is dropped or cut.
 */
public final class Front {
    private final MemTable table; // null if nothing is in memory
    private final long sequence;
    private final SpilledRun[] runs;

    /**
     * A front.
     *
     * @param table entries above all in runs; null for none
     * @param sequence of the last one of them to show
     * @param oldestFirst the runs
     */
    public Front(MemTable table, long sequence, List<SpilledRun> oldestFirst) {
        this.table = table;
        this.sequence = sequence;
        this.runs = new SpilledRun[oldestFirst.size()];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = oldestFirst.get(runs.length - 1 - i);
        }
    }

    private int inMemory() {
        return table == null ? 0 : 1;
    }

    /** How many sources there are. */
    public int count() {
        return inMemory() + runs.length;
    }

    /** The number of the last entry of a source to show. */
    public long through(int source) {
        return source < inMemory() ? sequence : runs[source - inMemory()].through();
    }

    /** A cursor of a source, to be released. */
    public MemTableCursor cursor(int source) {
        if (source >= inMemory()) {
            return new SpilledCursor(runs[source - inMemory()]);
        }
        MemTableCursor cursor = new MemTableCursor();
        cursor.reset(table, sequence);
        return cursor;
    }

    /** The ranges that a source has deleted, or null. */
    public DeletedRanges ranges(int source) {
        return source < inMemory() ? table.ranges() : runs[source - inMemory()].ranges();
    }

    /** A memtable with what a source has of a key; as it is until the next lookup there. */
    public MemTable lookUp(int source, byte[] key, int length) {
        return source < inMemory() ? table : runs[source - inMemory()].lookUp(key, length);
    }

    /** All keys that ranges have deleted, whatever was put there later: from and to in turn, ascending, apart. */
    public List<byte[]> deletedRanges() {
        List<byte[][]> found = new ArrayList<>();
        for (int source = 0; source < count(); source++) {
            DeletedRanges ranges = ranges(source);
            for (int i = 0; ranges != null && i < ranges.count(); i++) {
                if (ranges.newest(i, through(source)) > 0) {
                    found.add(new byte[][] {ranges.start(i), ranges.end(i)});
                }
            }
        }
        found.sort(
                new Comparator<>() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public int compare(byte[][] a, byte[][] b) {
                        return Arrays.compareUnsigned(a[0], b[0]);
                    }
                });
        List<byte[]> joined = new ArrayList<>();
        for (byte[][] range : found) {
            int last = joined.size() - 1;
            if (last < 0 || Arrays.compareUnsigned(range[0], joined.get(last)) > 0) {
                joined.add(range[0]);
                joined.add(range[1]);
            } else if (Arrays.compareUnsigned(range[1], joined.get(last)) > 0) {
                joined.set(last, range[1]);
            }
        }
        return joined;
    }
}
