package io.flexdb.internal.write;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.PairHeads;
import io.flexdb.internal.read.Pairs;
import io.flexdb.internal.read.ReadContext;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;

/** The pairs of an interval before a change: its directory, and the pairs read so far. For one thread. */
final class OldPairs {
    /*
     * With a directory alone, only those pairs are read that may have the key that is sought, or whose window is the
     * same. With an outline, which has no windows, some more are read. If all are in memory none is, nor with the heads
     * of pairs. Of an interval with a large value only heads are ever in memory.
     */
    private final IntervalReader reader;
    private final ReadContext context;
    private FlexTreeView space;
    private ByteBuffer directory;
    private int base;
    private int count;
    private Pairs all; // null unless all are in memory
    private PairHeads heads; // null unless values are left where they are
    private boolean windows;
    private boolean found;

    /** @param context with the interval, and the bytes read of it */
    OldPairs(IntervalReader reader, ReadContext context) {
        this.reader = reader;
        this.context = context;
    }

    /** Sets that there are no pairs. */
    void setNone() {
        count = 0;
        all = null;
        heads = null;
        windows = false;
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
        heads = null;
        windows = !Directory.isOutline(directory, base);
    }

    /** Reads those of the context's interval. */
    void readAll(FlexTreeView view) {
        try {
            reader.open(view, context);
        } catch (StorageException e) {
            throw unreadable(e);
        }
        setDirectory(view, context.image, context.base);
        all = context.pairs();
        windows = false; // keys are compared as soon
    }

    /** Reads those of the context's interval but for their values, one of which is large. */
    void readHeads(FlexTreeView view) {
        PairHeads read;
        try {
            read = reader.readHeads(view, context);
        } catch (StorageException e) {
            throw unreadable(e);
        }
        setDirectory(view, read.directory(), 0);
        heads = read;
        windows = false;
    }

    int count() {
        return count;
    }

    /** Whether all of them are in memory, but for their values perhaps. */
    boolean haveKeys() {
        return all != null || heads != null;
    }

    /** The buffer of the keys that are in memory, in records or their heads. */
    ByteBuffer keyBuffer() {
        return heads != null ? heads.buffer() : all.memory();
    }

    /** The index in the {@link #keyBuffer} at which the record of a pair, or its head, begins. */
    int recordPosition(int pair) {
        return heads != null ? heads.position(pair) : start(pair);
    }

    /** Whether all of them are in memory. */
    boolean haveAll() {
        return all != null;
    }

    ByteBuffer directory() {
        return directory;
    }

    int base() {
        return base;
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
     * Finds the first pair not below a key; {@link #isFound} tells whether it is the key's own.
     *
     * @param fingerprint of the key
     * @param from the first pair to look at
     */
    int find(EntryKey key, byte fingerprint, int from) {
        found = false;
        if (count == 0) {
            return 0;
        }
        int window = windowOf(key);
        int pair = Directory.candidate(directory, base, fingerprint, from);
        while (pair >= 0) {
            boolean mayBe = !windows || Directory.window(directory, base, pair) == window;
            if (mayBe && compare(key, pair) == 0) { // else the pair need not be read

                found = true;
                return pair;
            }
            pair = Directory.candidate(directory, base, fingerprint, pair + 1);
        }
        return lowerBound(key, from);
    }

    private int windowOf(EntryKey key) {
        return windows ? Directory.window(key.bytes, 0, key.length, skipped()) : 0;
    }

    /** Whether the last search has found its key. */
    boolean isFound() {
        return found;
    }

    private int lowerBound(EntryKey key, int from) {
        int window = windowOf(key);
        int low = from;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = !windows ? 0 : Integer.compareUnsigned(window, Directory.window(directory, base, middle));
            if ((order == 0 ? compare(key, middle) : order) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int compare(EntryKey key, int pair) {
        if (heads != null) {
            return heads.compare(key.bytes, key.length, pair);
        }
        if (all != null) {
            return all.compare(key.bytes, key.length, pair);
        }
        try {
            long header = reader.pairs().loadPair(space, context, directory, base, pair);
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
