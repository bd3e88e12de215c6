package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.read.Scan.Iteration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a cursor shows, and what is known of its walk. Immutable; each {@code with…} method returns a changed copy, and
 * copies the keys that it is given.
 *
 * <pre>{@code
 * try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withPrefix(user).withKeysOnly(true))) {
 *     for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
 *         use(cursor.key());
 *     }
 * }
 * }</pre>
 */
public final class ReadOptions {
    private static final ReadOptions DEFAULTS = new ReadOptions(null, Scan.ALL);

    private final Snapshot snapshot;
    private final Scan scan; // with bounds that are keys of whichever keyspace it is used for
    private Scan stored; // of the keyspace that it was used for last: any thread's, since its fields are final

    private ReadOptions(Snapshot snapshot, Scan scan) {
        this.snapshot = snapshot;
        this.scan = scan;
    }

    private static byte[] copy(byte[] key) {
        return key == null ? null : key.clone();
    }

    private ReadOptions withBounds(byte[] lower, byte[] upper) {
        return with(new Scan(scan.heads(), lower, upper, scan.keysOnly(), scan.expectedPairs(), scan.iteration()));
    }

    private ReadOptions with(Scan changed) {
        return new ReadOptions(snapshot, changed);
    }

    private ReadOptions with(Iteration iteration) {
        return with(new Scan(
                scan.heads(), scan.lowerBound(), scan.upperBound(), scan.keysOnly(), scan.expectedPairs(), iteration));
    }

    /** The first key behind another one. */
    private static byte[] behind(byte[] key) {
        return key == null ? null : Arrays.copyOf(key, key.length + 1);
    }

