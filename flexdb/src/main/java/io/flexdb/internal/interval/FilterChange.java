package io.flexdb.internal.interval;

import java.util.Arrays;

/** The cells of keys that an interval gets or loses, or of all that it has. For one thread; reused. */
public final class FilterChange {
    private final RangeFilters filters;
    private final FilterBounds bounds = new FilterBounds();
    int[] cells = new int[CellSet.MAX_COUNT + 1]; // that come
    int count;
    private int[] gone = new int[CellSet.MAX_COUNT + 1];
    private int goneCount;
    private boolean known;

    public FilterChange(RangeFilters filters) {
        this.filters = filters;
    }

    /** Begins with the changes of an interval that keeps its anchors. Inside a short read. */
    public void beginChanges(Interval interval) {
        clear();
        KeyModel model = filters.modelOf(interval.contentNumber());
        known = model != null;
        if (known) {
            bounds.set(interval);
            bounds.divide(model);
        }
    }

    /**
     * Begins with all keys of an interval that is to be made.
     *
     * @param upperLength of the anchor behind it, or -1 if there is none
     */
    public void beginAll(int anchorLength, int upperLength) {
        clear();
        bounds.reserve(anchorLength, upperLength);
    }

    /** Gets the anchor after {@link #beginAll}. */
    public byte[] anchor() {
        return bounds.anchor();
    }

    /** Gets the next anchor after {@link #beginAll}. */
    public byte[] upper() {
        return bounds.upper();
    }

    /** Ends giving anchors; false if no set can be made, or none is wanted. */
    public boolean divide() {
        KeyModel model = filters.newestModel();
        known = model != null && filters.areWanted(bounds);
        if (known) {
            bounds.divide(model);
        }
        return known;
    }

    private void clear() {
        count = 0;
        goneCount = 0;
        known = false;
    }

    /** Adds a key that the interval gets, or has. */
    public void add(byte[] key, int length) {
        if (!known) {
            return;
        }
        if (count == cells.length) {
            cells = Arrays.copyOf(cells, 2 * count);
        }
        cells[count++] = bounds.cell(key, length);
    }

    /** Adds a key that the interval loses. */
    public void remove(byte[] key, int length) {
        if (!known) {
            return;
        }
        if (goneCount == gone.length) {
            gone = Arrays.copyOf(gone, 2 * goneCount);
        }
        gone[goneCount++] = bounds.cell(key, length);
    }

    /** The cells of so many parts that come, in their order. */
    int[] sorted(int parts) {
        return sort(cells, count, parts);
    }

    private static int[] sort(int[] cells, int count, int parts) {
        for (int i = 0; i < count; i++) {
            cells[i] = CellSet.cell(cells[i], parts);
        }
        Arrays.sort(cells, 0, count);
        return cells;
    }

    /** Whether a set of so many cells and parts can become the new one. */
    boolean fits(int oldCount, int parts) {
        int left = oldCount - goneCount + count;
        return known && left <= CellSet.MAX_COUNT && CellSet.suffice(parts, left);
    }

    /** Makes of the old cells of so many parts the new ones, and returns how many; -1 if there are too many. */
    int apply(int[] old, int oldCount, int parts, int[] changed) {
        if (!fits(oldCount, parts)) {
            return -1;
        }
        sort(cells, count, parts);
        sort(gone, goneCount, parts);
        int made = 0;
        int come = 0;
        int went = 0;
        for (int i = 0; i < oldCount; i++) {
            if (went < goneCount && gone[went] == old[i]) {
                went++;
                continue;
            }
            while (come < count && cells[come] <= old[i]) {
                changed[made++] = cells[come++];
            }
            changed[made++] = old[i];
        }
        assert went == goneCount : "F2: a key that goes had a cell";
        while (come < count) {
            changed[made++] = cells[come++];
        }
        return made;
    }
}
