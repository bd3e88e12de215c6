package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import io.flexdb.FlexDBOptions;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * How a store is to be opened.
 *
 * @param directory exists
 * @param cacheBytes of the store's own cache, where it has one
 * @param memtableBytes of a memtable, where there are such; 0 for the store's own default
 * @param durability what has happened to a put when it returns
 * @param beyondMemory whether there are more data than memory
 * @param tuning of FlexDB; null for its defaults
 */
record StoreSettings(
        Path directory,
        long cacheBytes,
        long memtableBytes,
        Durability durability,
        boolean beyondMemory,
        UnaryOperator<FlexDBOptions> tuning) {

    StoreSettings with(Durability other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, other, beyondMemory, tuning);
    }

    StoreSettings with(UnaryOperator<FlexDBOptions> other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, durability, beyondMemory, other);
    }

    /** Whether a put is on disk when it returns. */
    boolean sync() {
        return durability == Durability.SYNC;
    }
}
