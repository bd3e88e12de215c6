package io.flexdb.internal.write;

import io.flexdb.internal.mem.MemTable;
import java.util.Arrays;

/**
 * The entries of some memtables that a commit is to apply: of each key the newest one, unless a newer deleted range
 * covers it.
 *
 * @param newestFirst the memtables
 * @param after entries up to this sequence number are left out
 * @param through and so are those above this one, which must be visible
 * @param keys of the entries
 * @param only which others are left out
 * @param cutThrough deleted ranges up to this number, not below {@code through}, are out of the space already
 */
record EntryRange(MemTable[] newestFirst, long after, long through, Keys keys, Only only, long cutThrough) {
    /**
     * A range of keys.
     *
     * @param from the first one; null for all
     * @param to where to end; a few keys from there on may be taken too. null for all
     */
    record Keys(byte[] from, byte[] to) {}

    /** The kind of entries to apply. */
    enum Only {
        /** All kinds. */
        ANY,
        /** Removals, which take no room for data, and may use the log's reserve. */
        DELETES,
        /** Of keys that the oldest memtable has, too. */
        KEYS_OF_OLDEST
    }

    /** All entries. */
    static EntryRange of(MemTable[] newestFirst, long after, long through) {
        return new EntryRange(newestFirst, after, through, new Keys(null, null), Only.ANY, through);
    }

    EntryRange from(byte[] key) {
        return new EntryRange(newestFirst, after, through, new Keys(key, keys.to), only, cutThrough);
    }

    EntryRange to(byte[] key) {
        return new EntryRange(newestFirst, after, through, new Keys(keys.from, key), only, cutThrough);
    }

    EntryRange only(Only some) {
        return new EntryRange(newestFirst, after, through, keys, some, cutThrough);
    }

    EntryRange cutThrough(long sequence) {
        return new EntryRange(newestFirst, after, through, keys, only, sequence);
    }

    /** The first key; null for all. */
    byte[] from() {
        return keys.from;
    }

    boolean onlyDeletes() {
        return only == Only.DELETES;
    }

    /** Whether a key is at or behind the end. */
    boolean isBehind(byte[] key, int length) {
        return keys.to != null && Arrays.compareUnsigned(key, 0, length, keys.to, 0, keys.to.length) >= 0;
    }
}
