package io.flexdb.jmh.flexdb;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBMemory;
import io.flexdb.FlexDBOptions;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** FlexDB, with default options but for what the settings say. */
final class FlexDBStore implements KeyValueStore {
    private static final String BACKGROUND_THREADS = "flexdb-";
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final WriteOptions AN_HOUR = WriteOptions.timeToLive(Duration.ofHours(1));
    private static final byte[] ONE = {0, 0, 0, 0, 0, 0, 0, 1};

    private final FlexDB store;

    FlexDBStore(StoreSettings settings) {
        FlexDBOptions options =
                FlexDBOptions.defaults().withCacheBytes(settings.cacheBytes()).withDurability(settings.durability());
        if (settings.memtableBytes() > 0) {
            options = options.withMemtableBytes(Math.toIntExact(settings.memtableBytes()));
        }
        if (settings.tuning() != null) {
            options = settings.tuning().apply(options);
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
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        int done = 0;
        try (FlexCursor cursor = store.cursor()) {
            for (cursor.seek(from); done < pairs && cursor.isValid(); cursor.next()) {
                consumer.accept(cursor.key(), values ? cursor.value() : null);
                done++;
            }
        }
        return done;
    }

    @Override
    public List<byte[]> multiGet(List<byte[]> keys) {
        return store.multiGet(keys);
    }

    @Override
    public boolean deleteRange(byte[] from, byte[] to) {
        store.deleteRange(from, to);
        return true;
    }

    @Override
    public boolean putForAnHour(byte[] key, byte[] value) {
        store.put(key, value, AN_HOUR);
        return true;
    }

    @Override
    public boolean addOne(byte[] key) {
        store.merge(key, ONE);
        return true;
    }

    @Override
    public long counter(byte[] key) {
        byte[] value = store.get(key);
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    @Override
    public boolean update(byte[] key, byte[] value) {
        store.transactWithoutResult(transaction -> {
            transaction.get(key);
            transaction.put(key, value);
        });
        return true;
    }

    @Override
    public byte[] getFromSnapshot(byte[] key) {
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.get(key);
        }
    }

    @Override
    public long estimateBytes(byte[] from, byte[] to) {
        return store.estimateRange(from, to).bytes();
    }

    @Override
    public long copyTo(Path directory) {
        long start = System.nanoTime();
        store.checkpoint(directory);
        return System.nanoTime() - start;
    }

    @Override
    public long backUp(Path directory) {
        long start = System.nanoTime();
        try (FlexDBBackups backups = FlexDBBackups.open(directory)) {
            backups.create(store);
        }
        return System.nanoTime() - start;
    }

    @Override
    public boolean isEmpty(byte[] from, byte[] to) {
        try (FlexCursor cursor = store.cursor(
                ReadOptions.defaults().withLowerBound(from).withUpperBound(to).withKeysOnly(true))) {
            cursor.seekToFirst();
            return !cursor.isValid();
        }
    }

    @Override
    public Map<String, Long> indexMemory() {
        FlexDBMemory memory = store.stats().memory();
        Map<String, Long> bytes = new LinkedHashMap<>();
        bytes.put("sparse index", memory.indexBytes());
        bytes.put("FlexTree", memory.treeBytes());
        bytes.put("directories", memory.cacheBytes());
        if (memory.filterBytes() > 0) {
            bytes.put("range filter", memory.filterBytes());
        }
        return bytes;
    }

    @Override
    public long commitNanos() {
        long last;
        long now = ProcessFigures.threadNanos(BACKGROUND_THREADS);
        do {
            last = now;
            LockSupport.parkNanos(IDLE_NANOS);
            now = ProcessFigures.threadNanos(BACKGROUND_THREADS);
        } while (now != last);
        return now;
    }

    @Override
    public Buffered buffered() {
        return new Buffered() {
            private FlexCursor cursor; // null before it is needed, since it holds back what puts would free

            @Override
            public void put(ByteBuffer key, ByteBuffer value) {
                store.put(key, value);
            }

            @Override
            public boolean get(ByteBuffer key, ByteBuffer value) {
                return store.get(key, value) >= 0;
            }

            @Override
            public void next(ByteBuffer key, ByteBuffer value) {
                if (cursor == null) {
                    cursor = store.cursor();
                } else if (cursor.isValid()) {
                    cursor.next();
                }
                if (!cursor.isValid()) {
                    cursor.seekToFirst();
                }
                cursor.key(key);
                cursor.value(value);
            }

            @Override
            public void close() {
                if (cursor != null) {
                    cursor.close();
                }
            }
        };
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
