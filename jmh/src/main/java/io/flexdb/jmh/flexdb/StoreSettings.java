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
 * @param use what for
 * @param tuning of FlexDB, the last word
 */
public record StoreSettings(
        Path directory,
        long cacheBytes,
        long memtableBytes,
        Durability durability,
        boolean beyondMemory,
        Use use,
        UnaryOperator<FlexDBOptions> tuning) {

    /** Settings without a word on the others: {@link Durability#OS}, data in memory, no tuning. */
    public static StoreSettings of(Path directory, long cacheBytes, Use use) {
        return new StoreSettings(directory, cacheBytes, 0, Durability.OS, false, use, UnaryOperator.identity());
    }

    StoreSettings with(Durability other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, other, beyondMemory, use, tuning);
    }

    StoreSettings with(Use other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, durability, beyondMemory, other, tuning);
    }

    StoreSettings with(UnaryOperator<FlexDBOptions> other) {
        return new StoreSettings(directory, cacheBytes, memtableBytes, durability, beyondMemory, use, other);
    }

    /** Whether a put is on disk when it returns. */
    boolean sync() {
        return durability == Durability.SYNC;
    }
}
