package io.flexdb.kafka;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.ResultOrder;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;

/** A versioned key-value store; {@link Versions} tells where a version stands. */
final class FlexDBVersionedStore extends SegmentedStore implements VersionedKeyValueStore<Bytes, byte[]> {
    private final Versions all;
    private final Versions committed;

    FlexDBVersionedStore(String name, long retention) {
        super(name, StoreFormat.Kind.VERSIONED, ValueFormat.PLAIN, retention, Math.max(retention / 8, 2_000));
        all = new Versions(state, segments, false);
        committed = new Versions(state, segments, true);
    }

    @Override
    void restore(ConsumerRecord<byte[], byte[]> changelogRecord) {
        write(changelogRecord.key(), changelogRecord.value(), changelogRecord.timestamp());
    }

    // ---- writes

    @Override
    public long put(Bytes key, byte[] value, long timestamp) {
        Objects.requireNonNull(key, "key cannot be null");
        state.beginWrite();
        return state.run("write to", () -> {
            synchronized (state.position()) {
                long validTo = write(key.get(), value, timestamp);
                state.touch();
                return validTo;
            }
        });
    }

    @Override
    public VersionedRecord<byte[]> delete(Bytes key, long timestamp) {
        VersionedRecord<byte[]> old = get(key, timestamp);
        put(key, null, timestamp);
        return old;
    }

    private long write(byte[] key, byte[] value, long time) {
        state.observe(time);
        if (time < state.streamTime() - segments.retention()) {
            return PUT_RETURN_CODE_NOT_PUT;
        }
        Version old = all.at(key, time);
        long to = old == null ? all.nextAfter(key, time) : old.to();
        if (old != null) {
            remove(key, old);
            if (old.from() < time) {
                add(key, old.until(time));
            }
        }
        add(key, new Version(time, to, value));
        return to == Version.FOREVER ? PUT_RETURN_CODE_VALID_TO_UNDEFINED : to;
    }

    private void add(byte[] key, Version version) {
        if (isNewest(version)) {
            state.stage(state.layer(Versions.NEWEST_LAYER), PlainKeys.encode(key), version.encodeNewest());
        } else {
            Layer layer = segments.forWrite(placeOf(version));
            if (layer != null) { // else nobody can ask for it
                state.stage(layer, Versions.encode(key, version.from()), version.encode());
            }
        }
    }

    private void remove(byte[] key, Version version) {
        if (isNewest(version)) {
            state.stage(state.layer(Versions.NEWEST_LAYER), PlainKeys.encode(key), null);
        } else {
            Layer layer = segments.forWrite(placeOf(version));
            if (layer != null) {
                state.stage(layer, Versions.encode(key, version.from()), null);
            }
        }
    }

    private static boolean isNewest(Version version) {
        return version.to() == Version.FOREVER && version.value() != null;
    }

    /** The time whose segment has a version that is not the newest value. */
    private static long placeOf(Version version) {
        return version.to() == Version.FOREVER ? version.from() : version.to();
    }

    // ---- reads

    @Override
    public VersionedRecord<byte[]> get(Bytes key) {
        return new Reader(all).get(key);
    }

    @Override
    public VersionedRecord<byte[]> get(Bytes key, long asOfTimestamp) {
        return new Reader(all).get(key, asOfTimestamp);
    }

    /** Reads of all writes, or of those that are committed. */
    public VersionedKeyValueStore<Bytes, byte[]> readOnly(IsolationLevel isolationLevel) {
        state.checkOpen();
        return new Reader(QueryIsolation.committedOnly(isolationLevel) ? committed : all);
    }

    @Override
    public <R> QueryResult<R> query(Query<R> query, PositionBound positionBound, QueryConfig config) {
        if (query instanceof MultiVersionedKeyQuery<?, ?>) {
            @SuppressWarnings("unchecked") // the wrappers of Kafka Streams ask with bytes
            MultiVersionedKeyQuery<Bytes, byte[]> versions = (MultiVersionedKeyQuery<Bytes, byte[]>) query;
            return state.answer(positionBound, config, () -> {
                @SuppressWarnings("unchecked") // the type of the query's result
                R result = (R) iterator(versions, QueryIsolation.committedOnly(config) ? committed : all);
                return result;
            });
        }
        return super.query(query, positionBound, config);
    }

    private VersionedRecordIterator<byte[]> iterator(MultiVersionedKeyQuery<Bytes, byte[]> query, Versions from) {
        long first =
                query.fromTime().map(time -> Segments.millis(time, "fromTime")).orElse(0L);
        long last = query.toTime().map(time -> Segments.millis(time, "toTime")).orElse(Long.MAX_VALUE - 1);
        first = Math.max(first, state.streamTime() - segments.retention());
        List<Version> versions = from.between(query.key().get(), first, last);
        versions.removeIf(version -> version.value() == null);
        if (query.resultOrder() != ResultOrder.ASCENDING) {
            Collections.reverse(versions);
        }
        Iterator<Version> iterator = versions.iterator();
        return new VersionedRecordIterator<>() {
            @Override
            public boolean hasNext() {
                return iterator.hasNext();
            }

            @Override
            public VersionedRecord<byte[]> next() {
                return iterator.next().asRecord();
            }

            @Override
            public void close() {
                // All is in memory.
            }
        };
    }

    /** Reads of some versions. It can't be written to, and is closed with the store. */
    private final class Reader implements VersionedKeyValueStore<Bytes, byte[]> {
        private final Versions versions;

        Reader(Versions versions) {
            this.versions = versions;
        }

        @Override
        public VersionedRecord<byte[]> get(Bytes key) {
            Objects.requireNonNull(key, "key cannot be null");
            Version version = versions.newest(key.get());
            return version == null ? null : version.asRecord();
        }

        @Override
        public VersionedRecord<byte[]> get(Bytes key, long asOfTimestamp) {
            Objects.requireNonNull(key, "key cannot be null");
            state.checkOpen();
            boolean isExpired = asOfTimestamp < state.streamTime() - segments.retention();
            Version version = isExpired ? versions.newest(key.get()) : versions.at(key.get(), asOfTimestamp);
            if (version != null && !version.contains(asOfTimestamp)) {
                return null;
            }
            return version == null || version.value() == null ? null : version.asRecord();
        }

        @Override
        public long put(Bytes key, byte[] value, long timestamp) {
            throw readOnly();
        }

        @Override
        public VersionedRecord<byte[]> delete(Bytes key, long timestamp) {
            throw readOnly();
        }

        private UnsupportedOperationException readOnly() {
            return new UnsupportedOperationException("This view of the store " + name() + " is for reading only");
        }

        @Override
        public String name() {
            return FlexDBVersionedStore.this.name();
        }

        @Override
        public void init(StateStoreContext stateStoreContext, StateStore root) {
            throw readOnly();
        }

        @Override
        public void close() {
            throw readOnly();
        }

        @Override
        public boolean persistent() {
            return true;
        }

        @Override
        public boolean isOpen() {
            return FlexDBVersionedStore.this.isOpen();
        }
    }
}
