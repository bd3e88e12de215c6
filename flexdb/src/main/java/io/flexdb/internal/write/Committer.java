package io.flexdb.internal.write;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.OvergrownKeys;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.IntervalReader;
import io.flexdb.internal.read.ReadContext;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** Commits (flushes) a memtable to the FlexSpace and the sparse index (section 5.1 of the paper). One thread. */
public final class Committer {
    /*
     * The committer works by interval, not by key. It walks the memtable in key order, gathers the entries that belong
     * to one interval, and merges them with the interval's pairs into the new content. Its directory goes into the
     * cache, and the content into the space by whichever is cheaper:
     *
     * - few changes: each pair is inserted, replaced or removed in place, which takes no more of the interval than its
     *   directory;
     * - many changes, or an interval in many pieces: it is written anew, in one piece. A bulk load costs an extent for
     *   every maxExtentBytes instead of one for each pair, and a fragmented interval becomes whole again when it is
     *   changed anyway (section 5.2), so that the FlexTree stays small.
     *
     * With a stitching threshold of the user's (a VT-tree's, section 3.1 there) each interval that changes is written
     * anew. Unchanged pairs that lie together and have as many bytes stay where they are.
     *
     * Deleted ranges (range tombstones) come before all entries, newer ones and older ones; the older ones are not in
     * the space then. A range's pairs in the two intervals at its ends are removed in place. The intervals between go
     * whole, without being read, as many at once as stand in one leaf of the index: one change of the space for each.
     *
     * Pairs that have expired when a commit begins are reclaimed: an expired entry removes its key, and an interval
     * that is written anew leaves expired pairs out. A view of the store that still shows them has a version of its own
     * (MVCC), and one that is taken when this one is published has a later time.
     *
     * Records of large values are in the data file before: they are linked in place, and where pairs are long the
     * others are not written again, either. A commit that is done again may link one once more: it finds it there and
     * takes it out first.
     *
     * A value may be larger than the memory there is, and so may the interval that has it. Of such an interval only the
     * pairs' parts before their values are read, and it is always changed in place: so a commit's memory, room and time
     * follow from its changes, and not from the bytes beside them.
     *
     * Staged values of memtables that wait for the oldest one hold segments, and the garbage in them. If no room is
     * left to write an interval anew, intervals are changed in place, which takes room only for pairs that are put.
     * (Not on any full disk: to be in pieces costs room in log and tree, which deletes would lack afterwards.)
     *
     * The FlexTree is in memory as a whole, and may have no room for an extent for each pair. Once it has half of the
     * memory that the cache could leave to it, intervals in fewer pieces are written anew, too. This costs reading and
     * writing, and leaves a few pieces of each, instead of refusing all writes.
     *
     * While lookups have to wait for the disk, an interval in pieces stays so unless the FlexTree is short of memory: to
     * write it anew means to wait for each piece. With data of twice the memory, YCSB A was 1.1 times as fast so.
     *
     * A commit of keys in random order needs a little of most intervals. While this process reads from a disk, all of
     * it is brought, sorted by place (CommitAhead): 2 to 3 times as fast as to wait for each page. But not while lookups
     * wait for the disk, which would lose the pages that they need again: YCSB A was three quarters as fast so.
     *
     * This class walks, asks for room and decides; OperandMerger makes values of operands; IntervalEditor merges,
     * divides and writes.
     */
    private static final int LONG_BYTES = 4 << 10; // of a pair that is not written again
    private static final int FEWER = 8; // entries at once, by this factor, where room is short
    private static final int CHANGES_PER_VERSION = 1000;
    private static final double MOST_PIECES = 0.75; // of an interval, for each pair; in more it is written anew
    private static final double MOST_PIECES_IF_SLOW = 1; // the same where each piece is read from a slow disk
    private static final double MOST_PIECES_IF_SHORT = 0.25; // the same where the FlexTree takes too much memory
    static final MemTable[] NO_TABLES = {};

