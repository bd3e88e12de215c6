package io.flexdb.typed;

import io.flexdb.Transaction;
import java.time.Duration;

/**
 * Reads and writes one keyspace in a {@link Transaction}, made by {@link TypedKeyspace#in(Transaction)}. The writes take
 * effect when that transaction is committed. For one thread at a time.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedTransaction<K, V> extends TypedView<K, V> {
    private final Transaction transaction;

    TypedTransaction(Transaction transaction, PairCodec<K, V> pairs) {
        super(transaction, pairs);
        this.transaction = transaction;
    }

    /** Sets the value of a key. */
    public TypedTransaction<K, V> put(K key, V value) {
        transaction.put(pairs.encodeKey(key), pairs.encodeValue(value));
        return this;
    }

    /**
     * Sets the value of a key for some time, which begins now.
     *
     * @param timeToLive above 0
     */
    public TypedTransaction<K, V> put(K key, V value, Duration timeToLive) {
        transaction.put(pairs.encodeKey(key), pairs.encodeValue(value), timeToLive);
        return this;
    }

    /** Changes the value of a key by an operand, as {@link TypedKeyspace#merge}. */
    public TypedTransaction<K, V> merge(K key, V operand) {
        transaction.merge(pairs.encodeKey(key), pairs.encodeValue(operand));
        return this;
    }

    /** Removes a key, if it is there. */
    public TypedTransaction<K, V> delete(K key) {
        transaction.delete(pairs.encodeKey(key));
        return this;
    }

    /**
     * Removes all keys of a range.
     *
     * @throws IllegalArgumentException if the range has a limit, or its lower bound is above the upper one
     */
    public TypedTransaction<K, V> deleteRange(KeyRange<K> range) {
        ByteRange bytes = TypedKeyspace.toDelete(range, pairs);
        transaction.deleteRange(bytes.low(), bytes.high());
        return this;
    }

    /** Removes all keys of the keyspace. */
    public TypedTransaction<K, V> deleteAll() {
        transaction.deleteAll();
        return this;
    }
}
