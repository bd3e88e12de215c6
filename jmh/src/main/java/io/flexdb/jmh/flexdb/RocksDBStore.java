package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.rocksdb.BackupEngine;
import org.rocksdb.BackupEngineOptions;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.Options;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileWriter;
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.UInt64AddOperator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB, set as its tuning guide says for a totally ordered database on flash, with Bloom filters; without
 * compression, as in the paper. Where it is opened for files it has its own levels, and for readers no more than a cache
 * and filters.
 */
final class RocksDBStore implements KeyValueStore {
    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0}; // least first, as its operator wants it

    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final StoreSettings settings;
    private final List<ColumnFamilyHandle> spaces = new ArrayList<>(); // opened for files only
    private final RocksDB store;
    private final WriteOptions write;
    private final ReadOptions read;
    private int readers;

    RocksDBStore(StoreSettings settings) {
        RocksDB.loadLibrary();
        this.settings = settings;
        this.write = own(new WriteOptions()).setSync(settings.sync());
        this.read = own(new ReadOptions());
        try {
            this.store = own(open(options().setCreateIfMissing(true)));
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
        spaces.forEach(this::own);
    }

    private Options options() {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(own(new LRUCache(settings.cacheBytes())))
                .setFilterPolicy(own(new BloomFilter(10)));
        Options options = own(new Options()).setTableFormatConfig(table);
        if (settings.use() == Use.READERS) {
            return options;
        }
        options.setMaxWriteBufferNumber(3).setMaxBackgroundJobs(4).setCompressionType(CompressionType.NO_COMPRESSION);
        if (settings.use() == Use.FILES) {
            return options;
        }
        return options.setCompactionStyle(CompactionStyle.LEVEL)
                .setWriteBufferSize(settings.memtableBytes() > 0 ? settings.memtableBytes() : 64L << 20)
                .setTargetFileSizeBase(64L << 20)
                .setLevel0FileNumCompactionTrigger(8)
                .setLevel0SlowdownWritesTrigger(17)
                .setLevel0StopWritesTrigger(24)
                .setNumLevels(4)
                .setMaxBytesForLevelBase(512L << 20)
                .setMaxBytesForLevelMultiplier(8);
    }

    private RocksDB open(Options options) throws RocksDBException {
        String directory = settings.directory().toString();
        return switch (settings.use()) {
            case FEATURES ->
                OptimisticTransactionDB.open(options.setMergeOperator(own(new UInt64AddOperator())), directory);
            case LARGE_VALUES ->
                RocksDB.open(
                        options.setEnableBlobFiles(true)
                                .setMinBlobSize(32 << 10)
                                .setEnableBlobGarbageCollection(true),
                        directory);
            case FILES -> {
                ColumnFamilyOptions family = own(new ColumnFamilyOptions(options));
                List<ColumnFamilyDescriptor> families = List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family),
                        new ColumnFamilyDescriptor("blocks".getBytes(US_ASCII), family));
                DBOptions both = own(new DBOptions(options)).setCreateMissingColumnFamilies(true);
                yield RocksDB.open(both, directory, families, spaces);
            }
            default -> RocksDB.open(options, directory);
        };
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

    @Override
    public void put(byte[] key, byte[] value) {
        try {
            store.put(write, key, value);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public byte[] get(byte[] key) {
        try {
            return store.get(read, key);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        int done = 0;
        try (RocksIterator iterator = store.newIterator(read)) {
            iterator.seek(from);
            while (iterator.isValid()) {
                consumer.accept(iterator.key(), values ? iterator.value() : null);
                if (++done == pairs) {
                    break;
                }
                iterator.next();
            }
        }
        return done;
    }

    @Override
    public List<byte[]> multiGet(List<byte[]> keys) {
        try {
            return store.multiGetAsList(read, keys);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean deleteRange(byte[] from, byte[] to) {
        try {
            store.deleteRange(write, from, to);
            return true;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean addOne(byte[] key) {
        try {
            store.merge(write, key, ONE);
            return true;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long counter(byte[] key) {
        byte[] value = get(key);
        return value == null
                ? 0
                : ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    @Override
    public boolean update(byte[] key, byte[] value) {
        if (!(store instanceof OptimisticTransactionDB transactional)) {
            return false;
        }
        while (true) {
            try (Transaction transaction = transactional.beginTransaction(write)) {
                transaction.getForUpdate(read, key, true);
                transaction.put(key, value);
                transaction.commit();
                return true;
            } catch (RocksDBException e) {
                if (e.getStatus().getCode() != Status.Code.Busy && e.getStatus().getCode() != Status.Code.TryAgain) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Override
    public byte[] getFromSnapshot(byte[] key) {
        Snapshot snapshot = store.getSnapshot();
        try (ReadOptions old = new ReadOptions(read).setSnapshot(snapshot)) {
            return store.get(old, key);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        } finally {
            store.releaseSnapshot(snapshot);
        }
    }

    @Override
    public long estimateBytes(byte[] from, byte[] to) {
        try (Slice first = new Slice(from);
                Slice end = new Slice(to)) {
            return store.getApproximateSizes(
                            List.of(new Range(first, end)),
                            SizeApproximationFlag.INCLUDE_FILES,
                            SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
        }
    }

    @Override
    public long copyTo(Path directory) {
        long start = System.nanoTime();
        try (Checkpoint checkpoint = Checkpoint.create(store)) {
            checkpoint.createCheckpoint(directory.toString());
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
        return System.nanoTime() - start;
    }

    @Override
    public long backUp(Path directory) {
        long start = System.nanoTime();
        try {
            Files.createDirectories(directory); // it does not make one itself
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (BackupEngineOptions options = new BackupEngineOptions(directory.toString());
                BackupEngine engine = BackupEngine.open(Env.getDefault(), options)) {
            engine.createNewBackup(store, true);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
        return System.nanoTime() - start;
    }

    @Override
    public boolean isEmpty(byte[] from, byte[] to) {
        try (Slice bound = new Slice(to);
                ReadOptions bounded = new ReadOptions(read).setIterateUpperBound(bound);
                RocksIterator iterator = store.newIterator(bounded)) {
            iterator.seek(from);
            return !iterator.isValid();
        }
    }

    @Override
    public Map<String, Long> indexMemory() {
        try {
            return Map.of("indexes and filters", store.getLongProperty("rocksdb.estimate-table-readers-mem"));
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Buffered buffered() {
        return new Buffered() {
            private RocksIterator iterator; // null before it is needed

            @Override
            public void put(ByteBuffer key, ByteBuffer value) {
                try {
                    store.put(write, key, value);
                } catch (RocksDBException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public boolean get(ByteBuffer key, ByteBuffer value) {
                try {
                    return store.get(read, key, value) != RocksDB.NOT_FOUND;
                } catch (RocksDBException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void next(ByteBuffer key, ByteBuffer value) {
                if (iterator == null) {
                    iterator = store.newIterator(read);
                } else if (iterator.isValid()) {
                    iterator.next();
                }
                if (!iterator.isValid()) {
                    iterator.seekToFirst();
                }
                iterator.key(key);
                iterator.value(value);
            }

            @Override
            public void close() {
                if (iterator != null) {
                    iterator.close();
                }
            }
        };
    }

    /** Keyspaces are column families. One batch is used again. */
    @Override
    public OrderedStore ordered() {
        WriteBatch batch = own(new WriteBatch());
        return new OrderedStore() {
            private ColumnFamilyHandle in(Space space) {
                return spaces.get(space.ordinal());
            }

            @Override
            public byte[] get(Space space, byte[] key) {
                try {
                    return store.get(in(space), read, key);
                } catch (RocksDBException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void scan(Space space, byte[] from, byte[] to, PairConsumer visitor) {
                try (Slice end = new Slice(to);
                        ReadOptions bounded = new ReadOptions().setIterateUpperBound(end);
                        RocksIterator iterator = store.newIterator(in(space), bounded)) {
                    for (iterator.seek(from); iterator.isValid(); iterator.next()) {
                        visitor.accept(iterator.key(), iterator.value());
                    }
                }
            }

            @Override
            public void write(Changes changes) {
                try {
                    batch.clear();
                    for (Change change : changes.all()) {
                        ColumnFamilyHandle into = in(change.space());
                        if (change.to() != null) {
                            batch.deleteRange(into, change.key(), change.to());
                        } else if (change.value() == null) {
                            batch.delete(into, change.key());
                        } else {
                            batch.put(into, change.key(), change.value());
                        }
                    }
                    store.write(write, batch);
                } catch (RocksDBException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    /** Through a table without filters. */
    @Override
    public long load(Consumer<PairConsumer> pairs) {
        String table = settings.directory().resolveSibling("pairs.sst").toString();
        try (Options options = new Options().setCompressionType(CompressionType.NO_COMPRESSION);
                EnvOptions environment = new EnvOptions();
                IngestExternalFileOptions ingestion = new IngestExternalFileOptions().setMoveFiles(true);
                SstFileWriter writer = new SstFileWriter(environment, options)) {
            writer.open(table);
            pairs.accept((key, value) -> add(writer, key, value));
            writer.finish();
            long start = System.nanoTime();
            store.ingestExternalFile(List.of(table), ingestion);
            return System.nanoTime() - start;
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void add(SstFileWriter writer, byte[] key, byte[] value) {
        try {
            writer.put(key, value);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With a cache of its own. */
    @Override
    public Reader reader() throws RocksDBException {
        Path directory = settings.directory();
        Path own = directory.resolveSibling(directory.getFileName() + "-secondary-" + ++readers);
        RocksDB secondary = RocksDB.openAsSecondary(options(), directory.toString(), own.toString());
        return new Reader() {
            @Override
            public void refresh() throws RocksDBException {
                secondary.tryCatchUpWithPrimary();
            }

            @Override
            public byte[] get(byte[] key) throws RocksDBException {
                return secondary.get(key);
            }

            @Override
            public void close() {
                secondary.close();
            }
        };
    }

    @Override
    public void close() {
        try {
            for (AutoCloseable resource : owned) {
                resource.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
