package io.flexdb.typed;

import io.flexdb.BulkLoad;
import java.time.Duration;

/**
 * Brings any number of typed pairs, in the order of the keys, into a keyspace of a store in use: all of them at once, at
 * the moment of {@link #commit()}. Made by {@link TypedKeyspace#bulkLoad()}.
 *
 * <pre>{@code
 * try (TypedBulkLoad<Long, String> load = names.bulkLoad()) {
 *     sorted.forEach(load::add); // a SortedMap
 *     load.commit();
 * }
 * }</pre>
 *
 * <p>Nobody sees anything of it before the commit. What it does to others, and its limits, are those of {@link BulkLoad}.
 * For one thread at a time. Closing the store ends it.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedBulkLoad<K, V> implements AutoCloseable {
    private final BulkLoad load;
    private final PairCodec<K, V> pairs;

    TypedBulkLoad(BulkLoad load, PairCodec<K, V> pairs) {
        this.load = load;
        this.pairs = pairs;
    }

    /**
     * Adds a pair.
     *
     * @param key above that of the pair added before, in the order of {@link KeyCodec#comparator()}
     * @throws IllegalArgumentException if it is not above it, or a codec has no bytes for key or value; nothing was added,
     *     and others may be
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; the load has ended
     */
    public TypedBulkLoad<K, V> add(K key, V value) {
        load.add(pairs.encodeKey(key), pairs.encodeValue(value));
        return this;
    }

    /**
     * Adds a pair that expires.
     *
     * @param key above that of the pair added before, in the order of {@link KeyCodec#comparator()}
     * @param timeToLive how long it lives from now on, above 0
     * @throws IllegalArgumentException if one of these is not so, or a codec has no bytes for key or value; nothing was
     *     added, and others may be
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; the load has ended
     */
    public TypedBulkLoad<K, V> add(K key, V value, Duration timeToLive) {
        load.add(pairs.encodeKey(key), pairs.encodeValue(value), timeToLive);
        return this;
    }

    /** Pairs added so far. */
    public long pairs() {
        return load.pairs();
    }

    /** Bytes of the pairs added so far, as they are stored. */
    public long bytes() {
        return load.bytes();
    }

    /**
     * Makes all that was added a part of the keyspace, durably; the load has ended then, whether this throws or not.
     *
     * @return the sequence number of the last write before it
     * @see BulkLoad#commit()
     */
    public long commit() {
        return load.commit();
    }

    /** Ends the load. What was not committed is given back. */
    @Override
    public void close() {
        load.close();
    }

    @Override
    public String toString() {
        return "TypedBulkLoad[" + pairs.shownName() + ", pairs=" + pairs() + "]";
    }
}
