package io.flexdb.typed;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * A keyspace of a store whose keys and values have types.
 *
 * <pre>{@code
 * try (FlexDB db = FlexDB.open(Path.of("data"))) {
 *     TypedKeyspace<Long, String> names = TypedKeyspace.open(db, "names", KeyCodec.longs(), Codec.strings());
 *     names.put(7L, "Ann");
 *     names.forEach(KeyRange.<Long>all().withReverse(true), (id, name) -> System.out.println(id + " " + name));
 *     names.asMap().merge(7L, " Miller", String::concat);
 * }
 * }</pre>
 *
 * <p><b>Codecs are guarded.</b> The store keeps the names of the codecs in a keyspace {@code flexdb-typed}, and a keyspace
 * with pairs is not opened with others. Open a keyspace with new codecs, after its pairs were deleted, before others use
 * it.
 *
 * <p>Threads, durability and errors are those of {@link FlexDB}. It need not be closed; it ends with its store. Keys and
 * values are never null: that gives a {@link NullPointerException}. A key that a codec refuses, or that is too long for the
 * store, gives an {@link IllegalArgumentException}; nothing is written then.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TypedKeyspace<K, V> extends TypedView<K, V> {
    private static final WriteOptions DEFAULTS = WriteOptions.defaults();

    private final Keyspace keyspace;

    private TypedKeyspace(Keyspace keyspace, PairCodec<K, V> pairs) {
        super(keyspace, pairs);
        this.keyspace = keyspace;
    }

    /**
     * Opens a keyspace, which is made if there is none.
     *
     * @param name the keyspace's name; empty for the default one
     * @throws CodecMismatchException if it has pairs and is stored with other codecs; nothing was changed
     * @throws DecodeException if its codecs are not stored yet, and its first or last pair is none of these codecs;
     *     nothing was changed
     * @throws IllegalArgumentException if it has indexes ({@link IndexedKeyspace}), or the name is one that the store
     *     refuses, or {@code flexdb-typed}
     */
    public static <K, V> TypedKeyspace<K, V> open(FlexDB db, String name, KeyCodec<K> keyCodec, Codec<V> valueCodec) {
        Objects.requireNonNull(db, "db");
        PairCodec<K, V> pairs = new PairCodec<>(name, keyCodec, valueCodec);
        return open(db, pairs, List.of(), (transaction, before) -> {
            if (!before.isEmpty()) {
                throw new IllegalArgumentException("keyspace " + pairs.shownName() + " has indexes " + before
                        + ", which writes without them would make wrong; open it as an IndexedKeyspace, or once as one"
                        + " without indexes, which drops them");
            }
        });
    }

    static <K, V> TypedKeyspace<K, V> open(
            FlexDB db, PairCodec<K, V> pairs, List<String> indexes, CodecRecord.IndexWork work) {
        String name = pairs.keyspace();
        if (name.equals(CodecRecord.KEYSPACE)) {
            throw new IllegalArgumentException(
                    "keyspace \"" + name + "\" has the names of codecs; use another name than that");
        }
        CodecRecord.requireFits(db, pairs); // before anything is made
        Keyspace keyspace = name.isEmpty() ? db : db.createKeyspaceIfAbsent(name);
        CodecRecord.store(db, keyspace, pairs, indexes, work);
        return new TypedKeyspace<>(keyspace, pairs);
    }

    /** The keyspace without types. */
    public Keyspace keyspace() {
        return keyspace;
    }

    // ---- writing

    /**
     * Sets the value of a key.
     *
     * @return the sequence number of the write
     */
    public long put(K key, V value) {
        return put(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key, with a durability or a time to live of its own.
     *
     * @return the sequence number of the write
     */
    public long put(K key, V value, WriteOptions options) {
        return keyspace.put(pairs.encodeKey(key), pairs.encodeValue(value), options);
    }

    /**
     * Changes the value of a key by an operand without reading it: the {@link io.flexdb.MergeFunction} of the keyspace, or
     * else of the store, gets both as bytes. {@link Codec#longs()} are those of {@link io.flexdb.MergeFunction#ADD}.
     *
     * @return the sequence number of the write
     * @throws IllegalStateException if the keyspace has no merge function
     */
    public long merge(K key, V operand) {
        return merge(key, operand, DEFAULTS);
    }

    /**
     * Changes the value of a key by an operand, as {@link #merge(Object, Object)}, with a durability of its own.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException besides, if the options have a time to live
     * @throws IllegalStateException if the store was opened without a merge function
     */
    public long merge(K key, V operand, WriteOptions options) {
        return keyspace.merge(pairs.encodeKey(key), pairs.encodeValue(operand), options);
    }

    /**
     * Removes a key, if it is there.
     *
     * @return the sequence number of the write
     */
    public long delete(K key) {
        return delete(key, DEFAULTS);
    }

    /**
     * Removes a key, if it is there, with a durability of its own.
     *
     * @return the sequence number of the write
     */
    public long delete(K key, WriteOptions options) {
        return keyspace.delete(pairs.encodeKey(key), options);
    }

    /**
     * Removes all keys of a range by one short write.
     *
     * @param range its direction does not matter
     * @return the sequence number of the write
     * @throws IllegalArgumentException if the range has a limit, or its lower bound is above the upper one
     */
    public long deleteRange(KeyRange<K> range) {
        return deleteRange(range, DEFAULTS);
    }

    /**
     * Removes all keys of a range by one short write, with a durability of its own.
     *
     * @param range its direction does not matter
     * @return the sequence number of the write
     * @throws IllegalArgumentException if the range has a limit, its lower bound is above the upper one, or the options have
     *     a time to live
     */
    public long deleteRange(KeyRange<K> range, WriteOptions options) {
        ByteRange bytes = toDelete(range, pairs);
        return keyspace.deleteRange(bytes.low(), bytes.high(), options);
    }

    static <K> ByteRange toDelete(KeyRange<K> range, PairCodec<K, ?> pairs) {
        if (range.limit() != Long.MAX_VALUE) {
            throw new IllegalArgumentException("a range to delete must not have a limit: " + range);
        }
        return range.in(pairs).toDelete(pairs.keyspace());
    }

    /**
     * Removes all keys by one short write.
     *
     * @return the sequence number of the write
     */
    public long deleteAll() {
        return keyspace.deleteAll();
    }

    /**
     * Sets the value of a key if it is absent.
     *
     * @return null if it was absent and is set now, else its value
     */
    public @Nullable V putIfAbsent(K key, V value) {
        return putIfAbsent(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key if it is absent, with a durability or a time to live of its own.
     *
     * @return null if it was absent and is set now, else its value
     */
    public @Nullable V putIfAbsent(K key, V value, WriteOptions options) {
        byte[] bytes = pairs.encodeKey(key);
        return pairs.decodeValue(bytes, keyspace.putIfAbsent(bytes, pairs.encodeValue(value), options));
    }

    /**
     * Sets the value of a key, and returns the one before, with no other write in between.
     *
     * @return the value that it had, or null if the key was absent
     */
    public @Nullable V getAndSet(K key, V value) {
        return getAndSet(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key, with a durability or a time to live of its own, and returns the one before, with no other
     * write in between.
     *
     * @return the value that it had, or null if the key was absent
     */
    public @Nullable V getAndSet(K key, V value, WriteOptions options) {
        byte[] bytes = pairs.encodeKey(key);
        return pairs.decodeValue(bytes, keyspace.getAndSet(bytes, pairs.encodeValue(value), options));
    }

    /**
     * Removes a key, and returns its value, with no other write in between.
     *
     * @return the value that it had, or null if the key was absent, and then nothing is written
     */
    public @Nullable V getAndDelete(K key) {
        return getAndDelete(key, DEFAULTS);
    }

    /**
     * Removes a key, with a durability of its own, and returns its value, with no other write in between.
     *
     * @return the value that it had, or null if the key was absent, and then nothing is written
     * @throws IllegalArgumentException besides, if the options have a time to live
     */
    public @Nullable V getAndDelete(K key, WriteOptions options) {
        byte[] bytes = pairs.encodeKey(key);
        return pairs.decodeValue(bytes, keyspace.getAndDelete(bytes, options));
    }

    /**
     * Sets or removes the value of a key if its bytes are those of the expected value, with no other write in between.
     *
     * @param expected null if the key is expected to be absent
     * @param value null to remove the key
     * @return whether it was as expected, and has been set
     */
    public boolean compareAndSet(K key, @Nullable V expected, @Nullable V value) {
        return compareAndSet(key, expected, value, DEFAULTS);
    }

    /**
     * Sets or removes the value of a key if its bytes are those of the expected value, with no other write in between, and
     * with a durability or a time to live of its own.
     *
     * @param expected null if the key is expected to be absent
     * @param value null to remove the key
     * @return whether it was as expected, and has been set
     */
    public boolean compareAndSet(K key, @Nullable V expected, @Nullable V value, WriteOptions options) {
        return keyspace.compareAndSet(pairs.encodeKey(key), orNull(expected), orNull(value), options);
    }

    private byte @Nullable [] orNull(@Nullable V value) {
        return value == null ? null : pairs.encodeValue(value);
    }

    /**
     * Brings pairs in the order of the keys into the keyspace, all at once, at the pace at which the disk takes them. To be
     * closed.
     *
     * @see Keyspace#bulkLoad()
     */
    public TypedBulkLoad<K, V> bulkLoad() {
        return new TypedBulkLoad<>(keyspace.bulkLoad(), pairs);
    }

    // ---- as a part of other things

    /** Adds operations of this keyspace to a batch, which may have others, and is written by {@link FlexDB#write}. */
    public TypedBatch<K, V> in(WriteBatch batch) {
        return new TypedBatch<>(batch.in(keyspace), pairs);
    }

    /** Reads and writes this keyspace in a transaction, which may use others, too. */
    public TypedTransaction<K, V> in(Transaction transaction) {
        return new TypedTransaction<>(transaction.in(keyspace), pairs);
    }

    /** This keyspace as of a snapshot. */
    public TypedView<K, V> in(Snapshot snapshot) {
        return new TypedView<>(snapshot.in(keyspace), pairs);
    }

    /**
     * This keyspace as a map, with the contract of {@link ConcurrentNavigableMap}: writes go to the store and are as
     * durable as its {@link io.flexdb.Durability}.
     *
     * <ul>
     *   <li>{@code compute}, {@code computeIfAbsent}, {@code computeIfPresent}, {@code merge} and {@code replaceAll} are
     *       atomic for each key. They call their function again if another write came in between.
     *   <li>Iterators are weakly consistent: they read pages of up to 256 pairs, each as of one moment, hold nothing
     *       between them, and never throw a {@link java.util.ConcurrentModificationException}.
     *   <li>{@code size} reads all keys, as do {@code equals}, {@code hashCode} and {@code containsValue}.
     *       {@code isEmpty} and looking for a neighbour take a seek. {@code clear} is one short write.
     *   <li>Keys are equal if the {@linkplain KeyCodec#comparator() comparator} says so; values, if {@code equals} says so,
     *       or, of arrays, if their content is equal.
     *   <li>Entries don't change, and have no {@code setValue}.
     * </ul>
     */
    public ConcurrentNavigableMap<K, V> asMap() {
        return new KeyspaceMap<>(keyspace, pairs, KeyBounds.NONE, false);
    }
}
