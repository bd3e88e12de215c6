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

    /** Options that show these keys; none if the range is empty. */
    ReadOptions options() {
        return ReadOptions.defaults().withLowerBound(low).withUpperBound(isEmpty() ? low : high);
    }
}
