package io.flexdb.jmh.flexdb;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A store with its writer and readers that follow it, in one process, as {@link ReadersBeside} measures them. */
interface FollowedStores extends AutoCloseable {
    /** A reader of the store. */
    interface Reader extends AutoCloseable {
        /** Goes on to what has been written. */
        void refresh() throws Exception;

        byte[] get(byte[] key) throws Exception;

        @Override
        void close();
    }

    void put(byte[] key, byte[] value) throws Exception;

    byte[] get(byte[] key) throws Exception;

    /** Opens one more reader. */
    Reader reader() throws Exception;

    @Override
    void close();

    /** FlexDB with so much disk space for leases. */
    static FollowedStores flexDB(Path directory, long maxLeasedBytes) {
        FlexDBOptions options = FlexDBOptions.defaults().withMaxLeasedBytes(maxLeasedBytes);
        FlexDB db = FlexDB.open(directory, options);
        return new FollowedStores() {
            @Override
            public void put(byte[] key, byte[] value) {
                db.put(key, value);
            }

            @Override
            public byte[] get(byte[] key) {
                return db.get(key);
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
            public void close() {
                db.close();
            }
        };
    }

    /** RocksDB with secondary instances, each with a cache of its own and Bloom filters. */
    static FollowedStores rocksDB(Path directory, long cacheBytes) throws RocksDBException {
        RocksDB.loadLibrary();
        RocksDB db = RocksDB.open(rocksOptions(cacheBytes).setCreateIfMissing(true), directory.toString());
        return new FollowedStores() {
            private int readers;

            @Override
            public void put(byte[] key, byte[] value) throws RocksDBException {
                db.put(key, value);
            }

            @Override
            public byte[] get(byte[] key) throws RocksDBException {
                return db.get(key);
            }

            @Override
            public Reader reader() throws RocksDBException {
                Path own = directory.resolveSibling(directory.getFileName() + "-secondary-" + ++readers);
                RocksDB secondary =
                        RocksDB.openAsSecondary(rocksOptions(cacheBytes), directory.toString(), own.toString());
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
                db.close();
            }
        };
    }

    /** They live as long as the process. */
    private static Options rocksOptions(long cacheBytes) {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(new LRUCache(cacheBytes))
                .setFilterPolicy(new BloomFilter(10));
        return new Options().setTableFormatConfig(table).setMaxOpenFiles(-1); // which secondaries ask for
    }
}
