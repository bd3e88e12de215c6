package io.flexdb.typed;

import io.flexdb.WriteBatch;
import java.time.Duration;

/**
 * Adds typed puts and deletes of one keyspace to a {@link WriteBatch}, made by {@link TypedKeyspace#in(WriteBatch)}. They
 * take effect when that batch is written, together with all else in it. For one thread at a time.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedBatch<K, V> {
    private final WriteBatch batch;
    private final PairCodec<K, V> pairs;

    TypedBatch(WriteBatch batch, PairCodec<K, V> pairs) {
        this.batch = batch;
        this.pairs = pairs;
    }

    /** Adds a put. */
    public TypedBatch<K, V> put(K key, V value) {
        batch.put(pairs.encodeKey(key), pairs.encodeValue(value));
        return this;
    }

    /**
     * Adds a put that expires.
     *
     * @param timeToLive above 0, from when the batch is written
     */
    public TypedBatch<K, V> put(K key, V value, Duration timeToLive) {
        batch.put(pairs.encodeKey(key), pairs.encodeValue(value), timeToLive);
        return this;
    }

    /** Adds a change of a value by an operand, as {@link TypedKeyspace#merge}. */
    public TypedBatch<K, V> merge(K key, V operand) {
        batch.merge(pairs.encodeKey(key), pairs.encodeValue(operand));
        return this;
    }

    /** Adds a delete; deleting an absent key does nothing. */
    public TypedBatch<K, V> delete(K key) {
        batch.delete(pairs.encodeKey(key));
        return this;
    }

    /**
     * Adds the removal of all keys of a range, those put by earlier operations of the batch included.
     *
     * @throws IllegalArgumentException if the range has a limit, or its lower bound is above the upper one
     */
    public TypedBatch<K, V> deleteRange(KeyRange<K> range) {
        ByteRange bytes = TypedKeyspace.toDelete(range, pairs);
        batch.deleteRange(bytes.low(), bytes.high());
        return this;
    }

    /** Adds the removal of all keys of the keyspace. */
    public TypedBatch<K, V> deleteAll() {
        batch.deleteAll();
        return this;
    }

    @Override
    public String toString() {
        return "TypedBatch[" + pairs.shownName() + " in " + batch + "]";
    }
}
