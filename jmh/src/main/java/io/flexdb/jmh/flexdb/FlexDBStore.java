package io.flexdb.jmh.flexdb;

import io.flexdb.BulkLoad;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBMemory;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.Keyspace;
import io.flexdb.MergeFunction;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** FlexDB, with default options but for what the settings say. */
final class FlexDBStore implements KeyValueStore {
    private static final String BACKGROUND_THREADS = "flexdb-";
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final WriteOptions AN_HOUR = WriteOptions.timeToLive(Duration.ofHours(1));
    private static final byte[] ONE = {0, 0, 0, 0, 0, 0, 0, 1};

    private final Path directory;
    private final FlexDBOptions options;
    private final FlexDB store;

    FlexDBStore(StoreSettings settings) {
        FlexDBOptions chosen =
                FlexDBOptions.defaults().withCacheBytes(settings.cacheBytes()).withDurability(settings.durability());
        if (settings.memtableBytes() > 0) {
            chosen = chosen.withMemtableBytes(Math.toIntExact(settings.memtableBytes()));
        }
        if (settings.use() == Use.FEATURES) {
            chosen = chosen.withMergeFunction(MergeFunction.ADD);
        }
        this.directory = settings.directory();
        this.options = settings.tuning().apply(chosen);
        this.store = FlexDB.open(directory, options);
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
        ReadOptions options = ReadOptions.defaults().withExpectedPairs(pairs).withKeysOnly(!values);
        try (FlexCursor cursor = store.cursor(options)) {
            cursor.seek(from);
            while (cursor.isValid()) {
                consumer.accept(cursor.key(), values ? cursor.value() : null);
                if (++done == pairs) {
                    break;
                }
                cursor.next();
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

    /** Keyspaces are keyspaces. One batch is used again. */
    @Override
    public OrderedStore ordered() {
        Keyspace[] spaces = {store.createKeyspaceIfAbsent("entries"), store.createKeyspaceIfAbsent("blocks")};
        WriteBatch batch = new WriteBatch();
        WriteBatch[] batches = {batch.in(spaces[0]), batch.in(spaces[1])};
        return new OrderedStore() {
            @Override
            public byte[] get(Space space, byte[] key) {
                return spaces[space.ordinal()].get(key);
            }

            @Override
            public void scan(Space space, byte[] from, byte[] to, PairConsumer visitor) {
                ReadOptions bounds = ReadOptions.defaults().withLowerBound(from).withUpperBound(to);
                try (FlexCursor cursor = spaces[space.ordinal()].cursor(bounds)) {
                    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                        visitor.accept(cursor.key(), cursor.value());
                    }
                }
            }

            @Override
            public void write(Changes changes) {
                batch.clear();
                for (Change change : changes.all()) {
                    WriteBatch into = batches[change.space().ordinal()];
                    if (change.to() != null) {
                        into.deleteRange(change.key(), change.to());
                    } else if (change.value() == null) {
                        into.delete(change.key());
                    } else {
                        into.put(change.key(), change.value());
                    }
                }
                store.write(batch);
            }
        };
    }

    @Override
    public long load(Consumer<PairConsumer> pairs) {
        try (BulkLoad load = store.bulkLoad()) {
            pairs.accept(load::add);
            long start = System.nanoTime();
            load.commit();
            return System.nanoTime() - start;
        }
    }

    @Override
    public Reader reader() {
        FlexDBReader reader = FlexDB.openReadOnly(directory, options);
        return new Reader() {
            @Override
            public void refresh() {
                reader.refresh();
            }

            @Override
            public byte[] get(byte[] key) {
                return reader.get(key);
            }

            @Override
            public void close() {
                reader.close();
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
