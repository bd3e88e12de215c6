package io.flexdb.internal.commit;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.cache.IntervalCache;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.index.IntervalReplacement;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.ReadContext;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Brings the entries of a memtable into the FlexSpace and the sparse index (section 5.1 of the paper). One thread. */
public final class Committer {
    /*
     * The committer works by interval, not by key. It walks the memtable in key order, gathers the entries that belong
     * to one interval, and merges them with the interval's pairs into the new content. That content goes into the
     * cache, and into the space by whichever is cheaper:
     *
     * - few changes: each pair is inserted, replaced or removed in place;
     * - many changes, or an interval in many pieces: it is written anew, in one piece. A bulk load costs an extent for
     *   every maxExtentBytes instead of one for each pair, and a fragmented interval becomes whole again when it is
     *   changed anyway (section 5.2).
     *
     * I1  Every extent that does not begin with a pair carries the flag RecordFormat.CONTINUATION, and each change to
     *     the space is a group of whole pairs, so that after any prefix of the log the space is a sequence of whole
     *     pairs (O7).
     */
    private static final int GATHERED_BYTES = 1 << 20;
    private static final int GATHERED_ENTRIES = 4096;
    private static final int FEW_ENTRIES = 16; // at once, where room is short
    private static final int CHANGES_PER_VERSION = 1000;
    private static final int SMALL_MERGED_BYTES = 256 << 10;
    private static final int MAX_STARTS_KEPT = 64 << 10;
    private static final MemTable[] NO_TABLES = {};
    private static final int ASKED_BYTES = 256 << 10; // room is asked for this much at once, to ask seldom
    private static final int ASKED_EDITS = 256;

    private final Epochs epochs;
    private final SpaceEngine engine;
    private final Intervals intervals;
    private final SparseIndex index; // theirs
    private final IntervalCache cache;
    private final IntervalReader reader;
    private final OffHeap memory;
    private final CommitTurns turns = new CommitTurns();
    private final ReadContext context;
    private final ExtentCursor extents = new ExtentCursor();
    private final NewestEntries entries = new NewestEntries();
    private final IntervalReplacement replacement = new IntervalReplacement();
    private MemTable[] tables = {};
    private final int[] refs = new int[GATHERED_ENTRIES];
    private final byte[] sources = new byte[GATHERED_ENTRIES]; // which of the tables each is in
    private int mostEntries; // at once
    private int refCount;
    private long gatheredBytes;
    private long roomBytes; // that may be appended still without asking for room
    private long roomEdits;
    private boolean scarce; // there is not as much as would be asked for at once
    private volatile long entriesApplied; // written by the one thread
    private byte[] key = new byte[256];
    private byte[] nextKey = new byte[256];
    private byte[] anchor = new byte[256];

    /** The new content: its bytes, and where each pair begins in them. */
    private ByteBuffer merged;

    private final ByteBuffer smallMerged; // what merged is when nothing large has to fit

    private int mergedBytes;
    private final int[] smallStarts = new int[1024];
    private int[] mergedStarts = smallStarts;
    private int mergedPairs;

    /** Changes in place that the new content stands for: where in it, how many bytes go, how many come. */
    private final int[] inPlaceChanges = new int[3 * GATHERED_ENTRIES];

    private int changeCount;
    private boolean inPlace;
    private boolean wasCached;
    private StoreFullException memoryRefusal;
    private ByteBuffer imageMemory;

    public Committer(
            Epochs epochs,
            SpaceEngine engine,
            Intervals intervals,
            IntervalCache cache,
            IntervalReader reader,
            OffHeap memory) {
        this.epochs = epochs;
        this.engine = engine;
        this.intervals = intervals;
        this.index = intervals.index;
        this.cache = cache;
        this.reader = reader;
        this.memory = memory;
        this.context = new ReadContext(memory, OffHeap.Use.COMMITS);
        this.smallMerged = allocate(SMALL_MERGED_BYTES);
        this.merged = smallMerged;
        this.imageMemory = allocate(64 << 10);
    }

