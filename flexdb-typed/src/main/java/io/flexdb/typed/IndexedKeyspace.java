package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.KeyValue;
import io.flexdb.Keyspace;
import io.flexdb.ReadView;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records with secondary indexes: each write of a record changes its index entries in the same transaction.
 *
 * <pre>{@code
 * Index<User, String> byCity = Index.of("city", KeyCodec.strings(), User::city);
 * IndexedKeyspace<Long, User> users = IndexedKeyspace.open(db, "users", KeyCodec.longs(), User.CODEC, List.of(byCity));
 * users.put(7L, new User("Ann", "Rome"));
 * List<Map.Entry<Long, User>> romans = users.find(byCity, "Rome");
 * }</pre>
 *
 * <p>The store knows which indexes a keyspace has. Opening it with an index that it does not have yet builds that one from
 * the records; one that is not in the list any more is dropped. Both happen in one transaction, which conflicts with
 * writes: open the keyspace once, before others use it. Records must have no time to live.
 *
 * <p>An index's entries are in a keyspace {@code <name> index <index>}. Write the records through this class only.
 *
 * <p>Threads, durability and errors are those of {@link FlexDB}. It need not be closed.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records
 */
public final class IndexedKeyspace<K, V> {
    private final FlexDB db;
    private final TypedKeyspace<K, V> records;
    private final Map<Index<V, ?>, IndexEntries<K, V, ?>> indexes;

    private IndexedKeyspace(FlexDB db, TypedKeyspace<K, V> records, Map<Index<V, ?>, IndexEntries<K, V, ?>> indexes) {
        this.db = db;
        this.records = records;
        this.indexes = indexes;
    }

    /**
     * Opens a keyspace with its indexes; what there is not yet is made.
     *
     * @param name the keyspace's name; empty for the default one
     * @param indexes all indexes, with different names
     * @throws CodecMismatchException if the keyspace has records and is stored with other codecs; nothing was changed
     * @throws DecodeException if an index is to be built, and a record can't be decoded; no index was changed
     * @throws IllegalArgumentException if two indexes have the same name
     */
    public static <K, V> IndexedKeyspace<K, V> open(
            FlexDB db, String name, KeyCodec<K> keyCodec, Codec<V> valueCodec, List<Index<V, ?>> indexes) {
        Objects.requireNonNull(db, "db");
        PairCodec<K, V> pairs = new PairCodec<>(name, keyCodec, valueCodec);
        CodecRecord.requireFits(db, pairs); // before anything is made
        Map<Index<V, ?>, IndexEntries<K, V, ?>> entries = new LinkedHashMap<>();
        List<String> storedNames = new ArrayList<>();
        for (Index<V, ?> index : indexes) {
            requireNewName(index, entries);
            entries.put(index, entries(db, index, pairs));
            storedNames.add(index.storedName());
        }
        TypedKeyspace<K, V> records = TypedKeyspace.open(db, pairs, storedNames, new IndexBuild<>(db, pairs, entries));
        return new IndexedKeyspace<>(db, records, entries);
    }

    private static <V> void requireNewName(Index<V, ?> index, Map<Index<V, ?>, ?> others) {
        for (Index<V, ?> other : others.keySet()) {
            if (other.name().equals(index.name())) {
                throw new IllegalArgumentException(
                        "two indexes have the name " + index.name() + ": " + index + ", " + other);
            }
        }
    }

    private static <K, V, I> IndexEntries<K, V, I> entries(FlexDB db, Index<V, I> index, PairCodec<K, V> pairs) {
        Keyspace keyspace = db.createKeyspaceIfAbsent(IndexEntries.keyspaceName(pairs.keyspace(), index.name()));
        return new IndexEntries<>(index, keyspace, pairs.keys());
    }

    /** The record of a key, or null if there is none. */
    public @Nullable V get(K key) {
        return records.get(key);
    }

    /** The records, to be read in the order of their keys. */
    public TypedView<K, V> records() {
        return new TypedView<>(records.keyspace(), records.pairs);
    }

    // ---- writing

    /**
     * Sets a record and its index entries, atomically.
     *
     * @return the record that there was, or null
     * @throws io.flexdb.storage.ConflictException if others wrote the same record each of many times
     */
    public @Nullable V put(K key, V value) {
        return db.transact(transaction -> put(transaction, key, value));
    }

    /**
     * Removes a record and its index entries, atomically.
     *
     * @return the record that there was, or null
     * @throws io.flexdb.storage.ConflictException if others wrote the same record each of many times
     */
    public @Nullable V delete(K key) {
        return db.transact(transaction -> delete(transaction, key));
    }

