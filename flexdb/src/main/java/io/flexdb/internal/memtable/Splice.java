package io.flexdb.internal.memtable;

import java.util.Arrays;

/**
 * What one thread needs to insert: the place at each level, kept from insert to insert as a hint, and a reader of
 * payloads. Owned by one thread at a time.
 */
final class Splice {
    /** At each level a node that a search found there, or {@link Nodes#HEAD}. */
    final int[] prev = new int[Nodes.MAX_HEIGHT];

    /** The link that led on from {@link #prev} when it was last read. */
    final long[] next = new long[Nodes.MAX_HEIGHT];

    final PayloadReader reader = new PayloadReader();

    /** Inserts to go before the hint is tried again. */
    int hintPause;

    /** How long the next pause is, should the hint fail once more. */
    int hintPenalty;

    /** Entries whose key was there already and that the table has not been told of. */
    int duplicates;

    Splice() {
        reset();
    }

    void reset() {
        Arrays.fill(prev, Nodes.HEAD);
        hintPause = 0;
        hintPenalty = 0;
        duplicates = 0;
    }
}
