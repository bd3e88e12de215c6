package io.flexdb.internal.store;

import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalWriter;

/** A memtable and the log that has the same writes. */
public final class MemLog {
    final MemTable table;
    final WalWriter wal;
    /** The id of the first version that lists it. */
    final long birth;

    MemLog(MemTable table, WalWriter wal, long birth) {
        this.table = table;
        this.wal = wal;
        this.birth = birth;
    }

    /** Whether it takes no more writes. */
    boolean isFrozen() {
        return table.lastSequence() != 0;
    }

    /** How full it is, from 0 to 1. Roughly, outside the commit lock. */
    double fillLevel() {
        return Math.max(table.fillLevel(), (double) wal.appendedPosition() / wal.capacity());
    }
}