    final Epochs epochs;
    final SpaceEngine engine;
    final Intervals intervals;
    final SparseIndex index; // theirs
    final IntervalCache cache;
    final CommitReservation reservation;
    final OffHeap memory;
    private final CommitTurns turns = new CommitTurns();
    final ReadContext context;
    private final IntervalReader reader;
    private final int stitchingThreshold; // in bytes; negative if what is cheaper is chosen for each interval
    final MergeCalls merges;
    private final OperandMerger operands;
    private final NewestEntries entries = new NewestEntries();
    private final GatheredEntries gathered = new GatheredEntries();
    final IntervalEditor editor;
    private final CommitAhead ahead;
    private final OldPairs old; // the editor's, as is the next
    private final MergedContent content;
    private final ExtentCursor extents = new ExtentCursor();
    private final RangeFilters filters; // or null
    private int mostEntries; // at once
    private volatile long entriesApplied; // written by the one thread
    private final EntryKey key = new EntryKey();
    private final EntryKey nextKey = new EntryKey();
    private boolean wasCached;
    private final long[] replaced = new long[CHANGES_PER_VERSION]; // contents, since a version was published
    private int replacedCount;
    private double mostPieces = MOST_PIECES;
    private boolean readersWait; // for a disk
    final LargeValues large;
    private StoreFullException memoryRefusal;
    private StoreFullException stagingRefusal;
    final Reclaiming reclaiming = new Reclaiming();
    final Expiries expiries = new Expiries();

    public Committer(
            SpaceEngine engine,
            IntervalReader reader,
            MergeCalls merges,
            OvergrownKeys overgrown,
            int stitchingThreshold,
            LargeValues large) {
        this.epochs = engine.owner().epochs();
        this.engine = engine;
        this.intervals = reader.intervals();
        this.index = intervals.index;
        this.cache = intervals.cache;
        this.reservation = new CommitReservation(engine);
        this.memory = engine.owner().memory();
        this.context = new ReadContext(memory, OffHeap.Use.COMMITS);
        this.reader = reader;
        this.stitchingThreshold = stitchingThreshold;
        this.merges = merges;
        this.operands = new OperandMerger(engine, reader, reservation, merges, overgrown, large);
        this.large = large;
        this.old = new OldPairs(reader, context);
        this.ahead = new CommitAhead(engine.reads().newWalkAhead(), reader.waits());
        this.filters = intervals.filters;
        FilterWriter filterWriter = filters == null ? null : new FilterWriter(filters);
        this.content =
                new MergedContent(memory, cache.fingerprints, filters == null ? null : filterWriter.change, expiries);
        this.editor = new IntervalEditor(epochs, engine, intervals, old, content, filterWriter);
    }

    /**
     * Returns the defragmenter, which uses the committer's own parts, and so is for the same thread.
     *
     * @param bytesPerSecond that it writes at most; 0 if it is to write nothing
     */
    Defragmenter defragmenter(long bytesPerSecond, LongSupplier nanoClock, StoreVersions versions) {
        return new Defragmenter(this, reader.notes().fragmented(), bytesPerSecond, nanoClock, versions);
    }

    /** Returns the builder of missing filters, which uses the committer's own parts, and so is for the same thread. */
    FilterBuilder filterBuilder(LongSupplier nanoClock) {
        return new FilterBuilder(this, filters, reader.notes().unfiltered(), nanoClock);
    }

    /** Entries that are in the space of the memtable that is being applied, or was the last. Any thread. */
    long entriesApplied() {
        return entriesApplied;
    }

    /** Counts how often operands were left to wait because the merge function failed. Any thread. */
    long failedMerges() {
        return operands.failedMerges();
    }

    /** Whether commits read from a disk of late. */
    boolean isDiskRead() {
        return ahead.isDiskRead();
    }

    /** Says that commits are made by the caller's thread, which is the store's own. */
    void runOnThisThread() {
        operands.runOnThisThread();
    }

    /** The turns on a processor while memtables are applied. */
    CommitTurns turns() {
        return turns;
    }