    /**
     * Sets a record and its index entries in a transaction, together with all else in it.
     *
     * @return the record that there was, or null
     */
    public @Nullable V put(Transaction transaction, K key, V value) {
        Objects.requireNonNull(value, "value");
        TypedTransaction<K, V> own = records.in(transaction);
        V before = own.get(key);
        own.put(key, value);
        indexes.values().forEach(entries -> entries.change(transaction, key, before, value));
        return before;
    }

    /**
     * Removes a record and its index entries in a transaction, together with all else in it.
     *
     * @return the record that there was, or null
     */
    public @Nullable V delete(Transaction transaction, K key) {
        TypedTransaction<K, V> own = records.in(transaction);
        V before = own.get(key);
        own.delete(key);
        indexes.values().forEach(entries -> entries.change(transaction, key, before, null));
        return before;
    }

    // ---- finding

    /**
     * The records with an indexed value, in the order of their keys, as of one moment.
     *
     * @param index one of the indexes that the keyspace was opened with
     */
    public <I> List<Map.Entry<K, V>> find(Index<V, I> index, I value) {
        List<Map.Entry<K, V>> found = new ArrayList<>();
        forEach(index, KeyRange.only(value), (key, record) -> found.add(Map.entry(key, record)));
        return found;
    }

    /**
     * Gives each record with an indexed value in a range to an action, as of one moment: in the order of the values, then of
     * the keys, in the range's direction and up to its limit. A record with several such values comes several times.
     *
     * @param index one of the indexes that the keyspace was opened with
     * @param action may call the store. An exception of it ends the iteration, and is thrown to the caller
     */
    public <I> void forEach(Index<V, I> index, KeyRange<I> range, BiConsumer<? super K, ? super V> action) {
        Keyspace entries = entries(index).keyspace();
        try (Snapshot snapshot = db.snapshot()) {
            forEach(snapshot.in(entries), records.in(snapshot), index, range, action);
        }
    }

    /**
     * The records with an indexed value as a transaction sees them, in the order of their keys. Under {@link
     * io.flexdb.Isolation#SERIALIZABLE} a transaction that finds none and puts one makes sure that there is only one.
     *
     * @param index one of the indexes that the keyspace was opened with
     */
    public <I> List<Map.Entry<K, V>> find(Transaction transaction, Index<V, I> index, I value) {
        List<Map.Entry<K, V>> found = new ArrayList<>();
        forEach(transaction, index, KeyRange.only(value), (key, record) -> found.add(Map.entry(key, record)));
        return found;
    }

    /**
     * Gives each record with an indexed value in a range to an action, as a transaction sees them now: in the order of the
     * values, then of the keys, in the range's direction and up to its limit.
     *
     * @param index one of the indexes that the keyspace was opened with
     * @param action may write in the transaction, which does not show in this iteration's index entries
     */
    public <I> void forEach(
            Transaction transaction, Index<V, I> index, KeyRange<I> range, BiConsumer<? super K, ? super V> action) {
        Keyspace entries = entries(index).keyspace();
        forEach(transaction.in(entries), records.in(transaction), index, range, action);
    }

    private <I> void forEach(
            ReadView view,
            TypedView<K, V> shown,
            Index<V, I> index,
            KeyRange<I> range,
            BiConsumer<? super K, ? super V> action) {
        Objects.requireNonNull(action, "action");
        IndexEntries<K, V, I> entries = entries(index);
        try (FlexCursor cursor = view.cursor(entries.options(range))) {
            Iterator<KeyValue> all = cursor.iterator();
            while (all.hasNext()) {
                K key = entries.recordKey(all.next().key());
                action.accept(key, requireRecord(index, key, shown.get(key)));
            }
        }
    }

    private V requireRecord(Index<V, ?> index, K key, V record) {
        if (record == null) {
            throw new IllegalStateException(index + " of keyspace " + records.pairs.shownName() + " has key " + key
                    + ", but there is no such record; write records through IndexedKeyspace only, and without a time to"
                    + " live. To build the index anew, open the keyspace without it, and again");
        }
        return record;
    }

    @SuppressWarnings("unchecked") // it was put there with its index
    private <I> IndexEntries<K, V, I> entries(Index<V, I> index) {
        IndexEntries<K, V, ?> entries = indexes.get(Objects.requireNonNull(index, "index"));
        if (entries == null) {
            throw new IllegalArgumentException("keyspace " + records.pairs.shownName() + " was opened without " + index
                    + "; it has " + indexes.keySet());
        }
        return (IndexEntries<K, V, I>) entries;
    }

    @Override
    public String toString() {
        return "IndexedKeyspace[" + records.pairs.shownName() + ", " + indexes.keySet() + "]";
    }
}
