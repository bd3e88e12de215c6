package io.flexdb.cli.foreign.drivers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.cli.foreign.ForeignDriver;
import io.flexdb.cli.foreign.ForeignStore;
import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import io.flexdb.cli.foreign.ForeignType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;

/** Reads RocksDB. Each column family is a keyspace, the default one too. Writes no log into the directory. */
public final class RocksDriver implements ForeignDriver {
    private static final String ESTIMATE = "rocksdb.estimate-num-keys";

    @Override
    public ForeignStore open(Path source, ForeignType keyType, ForeignType valueType) {
        if (!Files.isRegularFile(source.resolve("CURRENT"))) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN, source + " is no store of RocksDB: there is no file CURRENT in it", null);
        }
        RocksDB.loadLibrary();
        return new Store(source);
    }

    private static final class Store implements ForeignStore {
        private final Path source;
        private final List<AutoCloseable> open = new ArrayList<>(); // in this order
        private final TreeMap<String, ColumnFamilyHandle> families = new TreeMap<>();
        private RocksDB db;

        Store(Path source) {
            this.source = source;
            try {
                open();
            } catch (RocksDBException e) {
                close();
                throw failure(e, Reason.CANNOT_OPEN);
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        private void open() throws RocksDBException {
            DBOptions options = opened(new DBOptions());
            List<ColumnFamilyDescriptor> descriptors = descriptors(options);
            descriptors.forEach(descriptor -> open.add(descriptor.getOptions()));
            Silence silence = opened(new Silence());
            options.setCreateIfMissing(false);
            options.setLogger(silence);
            // Damage amid a log is told of, and not the end of what is read; a torn end is what a kill leaves.
            options.setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
            List<ColumnFamilyHandle> handles = new ArrayList<>();
            db = RocksDB.openReadOnly(options, source.toString(), descriptors, handles);
            for (ColumnFamilyHandle handle : handles) {
                byte[] name = handle.getName();
                families.put(Arrays.equals(name, RocksDB.DEFAULT_COLUMN_FAMILY) ? DEFAULT : text(name), handle);
            }
        }

        private <T extends AutoCloseable> T opened(T resource) {
            open.add(resource);
            return resource;
        }

        /** The column families with the options that the store was last open with, or else with those of no store. */
        private List<ColumnFamilyDescriptor> descriptors(DBOptions options) throws RocksDBException {
            List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
            try (ConfigOptions config = new ConfigOptions().setIgnoreUnknownOptions(true)) {
                OptionsUtil.loadLatestOptions(config, source.toString(), options, descriptors);
            } catch (RocksDBException e) {
                descriptors.clear(); // their file is missing, or names classes of another program
            }
            if (descriptors.isEmpty()) {
                try (Options none = new Options()) {
                    for (byte[] name : RocksDB.listColumnFamilies(none, source.toString())) {
                        descriptors.add(new ColumnFamilyDescriptor(name, new ColumnFamilyOptions()));
                    }
                }
            }
            return descriptors;
        }

        private String text(byte[] name) {
            String text = new String(name, UTF_8);
            if (!Arrays.equals(text.getBytes(UTF_8), name)) {
                throw new ForeignStoreException(
                        Reason.NOT_SUPPORTED, source + " has a column family whose name is not UTF-8: " + text, null);
            }
            return text;
        }

        @Override
        public List<String> names() {
            return List.copyOf(families.keySet());
        }

        @Override
        public long pairs(String name) {
            try {
                return db.getLongProperty(families.get(name), ESTIMATE);
            } catch (RocksDBException e) {
                return 0;
            }
        }

        @Override
        public void read(String name, Target target) throws IOException {
            try (ReadOptions options = new ReadOptions().setFillCache(false).setTotalOrderSeek(true);
                    RocksIterator pairs = db.newIterator(families.get(name), options)) {
                pairs.seekToFirst();
                while (pairs.isValid() && target.pair(pairs.key(), pairs.value())) {
                    pairs.next();
                }
                pairs.status();
            } catch (RocksDBException e) {
                throw failure(e, Reason.DAMAGED);
            }
        }

        private ForeignStoreException failure(RocksDBException e, Reason otherwise) {
            Reason reason = otherwise;
            String hint = "";
            if (e.getStatus() != null) {
                switch (e.getStatus().getCode()) {
                    case Corruption -> reason = Reason.DAMAGED;
                    case InvalidArgument, NotSupported -> {
                        reason = Reason.NOT_SUPPORTED;
                        hint = "; a store with a comparator or merge operator of its own needs a program that has it";
                    }
                    default -> {}
                }
            }
            return new ForeignStoreException(reason, source + ": RocksDB says: " + e.getMessage() + hint, e);
        }

        @Override
        public void close() {
            families.values().forEach(ColumnFamilyHandle::close);
            if (db != null) {
                db.close();
            }
            for (AutoCloseable resource : open) {
                try {
                    resource.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** Takes what RocksDB logs, which otherwise makes a file in the directory of the store. */
    private static final class Silence extends Logger {
        Silence() {
            super(InfoLogLevel.HEADER_LEVEL);
        }

        @Override
        protected void log(InfoLogLevel level, String message) {}
    }
}