    /**
     * Applies entries. Entries that were applied before can be applied again.
     *
     * @param publish called when earlier versions should go, so that there is room
     * @param betweenChanges called now and then, when space and index fit each other, to publish; it may change both
     * @return null, or the first key for which there is no room, or no memory; {@link #refusal} says why
     * @throws UnreadableException if an interval that has to change can't be read. It and all behind it are as they
     *     were, those before it have been changed, each wholly
     */
    byte[] apply(EntryRange range, Runnable publish, Runnable betweenChanges) {
        memoryRefusal = null;
        stagingRefusal = null;
        operands.begin(publish);
        forgetReplaced(); // of a commit that could not be ended
        reservation.drop();
        gathered.reset(range.newestFirst());
        ahead.begin();
        if (filters != null) {
            filters.learn(index);
        }
        entries.reset(range);
        entries.seek(range.from());
        entriesApplied = 0;
        mostEntries = GatheredEntries.MAX_COUNT;
        chooseMostPieces();
        boolean inPlace = range.onlyDeletes();
        int changes = 0;
        byte[] stuckAt = null;
        while (entries.isValid() && stuckAt == null) {
            key.set(entries.table(), entries.ref());
            if (range.isBehind(key.bytes, key.length)) {
                break;
            }
            index.find(index.current(), key.bytes, 0, key.length, context.interval);
            if (!gatherOrRefuse(range)) {
                stuckAt = key.copy();
                break;
            }
            if (gathered.count() == 0) {
                continue;
            }
            boolean room = inPlace ? reservation.reserveInPlace(gathered, publish) : reserve(publish);
            if (!room && !inPlace && engine.store().places().heldCount() > 0) {
                inPlace = true; // from now on
                room = reservation.reserveInPlace(gathered, publish);
            }
            if (!room && gathered.count() > 1) {
                mostEntries = Math.max(1, gathered.count() / FEWER); // which need less at once; there may be as much
                entries.seek(key.copy());
                continue;
            }
            if (room && !prepare(inPlace)) {
                if (!operands.stagesLong() && gathered.haveLong(OperandMerger.LONG_BYTES)) {
                    operands.stageLong(true);
                    memoryRefusal = null;
                    entries.seek(key.copy());
                    continue;
                }
                room = false;
            }
            if (!room) {
                stuckAt = key.copy();
                break;
            }
            operands.stageLong(false);
            replaceInterval();
            changes += gathered.count();
            entriesApplied += gathered.count();
            turns.pass();
            if (changes >= CHANGES_PER_VERSION) {
                changes = 0;
                reservation.drop();
                betweenChanges.run();
                forgetReplaced();
                chooseMostPieces();
            }
        }
        entries.reset(EntryRange.of(NO_TABLES, 0, 0));
        gathered.reset(NO_TABLES);
        shrink();
        reservation.end(stuckAt != null);
        publish.run();
        forgetReplaced();
        return stuckAt;
    }

    /**
     * Removes from the space the pairs that the memtables' deleted ranges cover. This can be repeated.
     *
     * @param after ranges up to this sequence number are left out
     * @param through and so are those above this one. Nothing in the space may be newer than any of the rest
     * @param publish as in {@link #apply}, and so is the next
     * @return false if there is no room to note it, or no memory; {@link #refusal} says why
     * @throws UnreadableException if an interval that a range has a part of can't be read
     */
    boolean cut(MemTable[] tables, long after, long through, Runnable publish, Runnable betweenChanges) {
        memoryRefusal = null;
        stagingRefusal = null;
        forgetReplaced();
        reservation.drop();
        boolean room = true;
        for (MemTable table : tables) {
            DeletedRanges ranges = table.ranges();
            int count = ranges == null ? 0 : ranges.count();
            for (int i = 0; i < count && room; ) {
                int end = i;
                while (end < count && ranges.newest(end, through) > after) {
                    end++;
                }
                if (end > i) {
                    room = cut(ranges.start(i), ranges.end(end - 1), publish, betweenChanges);
                    turns.pass(); // there may be thousands that have nothing in the space
                }
                i = end + 1;
            }
        }
        shrink();
        publish.run();
        forgetReplaced();
        return room;
    }

