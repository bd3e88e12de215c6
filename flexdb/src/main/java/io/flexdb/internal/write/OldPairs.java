package io.flexdb.internal.write;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.Pairs;
import io.flexdb.internal.read.ReadContext;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;

/** The pairs of an interval before a change: its directory, and the pairs read so far. For one thread. */
final class OldPairs {
    /*
     * With a directory alone, only those pairs are read that may have the key that is sought, or whose window is the
     * same. With an outline, which has no windows, some more are read. If all are in memory none is.
     */
    private final IntervalReader reader;
    private final ReadContext context;
    private FlexTreeView space;
    private ByteBuffer directory;
    private int base;
    private int count;
    private Pairs all; // null unless all are in memory
    private boolean windows;

    /** @param context with the interval, and the bytes read of it */
    OldPairs(IntervalReader reader, ReadContext context) {
        this.reader = reader;
        this.context = context;
    }

    /** Sets that there are no pairs. */
    void setNone() {
        count = 0;
        all = null;
    }

    /**
     * Takes the pairs of the context's interval, which are read when they are needed.
     *
     * @param ofInterval has its directory or outline
     */
    void setDirectory(FlexTreeView view, ByteBuffer ofInterval, int position) {
        space = view;
        directory = ofInterval;
        base = position;
        count = Directory.pairCount(directory, base);
        all = null;
        windows = !Directory.isOutline(directory, base);
    }

    /** Reads all of the context's interval, but for their values if one is large. */
    void read(FlexTreeView view, boolean isRead) {
        try {
            reader.open(view, context, isRead);
        } catch (StorageException e) {
            throw unreadable(e);
        }
        setDirectory(view, context.image, context.base);
        all = context.pairs();
    }

    int count() {
        return count;
    }

    /** Whether all of them are in memory, but for their values perhaps. */
    boolean haveKeys() {
        return all != null;
    }

    /** Whether all of them are in memory with their values. */
    boolean haveValues() {
        return all != null && !all.areValuesLeft();
    }

    /** The buffer of the keys that are in memory, in records or what these have before their values. */
    ByteBuffer keyBuffer() {
        return all.memory();
    }

    /** The index in the {@link #keyBuffer} at which the record of a pair begins. */
    int recordPosition(int pair) {
        return all.position(pair);
    }

    ByteBuffer directory() {
        return directory;
    }

    int base() {
        return base;
    }

    /** Whether most keys can be told from those of the pairs without reading any. */
    boolean haveWindows() {
        return windows;
    }

    /** How many bytes the windows skip. */
    int skipped() {
        return count == 0 ? 0 : Directory.skipped(directory, base);
    }

    /** The beginning of a pair, relative to the first. */
    int start(int pair) {
        return Directory.relativePosition(directory, base, pair);
    }

    /**
     * Finds the pair of a key that belongs to the interval.
     *
     * @param fingerprint of the key
     * @param from the first pair to look at
     * @return the pair; if there is none, the complement ({@code ~}) of the first one above the key
     */
    int find(EntryKey key, byte fingerprint, int from) {
        if (count == 0) {
            return ~0;
        }
        int window = windows ? Directory.window(key.bytes, 0, key.length, skipped()) : 0;
        int pair = Directory.candidate(directory, base, fingerprint, from);
        while (pair >= 0) {
            if (compare(key, window, pair) == 0) {
                return pair;
            }
            pair = Directory.candidate(directory, base, fingerprint, pair + 1);
        }
        int low = from;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(key, window, middle) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return ~low;
    }

    /** Compares a key with that of a pair, which need not be read if the windows differ. */
    private int compare(EntryKey key, int window, int pair) {
        int order = windows ? Integer.compareUnsigned(window, Directory.window(directory, base, pair)) : 0;
        if (order != 0) {
            return order;
        }
        if (all != null) {
            return all.compare(key.bytes, key.length, pair);
        }
        try {
            long header = reader.loadPairToChange(space, context, directory, base, pair);
            return KeyBytes.compare(
                    key.bytes,
                    0,
                    key.length,
                    context.image,
                    RecordFormat.headerBytes(header),
                    RecordFormat.keyLength(header));
        } catch (StorageException e) {
            throw unreadable(e);
        }
    }

    private static RuntimeException unreadable(StorageException e) {
        boolean ofFile = !(e instanceof StoreMemoryException); // which says nothing of it
        return ofFile ? new UnreadableException(e) : e;
    }
}
