package io.flexdb.jmh.flexdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.rocksdb.BackupEngine;
import org.rocksdb.BackupEngineOptions;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Checkpoint;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.Env;
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
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.UInt64AddOperator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB, set as its tuning guide says for a totally ordered database on flash, with Bloom filters; without
 * compression, as in the paper.
 */
final class RocksDBStore implements KeyValueStore {
    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0}; // least first, as its operator wants it

    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final RocksDB store;
    private final WriteOptions write;
    private final ReadOptions read;

    RocksDBStore(StoreSettings settings) {
        this(settings, options -> options);
    }

    /** With transactions, which take more memory, and with counters that can be added to. */
    static RocksDBStore withFeatures(StoreSettings settings) {
        return new RocksDBStore(
                settings,
                options -> options.setMergeOperator(new UInt64AddOperator()),
                (options, directory) -> OptimisticTransactionDB.open(options, directory));
    }

    private interface Opener {
        RocksDB open(Options options, String directory) throws RocksDBException;
    }

    /** Has large values in files of their own. */
    static Options withBlobs(Options options) {
        return options.setEnableBlobFiles(true).setMinBlobSize(32 << 10).setEnableBlobGarbageCollection(true);
    }

    /** @param more changes the options */
    RocksDBStore(StoreSettings settings, UnaryOperator<Options> more) {
        this(settings, more, (options, directory) -> RocksDB.open(options, directory));
    }

    private RocksDBStore(StoreSettings settings, UnaryOperator<Options> more, Opener opener) {
        RocksDB.loadLibrary();
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(own(new LRUCache(settings.cacheBytes())))
                .setFilterPolicy(own(new BloomFilter(10)));
        long memtableBytes = settings.memtableBytes() > 0 ? settings.memtableBytes() : 64L << 20;
        Options options = own(new Options())
                .setCreateIfMissing(true)
                .setTableFormatConfig(table)
                .setCompactionStyle(CompactionStyle.LEVEL)
                .setWriteBufferSize(memtableBytes)
                .setMaxWriteBufferNumber(3)
                .setTargetFileSizeBase(64L << 20)
                .setMaxBackgroundJobs(4)
                .setLevel0FileNumCompactionTrigger(8)
                .setLevel0SlowdownWritesTrigger(17)
                .setLevel0StopWritesTrigger(24)
                .setNumLevels(4)
                .setMaxBytesForLevelBase(512L << 20)
                .setMaxBytesForLevelMultiplier(8)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        this.write = own(new WriteOptions()).setSync(settings.sync());
        this.read = own(new ReadOptions());
        try {
            this.store =
                    own(opener.open(more.apply(options), settings.directory().toString()));
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
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
            for (iterator.seek(from); done < pairs && iterator.isValid(); iterator.next()) {
                consumer.accept(iterator.key(), values ? iterator.value() : null);
                done++;
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
