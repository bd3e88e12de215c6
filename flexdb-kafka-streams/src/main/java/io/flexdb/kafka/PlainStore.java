package io.flexdb.kafka;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;

/** The methods that all kinds of stores share; the work is in {@link StoreState}. */
abstract class PlainStore implements StateStore {
    final StoreState state;

    PlainStore(String name, StoreFormat.Kind kind, ValueFormat values) {
        state = new StoreState(name, new StoreFormat(kind, values), this::firstLiveLayer);
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {
        state.init(context, root, this::restore);
    }

    /** Applies a record of the changelog. */
    abstract void restore(ConsumerRecord<byte[], byte[]> changelogRecord);

    @Override
    public String name() {
        return state.name();
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public boolean isOpen() {
        return state.isOpen();
    }

    @Override
    @Deprecated
    public boolean managesOffsets() {
        return true;
    }

    @Override
    public void commit(Map<TopicPartition, Long> changelogOffsets) {
        state.commit(changelogOffsets);
    }

    /** The number of the first layer that is not expired. */
    long firstLiveLayer() {
        return Long.MIN_VALUE;
    }

    @Override
    public Long committedOffset(TopicPartition partition) {
        return state.committedOffset(partition);
    }

    /** About how many bytes of memory the writes take that are not committed. Kafka Streams asks for it from 4.4 on. */
    public long approximateNumUncommittedBytes() {
        return state.uncommittedBytes();
    }

    @Override
    public void close() {
        state.close();
    }

    @Override
    public <R> QueryResult<R> query(Query<R> query, PositionBound positionBound, QueryConfig config) {
        return state.query(query, positionBound, config, this);
    }

    @Override
    public Position getPosition() {
        return state.position();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + name() + "]";
    }
}
