package io.flexdb.jmh.flexdb;

import io.flexdb.ycsb.KeyFormat;
import io.flexdb.ycsb.RecordCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** YCSB's view of a store: the same code for all of them. An update reads the record and writes it back whole. */
final class StoreBinding extends DB {
    private static final int STRIPES = 1024;
    private static final int TIMED_AT_ONCE = 256;

    private final RecordCodec codec = new RecordCodec();
    private final KeyValueStore store;
    private final Object[] stripes;
    private final long endNanos;
    private int operations;

    /**
     * Of one thread.
     *
     * @param stripes of {@link #newStripes()}, the same for all threads
     * @param endNanos of {@code System.nanoTime()}, after which operations throw {@link LimitReachedException}
     */
    StoreBinding(KeyValueStore store, Object[] stripes, long endNanos) {
        this.store = store;
        this.stripes = stripes;
        this.endNanos = endNanos;
    }

    private void checkTime() {
        if ((operations++ & TIMED_AT_ONCE - 1) == 0 && System.nanoTime() - endNanos > 0) {
            throw new LimitReachedException(String.format(
                    Locale.ROOT, "stopped, when a thread had done %,d operations; the rest is left out", operations));
        }
    }

    /** Locks that keep updates of one record apart. */
    static Object[] newStripes() {
        Object[] stripes = new Object[STRIPES];
        Arrays.setAll(stripes, i -> new Object());
        return stripes;
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        checkTime();
        byte[] record = store.get(KeyFormat.encode(table, key));
        if (record == null) {
            return Status.NOT_FOUND;
        }
        codec.decode(record, fields, result);
        return Status.OK;
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        checkTime();
        store.scan(KeyFormat.encode(table, startKey), recordCount, true, (key, value) -> {
            HashMap<String, ByteIterator> record = new HashMap<>();
            codec.decode(value, fields, record);
            result.add(record);
        });
        return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        checkTime();
        byte[] storeKey = KeyFormat.encode(table, key);
        synchronized (stripes[Arrays.hashCode(storeKey) >>> 7 & STRIPES - 1]) {
            byte[] record = store.get(storeKey);
            if (record == null) {
                return Status.NOT_FOUND;
            }
            store.put(storeKey, bytesOf(codec.merge(record, values)));
        }
        return Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        checkTime();
        store.put(KeyFormat.encode(table, key), bytesOf(codec.encode(values)));
        return Status.OK;
    }

    @Override
    public Status delete(String table, String key) {
        return Status.NOT_IMPLEMENTED; // no workload deletes
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
