package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.KeyValue;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * Walks the pairs of a {@link TypedView} in the order of the keys, in both directions, over one consistent view. It stands
 * on a pair or nowhere; a new one stands nowhere. Later writes do not show.
 *
 * <p>For one thread at a time. An open cursor holds back memory and disk that later writes would free, so it is to be
 * closed. Errors are those of {@link FlexCursor}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedCursor<K, V> implements Iterable<Map.Entry<K, V>>, AutoCloseable {
    private final FlexCursor cursor;
    private final PairCodec<K, V> pairs;

    TypedCursor(FlexCursor cursor, PairCodec<K, V> pairs) {
        this.cursor = cursor;
        this.pairs = pairs;
    }

    /** Goes to the first pair. */
    public void seekToFirst() {
        cursor.seekToFirst();
    }

    /** Goes to the last pair. */
    public void seekToLast() {
        cursor.seekToLast();
    }

    /** Goes to the first pair whose key is not below the one given. */
    public void seek(K key) {
        cursor.seek(pairs.encodeKey(key));
    }

    /** Goes to the last pair whose key is not above the one given. */
    public void seekForPrev(K key) {
        cursor.seekForPrev(pairs.encodeKey(key));
    }

    /**
     * Goes to the pair behind, or nowhere if there is none.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     */
    public void next() {
        cursor.next();
    }

    /**
     * Goes to the pair before, or nowhere if there is none.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     */
    public void prev() {
        cursor.prev();
    }

    /** Whether the cursor stands on a pair. */
    public boolean isValid() {
        return cursor.isValid();
    }

    /**
     * The key.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     * @throws DecodeException if the codec can't decode it; the cursor stays on it
     */
    public K key() {
        return pairs.decodeKey(cursor.key());
    }

    /**
     * The value.
     *
     * @throws IllegalStateException if the cursor stands nowhere
     * @throws DecodeException if the codec can't decode it; the cursor stays on it
     */
    public V value() {
        return pairs.decodeValue(cursor.key(), cursor.value());
    }

    /** When the value expires, though not for this cursor; empty if it does not. */
    public Optional<Instant> expiresAt() {
        return cursor.expiresAt();
    }

    /**
     * Iterates over the pairs from the first one on, in the direction of the cursor's {@link KeyRange} and up to its limit.
     * It moves the cursor, so there is one iteration at a time, and each begins anew. Entries can't be changed.
     */
    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        Iterator<KeyValue> bytes = cursor.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return bytes.hasNext();
            }

            @Override
            public Map.Entry<K, V> next() {
                return pairs.decode(bytes.next());
            }
        };
    }

    /** Lets go of what the cursor holds. Closing again does nothing. */
    @Override
    public void close() {
        cursor.close();
    }
}
