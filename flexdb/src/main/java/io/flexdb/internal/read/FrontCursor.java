package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;

/** Walks all keys of a {@link Front} in order, each by its newest entry, whatever that is. For one thread; to be closed. */
public final class FrontCursor implements AutoCloseable {
    private final Front front;
    private final MemTableCursor[] sources;
    private final int[] tied; // sources with the current key but the newest
    private int tiedCount;
    private int current = -1;

    public FrontCursor(Front front) {
        this.front = front;
        this.sources = new MemTableCursor[front.count()];
        this.tied = new int[sources.length];
        try {
            for (int i = 0; i < sources.length; i++) {
                sources[i] = front.cursor(i);
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** Goes to the first key. */
    public void seekToFirst() {
        for (MemTableCursor source : sources) {
            source.seekToFirst();
        }
        choose();
    }

    /** A copy of the last key, or null if there is none. Stands nowhere then. */
    public byte[] lastKey() {
        int last = -1;
        for (int i = 0; i < sources.length; i++) {
            sources[i].seekToLast();
            if (sources[i].isValid() && (last < 0 || compare(i, last) > 0)) {
                last = i;
            }
        }
        current = last;
        byte[] key = last < 0 ? null : key();
        current = -1;
        return key;
    }

    /** Whether it stands on an entry. */
    public boolean isValid() {
        return current >= 0;
    }

    /** Goes to the next key. */
    public void next() {
        while (tiedCount > 0) {
            sources[tied[--tiedCount]].next();
        }
        sources[current].next();
        choose();
    }

    private void choose() {
        current = -1;
        tiedCount = 0;
        for (int i = 0; i < sources.length; i++) {
            if (!sources[i].isValid()) {
                continue;
            }
            int order = current < 0 ? -1 : compare(i, current);
            if (order < 0) {
                current = i;
                tiedCount = 0;
            } else if (order == 0) {
                tied[tiedCount++] = i;
            }
        }
    }

    private int compare(int a, int b) {
        return compareKeys(sources[a], sources[b]);
    }

    /** The order of the keys that two cursors stand on. */
    static int compareKeys(MemTableCursor a, MemTableCursor b) {
        return KeyBytes.compare(
                a.table().buffer(),
                a.table().keyPosition(a.ref()),
                a.table().keyLength(a.ref()),
                b.table().buffer(),
                b.table().keyPosition(b.ref()),
                b.table().keyLength(b.ref()));
    }

    /** The table that has the entry, until the next move. */
    public MemTable table() {
        return sources[current].table();
    }

    /** The entry there. */
    public int ref() {
        return sources[current].ref();
    }

    /** A copy of the key. */
    public byte[] key() {
        byte[] key = new byte[table().keyLength(ref())];
        table().copyKey(ref(), key, 0);
        return key;
    }

    /** Whether a range that was deleted later covers the key. */
    public boolean isDeletedByRange(byte[] key) {
        long number = table().sequence(ref());
        for (int i = 0; i < sources.length; i++) {
            DeletedRanges ranges = front.ranges(i);
            if (ranges != null && ranges.newestCovering(key, 0, key.length, front.through(i)) > number) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (MemTableCursor source : sources) {
            if (source != null) {
                source.release();
            }
        }
    }
}
