package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyHash;

/** Says of most keys that a table does not have that it has not. It takes 10 bits a key, and errs in 4 of 100. */
final class KeyFilter {
    /*
     * Four bits for each key, all in one word, so an answer costs one cache miss. The upper half of the hash chooses the
     * word, the lower half the bits.
     */
    private static final int BITS_PER_KEY = 10;
    private static final int BIT_NUMBER = 6; // bits of the number of a bit in a word

    private final long[] words;

    /** @param keys how many it will have, about */
    KeyFilter(int keys) {
        this.words = new long[(int) ((long) keys * BITS_PER_KEY / Long.SIZE) + 1];
    }

    /** @param hash of a key, by {@link KeyHash} */
    void add(long hash) {
        words[word(hash)] |= bits(hash);
    }

    boolean mayHave(long hash) {
        long bits = bits(hash);
        return (words[word(hash)] & bits) == bits;
    }

    long heapBytes() {
        return (long) words.length * Long.BYTES;
    }

    private int word(long hash) {
        return (int) ((hash >>> 32) * words.length >>> 32);
    }

    private static long bits(long hash) {
        return 1L << hash
                | 1L << (hash >>> BIT_NUMBER)
                | 1L << (hash >>> 2 * BIT_NUMBER)
                | 1L << (hash >>> 3 * BIT_NUMBER);
    }
}
