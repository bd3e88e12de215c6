package io.flexdb.jmh.flexdb;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * MapDB's tree map in a mapped file, which has no cache of its own. A commit of its log forces the log, so the log is
 * kept for sync only; without it a file that was not closed is refused.
 */
final class MapDbStore implements KeyValueStore {
    private final DB db;
    private final ConcurrentNavigableMap<byte[], byte[]> map;
    private final boolean sync;

    MapDbStore(StoreSettings settings) {
        this.sync = settings.sync();
        DBMaker.Maker maker = DBMaker.fileDB(
                        settings.directory().resolve("store.mapdb").toFile())
                .fileMmapEnable();
        this.db = sync ? maker.transactionEnable().make() : maker.make();
        this.map = db.treeMap("pairs", Serializer.BYTE_ARRAY_DELTA, Serializer.BYTE_ARRAY)
                .createOrOpen();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        map.put(key.clone(), value);
        if (sync) {
            db.commit();
        }
    }

    @Override
    public byte[] get(byte[] key) {
        return map.get(key);
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        int done = 0;
        Iterator<Map.Entry<byte[], byte[]>> entries =
                map.tailMap(from, true).entrySet().iterator();
        for (; done < pairs && entries.hasNext(); done++) {
            Map.Entry<byte[], byte[]> entry = entries.next();
            consumer.accept(entry.getKey(), values ? entry.getValue() : null);
        }
        return done;
    }

    @Override
    public void close() {
        db.close();
    }
}
