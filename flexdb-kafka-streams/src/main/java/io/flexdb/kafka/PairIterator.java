package io.flexdb.kafka;

import io.flexdb.FlexCursor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The pairs of a {@link Layer} in key order, or in reverse: uncommitted ones hide those of the keyspace. One thread at a
 * time; {@link StoreState} sees to it.
 */
final class PairIterator implements AutoCloseable {
    private final List<Map.Entry<byte[], byte[]>> above;
    private final FlexCursor below;
    private final boolean reverse;
    private int nextAbove;
    private boolean started;
    private byte[] belowKey; // of the pair where the cursor stands, or null behind the last one
    private byte[] key;
    private byte[] value;

    /** @param below null for no pairs */
    PairIterator(List<Map.Entry<byte[], byte[]>> above, FlexCursor below, boolean reverse) {
        this.above = above;
        this.below = below;
        this.reverse = reverse;
    }

    boolean hasNext() {
        if (key == null) {
            advance();
        }
        return key != null;
    }

    /** The key of the next pair. */
    byte[] peekKey() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return key;
    }

    /** The value of the pair whose key was peeked; it goes on to the next. */
    byte[] take() {
        assert key != null;
        byte[] taken = value;
        key = null;
        value = null;
        return taken;
    }

    private void advance() {
        if (!started && below != null) {
            if (reverse) {
                below.seekToLast();
            } else {
                below.seekToFirst();
            }
            belowKey = below.isValid() ? below.key() : null;
        }
        started = true;
        while (key == null && (nextAbove < above.size() || belowKey != null)) {
            int order = compare();
            if (order < 0) {
                key = belowKey;
                value = below.value();
                moveBelow();
            } else {
                if (order == 0) {
                    moveBelow();
                }
                Map.Entry<byte[], byte[]> entry = above.get(nextAbove++);
                if (!Layer.isDeleted(entry.getValue())) {
                    key = entry.getKey();
                    value = entry.getValue();
                }
            }
        }
    }

    /** Below zero if the keyspace's pair is next, zero if both have the same key. */
    private int compare() {
        if (nextAbove == above.size()) {
            return -1;
        }
        if (belowKey == null) {
            return 1;
        }
        int order = Arrays.compareUnsigned(belowKey, above.get(nextAbove).getKey());
        return reverse ? -order : order;
    }

    private void moveBelow() {
        if (reverse) {
            below.prev();
        } else {
            below.next();
        }
        belowKey = below.isValid() ? below.key() : null;
    }

    @Override
    public void close() {
        if (below != null) {
            below.close();
        }
    }
}
