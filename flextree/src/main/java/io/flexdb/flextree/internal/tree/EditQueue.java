package io.flexdb.flextree.internal.tree;

/** The edits that were asked for last and are made a few at once. Writer only. */
public final class EditQueue {
    /*
     * The problem: an edit at a random place of a large tree waits for memory most of its time, at each level and then
     * for the lines of its leaf, and a processor sees too few instructions ahead to begin with the next edit meanwhile.
     * The choice: edits are kept until there are some, what all of them need is read together, so that the waits
     * overlap, and then they are made in the order in which they came. A reader of the tree has them made first. In a
     * tree that the caches hold there is nothing to wait for, and edits are made at once.
     */
    private static final int CAPACITY = TreeWriter.TOUCHED_AT_ONCE;

    private static final int MIN_TOUCHED = 4; // fewer are made faster without

    private final TreeWriter writer;
    private final long[] offsets = new long[CAPACITY];
    private final long[] lengths = new long[CAPACITY]; // negative if removed
    private final long[] addresses = new long[CAPACITY];
    private final int[] flags = new int[CAPACITY];
    private final long[] places = new long[CAPACITY];
    private int count;
    private long growth; // of the size, by the edits that wait
    private Throwable failure;

    /** @param writer who makes the edits */
    public EditQueue(TreeWriter writer) {
        this.writer = writer;
    }

    /** Bytes of the logical address space once all edits are made. */
    public long size() {
        return writer.size() + growth;
    }

    /** Inserts what was checked by the caller. */
    public void insert(long logicalOffset, long length, long address, int flagBits) {
        if (!writer.outgrowsCaches() || logicalOffset == size()) { // an append waits for nothing
            makeAll();
            writer.insert(logicalOffset, length, address, flagBits);
        } else {
            int i = place();
            addresses[i] = address;
            flags[i] = flagBits;
            add(i, logicalOffset, length);
        }
    }

    /** Removes what was checked by the caller. */
    public void collapse(long logicalOffset, long length) {
        if (!writer.outgrowsCaches()) {
            makeAll();
            writer.collapse(logicalOffset, length);
        } else {
            add(place(), logicalOffset, -length);
        }
    }

    private int place() {
        if (count == CAPACITY) {
            makeAll();
        }
        return count;
    }

    private void add(int i, long logicalOffset, long length) {
        offsets[i] = logicalOffset;
        lengths[i] = length;
        growth += length;
        count = i + 1;
    }

    /** Makes all edits asked for. */
    public void makeAll() {
        if (count > 0) {
            make();
        }
    }

    private void make() {
        if (failure != null) {
            throw new IllegalStateException("an earlier edit of this tree failed", failure);
        }
        try {
            boolean touched = count >= MIN_TOUCHED && touch();
            for (int i = 0; i < count; i++) {
                writer.touchedEdit(touched ? i : TreeWriter.UNTOUCHED);
                if (lengths[i] > 0) {
                    writer.insert(offsets[i], lengths[i], addresses[i], flags[i]);
                } else {
                    writer.collapse(offsets[i], -lengths[i]);
                }
            }
        } catch (Throwable e) {
            failure = e;
            throw e;
        }
        writer.touchedEdit(TreeWriter.UNTOUCHED);
        count = 0;
        growth = 0;
    }

    /** Each offset is one after the edits before it. The touched place is where the offset is before them. */
    private boolean touch() {
        places[0] = offsets[0]; // not in the loop: the JIT would bet on an inner one that isn't empty
        for (int i = 1; i < count; i++) {
            long place = offsets[i];
            for (int j = i - 1; j >= 0; j--) {
                long isBehind = (offsets[j] - place) >> 63; // all bits or none, since no branch could be foretold
                place -= lengths[j] & isBehind;
            }
            places[i] = place;
        }
        return writer.willChange(places, count);
    }
}
