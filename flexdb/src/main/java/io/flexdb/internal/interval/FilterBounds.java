package io.flexdb.internal.interval;

import java.util.Arrays;

/** The keys that belong to an interval, divided into cells in their order. For one thread; reused. */
final class FilterBounds {
    private byte[] anchor = new byte[64];
    private byte[] upper = new byte[64];
    private int anchorLength;
    private int upperLength; // -1 if there is none
    private int skipped; // that all keys of the interval begin with
    private long first; // the anchor's number
    private long size; // of all cells
    private KeyModel model;

    /** Takes the bounds of an interval. Inside a short read of the view that it was found in. */
    void set(Interval interval) {
        reserve(interval.anchorLength(), interval.upperAnchorLength());
        interval.anchor(anchor);
        interval.upperAnchor(upper);
    }

    /** Takes the bounds of the interval that a cursor is at. */
    FilterBounds set(IntervalCursor interval) {
        reserve(interval.anchorLength(), interval.upperAnchorLength());
        interval.anchor(anchor);
        interval.upperAnchor(upper);
        return this;
    }

    /** Room for the first key of an interval that is to be made, which {@link #anchor} gets. */
    void reserve(int ofAnchor, int ofUpper) {
        anchorLength = ofAnchor;
        upperLength = ofUpper;
        if (anchor.length < ofAnchor) {
            anchor = new byte[Math.max(2 * anchor.length, ofAnchor)];
        }
        if (upper.length < ofUpper) {
            upper = new byte[Math.max(2 * upper.length, ofUpper)];
        }
        model = null;
    }

    byte[] anchor() {
        return anchor;
    }

    byte[] upper() {
        return upper;
    }

    int anchorLength() {
        return anchorLength;
    }

    /** -1 if there is none. */
    int upperLength() {
        return upperLength;
    }

    /** Divides what lies between them as a model of keys says. */
    void divide(KeyModel by) {
        if (by == model) {
            return;
        }
        model = by;
        skipped = upperLength < 0 ? 0 : commonPrefix();
        first = anchorLength == 0 ? 0 : by.number(anchor, skipped, anchorLength);
        long end = upperLength < 0 ? 1L << KeyModel.BITS : by.number(upper, skipped, upperLength);
        size = Math.max(1, end - first + 1);
    }

    private int commonPrefix() {
        int most = Math.min(anchorLength, upperLength);
        int common = 0;
        while (common < most && anchor[common] == upper[common]) {
            common++;
        }
        return common;
    }

    /** The cell of a key that belongs to the interval. Keys that ascend have cells that do not descend. */
    int cell(byte[] key, int length) {
        long number = model.number(key, skipped, length) - first;
        return (int) (number * CellSet.CELLS / size);
    }

    /** The cell in which the keys below another one end, be it in the interval or behind it. */
    int lastCell(byte[] bound, int length) {
        boolean within = upperLength < 0 || Arrays.compareUnsigned(bound, 0, length, upper, 0, upperLength) < 0;
        return within ? cell(bound, length) : CellSet.CELLS - 1;
    }
}
