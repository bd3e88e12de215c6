package io.flexdb.ycsb;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.ReadOptions;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * The YCSB binding of FlexDB.
 *
 * <p>All client threads of a process that name the same directory share one store, which is opened by the first
 * {@link #init()} and closed by the last {@link #cleanup()}. An object of this class belongs to one thread, as YCSB
 * promises. Updates of one record by several threads are atomic: none gets lost, whatever fields they name.
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><th>name</th><th>meaning</th><th>default</th></tr>
 * <tr><td>{@value #DIRECTORY_PROPERTY}</td><td>directory of the store, made if absent</td><td>none: required</td></tr>
 * <tr><td>{@value #DURABILITY_PROPERTY}</td><td>{@code sync}, {@code os} or {@code none}, see {@link Durability}</td>
 * <td>{@code os}</td></tr>
 * <tr><td>{@value #CACHE_BYTES_PROPERTY}</td><td>budget of the interval cache; {@code k}, {@code m}, {@code g}
 * may follow the number</td><td>that of {@link FlexDBOptions}</td></tr>
 * <tr><td>{@value #MEMTABLE_BYTES_PROPERTY}</td><td>size of a memtable, likewise</td>
 * <td>that of {@link FlexDBOptions}</td></tr>
 * </table>
 */
public final class FlexDBClient extends DB {
    /** Names the directory of the store. */
    public static final String DIRECTORY_PROPERTY = "flexdb.dir";

    /** Names how durable a write is when it returns. */
    public static final String DURABILITY_PROPERTY = "flexdb.durability";

    /** Names the budget of the interval cache. */
    public static final String CACHE_BYTES_PROPERTY = "flexdb.cache.bytes";

    /** Names the size of a memtable. */
    public static final String MEMTABLE_BYTES_PROPERTY = "flexdb.memtable.bytes";

    private final RecordCodec codec = new RecordCodec();
    private boolean failureReported;
    private SharedStore shared;
    private FlexDB store;

    /** For YCSB, which then calls {@code setProperties} and {@link #init()}. */
    public FlexDBClient() {}

    @Override
    public void init() throws DBException {
        if (shared != null) {
            throw new DBException("init was called twice");
        }
        try {
            shared = SharedStore.acquire(directoryFrom(getProperties()), optionsFrom(getProperties()));
        } catch (IllegalArgumentException | StorageException e) {
            throw new DBException(e.getMessage(), e);
        }
        store = shared.store();
    }

    @Override
    public void cleanup() throws DBException {
        if (shared == null) {
            return;
        }
        SharedStore held = shared;
        shared = null;
        store = null;
        try {
            held.release();
        } catch (StorageException e) {
            throw new DBException(e);
        }
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        try {
            byte[] record = store.get(KeyFormat.encode(table, key));
            if (record == null) {
                return Status.NOT_FOUND;
            }
            codec.decode(record, fields, result);
            return Status.OK;
        } catch (RuntimeException e) {
            return statusOf(e);
        }
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        boolean last = KeyFormat.isLastTable(table);
        try (FlexCursor cursor = store.cursor(ReadOptions.defaults().withExpectedPairs(recordCount))) {
            cursor.seek(KeyFormat.encode(table, startKey));
            while (cursor.isValid() && (last || KeyFormat.isInTable(table, cursor.key()))) {
                HashMap<String, ByteIterator> record = new HashMap<>();
                codec.decode(cursor.value(), fields, record);
                result.add(record);
                if (result.size() >= recordCount) {
                    break;
                }
                cursor.next();
            }
            return Status.OK;
        } catch (RuntimeException e) {
            return statusOf(e);
        }
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        try {
            byte[] storeKey = KeyFormat.encode(table, key);
            synchronized (shared.lockFor(storeKey)) {
                byte[] record = store.get(storeKey);
                if (record == null) {
                    return Status.NOT_FOUND;
                }
                put(storeKey, codec.merge(record, values));
            }
            return Status.OK;
        } catch (RuntimeException e) {
            return statusOf(e);
        }
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        try {
            byte[] storeKey = KeyFormat.encode(table, key);
            ByteBuffer record = codec.encode(values);
            synchronized (shared.lockFor(storeKey)) {
                put(storeKey, record);
            }
            return Status.OK;
        } catch (RuntimeException e) {
            return statusOf(e);
        }
    }

    @Override
    public Status delete(String table, String key) {
        try {
            byte[] storeKey = KeyFormat.encode(table, key);
            synchronized (shared.lockFor(storeKey)) {
                store.delete(storeKey);
            }
            return Status.OK;
        } catch (RuntimeException e) {
            return statusOf(e);
        }
    }

    private void put(byte[] storeKey, ByteBuffer record) {
        int bytes = storeKey.length + record.remaining();
        store.put(ByteBuffer.wrap(storeKey), record);
        shared.countPut(bytes);
    }

    private Status statusOf(RuntimeException failure) {
        // YCSB counts statuses only, so the first reason is worth a line.
        if (!failureReported) {
            failureReported = true;
            System.err.println("FlexDB: the first operation that failed in this thread: " + failure);
        }
        if (failure instanceof IllegalArgumentException) {
            return Status.BAD_REQUEST;
        }
        return failure instanceof RecordCodec.MalformedRecordException ? Status.UNEXPECTED_STATE : Status.ERROR;
    }

    static Path directoryFrom(Properties properties) {
        String directory = properties.getProperty(DIRECTORY_PROPERTY);
        if (directory == null || directory.isBlank()) {
            throw new IllegalArgumentException(DIRECTORY_PROPERTY + ": missing, it names the directory of the store");
        }
        return Path.of(directory);
    }

    static FlexDBOptions optionsFrom(Properties properties) {
        FlexDBOptions options = FlexDBOptions.defaults();
        String durability = properties.getProperty(DURABILITY_PROPERTY);
        if (durability != null) {
            options = options.withDurability(durabilityFrom(durability));
        }
        String cacheBytes = properties.getProperty(CACHE_BYTES_PROPERTY);
        if (cacheBytes != null) {
            options = options.withCacheBytes(bytesFrom(CACHE_BYTES_PROPERTY, cacheBytes));
        }
        String memtableBytes = properties.getProperty(MEMTABLE_BYTES_PROPERTY);
        if (memtableBytes != null) {
            long bytes = bytesFrom(MEMTABLE_BYTES_PROPERTY, memtableBytes);
            if (bytes < FlexDBOptions.MIN_MEMTABLE_BYTES || bytes > FlexDBOptions.MAX_MEMTABLE_BYTES) {
                throw new IllegalArgumentException(MEMTABLE_BYTES_PROPERTY + ": must be from "
                        + FlexDBOptions.MIN_MEMTABLE_BYTES + " to " + FlexDBOptions.MAX_MEMTABLE_BYTES + ", was "
                        + bytes);
            }
            options = options.withMemtableBytes((int) bytes);
        }
        return options;
    }

    private static Durability durabilityFrom(String text) {
        try {
            return Durability.valueOf(text.strip().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    DURABILITY_PROPERTY + ": must be sync, os or none, was \"" + text + "\"", e);
        }
    }

    private static long bytesFrom(String property, String text) {
        try {
            return ByteSize.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(property + ": " + e.getMessage(), e);
        }
    }
}
