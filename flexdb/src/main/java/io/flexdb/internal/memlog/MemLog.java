package io.flexdb.internal.memlog;

import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalWriter;

/** A memtable and the log that has the same writes. */
public final class MemLog {
    public final MemTable table;
    public final WalWriter wal;
    /** The id of the first version that lists it. */
    final long birth;

    MemLog(MemTable table, WalWriter wal, long birth) {
        this.table = table;
        this.wal = wal;
        this.birth = birth;
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