    /**
     * Removes all pairs from a key on to before another, or to the end.
     *
     * @param publish null if all was reserved and nothing may be published, and so is the next
     * @return false if there is no room, or no memory
     */
    boolean cut(byte[] from, byte[] to, Runnable publish, Runnable betweenChanges) {
        if (!cutInterval(from, from, to, publish)) {
            return false;
        }
        int cut = 0;
        while (intervals.findFollowing(from, to)) {
            if (publish != null && !reservation.reserveToCut(publish) || !ensureForCut()) {
                return false;
            }
            editor.removeFollowing();
            cut += intervals.followingCount();
            for (int i = 0; i < intervals.followingCount(); i++) {
                noteReplaced(intervals.followingContent(i));
            }
            turns.pass();
            if (cut >= CHANGES_PER_VERSION && publish != null) {
                cut = 0;
                reservation.drop();
                betweenChanges.run();
                forgetReplaced();
            }
        }
        return to == null || cutInterval(to, from, to, publish);
    }

    private boolean ensureForCut() {
        try {
            index.ensure(1, 0);
            return true;
        } catch (OutOfMemoryError e) {
            return refuseForMemory(e);
        }
    }

    /** Removes those pairs of the interval of a key that lie in a range. */
    private boolean cutInterval(byte[] ofInterval, byte[] from, byte[] to, Runnable publish) {
        if (replacedCount == replaced.length && publish != null) {
            publish.run();
            forgetReplaced();
        }
        index.find(index.current(), ofInterval, 0, ofInterval.length, context.interval);
        if (context.interval.lengthBytes() == 0) {
            return true;
        }
        if (publish != null && !reservation.reserveToCut(publish)) {
            return false;
        }
        try {
            if (!mergeCut(from, to)) {
                return true;
            }
            editor.ensureIndex();
        } catch (OutOfMemoryError | StoreMemoryException e) {
            return refuseForMemory(e);
        }
        key.set(ofInterval);
        replaceInterval();
        turns.pass();
        return true;
    }

    /** Makes the content that the context's interval has without a range; false if it has nothing of it. */
    private boolean mergeCut(byte[] from, byte[] to) {
        Interval interval = context.interval;
        wasCached = false;
        int ticket = epochs.enter(); // the directory lies in the cache
        try {
            readOld(true);
            // Keys of other intervals can't be looked for: they may not begin with what the directory's windows skip.
            int first = interval.isBelowAnchor(from, 0, from.length) ? 0 : lowerBound(from);
            boolean endsHere = to != null && interval.isBelowUpperAnchor(to, 0, to.length);
            int end = endsHere ? lowerBound(to) : old.count();
            if (first >= end) {
                return false;
            }
            editor.prepareCut(interval, first, end);
            return true;
        } finally {
            epochs.exit(ticket);
        }
    }

    private void replaceInterval() {
        int threshold = stitchingThreshold < 0 ? IntervalEditor.NO_STITCHES : stitchingThreshold;
        editor.replace(key, context.interval, wasCached, threshold);
        noteReplaced(context.interval.contentNumber());
    }

    /** Notes a content that was replaced, to be {@linkplain #forgetReplaced forgotten}. */
    void noteReplaced(long content) {
        if (replacedCount < replaced.length) {
            replaced[replacedCount++] = content;
        }
    }

    /**
     * Finds the first pair not below a key in the context's interval, to which the key belongs; {@link #old} has the
     * pairs then. Inside an epoch.
     */
    int placeInInterval(byte[] bound) {
        if (context.interval.lengthBytes() == 0) {
            old.setNone();
            return 0;
        }
        readOld(true);
        return lowerBound(bound);
    }

    private int lowerBound(byte[] bound) {
        key.set(bound);
        int found = old.find(key, cache.fingerprints.of(bound, bound.length), 0);
        return found >= 0 ? found : ~found;
    }

    /** Whether pairs of an interval are so long that they are not written again. */
    boolean areLeftInPlace(Interval interval) {
        return reader.isByHeads(interval.lengthBytes()) || areLong(interval.lengthBytes(), interval.pairCount());
    }