    /** All keys, as they are when the cursor is opened. */
    public static ReadOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Shows the keyspace that the cursor is opened on as it was when the snapshot was taken, whichever the snapshot is
     * {@linkplain Snapshot#in in}; the snapshot may be closed before the cursor.
     *
     * @param newSnapshot default null: the keyspace as it is when the cursor is opened
     */
    public ReadOptions withSnapshot(@Nullable Snapshot newSnapshot) {
        return new ReadOptions(newSnapshot, scan);
    }

    /**
     * Shows only keys from this one on; null for all. A seek to a key below it goes to the first key that is shown. The
     * bound must not be above the upper one when a cursor is opened.
     */
    public ReadOptions withLowerBound(byte @Nullable [] inclusive) {
        return withBounds(copy(inclusive), scan.upperBound());
    }

    /**
     * Shows only keys below this one; null for all. A seek backward from a key above it goes to the last key that is
     * shown.
     */
    public ReadOptions withUpperBound(byte @Nullable [] exclusive) {
        return withBounds(scan.lowerBound(), copy(exclusive));
    }

    /**
     * Shows only keys from this one on, or above it; null for all.
     *
     * @param inclusive whether the bound itself is shown
     * @see #withLowerBound(byte[])
     */
    public ReadOptions withLowerBound(byte @Nullable [] bound, boolean inclusive) {
        return withBounds(inclusive ? copy(bound) : behind(bound), scan.upperBound());
    }

    /**
     * Shows only keys below this one, or up to it; null for all.
     *
     * @param inclusive whether the bound itself is shown
     * @see #withUpperBound(byte[])
     */
    public ReadOptions withUpperBound(byte @Nullable [] bound, boolean inclusive) {
        return withBounds(scan.lowerBound(), inclusive ? behind(bound) : copy(bound));
    }

    /**
     * Shows only keys that begin with these bytes. Sets both bounds: the lower one to the prefix, the upper one to the
     * first key behind all that begin with it, or to none if its bytes are all 0xFF. An empty prefix, or null, shows
     * all.
     */
    public ReadOptions withPrefix(byte @Nullable [] prefix) {
        if (prefix == null || prefix.length == 0) {
            return withBounds(null, null);
        }
        return withBounds(prefix.clone(), KeyHeads.behind(prefix));
    }

    /**
     * Whether values are left where they are; false unless set. {@link FlexCursor#value()} then throws an
     * {@link IllegalStateException}, while {@link FlexCursor#valueLength()} works. What it saves: of a pair of more than
     * 8 KiB only the first bytes are read, which have its key and its lengths, and verified by their part of the file.
     * Shorter pairs are read whole, and verified by their own checksums.
     */
    public ReadOptions withKeysOnly(boolean only) {
        return with(new Scan(
                scan.heads(), scan.lowerBound(), scan.upperBound(), only, scan.expectedPairs(), scan.iteration()));
    }

    /**
     * How many pairs will be read from each seek on, as far as anybody knows; 0, as it is unless set, if nobody does.
     * The cursor then reads as many at once, and no more, instead of a few at first. A wrong number costs time, and
     * nothing else.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public ReadOptions withExpectedPairs(int pairs) {
        if (pairs < 0) {
            throw new IllegalArgumentException("expectedPairs must not be negative: " + pairs);
        }
        return with(
                new Scan(scan.heads(), scan.lowerBound(), scan.upperBound(), scan.keysOnly(), pairs, scan.iteration()));
    }

    /**
     * Sets the direction of iterations: of {@link ReadView#forEach}, {@link ReadView#stream} and the cursor's {@link
     * FlexCursor#iterator}. The single steps of a cursor go as they are told.
     *
     * @param reverse true to go from the last pair to the first; false unless set
     */
    public ReadOptions withReverse(boolean reverse) {
        return with(new Iteration(reverse, scan.iteration().limit()));
    }

    /**
     * Sets the most pairs that an iteration has, in its direction. A small limit also tells the cursor how much to read
     * at once, as {@link #withExpectedPairs} does. The single steps of a cursor go on beyond it.
     *
     * @param pairs not negative; {@link Long#MAX_VALUE}, as it is unless set, for all
     * @throws IllegalArgumentException if it is negative
     */
    public ReadOptions withLimit(long pairs) {
        if (pairs < 0) {
            throw new IllegalArgumentException("limit must not be negative: " + pairs);
        }
        return with(new Iteration(scan.iteration().reverse(), pairs));
    }

    /** The snapshot to read, or null. */
    public @Nullable Snapshot snapshot() {
        return snapshot;
    }

    /** A copy of the lower bound, or null. */
    public byte @Nullable [] lowerBound() {
        return copy(scan.lowerBound());
    }

    /** A copy of the upper bound, or null. */
    public byte @Nullable [] upperBound() {
        return copy(scan.upperBound());
    }

    /** Whether values are left where they are. */
    public boolean keysOnly() {
        return scan.keysOnly();
    }

    /** How many pairs are expected to be read from each seek on; 0 if that is not known. */
    public int expectedPairs() {
        return scan.expectedPairs();
    }

    /** Whether iterations go from the last pair to the first. */
    public boolean reverse() {
        return scan.iteration().reverse();
    }

    /** The most pairs that an iteration has. */
    public long limit() {
        return scan.iteration().limit();
    }

    /** What a cursor over a keyspace is to show; throws if the bounds are not in order. */
    Scan scan(KeyHeads heads) {
        if (!scan.isInOrder()) {
            throw new IllegalArgumentException(
                    "lowerBound must not be above upperBound: " + this + "; with both equal, nothing is shown");
        }
        Scan last = stored;
        if (last == null || last.heads() != heads) {
            last = scan.in(heads);
            stored = last;
        }
        return last;
    }

    private static String bytes(byte[] bound) {
        return bound == null ? "none" : bound.length + " bytes";
    }

    @Override
    public String toString() {
        return "ReadOptions[snapshot=" + snapshot + ", lowerBound=" + bytes(scan.lowerBound()) + ", upperBound="
                + bytes(scan.upperBound()) + ", keysOnly=" + scan.keysOnly() + ", expectedPairs="
                + scan.expectedPairs() + ", reverse=" + reverse() + ", limit="
                + (limit() == Long.MAX_VALUE ? "none" : limit()) + "]";
    }
}
