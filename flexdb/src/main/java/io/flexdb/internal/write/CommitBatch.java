package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.MemTable;

/**
 * Frozen memtables that one commit brings into the space, the oldest of all among them.
 *
 * @param newestFirst with their logs
 * @param tables the same memtables
 * @param keys that they have, each once for each memtable
 */
record CommitBatch(MemLog[] newestFirst, MemTable[] tables, long keys) {
    static CommitBatch of(MemLog[] newestFirst) {
        MemTable[] tables = tables(newestFirst);
        long keys = 0;
        for (MemTable table : tables) {
            keys += table.keyCount();
        }
        return new CommitBatch(newestFirst, tables, keys);
    }

    static MemTable[] tables(MemLog[] logs) {
        MemTable[] tables = new MemTable[logs.length];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = logs[i].table();
        }
        return tables;
    }

    /** The number of the last write. */
    long lastSequence() {
        return tables[0].lastSequence();
    }
}
