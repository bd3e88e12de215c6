package io.flexdb.internal.mem;

/**
 * Walks a memtable in key order as of a sequence number: each key once, by its newest entry up to that number, deletes
 * included. For one thread; reusable, and makes no garbage but the room for its longest key. The table may be written
 * meanwhile; a move costs a step where it was not, and at worst a search, O(log n).
 */
public class MemTableCursor {
    private final TreePosition position;
    private MemTable table;
    private long maxSequence;
    private int ref = Nodes.NONE;

    /** For any moves. */
    public MemTableCursor() {
        this(false);
    }

    /** @param walksAll whether it walks whole tables forward: faster then, but slower where it takes a few steps */
    public MemTableCursor(boolean walksAll) {
        position = new TreePosition(walksAll);
    }

    /** Attaches the cursor to a table; it stands nowhere. A null table lets the old one go. */
    public final void reset(MemTable newTable, long newMaxSequence) {
        table = newTable;
        maxSequence = newMaxSequence;
        ref = Nodes.NONE;
        position.reset(newTable == null ? null : newTable.nodes, newTable == null ? null : newTable.tree);
    }

    /**
     * Lets the table go, by any thread, perhaps while the cursor moves: it goes on in the table, or fails, and its
     * answer then counts for nothing.
     */
    public final void letGo() {
        table = null;
        position.letGo();
    }

    /** Lets the table go, and all else that the cursor holds. */
    public void release() {
        reset(null, 0);
    }

    /** Whether the cursor stands on an entry. */
    public final boolean isValid() {
        return ref != Nodes.NONE;
    }

    /** The entry under the cursor, {@link MemTable#NONE} if there is none. */
    public final int ref() {
        return ref;
    }

    /** The table. */
    public final MemTable table() {
        return table;
    }

    /** Moves to the first key at or after the given one. */
    public void seek(byte[] key, int offset, int length) {
        position.seekFrom(false, key, offset, length);
        settleForward();
    }

    /** Moves to the first key. */
    public void seekToFirst() {
        position.seekToFirst();
        settleForward();
    }

    /** Moves to the last key. */
    public void seekToLast() {
        position.seekToLast();
        settleBackward();
    }

    /** Moves to the last key at or before the given one. */
    public void seekForPrev(byte[] key, int offset, int length) {
        position.seekBefore(true, key, offset, length);
        settleBackward();
    }

    /** Stands nowhere, as behind the last key. */
    public final void end() {
        ref = Nodes.NONE;
    }

    /** Moves to the next key. The cursor must stand on an entry. */
    public void next() {
        assert ref != Nodes.NONE : "next of a cursor that stands nowhere";
        position.next();
        settleForward();
    }

    /** Moves to the key before. The cursor must stand on an entry. */
    public void previous() {
        assert ref != Nodes.NONE : "previous of a cursor that stands nowhere";
        position.previous();
        settleBackward();
    }

    /** Takes the first entry to show from here on; keys that are newer altogether are passed over. */
    private void settleForward() {
        for (int anchor; (anchor = position.anchor()) != Nodes.NONE; position.next()) {
            ref = table.versions.find(anchor, maxSequence);
            if (ref != Nodes.NONE) {
                return;
            }
        }
        ref = Nodes.NONE;
    }

    private void settleBackward() {
        for (int anchor; (anchor = position.anchor()) != Nodes.NONE; position.previous()) {
            ref = table.versions.find(anchor, maxSequence);
            if (ref != Nodes.NONE) {
                return;
            }
        }
        ref = Nodes.NONE;
    }
}
