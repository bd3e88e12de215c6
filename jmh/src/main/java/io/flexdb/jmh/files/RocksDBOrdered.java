package io.flexdb.jmh.files;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB, with Bloom filters and without compression; keyspaces are column families. One batch is used again. For one
 * thread.
 */
final class RocksDBOrdered implements OrderedStore {
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final RocksDB store;
    private final List<ColumnFamilyHandle> spaces = new ArrayList<>();
    private final WriteOptions write;
    private final ReadOptions read;
    private final WriteBatch batch;

    RocksDBOrdered(Path directory, long cacheBytes) {
        RocksDB.loadLibrary();
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(own(new LRUCache(cacheBytes)))
                .setFilterPolicy(own(new BloomFilter(10)));
        ColumnFamilyOptions family = own(new ColumnFamilyOptions())
                .setTableFormatConfig(table)
                .setMaxWriteBufferNumber(3)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        DBOptions options = own(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setMaxBackgroundJobs(4);
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        for (String name : List.of("default", "blocks")) {
            families.add(new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII), family));
        }
        this.write = own(new WriteOptions());
        this.read = own(new ReadOptions());
        this.batch = own(new WriteBatch());
        try {
            this.store = own(RocksDB.open(options, directory.toString(), families, spaces));
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
        spaces.forEach(this::own);
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

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
    public void scan(Space space, byte[] from, byte[] to, Visitor visitor) {
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
