package io.flexdb.typed;

import java.util.Arrays;

/**
 * The bounds of a view of a map, in the order of the keyspace. A key is null for no bound.
 *
 * @param low the lower bound
 * @param lowInclusive whether the lower bound is in the view
 * @param high the upper bound
 * @param highInclusive whether the upper bound is in the view
 */
record KeyBounds(byte[] low, boolean lowInclusive, byte[] high, boolean highInclusive) {
    static final KeyBounds NONE = new KeyBounds(null, false, null, false);

    ByteRange range() {
        return new ByteRange(start(low, lowInclusive), end(high, highInclusive));
    }

    /** The first key at or above a bound. */
    static byte[] start(byte[] bound, boolean inclusive) {
        return bound == null || inclusive ? bound : ByteRange.behind(bound);
    }

    /** The first key above what a bound lets in. */
    static byte[] end(byte[] bound, boolean inclusive) {
        return bound == null || !inclusive ? bound : ByteRange.behind(bound);
    }

    /**
     * The bounds of a view of the view.
     *
     * @param from null for the lower bound that there is
     * @param to null for the upper bound that there is
     * @throws IllegalArgumentException if one is outside of this view, or they are in the wrong order
     */
    KeyBounds narrowed(byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
        if (from != null && low != null) {
            int order = Arrays.compareUnsigned(from, low);
            requireInside(order > 0 || (order == 0 && (lowInclusive || !fromInclusive)), from);
        }
        if (to != null && high != null) {
            int order = Arrays.compareUnsigned(to, high);
            requireInside(order < 0 || (order == 0 && (highInclusive || !toInclusive)), to);
        }
        KeyBounds narrowed = new KeyBounds(
                from == null ? low : from,
                from == null ? lowInclusive : fromInclusive,
                to == null ? high : to,
                to == null ? highInclusive : toInclusive);
        narrowed.requireOrder();
        return narrowed;
    }

    private void requireInside(boolean isInside, byte[] key) {
        if (!isInside) {
            throw outside(key);
        }
    }

    private void requireOrder() {
        if (low != null && high != null && Arrays.compareUnsigned(low, high) > 0) {
            throw new IllegalArgumentException("the bounds of a view must be in order, but " + ByteForms.hex(low)
                    + " is above " + ByteForms.hex(high));
        }
    }

    IllegalArgumentException outside(byte[] key) {
        return new IllegalArgumentException("key " + ByteForms.hex(key) + " is outside of the view, " + this);
    }

    @Override
    public String toString() {
        String from = low == null ? "no lower bound" : (lowInclusive ? "from " : "above ") + ByteForms.hex(low);
        String to = high == null ? "no upper bound" : (highInclusive ? "to " : "below ") + ByteForms.hex(high);
        return from + ", " + to;
    }
}