    /** Lets go of directories that only readers of versions older than the one published want. */
    void forgetReplaced() {
        cache.forget(replaced, replacedCount);
        replacedCount = 0;
    }

    /** Ends a slice of the work beside commits: publishes, and lets go of what it needed. */
    void endSlice(Runnable publish) {
        reservation.drop();
        shrink();
        publish.run();
        forgetReplaced();
    }

    /** Why there was no room, or no memory, when something was not applied. */
    StoreFullException refusal() {
        if (memoryRefusal != null) {
            return memoryRefusal;
        }
        return stagingRefusal != null ? stagingRefusal : engine.reservation().refusal();
    }

    /** Whether it was memory that was short. */
    boolean lacksMemory() {
        return memoryRefusal != null
                || stagingRefusal == null && engine.reservation().lacksMemory();
    }

    /** Lets go of the memory that a large value needed. */
    void shrink() {
        content.shrink();
        if (context.largeBytes() > 0) {
            context.letMemoryGo();
        }
        operands.shrink();
    }

    /** Whether there is room to change the interval with the gathered entries. */
    private boolean reserve(Runnable publish) {
        if (reader.isByHeads(context.interval.lengthBytes())) {
            return reservation.reserveInPlace(gathered, publish);
        }
        return reservation.reserve(context.interval.logicalOffset(), context.interval.lengthBytes(), gathered, publish);
    }

    /** Takes the entries from the cursor on that belong to the context's interval; false if there is no memory. */
    private boolean gatherOrRefuse(EntryRange range) {
        try {
            gather(range);
            return true;
        } catch (OutOfMemoryError | StoreMemoryException e) {
            return refuseForMemory(e);
        } catch (StoreFullException e) {
            if (large.hasFailed()) {
                throw e; // the store has failed
            }
            stagingRefusal = new StoreFullException("no room for what was merged into key "
                    + KeyHeads.shown(operands.takeKey()) + " (" + e.getMessage()
                    + "); delete that key, remove other data, or allow for more");
            return false;
        } finally {
            operands.end();
        }
    }

    /** Takes entries up to a bound. */
    private void gather(EntryRange range) {
        gathered.clear();
        do {
            int type = entries.table().type(entries.ref());
            if (type == WritePayload.MERGE && !range.onlyDeletes()) {
                operands.gather(range, entries, gathered);
            } else if (type == WritePayload.DELETE || !range.onlyDeletes()) {
                gathered.add(entries.source(), entries.ref(), null);
            }
            entries.next();
        } while (entries.isValid() && !gathered.isFull(mostEntries) && belongsToInterval());
    }

    private boolean belongsToInterval() {
        if (!context.interval.hasNext()) {
            return true;
        }
        nextKey.set(entries.table(), entries.ref());
        return context.interval.isBelowUpperAnchor(nextKey.bytes, 0, nextKey.length);
    }

    /**
     * Reads the interval, merges the gathered entries into its pairs, and checks that there is memory to change index
     * and space. Changes neither, so without memory nothing has happened.
     */
    private boolean prepare(boolean alwaysInPlace) {
        try {
            mergeInterval(alwaysInPlace);
            editor.ensureIndex();
            return true;
        } catch (OutOfMemoryError | StoreMemoryException e) {
            return refuseForMemory(e);
        }
    }

    /** Returns false. */
    private boolean refuseForMemory(Throwable e) {
        shrink();
        byte[] ofKey = operands.takeKey();
        String what = ofKey == null ? "written" : "merged into key " + KeyHeads.shown(ofKey);
        String cure = ofKey == null ? "" : "delete that key, ";
        memoryRefusal = new StoreFullException("no memory to commit what was " + what + " (" + e.getMessage() + "); "
                + cure + "allow for more by -XX:MaxDirectMemorySize or -Xmx, or give the store a smaller cache");
        return false;
    }

