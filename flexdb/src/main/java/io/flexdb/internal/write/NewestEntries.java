package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import java.util.Arrays;

/** Walks several memtables as if they were one: in key order, each key once, by its newest entry. For one thread. */
final class NewestEntries {
    private MemTable[] tables = {};
    private MemTableCursor[] cursors = {};
    private byte[][] keys = {}; // of the entries that the cursors stand on, if there are several
    private int[] keyLengths = {};
    private long after;
    private boolean someAreOld; // entries that are to be passed over
    private boolean onlyKeysOfOldest;
    private DeletedRanges[] ranges = {}; // of the tables that have any
    private long cutThrough;
    private int current; // the cursor with the entry that this stands on; -1 if there is none

    /** Attaches this to the memtables of a range; none lets the old ones go. */
    void reset(EntryRange range) {
        MemTable[] newestFirst = range.newestFirst();
        for (MemTableCursor cursor : cursors) {
            cursor.reset(null, 0);
        }
        if (cursors.length != newestFirst.length) {
            cursors = new MemTableCursor[newestFirst.length];
            for (int i = 0; i < cursors.length; i++) {
                cursors[i] = new MemTableCursor(true);
            }
            keys = new byte[newestFirst.length][];
            keyLengths = new int[newestFirst.length];
        }
        tables = newestFirst;
        after = range.after();
        onlyKeysOfOldest = range.only() == EntryRange.Only.KEYS_OF_OLDEST && newestFirst.length > 1;
        ranges = rangesOf(newestFirst);
        cutThrough = range.cutThrough();
        someAreOld = false;
        for (int i = 0; i < newestFirst.length; i++) {
            cursors[i].reset(newestFirst[i], range.through());
            someAreOld |= newestFirst[i].firstSequence() <= range.after();
        }
        current = -1;
    }

    private static DeletedRanges[] rangesOf(MemTable[] tables) {
        DeletedRanges[] found = new DeletedRanges[tables.length];
        int count = 0;
        for (MemTable table : tables) {
            if (table.ranges() != null) {
                found[count++] = table.ranges();
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** Moves to the first key at or after the given one; null for the first of all. */
    void seek(byte[] key) {
        for (MemTableCursor cursor : cursors) {
            if (key == null) {
                cursor.seekToFirst();
            } else {
                cursor.seek(key, 0, key.length);
            }
        }
        for (int i = 0; i < cursors.length; i++) {
            noteKey(i);
        }
        settle();
    }

    boolean isValid() {
        return current >= 0;
    }

    /** The entry, in the {@link #table}. */
    int ref() {
        return cursors[current].ref();
    }

    MemTable table() {
        return tables[current];
    }

    /** The index of the table. */
    int source() {
        return current;
    }

    void next() {
        step();
        settle();
    }

    /** Moves every cursor that stands on the key of this one behind it. */
    private void step() {
        if (cursors.length == 1) {
            cursors[0].next();
            return;
        }
        byte[] key = keys[current];
        int length = keyLengths[current];
        int behind = current;
        for (int i = cursors.length - 1; i >= 0; i--) {
            if (i != behind && cursors[i].isValid() && compare(i, key, length) == 0) {
                cursors[i].next();
                noteKey(i);
            }
        }
        cursors[behind].next();
        noteKey(behind);
    }

    private void settle() {
        do {
            current = onlyKeysOfOldest && !skipToOldest() ? -1 : first();
        } while (current >= 0 && isPassedOver() && stepOn());
    }

    private boolean isPassedOver() {
        return someAreOld && table().sequence(ref()) <= after || ranges.length > 0 && isCut();
    }

    /** Whether a range covers the entry that is newer than it. */
    private boolean isCut() {
        MemTable table = table();
        int ref = ref();
        long sequence = table.sequence(ref);
        for (DeletedRanges each : ranges) {
            int key = table.keyPosition(ref);
            if (each.newestCovering(table.buffer(), key, table.keyLength(ref), cutThrough) > sequence) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves cursors before the key that the oldest table's stands on to where that key is, or would be; false at its
     * end.
     */
    private boolean skipToOldest() {
        int oldest = cursors.length - 1;
        if (!cursors[oldest].isValid()) {
            return false;
        }
        for (int i = 0; i < oldest; i++) {
            if (cursors[i].isValid() && compare(i, keys[oldest], keyLengths[oldest]) < 0) {
                cursors[i].seek(keys[oldest], 0, keyLengths[oldest]);
                noteKey(i);
            }
        }
        return true;
    }

    private boolean stepOn() {
        step();
        return true;
    }

    /** The cursor with the lowest key, of several the newest. */
    private int first() {
        if (cursors.length == 1) {
            return cursors[0].isValid() ? 0 : -1;
        }
        int lowest = -1;
        for (int i = 0; i < cursors.length; i++) {
            if (cursors[i].isValid() && (lowest < 0 || compare(i, keys[lowest], keyLengths[lowest]) < 0)) {
                lowest = i;
            }
        }
        return lowest;
    }

    private int compare(int i, byte[] key, int length) {
        return Arrays.compareUnsigned(keys[i], 0, keyLengths[i], key, 0, length);
    }

    private void noteKey(int i) {
        if (cursors.length == 1 || !cursors[i].isValid()) {
            return;
        }
        int ref = cursors[i].ref();
        int length = tables[i].keyLength(ref);
        if (keys[i] == null || keys[i].length < length) {
            keys[i] = new byte[length <= 256 ? 256 : RecordFormat.MAX_KEY_BYTES];
        }
        tables[i].copyKey(ref, keys[i], 0);
        keyLengths[i] = length;
    }
}
