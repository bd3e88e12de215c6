package io.flexdb.internal.read;

import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Varints;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.LongBase;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.MergedValue;
import io.flexdb.internal.mem.OperandFold;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Point lookups, by any thread, without a lock; and cursors. Keys are those of a keyspace, without their heads. */
public final class StoreReader {
    /*
     * The visible sequence number is taken before the version, so that the version lists every memtable with entries
     * up to it; a version whose roots hold newer entries means that the number is out of date, and is taken again.
     *
     * Foreign code is never called in a short read: it would hold up threads that wait for memory to be free, as
     * writers do, and code that writes would wait for ever. A short read therefore copies operands, with the value
     * below, and the merge function is called when the read is over. A user's own clock is read before it begins.
     */
    private static final int ABSENT = IntervalReader.ABSENT;

    /** Returned where operands make the value: the context's fold has taken them, to be folded after the short read. */
    static final int MERGED = -2;

    private final StoreVersions versions;
    private final SparseIndex index;
    private final IntervalReader intervals;
    private final ReadContexts contexts;
    private final MergeCalls calls;
    private final RangeFilters filters; // or null
    private final LargeValues large;
    private final DeadRuns deadRuns; // or null

    /**
     * @param calls to the merge function
     * @param large reads what entries refer to
     * @param notesDead whether walks note where nothing is there; the numbers in memtables must have no gap then
     */
    public StoreReader(
            StoreVersions versions,
            IntervalReader intervals,
            ReadContexts contexts,
            MergeCalls calls,
            LargeValues large,
            boolean notesDead) {
        this.calls = calls;
        this.filters = intervals.filters;
        this.large = large;
        this.deadRuns = notesDead ? new DeadRuns() : null;
        this.versions = versions;
        this.index = versions.index;
        this.intervals = intervals;
        this.contexts = contexts;
    }

    /** For one cursor; null if nobody notes anything. */
    DeadWalk newDeadWalk() {
        return deadRuns == null ? null : new DeadWalk(deadRuns);
    }

    /**
     * A cursor that stands nowhere. Makes no garbage once as many have been open as there are now.
     *
     * @param snapshot what to walk, or null for what is newest; it may be closed before the cursor
     * @param front entries in front of a snapshot, with numbers above its own; null for none. It must stay as long as
     *     the cursor
     * @param scan what it shows
     */
    public MergeCursor cursor(PinnedVersion snapshot, Front front, Scan scan) {
        ReadContext context = contexts.borrow();
        try {
            MergeCursor cursor = context.cursor;
            if (cursor == null) {
                PinnedVersion pin = new PinnedVersion(versions, HolderKind.CURSOR);
                SpaceCursor space = new SpaceCursor(versions, pin, intervals, context);
                cursor = new MergeCursor(this, versions.health, pin, space, contexts, context);
                context.cursor = cursor;
            }
            if (snapshot == null) {
                cursor.openNewest(scan);
            } else {
                cursor.openAgain(snapshot, front, scan);
            }
            return cursor;
        } catch (Throwable e) { // of whatever kind: at the end of a stack, too
            contexts.giveBack(context);
            throw e;
        }
    }

