package io.flexdb.internal.base;

/**
 * The settings of one keyspace; {@code KeyspaceOptions} describes them.
 *
 * @param ttlMillis of what is put into it; 0 for none
 * @param merger null for that of the store
 * @param rangeFilter whether it has a range filter; null for what the store has
 */
public record KeyspaceSettings(long ttlMillis, Merger merger, Boolean rangeFilter) {
    /** Of a keyspace that nothing was said of. */
    public static final KeyspaceSettings NONE = new KeyspaceSettings(0, null, null);
}
