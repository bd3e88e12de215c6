package io.flexdb.internal.log;

import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.StagedRun;
import java.util.ArrayList;
import java.util.List;

/** A memtable and the write-ahead log file that has the same writes. */
public final class MemLog {
    /*
     * As long as a version that anybody may take lists this, it has its table. Later, when only old versions list it, the
     * entries may be moved.
     *
     * M1  Moved entries can be read before the table is gone from here. A reader that finds no table finds the moved
     * entries.
     * M2  A table that is gone from here is not used again while a reader that has found it here may read it.
     */
    private volatile MemTable table; // null if its entries are moved
    private volatile MovedEntries moved; // null if not
    private long firstSequence; // of the entries if they are moved; written before that can be seen

    public final WalWriter wal; // null for a reader beside the writer
    /** The id of the first version that lists it. */
    final long birth;

    private final List<StagedRun> runs = new ArrayList<>();
    private volatile long stagedBytes; // written under the write lock
    private volatile boolean mayBeRead; // by somebody who does not say so
    /** The epoch in which the versions ended that list it. */
    volatile long retired = Long.MAX_VALUE;

    MemLog(MemTable table, WalWriter wal, long birth) {
        this.table = table;
        this.wal = wal;
        this.birth = birth;
    }

    /** The memtable; null if its entries are {@link #moved}, as they may be where no version of now lists this. */
    public MemTable table() {
        return table;
    }

    /** Where the entries are if there is no table. */
    public MovedEntries moved() {
        return moved;
    }

    /** Has the entries be read elsewhere from now on. */
    void move(MovedEntries to) {
        firstSequence = table.firstSequence();
        moved = to; // M1
        table = null;
    }

    /** Whether a version that has been published lists it. */
    public boolean isIn(long version) {
        return birth <= version && version < retired;
    }

    /** Whether it has entries with numbers up to one. */
    public boolean hasEntries(long last) {
        MemTable here = table;
        return here == null ? firstSequence <= last : here.entryCount() > 0 && here.firstSequence() <= last;
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
                runs.add(run); // first: only this may fail
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
        for (StagedRun run : runs) {
            values.release(run);
        }
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
        MemTable here = table;
        return here == null || here.lastSequence() != 0;
    }

    /** How full it is, from 0 to 1. Roughly, outside the write lock. */
    public double fillLevel() {
        return Math.max(table.fillLevel(), (double) wal.appendedPosition() / wal.capacity());
    }
}
