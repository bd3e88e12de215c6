package io.flexdb.internal.commit;

import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.memtable.MemTable;

/** Entries of memtables that belong to one interval, in key order, each key once. For one thread. */
final class GatheredEntries {
    static final int MAX_COUNT = 4096;
    private static final int MAX_BYTES = 1 << 20;
    private static final MemTable[] NO_TABLES = {};

    private final int[] refs = new int[MAX_COUNT];
    private final byte[] sources = new byte[MAX_COUNT]; // which of the tables each is in
    private MemTable[] tables = NO_TABLES;
    private int count;
    private long bytes;
    private long recordBytes;

    /** Attaches this to tables; none lets the old ones go. */
    void reset(MemTable[] ofTables) {
        tables = ofTables;
        clear();
    }

    void clear() {
        count = 0;
        bytes = 0;
        recordBytes = 0;
    }

    void add(int source, int ref) {
        MemTable table = tables[source];
        int keyLength = table.keyLength(ref);
        int valueLength = table.valueLength(ref);
        bytes += keyLength + valueLength;
        recordBytes += RecordFormat.recordBytes(keyLength, valueLength, table.expiry(ref), 0);
        sources[count] = (byte) source;
        refs[count++] = ref;
    }

    int count() {
        return count;
    }

    /** Bytes of all of them as records. */
    long recordBytes() {
        return recordBytes;
    }

    /** Whether these are as many as are to be merged at once, or more bytes. */
    boolean isFull(int maxCount) {
        return count >= maxCount || bytes >= MAX_BYTES;
    }

    MemTable table(int entry) {
        return tables[sources[entry]];
    }

    /** The entry, in its {@link #table}. */
    int ref(int entry) {
        return refs[entry];
    }
}
