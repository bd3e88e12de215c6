package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.WritePayload;
import java.util.Arrays;

/** Entries of memtables that belong to one interval, in key order, each key once. For one thread. */
final class GatheredEntries {
    static final int MAX_COUNT = 4096;
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_LINKED_BYTES = 64 << 20;

    private final int[] refs = new int[MAX_COUNT];
    private final byte[] sources = new byte[MAX_COUNT]; // which of the tables each is in
    private final MergedValue[] merged = new MergedValue[MAX_COUNT]; // null for entries that are no operands
    private MemTable[] tables = Committer.NO_TABLES;
    private StagedPair staged; // the pair that the last entry makes, if that was staged; else null
    private int count;
    private long bytes;
    private long recordBytes;
    private long linkedBytes;
    private long pieces;

    /** Attaches this to tables; none lets the old ones go. */
    void reset(MemTable[] ofTables) {
        tables = ofTables;
        clear();
    }

    void clear() {
        Arrays.fill(merged, 0, count, null);
        if (staged != null) {
            staged.close(); // it is in the space by now, or was staged in vain
            staged = null;
        }
        count = 0;
        bytes = 0;
        recordBytes = 0;
        linkedBytes = 0;
        pieces = 0;
    }

    /** @param value the merged value if the entry is an operand, else null */
    void add(int source, int ref, MergedValue value) {
        MemTable table = tables[source];
        int keyLength = table.keyLength(ref);
        merged[count] = value;
        if (value == null && table.isLarge(ref)) {
            int reference = table.valuePosition(ref);
            int headBytes = LargeReference.headBytes(table.buffer(), reference);
            bytes += keyLength + headBytes;
            recordBytes += headBytes;
            linkedBytes += table.valueLength(ref);
            pieces += LargeReference.pieces(table.buffer(), reference, table.storedLength(ref)) + 1;
        } else if (value == null && table.type(ref) == WritePayload.DELETE) {
            bytes += keyLength;
        } else if (value == null) {
            int valueLength = table.valueLength(ref);
            bytes += keyLength + valueLength;
            recordBytes += RecordFormat.recordBytes(keyLength, valueLength, table.expiry(ref), 0);
        } else {
            bytes += keyLength + value.bytes().length;
            recordBytes += value.head(keyLength).recordBytes();
        }
        sources[count] = (byte) source;
        refs[count++] = ref;
    }

    /** Adds an operand whose merged pair was staged. No other entry may follow. */
    void addStaged(int source, int ref, StagedPair pair) {
        merged[count] = null;
        staged = pair;
        bytes += pair.head().keyLength() + pair.headBytes();
        recordBytes += pair.headBytes();
        linkedBytes += pair.head().length();
        pieces += pair.pieces() + 1;
        sources[count] = (byte) source;
        refs[count++] = ref;
    }

    int count() {
        return count;
    }

    /** Whether an operand has made so many bytes that are in memory. */
    boolean haveLong(int leastBytes) {
        for (int i = 0; i < count; i++) {
            if (merged[i] != null && merged[i].bytes().length >= leastBytes) {
                return true;
            }
        }
        return false;
    }

    /** Bytes of all of them as records, but for those in the data file. */
    long recordBytes() {
        return recordBytes;
    }

    /** Whether nothing is to be put. */
    boolean areDeletes() {
        return recordBytes == 0 && pieces == 0;
    }

    /** Pieces of those that are in the data file, and their heads. */
    long pieces() {
        return pieces;
    }

    /** Whether no more entries may be merged at once: their number or their bytes suffice. */
    boolean isFull(int maxCount) {
        return count >= maxCount || bytes >= MAX_BYTES || linkedBytes >= MAX_LINKED_BYTES || staged != null;
    }

    MemTable table(int entry) {
        return tables[sources[entry]];
    }

    /** The merged value if the entry is an operand, else null. */
    MergedValue merged(int entry) {
        return merged[entry];
    }

    /** The pair that the entry, an operand, has made, if that was staged; else null. */
    StagedPair staged(int entry) {
        return entry == count - 1 ? staged : null;
    }

    /** The entry, in its {@link #table}. */
    int ref(int entry) {
        return refs[entry];
    }
}
