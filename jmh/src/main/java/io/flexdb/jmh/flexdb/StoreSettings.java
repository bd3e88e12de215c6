package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import java.nio.file.Path;

/**
 * How a store is to be opened.
 *
 * @param directory exists
 * @param cacheBytes of the store's own cache, where it has one
 * @param memtableBytes of a memtable, where there are such; 0 for the store's own default
 * @param durability what has happened to a put when it returns
 * @param utilization share of live bytes below which garbage is collected, where it is; 0 for the store's own default
 */
record StoreSettings(Path directory, long cacheBytes, long memtableBytes, Durability durability, double utilization) {

    StoreSettings with(Durability other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, other, utilization);
    }

    StoreSettings withUtilization(double share) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, durability, share);
    }

    /** Whether a put is on disk when it returns. */
    boolean sync() {
        return durability == Durability.SYNC;
    }
}
