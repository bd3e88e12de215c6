package io.flexdb.internal.memlog;

import io.flexdb.internal.large.LargeValues;
import io.flexdb.internal.large.StagedRun;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalWriter;
import java.util.ArrayList;
import java.util.List;

/** A memtable and the log that has the same writes. */
public final class MemLog {
    public final MemTable table;
    public final WalWriter wal; // null for a reader beside the writer
    /** The id of the first version that lists it. */
    final long birth;

    private final List<StagedRun> runs = new ArrayList<>();
    private volatile long stagedBytes; // written under the write lock
    private volatile boolean mayBeRead; // by somebody who does not say so
    /** The epoch in which the versions ended that list it. */
    long retired = Long.MAX_VALUE;

    MemLog(MemTable table, WalWriter wal, long birth) {
        this.table = table;
        this.wal = wal;
        this.birth = birth;
    }

    /** A memtable of somebody who reads the logs that another process writes. */
    public static MemLog ofReader(MemTable table) {
        return new MemLog(table, null, 0);
    }

    /**
     * Has runs of large values stay until this is committed, as entries to come refer to them. Under the write lock,
     * before there is room for these entries: it may find no memory, and room that nobody fills can't be given back.
     */
    public void hold(List<StagedRun> more, LargeValues values) {
        for (int i = 0; i < more.size(); i++) {
            StagedRun run = more.get(i);
            if (!runs.contains(run)) {
                runs.add(run); // first: it is this that may fail
                values.hold(run);
            }
        }
    }

    /** Counts the records of entries that refer to runs. Under the write lock. */
    public void countStaged(long recordBytes) {
        stagedBytes += recordBytes;
    }

    /** Lets the runs go: no version lists this any more. When it is frozen. */
    public void letRunsGo(LargeValues values) {
        runs.forEach(values::release);
        runs.clear();
    }

    /** Bytes of records in the data file that it refers to, once and for each time that they were written. */
    public long stagedBytes() {
        return stagedBytes;
    }

    /** Has the memory of the table not be used again: only the garbage collector knows when nobody reads it. */
    public void keepMemoryFromUse() {
        mayBeRead = true;
    }

    boolean isMemoryKeptFromUse() {
        return mayBeRead;
    }

    /** Whether it takes no more writes. */
    public boolean isFrozen() {
        return table.lastSequence() != 0;
    }

    /** How full it is, from 0 to 1. Roughly, outside the write lock. */
    public double fillLevel() {
        return Math.max(table.fillLevel(), (double) wal.appendedPosition() / wal.capacity());
    }
}
