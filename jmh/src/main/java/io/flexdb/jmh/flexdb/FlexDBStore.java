package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;

/** FlexDB, with default options but for what the settings say. */
final class FlexDBStore implements KeyValueStore {
    private final FlexDB store;

    FlexDBStore(StoreSettings settings) {
        FlexDBOptions options = FlexDBOptions.defaults()
                .withCacheBytes(settings.cacheBytes())
                .withDurability(settings.sync() ? Durability.SYNC : Durability.OS);
        if (settings.memtableBytes() > 0) {
            options = options.withMemtableBytes(Math.toIntExact(settings.memtableBytes()));
        }
        this.store = FlexDB.open(settings.directory(), options);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        store.put(key, value);
    }

    @Override
    public byte[] get(byte[] key) {
        return store.get(key);
    }

    @Override
    public int scan(byte[] from, int pairs, PairConsumer consumer) {
        int done = 0;
        try (FlexCursor cursor = store.cursor()) {
            for (cursor.seek(from); done < pairs && cursor.isValid(); cursor.next()) {
                consumer.accept(cursor.key(), cursor.value());
                done++;
            }
        }
        return done;
    }

    @Override
    public String figures() {
        return store.stats().toString();
    }

    @Override
    public void close() {
        store.close();
    }
}
