package io.flexdb.files.internal;

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
        byte[] value = change.entries.get(TreeFormat.counterKey());
        long first = TreeFormat.FIRST_FREE;
        if (value != null) {
            if (value.length != Long.BYTES) {
                throw TreeFormat.damaged(change.name, 0, "a number of 8 bytes", value.length + " bytes");
            }
            first = ByteBuffer.wrap(value).getLong();
        }
        change.putCounter(ByteBuffer.allocate(Long.BYTES)
                .putLong(first + RESERVED_AT_ONCE)
                .array());
        return first;
    }
}
