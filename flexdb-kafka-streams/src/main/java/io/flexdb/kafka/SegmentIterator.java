package io.flexdb.kafka;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.WindowStoreIterator;

/**
 * The pairs of a span of keys in some layers, one layer behind the other, each as it was when it was reached. Closing the
 * store closes it.
 *
 * @param <K> what keys are decoded to
 */
final class SegmentIterator<K> implements KeyValueIterator<K, byte[]> {
    private final StoreState state;
    private final Iterator<Layer> layers;
    private final KeySpan span;
    private final boolean reverse;
    private final boolean committedOnly;
    private final Function<byte[], K> decoder;
    private StoreIterator pairs; // of the current layer, or null
    private KeyValue<K, byte[]> next;
    private boolean closed;

    /**
     * @param layers in the order in which they are to be gone through
     * @param decoder gives null for a pair to be left out
     */
    SegmentIterator(
            StoreState state,
            List<Layer> layers,
            KeySpan span,
            boolean reverse,
            boolean committedOnly,
            Function<byte[], K> decoder) {
        this.state = state;
        this.layers = layers.iterator();
        this.span = span;
        this.reverse = reverse;
        this.committedOnly = committedOnly;
        this.decoder = decoder;
        state.checkOpen();
    }

    @Override
    public synchronized boolean hasNext() {
        if (closed) {
            throw new InvalidStateStoreException("The iterator of the store " + state.name() + " is closed");
        }
        while (next == null && (pairs != null || layers.hasNext())) {
            if (pairs == null) {
                pairs = StoreIterator.over(
                        state, layers.next(), span, reverse, committedOnly, UnaryOperator.identity());
            }
            if (pairs.hasNext()) {
                KeyValue<Bytes, byte[]> pair = pairs.next();
                K key = decoder.apply(pair.key.get());
                next = key == null ? null : new KeyValue<>(key, pair.value);
            } else {
                pairs.close();
                pairs = null;
            }
        }
        return next != null;
    }

    @Override
    public synchronized K peekNextKey() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return next.key;
    }

    @Override
    public synchronized KeyValue<K, byte[]> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        KeyValue<K, byte[]> pair = next;
        next = null;
        return pair;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (pairs != null) {
            pairs.close();
            pairs = null;
        }
    }

    /** Shows the pairs of a key with their times alone. */
    static WindowStoreIterator<byte[]> ofTimes(SegmentIterator<Long> iterator) {
        return new WindowStoreIterator<>() {
            @Override
            public boolean hasNext() {
                return iterator.hasNext();
            }

            @Override
            public Long peekNextKey() {
                return iterator.peekNextKey();
            }

            @Override
            public KeyValue<Long, byte[]> next() {
                return iterator.next();
            }

            @Override
            public void close() {
                iterator.close();
            }
        };
    }
}
