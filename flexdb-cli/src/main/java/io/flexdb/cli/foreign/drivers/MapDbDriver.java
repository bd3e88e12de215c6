package io.flexdb.cli.foreign.drivers;

import io.flexdb.cli.foreign.ForeignDriver;
import io.flexdb.cli.foreign.ForeignStore;
import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import io.flexdb.cli.foreign.ForeignType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;

/** Reads MapDB 3. Each tree map and hash map is a keyspace; other collections are left out. */
public final class MapDbDriver implements ForeignDriver {
    @Override
    public ForeignStore open(Path source, ForeignType keyType, ForeignType valueType) {
        if (!Files.isRegularFile(source)) {
            throw new ForeignStoreException(Reason.CANNOT_OPEN, source + " is no file; a store of MapDB is one", null);
        }
        requireNoLog(source);
        FileChannel lock = lock(source);
        try {
            DB db = DBMaker.fileDB(source.toFile()).readOnly().make();
            return new Store(source, lock, db, keyType, valueType);
        } catch (RuntimeException | AssertionError e) {
            unlock(lock);
            throw failure(source, e, Reason.CANNOT_OPEN);
        }
    }

    /** Looks for the lock that a writer has on the file: MapDB does not if it only reads. */
    private static FileChannel lock(Path source) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(source, StandardOpenOption.READ);
            if (channel.tryLock(0, Long.MAX_VALUE, true) != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // in this process
        } catch (IOException e) {
            throw new ForeignStoreException(Reason.CANNOT_OPEN, source + " can't be read: " + e.getMessage(), e);
        }
        unlock(channel);
        throw new ForeignStoreException(Reason.CANNOT_OPEN, source + " is open elsewhere; close it there", null);
    }

    private static void unlock(FileChannel lock) {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A log of commits that are not in the file yet would have to be worked in, which is a change. */
    private static void requireNoLog(Path source) {
        String prefix = source.getFileName() + ".wal.";
        try (Stream<Path> entries = Files.list(source.toAbsolutePath().getParent())) {
            if (entries.anyMatch(entry -> entry.getFileName().toString().startsWith(prefix))) {
                throw new ForeignStoreException(
                        Reason.CANNOT_OPEN,
                        source + " is open, or was not closed: there are files " + prefix
                                + "*; open and close it with transactionEnable() first",
                        null);
            }
        } catch (IOException e) {
            throw new ForeignStoreException(Reason.CANNOT_OPEN, source + " can't be read: " + e.getMessage(), e);
        }
    }

    private static ForeignStoreException failure(Path source, Throwable e, Reason otherwise) {
        if (e instanceof ForeignStoreException known) {
            return known;
        }
        boolean isDamaged = e instanceof DBException.DataCorruption
                || e instanceof DBException.VolumeEOF
                || e instanceof DBException.GetVoid
                || e instanceof DBException.SerializationError
                || !(e instanceof DBException);
        String message = e instanceof DBException ? e.getMessage() : e.toString();
        return new ForeignStoreException(
                isDamaged ? Reason.DAMAGED : otherwise, source + ": MapDB says: " + message, e);
    }

    private static final class Store implements ForeignStore {
        private final Path source;
        private final FileChannel lock;
        private final DB db;
        private final ForeignType keyType;
        private final ForeignType valueType;

        Store(Path source, FileChannel lock, DB db, ForeignType keyType, ForeignType valueType) {
            this.source = source;
            this.lock = lock;
            this.db = db;
            this.keyType = keyType;
            this.valueType = valueType;
        }

        @Override
        public List<String> names() {
            try {
                TreeSet<String> names = new TreeSet<>();
                for (String name : db.getAllNames()) {
                    if (isMap(type(name))) {
                        names.add(name);
                    }
                }
                return List.copyOf(names);
            } catch (RuntimeException | AssertionError e) {
                throw failure(source, e, Reason.DAMAGED);
            }
        }

        private String type(String name) {
            return db.nameCatalogLoad().get(name + "#type");
        }

        private static boolean isMap(String type) {
            return "TreeMap".equals(type) || "HashMap".equals(type);
        }

        @Override
        public long pairs(String name) {
            return 0; // most maps have no counter, and count all that they have
        }

        private Map<Object, Object> map(String name) {
            try {
                if (keyType == ForeignType.AUTO && valueType == ForeignType.AUTO) {
                    return db.get(name);
                }
                GroupSerializer<Object> keys = serializer(keyType);
                GroupSerializer<Object> values = serializer(valueType);
                return "TreeMap".equals(type(name))
                        ? db.treeMap(name, keys, values).open()
                        : db.hashMap(name, keys, values).open();
            } catch (DBException e) {
                throw failure(source, e, Reason.NOT_SUPPORTED);
            }
        }

        @SuppressWarnings("unchecked") // whatever it is, it makes objects
        private GroupSerializer<Object> serializer(ForeignType type) {
            GroupSerializer<?> known = switch (type) {
                case AUTO -> db.getDefaultSerializer();
                case BYTES -> Serializer.BYTE_ARRAY;
                case STRING -> Serializer.STRING;
                case INT -> Serializer.INTEGER;
                case LONG -> Serializer.LONG;
            };
            return (GroupSerializer<Object>) known;
        }

        @Override
        public void read(String name, Target target) throws IOException {
            ObjectBytes bytes = new ObjectBytes(source + ": map " + name);
            Iterator<Map.Entry<Object, Object>> pairs = pairsOf(name);
            for (var pair = next(pairs); pair != null; pair = next(pairs)) {
                if (!target.pair(bytes.key(pair.getKey()), bytes.value(pair.getValue()))) {
                    return;
                }
            }
        }

        private Iterator<Map.Entry<Object, Object>> pairsOf(String name) {
            try {
                return map(name).entrySet().iterator();
            } catch (RuntimeException | AssertionError e) {
                throw failure(source, e, Reason.DAMAGED);
            }
        }

        private Map.Entry<Object, Object> next(Iterator<Map.Entry<Object, Object>> pairs) {
            try {
                return pairs.hasNext() ? pairs.next() : null;
            } catch (RuntimeException | AssertionError e) {
                throw failure(source, e, Reason.DAMAGED);
            }
        }

        @Override
        public void close() {
            try {
                db.close();
            } finally {
                unlock(lock);
            }
        }
    }
}
