package io.flexdb.files.internal;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbers of directories by parent and name, so that to walk a path costs no lookup of what was met before.
 *
 * <p>A name that is deleted or moved is forgotten after that has happened, so who looks meanwhile may go by the old one,
 * as if he had come before; a directory's own pair, which each change in it reads, tells if it is gone. But a lookup
 * that began before must not bring the old one back later. So a lookup of the store is made with the time in mind when it
 * began, and to forget something makes the time go on: what was found before that is not kept. Both are done while the
 * map holds the name, so that nobody meets the old number once it has been forgotten.
 */
final class DirectoryCache {
    /** Instead of a number: there is no directory of this name. */
    static final long NONE = -1;

    private static final int MOST = 1 << 16;

    private final Map<EntryKey, Long> ids = new ConcurrentHashMap<>();
    private final AtomicLong time = new AtomicLong();

    /** Looks a directory up in the store. */
    interface Lookup {
        /** Its number, or {@link #NONE}. */
        long number() throws IOException;
    }

    /** The number that was met before, or what a lookup finds, which is kept; or {@link #NONE}. */
    long find(EntryKey key, Lookup lookup) throws IOException {
        Long known = ids.get(key);
        if (known != null) {
            return known;
        }
        long begun = time.get();
        long found = lookup.number();
        if (found != NONE) {
            keep(key, found, begun);
        }
        return found;
    }

    private void keep(EntryKey key, long id, long begun) {
        if (ids.size() >= MOST) {
            ids.clear();
        }
        ids.compute(key, (name, old) -> time.get() == begun ? Long.valueOf(id) : old);
    }

    /** To be called once the store has it elsewhere, or nowhere. */
    void forget(EntryKey key) {
        ids.compute(key, (name, old) -> {
            time.incrementAndGet();
            return null;
        });
    }
}
