package io.flexdb.typed;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.nio.file.Path;

/** Small stores for tests. */
final class Stores {
    static final FlexDBOptions OPTIONS = FlexDBOptions.defaults()
            .withDurability(Durability.NONE)
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20);

    private Stores() {}

    static FlexDB open(Path directory) {
        return FlexDB.open(directory, OPTIONS);
    }
}
