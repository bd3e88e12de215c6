package io.flexdb.typed;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.Transaction;
import java.util.List;
import java.util.Map;

/** Builds the indexes that a keyspace does not have yet, and empties those that it is not to have any more. */
record IndexBuild<K, V>(FlexDB db, PairCodec<K, V> pairs, Map<Index<V, ?>, IndexEntries<K, V, ?>> indexes)
        implements CodecRecord.IndexWork {
    @Override
    public void run(Transaction transaction, List<String> before) {
        for (String stored : before) {
            if (indexes.keySet().stream().noneMatch(index -> index.storedName().equals(stored))) {
                empty(transaction, stored);
            }
        }
        List<IndexEntries<K, V, ?>> missing = indexes.entrySet().stream()
                .filter(index -> !before.contains(index.getKey().storedName()))
                .<IndexEntries<K, V, ?>>map(Map.Entry::getValue)
                .toList();
        if (!missing.isEmpty()) {
            build(transaction, missing);
        }
    }

    private void empty(Transaction transaction, String stored) {
        Keyspace keyspace =
                CodecRecord.find(db, IndexEntries.keyspaceName(pairs.keyspace(), Index.ofStoredName(stored)));
        if (keyspace != null) {
            transaction.in(keyspace).deleteAll();
        }
    }

    private void build(Transaction transaction, List<IndexEntries<K, V, ?>> missing) {
        missing.forEach(entries -> transaction.in(entries.keyspace()).deleteAll());
        TypedTransaction<K, V> records =
                new TypedTransaction<>(transaction.in(CodecRecord.find(db, pairs.keyspace())), pairs);
        records.forEach((key, record) -> missing.forEach(entries -> entries.change(transaction, key, null, record)));
    }
}