    private void mergeInterval(boolean alwaysInPlace) {
        Interval interval = context.interval;
        wasCached = false;
        int ticket = epochs.enter(); // the directory lies in the cache
        try {
            boolean inPlace = readOld(alwaysInPlace);
            if (filters != null) {
                editor.filters.change.beginChanges(interval);
            }
            content.merge(old, gathered, inPlace, reclaiming);
            if (!content.haveKeys() && needsKeys(interval)) {
                readKeys();
                content.merge(old, gathered, inPlace, reclaiming);
            }
            editor.parts.divide(content, interval);
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Whether the keys of the merged content are wanted: for anchors, filters, or one that has become too small. */
    private boolean needsKeys(Interval interval) {
        if (filters != null) {
            return editor.areDivided() || filters.isOutgrown(interval.contentNumber(), editor.filters.change);
        }
        return editor.areDivided() && !content.directory().haveDistinctWindows();
    }

    /** Reads the needed parts of the old interval, and returns whether to change it in place. */
    private boolean readOld(boolean alwaysInPlace) {
        Interval interval = context.interval;
        if (interval.lengthBytes() == 0) {
            old.setNone();
            return gathered.pieces() > 0;
        }
        if (reader.isByHeads(interval.lengthBytes())) {
            wasCached = cache.containsDirectory(interval.contentNumber());
            readKeys();
            return true;
        }
        boolean isByDirectory = findDirectory(interval) && (alwaysInPlace || isForPlace(interval));
        if (!readersWait && !(isByDirectory && old.haveWindows())) {
            willRead(interval);
        }
        if (isByDirectory) {
            return true;
        }
        readKeys();
        return alwaysInPlace || isForPlace(interval);
    }

    private boolean isForPlace(Interval interval) {
        if (gathered.pieces() > 0) {
            return true;
        }
        if (stitchingThreshold >= 0) {
            return stitchingThreshold == 0;
        }
        return areLong(interval.lengthBytes(), old.count())
                || gathered.count() * 2 <= old.count() && !isFragmented(interval);
    }

    /** Whether pairs are so long that to write them again would cost more than pieces do. */
    static boolean areLong(long bytes, int pairs) {
        return bytes >= (long) LONG_BYTES * pairs;
    }

    private void chooseMostPieces() {
        long beyondCache = engine.figures().nodeBytes() - cache.memoryBytes(); // which gives way to the tree
        boolean isShort = beyondCache > memory.roomBytes();
        readersWait = reader.waits().areStillExpected();
        mostPieces = isShort ? MOST_PIECES_IF_SHORT : readersWait ? MOST_PIECES_IF_SLOW : MOST_PIECES;
    }

    /** Whether so many pairs are extents of their own that it had better be one. */
    private boolean isFragmented(Interval interval) {
        extents.reset(engine.current());
        int pieces = 0;
        int most = Math.max(1, (int) (old.count() * mostPieces));
        boolean found = extents.seek(interval.logicalOffset());
        long end = interval.logicalOffset() + interval.lengthBytes();
        while (found && extents.logicalOffset() < end) {
            if (extents.flags() != RecordFormat.CONTINUATION && ++pieces > most) {
                return true;
            }
            found = extents.next();
        }
        return false;
    }

    /** Moves the pairs that were made ready of an interval, which stays the same one. */
    void move(Interval interval) {
        reader.forgetSaved(interval.contentNumber());
        editor.move(interval);
    }

    /** Has the kernel bring an interval and, if others before it were read, too, some of what follows. */
    void willRead(Interval interval) {
        ahead.willRead(engine.current(), interval.logicalOffset(), interval.lengthBytes());
    }

    /** Reads all pairs of the context's interval, but for their values if one is large. Inside an epoch. */
    void readKeys() {
        old.read(engine.current(), true);
    }

    /** Finds a directory that serves: all keys that belong to the interval begin with what its windows skip. */
    private boolean findDirectory(Interval interval) {
        long location = cache.find(interval.contentNumber(), interval.hint());
        ByteBuffer directory = location < 0 ? null : cache.buffer(location);
        if (directory == null) {
            return false;
        }
        int base = cache.base(location);
        wasCached = !Directory.isOutline(directory, base);
        if (wasCached && Directory.skipped(directory, base) > interval.commonPrefix()) {
            return false;
        }
        old.setDirectory(engine.current(), directory, base);
        return true;
    }
}
