package io.flexdb.jmh.flexdb;

/** The purpose for which a store is opened. */
public enum Use {
    /** To put, get and scan, as the table of docs/benchmarks.md says. */
    PAIRS,
    /** For {@link #PAIRS}, with transactions and counters where a store has them only if it is asked. */
    FEATURES,
    /** For {@link #PAIRS} with values of some kilobytes to megabytes. */
    LARGE_VALUES,
    /** For {@link KeyValueStore#ordered}. */
    FILES,
    /** For {@link KeyValueStore#load}. */
    BULK,
    /** For {@link KeyValueStore#reader}. */
    READERS
}
