package io.flexdb.jmh.flexdb;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The JDK's skip list: no files and no bound on memory. What a store may cost at all. */
final class SkipListStore implements KeyValueStore {
    private final ConcurrentSkipListMap<byte[], byte[]> map = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    @Override
    public void put(byte[] key, byte[] value) {
        map.put(key.clone(), value.clone());
    }

    @Override
    public byte[] get(byte[] key) {
        byte[] found = map.get(key);
        return found == null ? null : found.clone();
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        int done = 0;
        for (Map.Entry<byte[], byte[]> pair : map.tailMap(from, true).entrySet()) {
            if (done == pairs) {
                break;
            }
            consumer.accept(pair.getKey().clone(), values ? pair.getValue().clone() : null);
            done++;
        }
        return done;
    }

    @Override
    public void close() {
        // Nothing is kept.
    }
}