    private ByteBuffer allocate(int bytes) {
        return memory.allocate(OffHeap.Use.COMMITS, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Entries that are in the space of the memtable that is being applied, or was the last. Any thread. */
    long entriesApplied() {
        return entriesApplied;
    }

    /** Whose turn it is while memtables are applied. */
    CommitTurns turns() {
        return turns;
    }

    /**
     * Applies the newest entry of each key of some memtables. What was applied before can be applied again.
     *
     * @param newestFirst the memtables
     * @param after entries up to this sequence number are left out
     * @param through and so are those above this one, which must be visible
     * @param from the first key; null for all
     * @param to where to end; a few keys from there on may be taken too. null for all
     * @param publish called when earlier versions should go, so that there is room
     * @param betweenChanges called now and then, when space and index fit each other, to publish; it may change both
     * @return null, or the first key for which there is no room, or no memory; {@link #refusal} says why
     * @throws UnreadableException if an interval that has to change can't be read. It and all behind it are as they
     *     were, those before it have been changed, each wholly
     */
    byte[] apply(
            MemTable[] newestFirst,
            long after,
            long through,
            byte[] from,
            byte[] to,
            Runnable publish,
            Runnable betweenChanges) {
        return apply(newestFirst, after, through, from, to, false, false, publish, betweenChanges);
    }

    /** The same for the keys of the oldest memtable only, from one of them on, but by their newest entries of all. */
    byte[] applyKeysOfOldest(MemTable[] newestFirst, long after, long through, byte[] from, Runnable publish) {
        return apply(newestFirst, after, through, from, null, false, true, publish, publish);
    }

    /**
     * Applies the entries that remove keys, and no others. That takes no room for data, and the log's reserve may be
     * used.
     *
     * @return false if there is no room all the same, or no memory; {@link #refusal} says why
     */
    boolean applyDeletes(MemTable[] newestFirst, long after, long through, Runnable publish) {
        return apply(newestFirst, after, through, null, null, true, false, publish, publish) == null;
    }

    private byte[] apply(
            MemTable[] newestFirst,
            long after,
            long through,
            byte[] from,
            byte[] to,
            boolean onlyDeletes,
            boolean onlyKeysOfOldest,
            Runnable publish,
            Runnable betweenChanges) {
        tables = newestFirst;
        memoryRefusal = null;
        roomBytes = 0;
        roomEdits = 0;
        entries.reset(newestFirst, after, through, onlyKeysOfOldest);
        entries.seek(from);
        entriesApplied = 0;
        mostEntries = GATHERED_ENTRIES;
        int changes = 0;
        byte[] stuckAt = null;
        while (entries.isValid() && stuckAt == null) {
            int keyLength = copyKey(entries.table(), entries.ref());
            if (to != null && Arrays.compareUnsigned(key, 0, keyLength, to, 0, to.length) >= 0) {
                break;
            }
            index.find(index.current(), key, 0, keyLength, context.interval);
            gather(onlyDeletes);
            if (refCount == 0) {
                continue;
            }
            boolean room = onlyDeletes ? hasRoomForDeletes(publish) : hasRoom(publish);
            if (!room && refCount > FEW_ENTRIES) {
                mostEntries = FEW_ENTRIES; // which need less of the log at once; there may be as much
                entries.seek(Arrays.copyOf(key, keyLength));
                continue;
            }
            if (!room || !prepare(onlyDeletes)) {
                stuckAt = Arrays.copyOf(key, keyLength);
                break;
            }
            applyToInterval(keyLength);
            changes += refCount;
            entriesApplied += refCount;
            turns.pass();
            if (changes >= CHANGES_PER_VERSION) {
                changes = 0;
                roomBytes = 0; // others may use it now
                roomEdits = 0;
                betweenChanges.run();
            }
        }
        entries.reset(NO_TABLES, 0, 0, false);
        tables = NO_TABLES;
        shrink();
        scarce = stuckAt != null;
        publish.run();
        return stuckAt;
    }

    private boolean hasRoomForDeletes(Runnable publish) {
        return engine.reservation().reserveForEdits(refCount + IntervalBounds.MAX_PAIRS, false, publish);
    }

    /** Why there was no room, or no memory, when something was not applied. */
    StoreFullException refusal() {
        return memoryRefusal != null ? memoryRefusal : engine.reservation().refusal();
    }

    /** Whether it was memory that was short. */
    boolean lacksMemory() {
        return memoryRefusal != null || engine.reservation().lacksMemory();
    }

    /** Lets go of what a large value needed. */
    private void shrink() {
        merged = smallMerged;
        mergedBytes = 0;
        mergedPairs = 0;
        if (mergedStarts.length > MAX_STARTS_KEPT) {
            mergedStarts = smallStarts;
        }
        if (context.largeBytes() > 0) {
            context.dropMemory();
        }
    }

    /** Whether the interval may be written anew with what was gathered. */
    private boolean hasRoom(Runnable publish) {
        long oldBytes = context.interval.lengthBytes();
        long bytes = oldBytes + gatheredBytes;
        long edits = 2L * refCount + IntervalBounds.MAX_PAIRS + 2 * bytes / engine.maxExtentBytes();
        if (bytes > roomBytes || edits > roomEdits) {
            roomBytes = bytes + Math.min(ASKED_BYTES, engine.segmentBytes());
            roomEdits = edits + ASKED_EDITS;
            if (scarce || !engine.reservation().reserveForBatch(roomBytes, roomEdits, 0, 0, publish)) {
                scarce = true; // or garbage would be collected for each interval, to little avail
                roomBytes = bytes;
                roomEdits = edits;
                long offset = context.interval.logicalOffset();
                if (!engine.reservation().reserveForBatch(bytes, edits, offset, oldBytes, publish)) {
                    roomBytes = 0; // a smaller part may be tried, and has to ask
                    roomEdits = 0;
                    return false;
                }
            }
        }
        roomBytes -= bytes;
        roomEdits -= edits;
        return true;
    }

    private int copyKey(MemTable table, int ref) {
        int length = table.keyLength(ref);
        if (key.length < length) {
            key = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        table.copyKey(ref, key, 0);
        return length;
    }

    /** Takes the entries from the cursor on that belong to the context's interval, up to a bound. */
    private void gather(boolean onlyDeletes) {
        refCount = 0;
        gatheredBytes = 0;
        long bytes = 0;
        do {
            MemTable table = entries.table();
            int ref = entries.ref();
            if (!onlyDeletes || table.type(ref) == WritePayload.DELETE) {
                bytes += table.keyLength(ref) + table.valueLength(ref);
                gatheredBytes += RecordFormat.recordBytes(table.keyLength(ref), table.valueLength(ref));
                sources[refCount] = (byte) entries.source();
                refs[refCount++] = ref;
            }
            entries.next();
        } while (entries.isValid() && refCount < mostEntries && bytes < GATHERED_BYTES && belongsToInterval());
    }

    private boolean belongsToInterval() {
        if (!context.interval.hasNext()) {
            return true;
        }
        int length = copyNextKey(entries.table(), entries.ref());
        return context.interval.isBelowUpperAnchor(nextKey, 0, length);
    }

    /**
     * Reads the interval, merges what was gathered into its pairs, and sees that index and space need no more memory
     * for the change than there is. Changes neither, so without memory nothing has happened.
     */
    private boolean prepare(boolean alwaysInPlace) {
        try {
            mergeInterval(alwaysInPlace);
            index.ensure(IntervalBounds.mostIntervals(mergedPairs, mergedBytes), mergedBytes);
            return true;
        } catch (OutOfMemoryError | StoreMemoryException e) {
            shrink();
            memoryRefusal = new StoreFullException("no memory to commit what was written (" + e.getMessage()
                    + "); allow for more by -XX:MaxDirectMemorySize or -Xmx, or give the store a smaller cache");
            return false;
        }
    }

    private void mergeInterval(boolean alwaysInPlace) {
        long intervalOffset = context.interval.logicalOffset();
        int oldBytes = (int) context.interval.lengthBytes();
        wasCached = oldBytes > 0 && cache.contains(context.interval.contentNumber());
        inPlace = false;
        int ticket = epochs.enter(); // the image may lie in the cache
        try {
            int oldPairs = 0;
            if (oldBytes > 0) {
                readOld();
                oldPairs = IntervalFormat.pairCount(context.image, context.base);
                inPlace =
                        alwaysInPlace || refCount * 2 <= oldPairs && !isFragmented(intervalOffset, oldBytes, oldPairs);
            }
            merge(oldPairs);
        } finally {
            epochs.exit(ticket);
        }
    }

    private void applyToInterval(int keyLength) {
        long intervalOffset = context.interval.logicalOffset();
        engine.beginGroup();
        if (inPlace) {
            replaceInSpace(intervalOffset);
        } else {
            rewrite(intervalOffset, (int) context.interval.lengthBytes());
        }
        divide(keyLength);
        engine.endGroup();
    }

    /** Opens the image of the interval as it is. */
    private void readOld() {
        try {
            reader.open(engine.current(), context);
        } catch (StoreMemoryException e) {
            throw e; // which says nothing of the file
        } catch (StorageException e) {
            throw new UnreadableException(e);
        }
    }

    private boolean isFragmented(long intervalOffset, int bytes, int pairs) {
        extents.reset(engine.current());
        int pieces = 0;
        boolean found = extents.seek(intervalOffset);
        while (found && extents.logicalOffset() < intervalOffset + bytes) {
            if (extents.flags() != RecordFormat.CONTINUATION && ++pieces > Math.max(1, pairs / 2)) {
                return true;
            }
            found = extents.next();
        }
        return false;
    }

    /**
     * Merges pairs and entries into the new content, and notes the changes. Those are made later: to write to the space
     * may mean to wait for readers, of whom this is one.
     */
    private void merge(int oldPairs) {
        mergedBytes = 0;
        mergedPairs = 0;
        changeCount = 0;
        int nextPair = 0;
        for (int i = 0; i < refCount; i++) {
            MemTable table = tables[sources[i]];
            int ref = refs[i];
            int keyLength = copyNextKey(table, ref);
            int at = oldPairs == 0 ? 0 : firstPairFrom(nextPair, oldPairs, keyLength);
            copyPairs(nextPair, at);
            boolean exists = at < oldPairs
                    && IntervalFormat.compare(nextKey, 0, keyLength, context.image, context.base, at) == 0;
            int removed = exists ? pairBytes(at, oldPairs) : 0;
            int recordStart = mergedBytes;
            boolean put = table.type(ref) == WritePayload.PUT;
            if (put) {
                appendEntry(table, ref, keyLength);
            }
            if (put || exists) {
                int change = 3 * changeCount++;
                inPlaceChanges[change] = recordStart;
                inPlaceChanges[change + 1] = removed;
                inPlaceChanges[change + 2] = mergedBytes - recordStart;
            }
            nextPair = exists ? at + 1 : at;
        }
        copyPairs(nextPair, oldPairs);
    }

    private int copyNextKey(MemTable table, int ref) {
        int length = table.keyLength(ref);
        if (nextKey.length < length) {
            nextKey = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        table.copyKey(ref, nextKey, 0);
        return length;
    }

    /** The first pair not below the key; the search begins where the last one ended, as keys come in order. */
    private int firstPairFrom(int from, int pairs, int keyLength) {
        int low = from;
        int high = pairs;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (IntervalFormat.compare(nextKey, 0, keyLength, context.image, context.base, middle) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int pairBytes(int pair, int pairs) {
        assert pair < pairs;
        return IntervalFormat.relativePosition(context.image, context.base, pair + 1)
                - IntervalFormat.relativePosition(context.image, context.base, pair);
    }

    private void copyPairs(int from, int to) {
        if (from >= to) {
            return;
        }
        int start = IntervalFormat.relativePosition(context.image, context.base, from);
        int bytes = IntervalFormat.relativePosition(context.image, context.base, to) - start;
        roomInMerged(bytes, to - from);
        for (int pair = from; pair < to; pair++) {
            mergedStarts[mergedPairs++] =
                    mergedBytes + IntervalFormat.relativePosition(context.image, context.base, pair) - start;
        }
        int data = IntervalFormat.dataPosition(context.image, context.base);
        merged.put(mergedBytes, context.image, data + start, bytes);
        mergedBytes += bytes;
    }

    private void appendEntry(MemTable table, int ref, int keyLength) {
        int valueLength = table.valueLength(ref);
        roomInMerged(RecordFormat.recordBytes(keyLength, valueLength), 1);
        mergedStarts[mergedPairs++] = mergedBytes;
        ByteBuffer arena = table.buffer();
        mergedBytes = RecordFormat.write(
                merged,
                mergedBytes,
                arena,
                table.keyPosition(ref),
                keyLength,
                arena,
                table.valuePosition(ref),
                valueLength);
    }

    private void roomInMerged(int bytes, int pairs) {
        if (merged.capacity() - mergedBytes < bytes) {
            long wanted = Math.max(2L * merged.capacity(), (long) mergedBytes + bytes);
            ByteBuffer larger = allocate((int) Math.min(Integer.MAX_VALUE - 8L, wanted));
            larger.put(0, merged, 0, mergedBytes);
            merged = larger;
        }
        if (mergedStarts.length - mergedPairs < pairs) {
            mergedStarts = Arrays.copyOf(mergedStarts, Math.max(2 * mergedStarts.length, mergedPairs + pairs));
        }
    }

    // ---- the space

    /** Makes the changes that were noted, in their order: what is before each of them is new already. */
    private void replaceInSpace(long intervalOffset) {
        for (int change = 0; change < 3 * changeCount; change += 3) {
            int start = inPlaceChanges[change];
            replaceInSpace(intervalOffset + start, inPlaceChanges[change + 1], start, inPlaceChanges[change + 2]);
        }
    }

    /** One pair's change: nothing, or a pair, in the place of another pair, or of nothing. */
    private void replaceInSpace(long logicalOffset, int removed, int from, int bytes) {
        int max = engine.maxExtentBytes();
        if (removed == bytes && bytes <= max) {
            engine.overwrite(logicalOffset, merged, from, bytes, 0);
            return;
        }
        if (removed > 0) {
            engine.collapse(logicalOffset, removed);
        }
        insertPair(logicalOffset, from, bytes);
    }

    private void insertPair(long logicalOffset, int from, int bytes) {
        int max = engine.maxExtentBytes();
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(max, bytes - done);
            engine.insert(logicalOffset + done, merged, from + done, piece, done == 0 ? 0 : RecordFormat.CONTINUATION);
            done += piece;
        }
    }

    /** Writes the new content in the place of the old, in extents of as many whole pairs as fit. */
    private void rewrite(long intervalOffset, int oldBytes) {
        if (oldBytes > 0) {
            engine.collapse(intervalOffset, oldBytes);
        }
        int max = engine.maxExtentBytes();
        int pair = 0;
        while (pair < mergedPairs) {
            int from = mergedStarts[pair];
            int end = endOfPair(pair++);
            while (pair < mergedPairs && endOfPair(pair) - from <= max) {
                end = endOfPair(pair++);
            }
            insertPair(intervalOffset + from, from, end - from);
        }
    }

    private int endOfPair(int pair) {
        return pair + 1 < mergedPairs ? mergedStarts[pair + 1] : mergedBytes;
    }

    // ---- the index

    /** Makes intervals of the new content, in the place of the one there was, and caches them. */
    private void divide(int keyLength) {
        replacement.clear();
        int pairsEach = IntervalBounds.pairsEach(mergedPairs, mergedBytes);
        int first = 0;
        while (first < mergedPairs) {
            int end = IntervalBounds.endOfInterval(mergedStarts, mergedPairs, mergedBytes, first, pairsEach);
            addInterval(first, end, mergedStarts[first], endOfPair(end - 1));
            first = end;
        }
        if (mergedPairs == 0) {
            addInterval(0, 0, 0, 0);
        }
        intervals.replace(key, keyLength, context.interval, replacement, mergedPairs, mergedBytes);
    }

    private void addInterval(int first, int end, int from, int to) {
        long content = intervals.newContent();
        if (first == 0) {
            replacement.first(to - from, end - first, content);
        } else {
            long header = RecordFormat.readHeader(merged, from, mergedBytes);
            int length = RecordFormat.keyLength(header);
            if (anchor.length < length) {
                anchor = new byte[RecordFormat.MAX_KEY_BYTES];
            }
            merged.get(from + RecordFormat.headerBytes(header), anchor, 0, length);
            replacement.add(anchor, 0, length, to - from, end - first, content);
        }
        int imageBytes = IntervalFormat.imageBytes(to - from, end - first);
        if (end > first && imageBytes <= cache.maxImageBytes() && hasImageMemory(imageBytes)) {
            IntervalFormat.build(imageMemory, 0, content, end - first, merged, from, to - from);
            cache.insert(content, imageMemory, 0, imageBytes, wasCached);
        }
    }

    /** Whether an image can be built: if there is no memory for it, it is not cached now. */
    private boolean hasImageMemory(int bytes) {
        if (imageMemory.capacity() < bytes) {
            ByteBuffer larger = memory.tryAllocate(OffHeap.Use.COMMITS, bytes + bytes / 2);
            if (larger == null) {
                return false;
            }
            imageMemory = larger.order(ByteOrder.LITTLE_ENDIAN);
        }
        return true;
    }
}
