package io.flexdb.kafka;

import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;

/**
 * The pairs of a layer as they were when it was opened. Closing the store closes it, also while another thread uses it.
 */
final class StoreIterator implements KeyValueIterator<Bytes, byte[]> {
    private final StoreState state;
    private final PairIterator pairs; // null for no pairs
    private final UnaryOperator<byte[]> decoder;
    private boolean closed;

    private StoreIterator(StoreState state, PairIterator pairs, UnaryOperator<byte[]> decoder) {
        this.state = state;
        this.pairs = pairs;
        this.decoder = decoder;
    }

    /**
     * Opens one over a layer.
     *
     * @param layer null for none, with no pairs
     * @param decoder makes a user's key of a layer's key
     */
    static StoreIterator over(
            StoreState state,
            Layer layer,
            KeySpan span,
            boolean reverse,
            boolean committedOnly,
            UnaryOperator<byte[]> decoder) {
        state.checkOpen();
        PairIterator pairs = layer == null || span.isEmpty()
                ? null
                : state.run(
                        "read", () -> layer.scan(span.from(), span.to(), span.toInclusive(), reverse, committedOnly));
        StoreIterator iterator = new StoreIterator(state, pairs, decoder);
        state.register(iterator);
        return iterator;
    }

    @Override
    public synchronized boolean hasNext() {
        checkOpen();
        return pairs != null && state.run("read", pairs::hasNext);
    }

    @Override
    public synchronized Bytes peekNextKey() {
        checkHasNext();
        return Bytes.wrap(decoder.apply(pairs.peekKey()));
    }

    @Override
    public synchronized KeyValue<Bytes, byte[]> next() {
        checkHasNext();
        Bytes key = Bytes.wrap(decoder.apply(pairs.peekKey()));
        return new KeyValue<>(key, pairs.take());
    }

    private void checkHasNext() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new InvalidStateStoreException("The iterator of the store " + state.name() + " is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            state.unregister(this);
            if (pairs != null) {
                pairs.close();
            }
        }
    }
}
