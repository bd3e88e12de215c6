package io.flexdb.kafka;

import java.util.Objects;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** Reads of a key-value store: of all its writes, or of those that are committed. */
final class KeyValues implements ReadOnlyKeyValueStore<Bytes, byte[]> {
    private final StoreState state;
    private final boolean committedOnly;

    KeyValues(StoreState state, boolean committedOnly) {
        this.state = state;
        this.committedOnly = committedOnly;
    }

    @Override
    public byte[] get(Bytes key) {
        Objects.requireNonNull(key, "key cannot be null");
        return state.get(state.layerIfAny(0), PlainKeys.encode(key.get()), committedOnly);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        return scan(from, to, false);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
        return scan(from, to, true);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        return scan(null, null, false);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseAll() {
        return scan(null, null, true);
    }

    private KeyValueIterator<Bytes, byte[]> scan(Bytes from, Bytes to, boolean reverse) {
        byte[] first = from == null ? null : PlainKeys.encode(from.get());
        byte[] last = to == null ? null : PlainKeys.encode(to.get());
        return StoreIterator.over(
                state, state.layerIfAny(0), new KeySpan(first, last, true), reverse, committedOnly, PlainKeys::decode);
    }

    @Override
    public <P extends Serializer<Q>, Q> KeyValueIterator<Bytes, byte[]> prefixScan(Q prefix, P serializer) {
        Objects.requireNonNull(prefix, "prefix cannot be null");
        Objects.requireNonNull(serializer, "serializer cannot be null");
        byte[] bytes = serializer.serialize(null, prefix);
        return StoreIterator.over(
                state, state.layerIfAny(0), PlainKeys.ofPrefix(bytes), false, committedOnly, PlainKeys::decode);
    }

    @Override
    public long approximateNumEntries() {
        return state.approximateEntries();
    }
}
