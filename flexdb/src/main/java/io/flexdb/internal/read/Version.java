package io.flexdb.internal.read;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.log.MemLog;

/**
 * All that is readable: memtables, and the roots of index and FlexTree. Immutable. Entries of the memtables hide the
 * roots' pairs of the same keys.
 *
 * @param id the epoch of the roots; versions that differ only in their memtables have the same
 * @param index key to interval
 * @param space logical offset to extent
 * @param logs the memtables, newest first; the first takes writes, unless it is frozen too
 * @param storeSequence no entry in the roots has a higher sequence number
 * @param loads how many sorted runs were brought into the roots since the store was opened: they have no numbers
 */
public record Version(long id, IndexView index, FlexTreeView space, MemLog[] logs, long storeSequence, long loads) {
    static final MemLog[] NO_LOGS = {};

    Version withNewest(MemLog log) {
        MemLog[] more = new MemLog[logs.length + 1];
        more[0] = log;
        System.arraycopy(logs, 0, more, 1, logs.length);
        return new Version(id, index, space, more, storeSequence, loads);
    }

    MemLog[] withoutOldest() {
        MemLog[] fewer = new MemLog[logs.length - 1];
        System.arraycopy(logs, 0, fewer, 0, fewer.length);
        return fewer;
    }

    /** Off-heap bytes of the memtables. */
    public long memtableBytes() {
        long bytes = 0;
        for (MemLog log : logs) {
            bytes += log.table().memoryBytes();
        }
        return bytes;
    }

    /** Bytes of their logs that are mapped. */
    public long mappedBytes() {
        long bytes = 0;
        for (MemLog log : logs) {
            bytes += log.wal.mappedBytes();
        }
        return bytes;
    }

    /** The one that takes writes, unless it is frozen too. */
    public MemLog newest() {
        return logs[0];
    }

    public MemLog oldest() {
        return logs[logs.length - 1];
    }
}
