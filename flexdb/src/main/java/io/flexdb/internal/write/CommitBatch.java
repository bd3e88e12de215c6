package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.MemTable;

/**
 * Frozen memtables that one commit brings into the space, the oldest of all among them.
 *
 * @param oldestFirst with their logs
 * @param tables the same memtables, the newest first
 * @param keys that they have, each once for each memtable
 */
record CommitBatch(MemLog[] oldestFirst, MemTable[] tables, long keys) {
    static CommitBatch of(MemLog[] oldestFirst) {
        MemTable[] newestFirst = new MemTable[oldestFirst.length];
        long keys = 0;
        for (int i = 0; i < oldestFirst.length; i++) {
            MemTable table = oldestFirst[i].table();
            newestFirst[newestFirst.length - 1 - i] = table;
            keys += table.keyCount();
        }
        return new CommitBatch(oldestFirst, newestFirst, keys);
    }

    /** The number of the last write. */
    long lastSequence() {
        return tables[0].lastSequence();
    }
}
