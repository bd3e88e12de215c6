package io.flexdb.files.internal;

import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Numbers, each once, whatever crashes: they are reserved in the store some thousands at a time, before the first of them
 * is used. Those that were reserved and not used are lost. Any thread may ask.
 */
final class IdSource {
    private static final int RESERVED_AT_ONCE = 4096;

    private final TreeStore store;
    private long next;
    private long end;

    IdSource(TreeStore store) {
        this.store = store;
    }

    synchronized long next() throws IOException {
        if (next == end) {
            next = store.change(null, IdSource::reserve);
            end = next + RESERVED_AT_ONCE;
        }
        return next++;
    }

    private static long reserve(TreeChange change) {
        long first = next(change);
        change.putCounter(ByteBuffer.allocate(Long.BYTES)
                .putLong(first + RESERVED_AT_ONCE)
                .array());
        return first;
    }

    /** The next number that nobody has reserved. */
    static long next(TreeView view) {
        byte[] value = view.entries.get(TreeFormat.counterKey());
        if (value == null) { // nothing was made yet, or a salvage has lost it
            return Math.max(TreeFormat.FIRST_FREE, highest(view) + 1);
        }
        if (value.length != Long.BYTES) {
            throw TreeFormat.damaged(view.name, 0, "a number of 8 bytes", value.length + " bytes");
        }
        return ByteBuffer.wrap(value).getLong();
    }

    /** The highest number of any directory, entry or block that is there. Reads all entries. */
    static long highest(TreeView view) {
        long highest = 0;
        try (FlexCursor cursor =
                view.entries.cursor(ReadOptions.defaults().withLowerBound(TreeFormat.key(TreeFormat.ROOT)))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                highest = Math.max(highest, ByteBuffer.wrap(key).getLong());
                if (key.length > TreeFormat.ID_BYTES) {
                    highest = Math.max(
                            highest, Entry.decode(view.name, cursor.value()).id());
                }
            }
        }
        try (FlexCursor cursor = view.blocks.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            cursor.seekToLast();
            return cursor.isValid()
                    ? Math.max(highest, ByteBuffer.wrap(cursor.key()).getLong())
                    : highest;
        }
    }
}
