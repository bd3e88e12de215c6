package io.flexdb.internal.memtable;

import io.flexdb.internal.KeyHash;

/**
 * Walks a memtable in key order as of a sequence number: each key once, by its newest entry up to that number, deletes
 * included. For one thread; reusable, and makes no garbage but the room for its longest key. Moving forward is a step;
 * moving backward is a search, O(log n).
 */
public final class MemTableCursor {
    /*
     * Versions that the cursor must not show lie between those it may: newer ones before an entry and older ones
     * after it. It steps over a few, but a key that was overwritten a million times would hold it up, so after
     * STEPS_BEFORE_SEARCH of them it searches for the place behind.
     */
    private static final int STEPS_BEFORE_SEARCH = 8;
    private static final long AFTER_ALL_VERSIONS = -1;
    private static final long BEFORE_ALL_VERSIONS = Long.MAX_VALUE;

    private MemTable table;
    private Nodes nodes;
    private SkipList list;
    private long maxSequence;
    private int ref = Nodes.NONE;
    private byte[] scratch = new byte[256];

    /** Attaches the cursor to a table; it stands nowhere. A null table lets the old one go. */
    public void reset(MemTable newTable, long newMaxSequence) {
        table = newTable;
        nodes = newTable == null ? null : newTable.nodes;
        list = newTable == null ? null : newTable.list;
        maxSequence = newMaxSequence;
        ref = Nodes.NONE;
    }

    /** Whether the cursor stands on an entry. */
    public boolean isValid() {
        return ref != Nodes.NONE;
    }

    /** The entry under the cursor, {@link MemTable#NONE} if there is none. */
    public int ref() {
        return ref;
    }

    /** The table. */
    public MemTable table() {
        return table;
    }

    /** Moves to the first key at or after the given one. */
    public void seek(byte[] key, int offset, int length) {
        ref = settleForward((int) list.search(key, offset, length, maxSequence), Nodes.NONE);
    }

    /** Moves to the first key. */
    public void seekToFirst() {
        ref = settleForward(list.first(), Nodes.NONE);
    }

    /** Moves to the last key. */
    public void seekToLast() {
        ref = settleBackward(list.last());
    }

    /** Moves to the last key at or before the given one. */
    public void seekForPrev(byte[] key, int offset, int length) {
        int exact = table.find(key, offset, length, KeyHash.hash(key, offset, length), maxSequence);
        ref = exact != Nodes.NONE ? exact : settleBackward(lastBefore(key, offset, length));
    }

    /** Moves to the next key. The cursor must stand on an entry. */
    public void next() {
        assert ref != Nodes.NONE : "next of a cursor that stands nowhere";
        ref = settleForward(list.next(ref), ref);
    }

    /** Moves to the key before. The cursor must stand on an entry. */
    public void previous() {
        assert ref != Nodes.NONE : "previous of a cursor that stands nowhere";
        int length = copyKey(ref);
        ref = settleBackward(lastBefore(scratch, 0, length));
    }

    /** The first entry to show from a node on, passing over the entries of the key that {@code passed} has. */
    private int settleForward(int from, int passed) {
        int node = from;
        int keyToPass = passed;
        int steps = 0;
        while (node != Nodes.NONE) {
            boolean same = keyToPass != Nodes.NONE && nodes.compareKeys(keyToPass, node) == 0;
            if (!same && nodes.sequence(node) <= maxSequence) {
                return node;
            }
            if (++steps <= STEPS_BEFORE_SEARCH) {
                node = list.next(node);
                continue;
            }
            int length = copyKey(node);
            node = (int) list.search(scratch, 0, length, same ? AFTER_ALL_VERSIONS : maxSequence);
            if (same) {
                keyToPass = Nodes.NONE;
            }
            steps = 0;
        }
        return Nodes.NONE;
    }

    /** The entry to show of the last key, up to that of a node, that has one. */
    private int settleBackward(int from) {
        int node = from;
        while (node != Nodes.NONE) {
            int length = copyKey(node);
            // The node is the oldest of its key: if it is too new, so are the others.
            if (nodes.sequence(node) <= maxSequence) {
                return table.find(scratch, 0, length, KeyHash.hash(scratch, 0, length), maxSequence);
            }
            node = lastBefore(scratch, 0, length);
        }
        return Nodes.NONE;
    }

    private int lastBefore(byte[] key, int offset, int length) {
        int prev = (int) (list.search(key, offset, length, BEFORE_ALL_VERSIONS) >>> 32);
        return prev == Nodes.HEAD ? Nodes.NONE : prev;
    }

    private int copyKey(int node) {
        int length = nodes.keyLength(node);
        if (scratch.length < length) {
            scratch = new byte[Math.max(length, 2 * scratch.length)];
        }
        table.copyKey(node, scratch, 0);
        return length;
    }
}
