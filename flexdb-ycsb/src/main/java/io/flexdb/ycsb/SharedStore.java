package io.flexdb.ycsb;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * A store that several {@link FlexDBClient} objects use, open as long as one of them holds it.
 *
 * <p>YCSB makes one client object a thread, by reflection and without anything that they could share, and a store can
 * be open only once: this is why the open stores are kept in a static map.
 */
final class SharedStore {
    private static final int STRIPES = 1024;
    private static final Map<Path, SharedStore> OPEN = new HashMap<>();

    private final Path directory;
    private final FlexDB store;
    private final Object[] stripes = new Object[STRIPES];
    private final LongAdder putBytes = new LongAdder();
    private int holders;

    private SharedStore(Path directory, FlexDB store) {
        this.directory = directory;
        this.store = store;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    /** The store in this directory, opened with these options if nobody holds it yet. Each call wants a release. */
    static SharedStore acquire(Path directory, FlexDBOptions options) {
        Path absolute = directory.toAbsolutePath().normalize();
        synchronized (OPEN) {
            SharedStore shared = OPEN.get(absolute);
            if (shared == null) {
                shared = new SharedStore(absolute, FlexDB.open(absolute, options));
                OPEN.put(absolute, shared);
            }
            shared.holders++;
            return shared;
        }
    }

    /** Gives up one hold; the last one closes the store. */
    void release() {
        synchronized (OPEN) {
            holders--;
            if (holders == 0) {
                OPEN.remove(directory);
                store.close();
            }
        }
    }

    FlexDB store() {
        return store;
    }

    /** What to lock while a record is read and written back. Different records may share a lock. */
    Object lockFor(byte[] storeKey) {
        int hash = 0;
        for (byte b : storeKey) {
            hash = 31 * hash + b;
        }
        hash ^= hash >>> 16;
        return stripes[hash & (STRIPES - 1)];
    }

    void countPut(int bytes) {
        putBytes.add(bytes);
    }

    /** Bytes of the keys and values that were put since the store was opened. */
    long putBytes() {
        return putBytes.sum();
    }
}
