package io.flexdb.cli.foreign.drivers;

import io.flexdb.cli.foreign.ForeignDriver;
import io.flexdb.cli.foreign.ForeignStore;
import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import io.flexdb.cli.foreign.ForeignType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.IntegerDataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.ObjectDataType;
import org.h2.mvstore.type.StringDataType;

/** Reads MVStore. Each map is a keyspace. The file does not tell the types of maps that have no ordinary ones. */
public final class MvStoreDriver implements ForeignDriver {
    @Override
    public ForeignStore open(Path source, ForeignType keyType, ForeignType valueType) {
        if (!Files.isRegularFile(source)) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN, source + " is no file; a store of MVStore is one", null);
        }
        try {
            MVStore store = new MVStore.Builder()
                    .fileName(source.toAbsolutePath().toString())
                    .readOnly()
                    .open();
            return new Store(source, store, type(keyType), type(valueType));
        } catch (MVStoreException e) {
            throw failure(source, e);
        } catch (RuntimeException e) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN, source + " is no store of MVStore, or it is damaged: " + e, e);
        }
    }

    @SuppressWarnings("unchecked") // whatever it is, it makes objects
    private static DataType<Object> type(ForeignType type) {
        DataType<?> known = switch (type) {
            case AUTO -> new ObjectDataType();
            case BYTES -> ByteArrayDataType.INSTANCE;
            case STRING -> StringDataType.INSTANCE;
            case INT -> IntegerDataType.INSTANCE;
            case LONG -> LongDataType.INSTANCE;
        };
        return (DataType<Object>) known;
    }

    private static ForeignStoreException failure(Path source, MVStoreException e) {
        Reason reason = switch (e.getErrorCode()) {
            case DataUtils.ERROR_FILE_CORRUPT, DataUtils.ERROR_CHUNK_NOT_FOUND, DataUtils.ERROR_READING_FAILED ->
                Reason.DAMAGED;
            default -> Reason.CANNOT_OPEN;
        };
        return new ForeignStoreException(reason, source + ": MVStore says: " + e.getMessage(), e);
    }

    private static final class Store implements ForeignStore {
        private final Path source;
        private final MVStore store;
        private final DataType<Object> keyType;
        private final DataType<Object> valueType;
        private final TreeMap<String, MVMap<Object, Object>> maps = new TreeMap<>();

        Store(Path source, MVStore store, DataType<Object> keyType, DataType<Object> valueType) {
            this.source = source;
            this.store = store;
            this.keyType = keyType;
            this.valueType = valueType;
        }

        @Override
        public List<String> names() {
            return List.copyOf(new TreeSet<>(store.getMapNames()));
        }

        @Override
        public long pairs(String name) {
            return map(name).sizeAsLong();
        }

        private MVMap<Object, Object> map(String name) {
            try {
                return maps.computeIfAbsent(
                        name,
                        absent -> store.openMap(
                                absent, new MVMap.Builder<>().keyType(keyType).valueType(valueType)));
            } catch (MVStoreException e) {
                throw failure(source, e);
            }
        }

        @Override
        public void read(String name, Target target) throws IOException {
            ObjectBytes bytes = new ObjectBytes(source + ": map " + name);
            Cursor<Object, Object> pairs = cursor(name);
            while (hasNext(name, pairs)) {
                if (!target.pair(bytes.key(pairs.getKey()), bytes.value(pairs.getValue()))) {
                    return;
                }
            }
        }

        private Cursor<Object, Object> cursor(String name) {
            try {
                return map(name).cursor(null);
            } catch (RuntimeException e) {
                throw unreadable(name, e);
            }
        }

        private boolean hasNext(String name, Cursor<Object, Object> pairs) {
            try {
                boolean hasNext = pairs.hasNext();
                if (hasNext) {
                    pairs.next();
                }
                return hasNext;
            } catch (RuntimeException e) {
                throw unreadable(name, e);
            }
        }

        private ForeignStoreException unreadable(String name, RuntimeException e) {
            if (e instanceof ForeignStoreException known) {
                return known;
            }
            if (e instanceof MVStoreException known) {
                return failure(source, known);
            }
            return new ForeignStoreException(
                    Reason.DAMAGED,
                    source + ": map " + name
                            + " can't be read: it is damaged, or its keys or values have other types, see"
                            + " --key-type and --value-type: " + e,
                    e);
        }

        @Override
        public void close() {
            store.closeImmediately();
        }
    }
}
