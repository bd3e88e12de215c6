package io.flexdb.internal.commit;

import io.flexdb.internal.memtable.MemTable;
import java.util.Arrays;

/**
 * Which entries of some memtables a commit is to apply: of each key the newest one.
 *
 * @param newestFirst the memtables
 * @param after entries up to this sequence number are left out
 * @param through and so are those above this one, which must be visible
 * @param from the first key; null for all
 * @param to where to end; a few keys from there on may be taken too. null for all
 * @param only what else is left out
 */
record EntryRange(MemTable[] newestFirst, long after, long through, byte[] from, byte[] to, Only only) {
    /** What entries must be to be applied. */
    enum Only {
        /** Whatever they are. */
        ANY,
        /** Removals, which take no room for data, and may use the log's reserve. */
        DELETES,
        /** Of keys that the oldest memtable has, too. */
        KEYS_OF_OLDEST
    }

    /** All entries. */
    static EntryRange of(MemTable[] newestFirst, long after, long through) {
        return new EntryRange(newestFirst, after, through, null, null, Only.ANY);
    }

    EntryRange from(byte[] key) {
        return new EntryRange(newestFirst, after, through, key, to, only);
    }

    EntryRange to(byte[] key) {
        return new EntryRange(newestFirst, after, through, from, key, only);
    }

    EntryRange only(Only some) {
        return new EntryRange(newestFirst, after, through, from, to, some);
    }

    boolean onlyDeletes() {
        return only == Only.DELETES;
    }

    /** Whether a key is at or behind the end. */
    boolean isBehind(byte[] key, int length) {
        return to != null && Arrays.compareUnsigned(key, 0, length, to, 0, to.length) >= 0;
    }
}
