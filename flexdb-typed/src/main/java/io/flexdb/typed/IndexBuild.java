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
                empty(transaction, CodecRecord.find(db, keyspaceName(stored)));
            }
        }
        Transaction records = transaction.in(CodecRecord.find(db, pairs.keyspace()));
        boolean isNew = CodecRecord.isEmpty(records); // then entries are those of a keyspace that was dropped
        List<IndexEntries<K, V, ?>> missing = indexes.entrySet().stream()
                .filter(index -> isNew || !before.contains(index.getKey().storedName()))
                .<IndexEntries<K, V, ?>>map(Map.Entry::getValue)
                .toList();
        if (!missing.isEmpty()) {
            missing.forEach(entries -> empty(transaction, entries.keyspace()));
            new TypedTransaction<>(records, pairs)
                    .forEach((key, record) ->
                            missing.forEach(entries -> entries.change(transaction, key, null, record)));
        }
    }

    private String keyspaceName(String stored) {
        return IndexEntries.keyspaceName(pairs.keyspace(), Index.ofStoredName(stored));
    }

    private static void empty(Transaction transaction, Keyspace entries) {
        if (entries != null && !CodecRecord.isEmpty(transaction.in(entries))) {
            transaction.in(entries).deleteAll();
        }
    }
}