    /**
     * The value of a key.
     *
     * @param snapshot what to read, or null for the newest
     * @return the value, or null if the key is absent
     */
    public byte[] get(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            int ticket = begin(snapshot, context);
            try {
                int length = find(heads, key, snapshot, context);
                if (length == ABSENT) {
                    return null;
                }
                if (length != MERGED) {
                    byte[] value = newValue(length);
                    context.image.get(context.base, value);
                    return value;
                }
            } finally {
                end(snapshot, ticket);
            }
            MergedValue merged = fold(context, snapshot);
            return merged == null ? null : merged.bytes();
        } finally {
            contexts.giveBack(context);
        }
    }

    /**
     * Copies the value of a key to an array, without garbage.
     *
     * @return bytes of the value, which is copied only if there is room for all of it from the offset on; -1 if absent
     */
    public int get(KeyHeads heads, byte[] key, byte[] destination, int offset, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            int ticket = begin(snapshot, context);
            try {
                int length = find(heads, key, snapshot, context);
                if (length != MERGED) {
                    copy(context, length, destination, offset);
                    return length;
                }
            } finally {
                end(snapshot, ticket);
            }
            int length = foldHere(context, snapshot);
            copy(context, length, destination, offset);
            return length;
        } finally {
            contexts.giveBack(context);
        }
    }

    private static void copy(ReadContext context, int length, byte[] destination, int offset) {
        if (length >= 0 && length <= destination.length - offset) {
            context.image.get(context.base, destination, offset, length);
        }
    }

    /** The value that a lookup has found operands for, or null if that is over. Outside of the short read. */
    MergedValue fold(ReadContext context, PinnedVersion snapshot) {
        OperandFold fold = context.fold(calls, large);
        try {
            boolean isOver = fold.expiry() != RecordFormat.NEVER && isOver(fold.expiry(), snapshot, context);
            return isOver ? null : fold.fold();
        } finally {
            fold.clear();
        }
    }

    /** Folds the operands into the context's image, and returns the bytes of the value, or ABSENT. */
    private int foldHere(ReadContext context, PinnedVersion snapshot) {
        MergedValue merged = fold(context, snapshot);
        if (merged == null) {
            return ABSENT;
        }
        context.expiry = merged.expiry();
        context.image = ByteBuffer.wrap(merged.bytes());
        context.base = 0;
        return merged.bytes().length;
    }

    /**
     * Opens the value of a key, to be read by parts.
     *
     * @param snapshot what to read, or null for the newest
     * @return the value, to be closed, or null if the key is absent
     */
    public OpenValue open(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        PinnedVersion pin = new PinnedVersion(versions, HolderKind.VALUE);
        try {
            if (snapshot == null) {
                pin.openNewest();
            } else {
                pin.openAgain(snapshot);
            }
        } catch (Throwable e) {
            pin.discard();
            throw e;
        }
        OpenValue value = null;
        try {
            ReadContext context = contexts.borrow();
            try {
                context.lengthOnly = true;
                value = open(heads, key, pin, context);
            } finally {
                contexts.giveBack(context);
            }
            return value;
        } finally {
            if (value == null || value.isHere()) {
                pin.close();
            }
        }
    }

    private OpenValue open(KeyHeads heads, byte[] key, PinnedVersion pin, ReadContext context) {
        int ticket = begin(pin, context);
        try {
            int length = find(heads, key, pin, context);
            if (length != MERGED) {
                return length == ABSENT ? null : open(length, pin, context);
            }
        } finally {
            end(pin, ticket);
        }
        MergedValue merged = fold(context, pin);
        return merged == null ? null : OpenValue.of(merged.bytes(), versions.health);
    }

    private OpenValue open(int length, PinnedVersion pin, ReadContext context) {
        MemTable table = context.largeTable;
        if (table != null && context.image == null) {
            int ref = context.largeRef;
            byte[] reference = new byte[table.storedLength(ref)];
            table.buffer().get(table.valuePosition(ref), reference);
            ByteBuffer copy = ByteBuffer.wrap(reference).order(ByteOrder.LITTLE_ENDIAN);
            return OpenValue.staged(versions, pin, large, copy, table.keyLength(ref), context.expiry);
        }
        if (context.valueOffset >= 0) {
            return OpenValue.inSpace(versions, pin, intervals.reads(), context.valueOffset, length);
        }
        byte[] value = newValue(length);
        context.image.get(context.base, value);
        return OpenValue.of(value, versions.health);
    }

    /**
     * When a key's value expires. No function needs to be asked for that.
     *
     * @return milliseconds since 1970, {@link RecordFormat#NEVER}, or {@link Long#MIN_VALUE} if the key is absent
     */
    public long expiry(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            context.lengthOnly = true;
            byte[] stored = context.storedKey(heads, key);
            int keyLength = heads.of(key).length + key.length;
            int ticket = begin(snapshot, context);
            int length;
            try {
                length = find(stored, keyLength, snapshot, context);
            } finally {
                end(snapshot, ticket);
            }
            if (length != MERGED) {
                return length == ABSENT ? Long.MIN_VALUE : context.expiry;
            }
            return expiryOfFold(context.fold(calls, large), snapshot, context);
        } finally {
            contexts.giveBack(context);
        }
    }

    private long expiryOfFold(OperandFold fold, PinnedVersion snapshot, ReadContext context) {
        long expiry = fold.expiry();
        fold.clear();
        return expiry != RecordFormat.NEVER && isOver(expiry, snapshot, context) ? Long.MIN_VALUE : expiry;
    }

    /** Bytes of a key's value, or -1 if it is absent. */
    public int valueLength(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            context.lengthOnly = true;
            int ticket = begin(snapshot, context);
            int length;
            try {
                length = find(heads, key, snapshot, context);
            } finally {
                end(snapshot, ticket);
            }
            return length == MERGED ? foldHere(context, snapshot) : length;
        } finally {
            contexts.giveBack(context);
        }
    }

    /**
     * The bytes of the value of the key that a buffer has between position and limit. The position moves to the limit.
     */
    public int valueLength(KeyHeads heads, ByteBuffer key, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            context.lengthOnly = true;
            int ticket = begin(snapshot, context);
            int length;
            try {
                length = find(heads, key, snapshot, context);
            } finally {
                end(snapshot, ticket);
            }
            length = length == MERGED ? foldHere(context, snapshot) : length;
            key.position(key.limit());
            return length;
        } finally {
            contexts.giveBack(context);
        }
    }

    /**
     * For lookups of several keys in one view. To be closed.
     *
     * @param snapshot what to read, or null for what is newest
     */
    public MultiReader several(PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            MultiReader several = context.multi;
            if (several == null) {
                several = new MultiReader(versions, this, contexts, context);
                context.multi = several;
            }
            if (snapshot == null) {
                several.pin.openNewest();
            } else {
                several.pin.openAgain(snapshot);
            }
            return several;
        } catch (Throwable e) { // of whatever kind: at the end of a stack, too
            contexts.giveBack(context);
            throw e;
        }
    }

    /**
     * Estimates the present content of a range of stored keys, from memory alone.
     *
     * @param from the first key; null for the first of all
     * @param to the first key behind it; null if there is none
     */
    public RangeEstimator estimate(byte[] from, byte[] to) {
        int ticket = versions.enterToRead();
        try {
            long sequence;
            Version version;
            do {
                sequence = versions.visibleSequence();
                version = versions.current();
            } while (version.storeSequence() > sequence);
            return new RangeEstimator(index, version, sequence, from, to);
        } finally {
            versions.exit(ticket);
        }
    }

    /** Room for a copy of a value. */
    public static byte[] newValue(int length) {
        try {
            return new byte[length];
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a copy of " + ReadContext.VALUE, length, e);
        }
    }

    /**
     * Copies the value of a key, without garbage. The key's position moves to its limit unless the value does not fit.
     *
     * @param destination gets the value at its position, if it fits
     * @return bytes of the value, which is copied only if the destination has room for all of it; -1 if it is absent
     */
    public int get(KeyHeads heads, ByteBuffer key, ByteBuffer destination, PinnedVersion snapshot) {
        ReadContext context = contexts.borrow();
        try {
            int ticket = begin(snapshot, context);
            try {
                int length = find(heads, key, snapshot, context);
                if (length != MERGED) {
                    copy(context, length, key, destination);
                    return length;
                }
            } finally {
                end(snapshot, ticket);
            }
            int length = foldHere(context, snapshot);
            copy(context, length, key, destination);
            return length;
        } finally {
            contexts.giveBack(context);
        }
    }

    private static void copy(ReadContext context, int length, ByteBuffer key, ByteBuffer destination) {
        if (length >= 0 && length <= destination.remaining()) {
            destination.put(destination.position(), context.image, context.base, length);
            destination.position(destination.position() + length);
            key.position(key.limit());
        } else if (length == ABSENT) {
            key.position(key.limit());
        }
    }

    private int begin(PinnedVersion snapshot, ReadContext context) {
        if (snapshot != null) {
            snapshot.beginRead();
        } else if (versions.clock.isForeign()) {
            context.askForTime(versions.clock);
        }
        try {
            return versions.enterToRead();
        } catch (Throwable e) {
            if (snapshot != null) {
                snapshot.endRead();
            }
            throw e;
        }
    }

    private void end(PinnedVersion snapshot, int ticket) {
        versions.exit(ticket); // first, since nothing before it can fail then
        if (snapshot != null) {
            snapshot.endRead();
        }
    }

    private int find(KeyHeads heads, byte[] key, PinnedVersion snapshot, ReadContext context) {
        int length = heads.of(key).length + key.length;
        return find(context.storedKey(heads, key), length, snapshot, context);
    }

    private int find(KeyHeads heads, ByteBuffer key, PinnedVersion snapshot, ReadContext context) {
        int length = heads.of(key).length + key.remaining();
        return find(context.storedKey(heads, key), length, snapshot, context);
    }

    /**
     * Finds the value of a key as it is stored, inside a short read: its bytes, which the context's image has at its
     * base, unless the context wants its length only; or ABSENT, or MERGED.
     */
    int find(byte[] key, int keyLength, PinnedVersion snapshot, ReadContext context) {
        long sequence;
        Version version;
        if (snapshot != null) {
            sequence = snapshot.sequence();
            version = snapshot.version();
        } else {
            do {
                sequence = versions.visibleSequence();
                version = versions.current();
            } while (version.storeSequence() > sequence);
        }
        long hash = KeyHash.hash(key, 0, keyLength);
        MemLog[] logs = version.logs();
        for (int i = 0; i < logs.length; i++) {
            MemTable table = logs[i].table();
            DeletedRanges ranges;
            int ref;
            if (table != null) {
                ref = table.find(key, 0, keyLength, hash, sequence);
                ranges = table.ranges();
            } else {
                MovedTable moved = (MovedTable) logs[i].moved();
                boolean mayBeThere = moved.mayHave(hash);
                table = mayBeThere ? context.moved().lookUp(moved, i, key, keyLength) : null;
                ref = mayBeThere ? table.find(key, 0, keyLength, hash, sequence) : MemTable.NONE;
                ranges = moved.ranges();
            }
            long deleted = ranges == null ? 0 : ranges.newestCovering(key, 0, keyLength, sequence);
            if (ref != MemTable.NONE) {
                context.expiry = table.expiry(ref);
                if (table.sequence(ref) < deleted) {
                    return ABSENT;
                }
                if (context.expiry != RecordFormat.NEVER) {
                    if (table.type(ref) == WritePayload.MERGE) {
                        OperandFold fold = context.fold(calls, large);
                        byte[] stored = Arrays.copyOf(key, keyLength);
                        boolean found = takeMerged(stored, sequence, version, null, context, fold);
                        return found ? MERGED : ABSENT;
                    }
                    if (isOver(context.expiry, snapshot, context)) {
                        return ABSENT;
                    }
                }
                if (table.isLarge(ref)) {
                    return findLarge(table, ref, context);
                }
                context.image = table.buffer();
                context.base = table.valuePosition(ref);
                return table.valueLength(ref);
            }
            if (deleted > 0) {
                return ABSENT;
            }
        }
        int length = findInSpace(version, key, keyLength, context);
        if (length != ABSENT && context.waits) {
            takeWaiting(Arrays.copyOf(key, keyLength), version, context);
            return MERGED;
        }
        return length != ABSENT && context.expiry != RecordFormat.NEVER && isOver(context.expiry, snapshot, context)
                ? ABSENT
                : length;
    }

    /** A memtable, or one with what it has of a key if its entries are moved, which stays until the context forgets it. */
    private static MemTable table(MemLog log, int place, byte[] key, int keyLength, ReadContext context) {
        MemTable table = log.table();
        return table != null ? table : context.moved().lookUp((MovedTable) log.moved(), place, key, keyLength);
    }

    /** Brings a value that an entry refers to, unless only its length is wanted. */
    private int findLarge(MemTable table, int ref, ReadContext context) {
        int length = table.valueLength(ref);
        context.largeTable = table;
        context.largeRef = ref;
        if (!context.lengthOnly) {
            ByteBuffer memory = context.valueMemory(length);
            context.image = memory;
            context.base = 0;
            try {
                memory.clear().limit(length);
                large.copy(table.buffer(), table.valuePosition(ref), table.keyLength(ref), context.expiry, 0, memory);
            } finally {
                memory.clear();
            }
        }
        return length;
    }

    /** Reads what entries refer to. */
    LargeValues large() {
        return large;
    }

    /** Whether a time is over: for a snapshot when that was taken, else now. */
    private boolean isOver(long expiry, PinnedVersion snapshot, ReadContext context) {
        if (expiry == Long.MIN_VALUE) {
            return true;
        }
        if (snapshot != null) {
            return expiry <= snapshot.time();
        }
        return expiry <= (versions.clock.isForeign() ? context.timeAskedFor() : versions.clock.now());
    }

    /** Takes the operands that wait in the space, above which there is nothing. */
    private void takeWaiting(byte[] stored, Version version, ReadContext context) {
        OperandFold fold = context.fold(calls, large);
        fold.clear();
        takeFromSpace(stored, version, context, fold);
    }

    /**
     * Takes the operands that memtables, or the space, have of a key, with what is below. Inside a short read.
     *
     * @param stored the key as it is stored; the fold's from now on
     * @param front entries in front of the version, with numbers above its own; null for none
     * @return false if there are none, since a range has removed them
     */
    private boolean takeMerged(
            byte[] stored, long sequence, Version version, Front front, ReadContext context, OperandFold fold) {
        int length = stored.length;
        long hash = KeyHash.hash(stored, 0, length);
        fold.clear();
        boolean ended = false;
        for (int i = 0; front != null && i < front.count() && !ended; i++) {
            ended = fold.gather(front.lookUp(i, stored, length), stored, length, hash, front.through(i));
        }
        MemLog[] logs = version.logs();
        for (int i = 0; i < logs.length && !ended; i++) {
            ended = fold.gather(table(logs[i], i, stored, length, context), stored, length, hash, sequence);
        }
        if (fold.isEmpty() && ended) {
            return false;
        }
        if (!ended) {
            takeFromSpace(stored, version, context, fold);
            return true;
        }
        try {
            fold.take(stored);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException(ReadContext.mergedValue(stored), e);
        }
        return true;
    }

    /** Takes what was gathered, with what the space has below. */
    private void takeFromSpace(byte[] key, Version version, ReadContext context, OperandFold fold) {
        context.lengthOnly = false;
        try {
            int length = findInSpace(version, key, key.length, context);
            MergedValue base = null;
            if (length != ABSENT) {
                byte[] bytes = new byte[length];
                context.image.get(context.base, bytes);
                base = new MergedValue(bytes, context.expiry, context.mergedThrough, context.waits);
            }
            take(key, base, context.interval.logicalOffset(), fold);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException(ReadContext.mergedValue(key), e);
        } catch (StoreMemoryException e) {
            throw e.getCause() instanceof OutOfMemoryError none
                    ? new StoreMemoryException(ReadContext.mergedValue(key), none)
                    : e;
        }
    }

    private void take(byte[] key, MergedValue base, long logicalOffset, OperandFold fold) {
        try {
            fold.take(key, base);
        } catch (BadRecordException e) {
            throw intervals.pairs().corruption(logicalOffset, e);
        }
    }

    /**
     * Has a fold take operands that wait in a pair of the space, above which there are none.
     *
     * @param logicalOffset where the pair's interval begins
     */
    void take(byte[] key, byte[] list, long expiry, long logicalOffset, OperandFold fold) {
        fold.clear();
        take(key, new MergedValue(list, expiry, 0, true), logicalOffset, fold);
    }

    /**
     * Has a fold take the operands of a key, as of a pin and of what is in front of it. Outside of any short read.
     *
     * @param front entries in front of the pin's, with numbers above its own; null for none
     * @return false if there are none any more, or what they make is over
     */
    boolean take(byte[] key, PinnedVersion pin, Front front, OperandFold fold) {
        ReadContext context = contexts.borrow();
        try {
            boolean found;
            int ticket = begin(pin, context);
            try {
                found = takeMerged(key.clone(), pin.sequence(), pin.version(), front, context, fold);
            } finally {
                end(pin, ticket);
            }
            return found && fold.hasTaken() && fold.expiry() > pin.time();
        } finally {
            contexts.giveBack(context);
        }
    }

    /** A fold for operands of this store. */
    OperandFold newFold() {
        return new OperandFold(calls, large);
    }

    /**
     * The value of a key with operands, as of a pin and of what is in front of it, in an array of its own; or null if it
     * is absent.
     *
     * @param front entries in front of the pin's, with numbers above its own; null for none
     * @throws io.flexdb.storage.MergeException if the merge function fails
     */
    public MergedValue merged(byte[] key, PinnedVersion pin, Front front) {
        OperandFold fold = newFold();
        return take(key, pin, front, fold) ? fold.fold() : null;
    }

    /**
     * The value of a key with operands, or the operands, as waiting ones, where the function fails.
     *
     * @throws io.flexdb.storage.MergeException if they are more than a pair has room for
     */
    public MergedValue mergedOrWaiting(byte[] key, PinnedVersion pin, Front front) {
        OperandFold fold = newFold();
        if (!take(key, pin, front, fold)) {
            return null;
        }
        try {
            return fold.fold();
        } catch (MergeException e) {
            take(key, pin, front, fold); // again, as the function may have changed what it was given
            return fold.waiting(RecordFormat.MAX_VALUE_BYTES, e);
        }
    }

    /**
     * Throws if more bytes of operands are merged into a key than are given, and the merge function fails for them.
     *
     * @param stored the key as it is stored
     * @throws MergeException if it is so, or there is no memory for the value
     */
    public void requireRoomToWait(byte[] stored, int mostBytes) {
        ReadContext context = contexts.borrow();
        try {
            int ticket = begin(null, context);
            long bytes = 0;
            int found = ABSENT;
            try {
                bytes = operandBytes(stored, context);
                if (bytes > mostBytes) {
                    context.lengthOnly = false;
                    found = find(stored, stored.length, null, context);
                }
            } catch (StoreMemoryException e) {
                throw overgrown(KeyHeads.withoutHead(stored), bytes, e);
            } finally {
                end(null, ticket);
            }
            if (found == MERGED) {
                try {
                    context.fold(calls, large).fold();
                } catch (MergeException e) {
                    throw overgrown(e.key(), bytes, e.getCause() == null ? e : e.getCause());
                }
            }
        } finally {
            contexts.giveBack(context);
        }
    }

    private static MergeException overgrown(byte[] key, long bytes, Throwable cause) {
        return new MergeException(
                key, "no more is merged into it, as " + bytes + " bytes wait to be merged: " + cause, cause);
    }

    private long operandBytes(byte[] stored, ReadContext context) {
        LongBase base = gatherNewest(stored, context);
        try {
            return context.fold(calls, large).operandBytes(base);
        } catch (BadRecordException e) {
            throw intervals.pairs().corruption(context.interval.logicalOffset(), e);
        }
    }

    /**
     * Throws if there would be no room in a pair for the operands of a key with others, and for what is below them: for
     * all of them may have to wait in it. No value is read for that.
     *
     * @param stored the key as it is stored
     * @param operandBytes of the others
     * @param longest bytes that a pair has room for
     * @throws MergeException if it is so
     */
    public void requireRoomInPair(byte[] stored, long operandBytes, int longest) {
        ReadContext context = contexts.borrow();
        try {
            int ticket = begin(null, context);
            long bytes;
            try {
                if (mostListBytes(stored, context) + operandBytes <= longest) {
                    return;
                }
                LongBase base = gatherNewest(stored, context);
                bytes = context.fold(calls, large).listBytes(base);
            } finally {
                end(null, ticket);
            }
            if (bytes + operandBytes > longest) {
                throw new MergeException(
                        KeyHeads.withoutHead(stored),
                        "its value, with the operands that wait for it or for a commit, has " + bytes
                                + " bytes, and a pair has room for " + longest + ": an operand of " + operandBytes
                                + " more could not wait there if the merge function failed; merge fewer bytes, or merge"
                                + " them after the next commit",
                        null);
            }
        } finally {
            contexts.giveBack(context);
        }
    }

    /** More bytes than a list of operands may have with what is below. Walks no operands, of which there may be many. */
    private long mostListBytes(byte[] stored, ReadContext context) {
        Version version = versions.current();
        index.find(version.index(), stored, 0, stored.length, context.interval);
        long base = context.interval.lengthBytes();
        long operands = 0;
        for (MemLog log : version.logs()) {
            base = Math.max(base, log.table().longestLarge());
            operands += log.table().bytesUsed();
        }
        return 1 + Varints.MAX_BYTES + base + operands;
    }

    /** Bytes of the longest interval, or value before it is in one, that the store has had. */
    public long longest() {
        return Math.max(index.longest(), large.longest());
    }

    /**
     * Has the context's fold gather the operands of a key. Inside a short read.
     *
     * @return what is below them, which was not read; null if that is nothing, or over
     */
    private LongBase gatherNewest(byte[] stored, ReadContext context) {
        long sequence;
        Version version;
        do {
            sequence = versions.visibleSequence();
            version = versions.current();
        } while (version.storeSequence() > sequence);
        OperandFold fold = context.fold(calls, large);
        fold.clear();
        long hash = KeyHash.hash(stored, 0, stored.length);
        boolean ended = false;
        MemLog[] logs = version.logs();
        for (int i = 0; i < logs.length && !ended; i++) {
            ended = fold.gather(logs[i].table(), stored, stored.length, hash, sequence);
        }
        LongBase base = ended ? fold.gatheredBase() : baseInSpace(version, stored, context);
        boolean isOver = base != null && base.expiry() != RecordFormat.NEVER && isOver(base.expiry(), null, context);
        return isOver ? null : base;
    }

    private LongBase baseInSpace(Version version, byte[] stored, ReadContext context) {
        context.lengthOnly = true;
        int length = findInSpace(version, stored, stored.length, context);
        if (length == ABSENT) {
            return null;
        }
        LongBase.Parts parts =
                new FoundParts(intervals, version.space(), context.valueOffset, context.image, context.base);
        return new LongBase(length, context.waits, context.expiry, context.mergedThrough, parts);
    }

    /** A value or list that was found in the space: in an image, or of a long pair, from an offset on. For the same short read. */
    private record FoundParts(
            IntervalReader intervals, FlexTreeView space, long valueOffset, ByteBuffer image, int imageBase)
            implements LongBase.Parts {
        @Override
        public void read(int from, ByteBuffer to) {
            if (valueOffset >= 0) {
                intervals.readPart(space, valueOffset + from, to);
            } else {
                to.put(to.position(), image, imageBase + from, to.remaining()).position(to.limit());
            }
        }
    }

    /** When the value of a key with operands expires, as {@link #expiry}; no function is called. */
    public long expiryOfMerged(byte[] key, PinnedVersion pin, Front front) {
        OperandFold fold = newFold();
        return take(key, pin, front, fold) ? fold.expiry() : Long.MIN_VALUE;
    }

    private int findInSpace(Version version, byte[] key, int keyLength, ReadContext context) {
        if (!context.ascends || !context.interval.isBelowUpperAnchor(key, 0, keyLength)) {
            index.find(version.index(), key, 0, keyLength, context.interval);
            context.foundInterval();
        }
        if (context.interval.lengthBytes() == 0
                || filters != null && !filters.mayHave(context.interval, key, keyLength, context.asker)) {
            return ABSENT;
        }
        return context.lengthOnly
                ? intervals.findLength(version.space(), context, key, keyLength)
                : intervals.find(version.space(), context, key, keyLength);
    }
}
