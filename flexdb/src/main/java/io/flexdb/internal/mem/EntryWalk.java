package io.flexdb.internal.mem;

/**
 * Goes through the entries of a memtable of a store in the order of their numbers, deleted ranges included. For one thread;
 * may go on after more has been written, and makes no garbage.
 */
public final class EntryWalk {
    /*
     * Room is handed out in the order of the numbers, and each write takes as many numbers as it has entries. Entries
     * therefore lie one behind the other, and their sequence numbers are consecutive. Nothing may be read behind the
     * last one; its number tells where it is.
     */
    private MemTable table;
    private long base; // the number of the first entry: the table is used again, its numbers are not
    private int ref;
    private long sequence; // of the entry at the ref

    /** Whether this walks through a table in the table's present use. */
    public boolean isOf(MemTable other) {
        return table == other && base == other.nodes.baseSequence;
    }

    /** Stands before the first entry of a table that has one. */
    public void reset(MemTable newTable) {
        table = newTable;
        base = newTable.nodes.baseSequence;
        ref = Nodes.NONE;
        sequence = base - 1;
    }

    /** Stands on an entry of a table, which has been written. */
    public void resetAt(MemTable newTable, int entry) {
        table = newTable;
        base = newTable.nodes.baseSequence;
        ref = entry;
        sequence = newTable.sequence(entry);
    }

    /** Lets the table go. */
    public void release() {
        table = null;
    }

    /**
     * Goes to the next entry, if there is one.
     *
     * @param through the number of an entry of the store, or of this table, that is visible
     */
    public boolean next(long through) {
        long last = table.lastSequence();
        if (sequence >= through || last != 0 && sequence >= last) {
            return false;
        }
        ref = ref == Nodes.NONE ? Nodes.FIRST_POSITION >>> 3 : ref + (int) (table.nodes.bytes(ref) >>> 3);
        sequence++;
        assert table.nodes.sequence(ref) == sequence
                : "entry " + table.nodes.sequence(ref) + " in the place of " + sequence + ": " + table;
        return true;
    }

    /** Goes to the last entry that {@link #next} would come to. */
    public void goTo(long through) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = next(through);
        }
    }

    /** The entry, which may be a deleted range: its keys are key and value then. */
    public int ref() {
        return ref;
    }

    public long sequence() {
        return sequence;
    }

    /** Whether the entry deletes a range: from its key on to before its value. An empty value means no end. */
    public boolean isRange() {
        return table.type(ref) == WritePayload.DELETE_RANGE;
    }
}
