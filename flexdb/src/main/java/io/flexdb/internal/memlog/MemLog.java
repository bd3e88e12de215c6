package io.flexdb.internal.memlog;

import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalWriter;

/** A memtable and the log that has the same writes. */
public final class MemLog {
    public final MemTable table;
    public final WalWriter wal; // null for a reader beside the writer
    /** The id of the first version that lists it. */
    final long birth;

    MemLog(MemTable table, WalWriter wal, long birth) {
        this.table = table;
        this.wal = wal;
        this.birth = birth;
    }

    /** A memtable of somebody who reads the logs that another process writes. */
    public static MemLog ofReader(MemTable table) {
        return new MemLog(table, null, 0);
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
