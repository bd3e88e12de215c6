package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDBReader;
import io.flexdb.KeyspaceReader;
import io.flexdb.ReadOptions;
import io.flexdb.ReadView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pairs of one keyspace as keys and values of some types: as they are now ({@link TypedKeyspace}), as they were
 * (of a snapshot), as a transaction sees them ({@link TypedTransaction}), or beside the writer (of a reader). Threads,
 * errors and how long it may be used are those of the {@link ReadView} that it reads. A pair that the codecs can't decode
 * gives a {@link DecodeException} when it is read. Null keys give a {@link NullPointerException}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public sealed class TypedView<K, V> permits TypedKeyspace, TypedTransaction {
    final ReadView view;
    final PairCodec<K, V> pairs;

    TypedView(ReadView view, PairCodec<K, V> pairs) {
        this.view = view;
        this.pairs = pairs;
    }

    /**
     * Opens a keyspace of a reader beside the writer. It follows when the reader is refreshed.
     *
     * @param name the keyspace's name; empty for the default one
     * @throws io.flexdb.storage.NoSuchKeyspaceException if there is none of this name
     * @throws CodecMismatchException if it is stored with other codecs
     */
    public static <K, V> TypedView<K, V> open(
            FlexDBReader reader, String name, KeyCodec<K> keyCodec, Codec<V> valueCodec) {
        Objects.requireNonNull(reader, "reader");
        PairCodec<K, V> pairs = new PairCodec<>(name, keyCodec, valueCodec);
        KeyspaceReader keyspace = name.isEmpty() ? reader : reader.keyspace(name);
        CodecRecord.requireReadable(reader, pairs);
        return new TypedView<>(keyspace, pairs);
    }

    /** The name of the keyspace; that of the default one is empty. */
    public String name() {
        return pairs.keyspace();
    }

    /** The codec of the keys. */
    public KeyCodec<K> keyCodec() {
        return pairs.keys();
    }

    /** The codec of the values. */
    public Codec<V> valueCodec() {
        return pairs.values();
    }

    /** The value of a key, or null if it is absent. */
    public @Nullable V get(K key) {
        byte[] bytes = pairs.encodeKey(key);
        return pairs.decodeValue(bytes, view.get(bytes));
    }

    /** Whether a key is there. The value is not decoded. */
    public boolean containsKey(K key) {
        return view.containsKey(pairs.encodeKey(key));
    }

    /**
     * The values of several keys as of one moment.
     *
     * @param keys in any order; a key may come more than once
     * @return their values in the order of the keys in the list, null for each one that is absent
     */
    public List<@Nullable V> multiGet(List<K> keys) {
        List<byte[]> encoded = keys.stream().map(pairs::encodeKey).toList();
        List<byte[]> found = view.multiGet(encoded);
        List<@Nullable V> values = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            values.add(pairs.decodeValue(encoded.get(i), found.get(i)));
        }
        return values;
    }

    /** When the value of a key expires; empty if it does not, or the key is absent. */
    public Optional<Instant> expiresAt(K key) {
        return view.expiresAt(pairs.encodeKey(key));
    }

    /** A cursor over all pairs as they are now. To be closed. */
    public TypedCursor<K, V> cursor() {
        return cursor(KeyRange.all());
    }

    /**
     * A cursor over the pairs of a range as they are now. To be closed.
     *
     * @throws IllegalArgumentException if the range's lower bound is above the upper one
     */
    public TypedCursor<K, V> cursor(KeyRange<K> range) {
        return new TypedCursor<>(view.cursor(options(range)), pairs);
    }

    private ReadOptions options(KeyRange<K> range) {
        return Objects.requireNonNull(range, "range")
                .in(pairs)
                .options()
                .withReverse(range.reverse())
                .withLimit(range.limit());
    }

    /** Gives each pair to an action, in the order of the keys, as the pairs are when this is called. */
    public void forEach(BiConsumer<? super K, ? super V> action) {
        forEach(KeyRange.all(), action);
    }

    /**
     * Gives each pair of a range to an action, in the range's direction and up to its limit, as the pairs are when this is
     * called.
     *
     * @param action may call the store. An exception of it ends the iteration, and is thrown to the caller
     */
    public void forEach(KeyRange<K> range, BiConsumer<? super K, ? super V> action) {
        Objects.requireNonNull(action, "action");
        try (TypedCursor<K, V> cursor = cursor(range)) {
            for (Map.Entry<K, V> pair : cursor) {
                action.accept(pair.getKey(), pair.getValue());
            }
        }
    }

    /**
     * All pairs as a sequential stream, in the order of the keys, as they are when this is called. Close the stream unless
     * it is consumed to its end: an open one holds a cursor.
     */
    public Stream<Map.Entry<K, V>> stream() {
        return stream(KeyRange.all());
    }

    /**
     * The pairs of a range as a sequential stream, in the range's direction and up to its limit, as they are when this is
     * called. Close the stream unless it is consumed to its end: an open one holds a cursor.
     */
    public Stream<Map.Entry<K, V>> stream(KeyRange<K> range) {
        return view.stream(options(range)).map(pairs::decode);
    }

    /** How many keys a range has, up to its limit. It reads all of them: the time grows with their number. */
    public long count(KeyRange<K> range) {
        return count(options(range));
    }

    final long count(ReadOptions options) {
        long count = 0;
        try (FlexCursor cursor = view.cursor(options.withKeysOnly(true))) {
            long limit = options.limit();
            for (cursor.seekToFirst(); cursor.isValid() && count < limit; cursor.next()) {
                count++;
            }
        }
        return count;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + pairs.shownName() + ", "
                + pairs.keys().name() + ", " + pairs.values().name() + "]";
    }
}
