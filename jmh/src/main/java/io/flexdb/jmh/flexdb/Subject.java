package io.flexdb.jmh.flexdb;

import io.flexdb.MergeFunction;
import java.util.List;
import java.util.function.Function;

/** The stores compared. */
enum Subject {
    FLEXDB("FlexDB", FlexDBStore::new, List.of()),
    ROCKSDB("RocksDB", RocksDBStore::new, List.of()),
    LMDB(
            "LMDB",
            LmdbStore::new,
            List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")),
    MVSTORE("MVStore", MVStoreStore::new, List.of()),
    XODUS("Xodus", XodusStore::new, List.of()),
    SKIPLIST("skip list", settings -> new SkipListStore(), List.of());

    private final String label;
    private final Function<StoreSettings, KeyValueStore> opener;
    private final List<String> jvmArguments;

    Subject(String label, Function<StoreSettings, KeyValueStore> opener, List<String> jvmArguments) {
        this.label = label;
        this.opener = opener;
        this.jvmArguments = jvmArguments;
    }

    /** The name in tables. */
    String label() {
        return label;
    }

    KeyValueStore open(StoreSettings settings) {
        return opener.apply(settings);
    }

    /** The same with transactions and counters, where they are not there at all times. */
    KeyValueStore openWithFeatures(StoreSettings settings) {
        return switch (this) {
            case FLEXDB -> open(settings.with(options -> options.withMergeFunction(MergeFunction.ADD)));
            case ROCKSDB -> RocksDBStore.withFeatures(settings);
            default -> open(settings);
        };
    }

    /** What its process needs. */
    List<String> jvmArguments() {
        return jvmArguments;
    }

    /** Whether the pairs are there again when the store is opened again. */
    boolean keepsPairs() {
        return this != SKIPLIST;
    }

    /** Whether a put that has returned is there again after the process was killed, not only after a close. */
    boolean survivesKill() {
        return this != MVSTORE && this != SKIPLIST;
    }
}
