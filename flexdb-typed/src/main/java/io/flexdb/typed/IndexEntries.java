package io.flexdb.typed;

import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.Transaction;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * The entries of one index: a keyspace whose keys are an indexed value and the key of a record, and whose values are
 * empty.
 */
final class IndexEntries<K, V, I> {
    private static final byte[] NOTHING = {};

    private final Index<V, I> index;
    private final Keyspace keyspace;
    private final Tuple2Codec<I, K> keys;
    private final Component<I> first;

    IndexEntries(Index<V, I> index, Keyspace keyspace, KeyCodec<K> recordKeys) {
        this.index = index;
        this.keyspace = keyspace;
        this.keys = KeyCodec.tuple(index.codec(), recordKeys);
        this.first = new Component<>(index.codec());
    }

    /** The name of the keyspace of an index. */
    static String keyspaceName(String records, String index) {
        return records + " index " + index;
    }

    Keyspace keyspace() {
        return keyspace;
    }

    /** Changes the entries of a record; a value is null if there was, or will be, no record. */
    void change(Transaction transaction, K key, V before, V after) {
        Set<ByteBuffer> old = entries(key, before);
        Set<ByteBuffer> now = entries(key, after);
        Transaction own = transaction.in(keyspace);
        for (ByteBuffer entry : old) {
            if (!now.contains(entry)) {
                own.delete(entry.array());
            }
        }
        for (ByteBuffer entry : now) {
            if (!old.contains(entry)) {
                own.put(entry.array(), NOTHING);
            }
        }
    }

    private Set<ByteBuffer> entries(K key, V value) {
        Set<ByteBuffer> entries = new HashSet<>();
        if (value != null) {
            for (I each : index.values(value)) {
                entries.add(ByteBuffer.wrap(keys.encode(Tuple2.of(each, key))));
            }
        }
        return entries;
    }

    /** The key of the record that an entry leads to. */
    K recordKey(byte[] entry) {
        try {
            return keys.decode(entry).second();
        } catch (RuntimeException e) {
            throw new DecodeException(keyspace.name(), keys.name(), entry, e);
        }
    }

    /** Options that show the entries of a range of indexed values. */
    ReadOptions options(KeyRange<I> range) {
        return range.in(first)
                .options()
                .withKeysOnly(true)
                .withReverse(range.reverse())
                .withLimit(range.limit());
    }
}
