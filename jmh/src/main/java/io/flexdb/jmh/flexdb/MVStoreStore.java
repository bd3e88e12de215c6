package io.flexdb.jmh.flexdb;

import java.util.Arrays;
import java.util.Iterator;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * H2's MVStore. Each put would have to be committed to survive a killed process, which is too slow to be measured with
 * the others; so it writes behind as it does by default, within a second.
 */
final class MVStoreStore implements KeyValueStore {
    private final MVStore store;
    private final MVMap<byte[], byte[]> map;
    private final boolean sync;

    MVStoreStore(StoreSettings settings) {
        this.sync = settings.sync();
        this.store = new MVStore.Builder()
                .fileName(settings.directory().resolve("store.mv").toString())
                .cacheSize((int) Math.max(1, settings.cacheBytes() >> 20))
                .open();
        this.map = store.openMap(
                "pairs",
                new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        map.put(key.clone(), value.clone());
        if (sync) {
            store.commit();
            store.sync();
        }
    }

    @Override
    public byte[] get(byte[] key) {
        return map.get(key);
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        int done = 0;
        Cursor<byte[], byte[]> cursor = map.cursor(from);
        for (Iterator<byte[]> keys = cursor; done < pairs && keys.hasNext(); done++) {
            byte[] key = keys.next();
            consumer.accept(Arrays.copyOf(key, key.length), values ? cursor.getValue() : null);
        }
        return done;
    }

    @Override
    public void close() {
        store.close();
    }
}
