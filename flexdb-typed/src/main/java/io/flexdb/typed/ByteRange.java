package io.flexdb.typed;

import io.flexdb.ReadOptions;
import java.util.Arrays;

/**
 * Keys as bytes, from one on to before another.
 *
 * @param low the first key, or null for no bound
 * @param high the first key behind the range, or null for no bound
 */
record ByteRange(byte[] low, byte[] high) {
    static final ByteRange ALL = new ByteRange(null, null);

    private static final ByteRange NOTHING = new ByteRange(new byte[1], new byte[1]);
    private static final int MOST_BYTES = 65_535;
    private static final int MOST_BYTES_NAMED = 65_528; // also of keys that begin with 0xFF

    /** The first key behind another one. */
    static byte[] behind(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** The first key behind all that begin with a prefix, or null if there is none. */
    static byte[] behindAll(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] behind = Arrays.copyOf(prefix, length);
        behind[length - 1]++;
        return behind;
    }

    static ByteRange ofPrefix(byte[] prefix) {
        return prefix.length == 0 ? ALL : new ByteRange(prefix, behindAll(prefix));
    }

    boolean isEmpty() {
        return low != null && high != null && Arrays.compareUnsigned(low, high) >= 0;
    }

    boolean contains(byte[] key) {
        return (low == null || Arrays.compareUnsigned(key, low) >= 0)
                && (high == null || Arrays.compareUnsigned(key, high) < 0);
    }

    /** What is in this range and not below a bound, if there is one. */
    ByteRange from(byte[] bound) {
        boolean isTighter = bound != null && (low == null || Arrays.compareUnsigned(bound, low) > 0);
        return isTighter ? new ByteRange(bound, high) : this;
    }

    /** What is in this range and below a bound, if there is one. */
    ByteRange to(byte[] bound) {
        boolean isTighter = bound != null && (high == null || Arrays.compareUnsigned(bound, high) < 0);
        return isTighter ? new ByteRange(low, bound) : this;
    }

    /** What is in both ranges. */
    ByteRange within(ByteRange other) {
        return from(other.low).to(other.high);
    }

    /**
     * This range with bounds that a deletion takes. These could be keys; the first key behind one of the longest could
     * not.
     *
     * @param keyspace the name of the keyspace; empty for the default one
     */
    ByteRange toDelete(String keyspace) {
        byte[] first = withinLimit(low, keyspace);
        if (isEmpty() || (low != null && first == null)) {
            return NOTHING;
        }
        ByteRange within = new ByteRange(first, withinLimit(high, keyspace));
        return within.isEmpty() ? NOTHING : within;
    }

    /** The first bytes that may be a key and are not below a bound; null if there are none, or no bound. */
    private static byte[] withinLimit(byte[] bound, String keyspace) {
        if (bound == null) {
            return null;
        }
        int most = keyspace.isEmpty() && bound[0] != (byte) 0xFF ? MOST_BYTES : MOST_BYTES_NAMED;
        return bound.length > most ? behindAll(Arrays.copyOf(bound, most)) : bound;
    }

    /** Options that show these keys; none if the range is empty. */
    ReadOptions options() {
        return ReadOptions.defaults().withLowerBound(low).withUpperBound(isEmpty() ? low : high);
    }
}
