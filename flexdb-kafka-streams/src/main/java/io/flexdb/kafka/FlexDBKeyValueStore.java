package io.flexdb.kafka;

import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;

/** A key-value store. Its pairs stand in one layer as they come. */
class FlexDBKeyValueStore extends PlainStore implements KeyValueStore<Bytes, byte[]> {
    private final KeyValues all;
    private final KeyValues committed;

    FlexDBKeyValueStore(String name, ValueFormat format) {
        super(name, StoreFormat.Kind.KEY_VALUE, format);
        all = new KeyValues(state, false);
        committed = new KeyValues(state, true);
    }

    /** One whose values have this format, as its type tells Kafka Streams. */
    static FlexDBKeyValueStore of(String name, ValueFormat format) {
        return switch (format) {
            case PLAIN -> new FlexDBKeyValueStore(name, format);
            case TIMESTAMPED -> new Timestamped(name);
            case HEADERS -> new WithHeaders(name);
        };
    }

    private static final class Timestamped extends FlexDBKeyValueStore implements TimestampedBytesStore {
        Timestamped(String name) {
            super(name, ValueFormat.TIMESTAMPED);
        }
    }

    private static final class WithHeaders extends FlexDBKeyValueStore implements HeadersBytesStore {
        WithHeaders(String name) {
            super(name, ValueFormat.HEADERS);
        }
    }

    @Override
    void restore(ConsumerRecord<byte[], byte[]> changelogRecord) {
        state.stage(layer(), PlainKeys.encode(changelogRecord.key()), changelogRecord.value());
    }

    private Layer layer() {
        return state.layer(0);
    }

    @Override
    public void put(Bytes key, byte[] value) {
        Objects.requireNonNull(key, "key cannot be null");
        state.beginWrite();
        state.put(layer(), PlainKeys.encode(key.get()), value);
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
        byte[] old = get(key);
        if (old == null) {
            put(key, value);
        }
        return old;
    }

    @Override
    public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
        for (KeyValue<Bytes, byte[]> entry : entries) {
            put(entry.key, entry.value);
        }
    }

    @Override
    public byte[] delete(Bytes key) {
        byte[] old = get(key);
        put(key, null);
        return old;
    }

    /** Reads of all writes, or of those that are committed. */
    public ReadOnlyKeyValueStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
        state.checkOpen();
        return QueryIsolation.committedOnly(isolationLevel) ? committed : all;
    }

    @Override
    public byte[] get(Bytes key) {
        return all.get(key);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        return all.range(from, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
        return all.reverseRange(from, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        return all.all();
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> reverseAll() {
        return all.reverseAll();
    }

    @Override
    public <P extends Serializer<Q>, Q> KeyValueIterator<Bytes, byte[]> prefixScan(Q prefix, P serializer) {
        return all.prefixScan(prefix, serializer);
    }

    @Override
    public long approximateNumEntries() {
        return all.approximateNumEntries();
    }
}
