package io.flexdb.internal.read;

import io.flexdb.internal.base.Merger;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.filter.RangeFilters;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.keys.KeyHash;
import io.flexdb.internal.keys.KeyHeads;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.large.LargeValues;
import io.flexdb.internal.memlog.MemLog;
import io.flexdb.internal.memtable.DeletedRanges;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.merge.MergedValue;
import io.flexdb.internal.merge.OperandFold;
import io.flexdb.internal.spill.Front;
import io.flexdb.internal.version.PinnedVersion;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.version.Version;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** Point lookups, by any thread, without a lock; and cursors. Keys are those of a keyspace, without their heads. */
public final class StoreReader {
    /*
     * The visible sequence number is taken before the version, so that the version lists every memtable with entries
     * up to it; a version whose roots hold newer entries means that the number is out of date, and is taken again.
     */
    private static final int ABSENT = IntervalReader.ABSENT;

    private final StoreVersions versions;
    private final SparseIndex index;
    private final IntervalReader intervals;
    private final ReadContexts contexts;
    private final LongUnaryOperator pinnedBytes;
    private final long maxPinnedBytes;
    private final LongSupplier nanoClock;
    private final Merger merger;
    private final RangeFilters filters; // or null
    private final LargeValues large;

    /**
     * @param pinnedBytes how many bytes cursors and snapshots hold back; see {@link PinnedVersion#openNewest}
     * @param maxPinnedBytes how many of these they may
     * @param nanoClock tells which reads have to wait for a disk
     * @param merger what becomes of operands; null if there are none
     * @param filters say what is absent without reading; null if there are none
     * @param large reads what entries refer to
     */
    public StoreReader(
            StoreVersions versions,
            SparseIndex index,
            IntervalReader intervals,
            ReadContexts contexts,
            LongUnaryOperator pinnedBytes,
            long maxPinnedBytes,
            LongSupplier nanoClock,
            Merger merger,
            RangeFilters filters,
            LargeValues large) {
        this.merger = merger;
        this.filters = filters;
        this.large = large;
        this.versions = versions;
        this.index = index;
        this.intervals = intervals;
        this.contexts = contexts;
        this.pinnedBytes = pinnedBytes;
        this.maxPinnedBytes = maxPinnedBytes;
        this.nanoClock = nanoClock;
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
                PinnedVersion pin = new PinnedVersion(versions, "the cursor");
                SpaceCursor space = new SpaceCursor(versions, index, intervals, filters, context, nanoClock);
                cursor = new MergeCursor(this, versions.health, pin, space, contexts, context);
                context.cursor = cursor;
            }
            if (snapshot == null) {
                cursor.openNewest(pinnedBytes, maxPinnedBytes, scan);
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
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            int length = find(heads, key, snapshot, context);
            if (length == ABSENT) {
                return null;
            }
            byte[] value = newValue(length);
            context.image.get(context.base, value);
            return value;
        } finally {
            end(snapshot, ticket, context);
        }
    }

    /**
     * Copies the value of a key to an array, without garbage.
     *
     * @return bytes of the value, which is copied only if there is room for all of it from the offset on; -1 if absent
     */
    public int get(KeyHeads heads, byte[] key, byte[] destination, int offset, PinnedVersion snapshot) {
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            int length = find(heads, key, snapshot, context);
            if (length >= 0 && length <= destination.length - offset) {
                context.image.get(context.base, destination, offset, length);
            }
            return length;
        } finally {
            end(snapshot, ticket, context);
        }
    }

    /**
     * Opens the value of a key, to be read by parts.
     *
     * @param snapshot what to read, or null for the newest
     * @return the value, to be closed, or null if the key is absent
     */
    public OpenValue open(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        PinnedVersion pin = new PinnedVersion(versions, "the value");
        if (snapshot == null) {
            pin.openNewest(pinnedBytes, maxPinnedBytes);
        } else {
            pin.openAgain(snapshot);
        }
        OpenValue value = null;
        try {
            int ticket = begin(pin);
            ReadContext context = null;
            try {
                context = contexts.borrow();
                context.lengthOnly = true;
                int length = find(heads, key, pin, context);
                value = length == ABSENT ? null : open(length, pin, context);
            } finally {
                end(pin, ticket, context);
            }
            return value;
        } finally {
            if (value == null || value.isHere()) {
                pin.close();
            }
        }
    }

    private OpenValue open(int length, PinnedVersion pin, ReadContext context) {
        MemTable table = context.largeTable;
        if (table != null && context.image == null) {
            int ref = context.largeRef;
            byte[] reference = new byte[table.storedLength(ref)];
            table.buffer().get(table.valuePosition(ref), reference);
            ByteBuffer copy = ByteBuffer.wrap(reference).order(ByteOrder.LITTLE_ENDIAN);
            return OpenValue.staged(versions, pin, large, copy, table.keyLength(ref), context.expiry, length);
        }
        if (context.valueOffset >= 0) {
            return OpenValue.inSpace(versions, pin, intervals.reads(), context.valueOffset, length);
        }
        byte[] value = newValue(length);
        context.image.get(context.base, value);
        return OpenValue.of(value, versions.health);
    }

    /**
     * When a key's value expires.
     *
     * @return milliseconds since 1970, {@link RecordFormat#NEVER}, or {@link Long#MIN_VALUE} if the key is absent
     */
    public long expiry(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            context.lengthOnly = true;
            byte[] stored = context.storedKey(heads, key);
            int length = heads.of(key).length + key.length;
            return find(stored, length, snapshot, context) == ABSENT ? Long.MIN_VALUE : context.expiry;
        } finally {
            end(snapshot, ticket, context);
        }
    }

    /** Bytes of a key's value, or -1 if it is absent. */
    public int valueLength(KeyHeads heads, byte[] key, PinnedVersion snapshot) {
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            context.lengthOnly = true;
            return find(heads, key, snapshot, context);
        } finally {
            end(snapshot, ticket, context);
        }
    }

    /** The same for the key that a buffer has between position and limit. The position moves to the limit. */
    public int valueLength(KeyHeads heads, ByteBuffer key, PinnedVersion snapshot) {
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            context.lengthOnly = true;
            int length = find(heads, key, snapshot, context);
            key.position(key.limit());
            return length;
        } finally {
            end(snapshot, ticket, context);
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
                several.pin.openNewest(pinnedBytes, maxPinnedBytes);
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
     * What a range of keys, as they are stored, holds now, about, from what is in memory.
     *
     * @param from the first key; null for the first of all
     * @param to the first key behind it; null if there is none
     */
    public RangeEstimator estimate(byte[] from, byte[] to) {
        int ticket = versions.enter();
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
        int ticket = begin(snapshot);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            int length = find(heads, key, snapshot, context);
            if (length >= 0 && length <= destination.remaining()) {
                destination.put(destination.position(), context.image, context.base, length);
                destination.position(destination.position() + length);
                key.position(key.limit());
            } else if (length == ABSENT) {
                key.position(key.limit());
            }
            return length;
        } finally {
            end(snapshot, ticket, context);
        }
    }

    private int begin(PinnedVersion snapshot) {
        if (snapshot != null) {
            snapshot.beginRead();
        }
        try {
            return versions.enter();
        } catch (Throwable e) {
            if (snapshot != null) {
                snapshot.endRead();
            }
            throw e;
        }
    }

    private void end(PinnedVersion snapshot, int ticket, ReadContext context) {
        versions.exit(ticket); // first, since nothing before it can fail then
        if (snapshot != null) {
            snapshot.endRead();
        }
        if (context != null) {
            contexts.giveBack(context);
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
     * base, unless the context wants its length only; or ABSENT.
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
        for (MemLog log : version.logs()) {
            MemTable table = log.table;
            int ref = table.find(key, 0, keyLength, hash, sequence);
            DeletedRanges ranges = table.ranges();
            long deleted = ranges == null ? 0 : ranges.newestCovering(key, 0, keyLength, sequence);
            if (ref != MemTable.NONE) {
                context.expiry = table.expiry(ref);
                if (table.sequence(ref) < deleted) {
                    return ABSENT;
                }
                if (context.expiry != RecordFormat.NEVER) {
                    if (table.type(ref) == WritePayload.MERGE) {
                        return findMerged(key, keyLength, hash, sequence, version, snapshot, null, context);
                    }
                    if (isOver(context.expiry, snapshot)) {
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
        return length != ABSENT && context.expiry != RecordFormat.NEVER && isOver(context.expiry, snapshot)
                ? ABSENT
                : length;
    }

    /** Brings a value that an entry refers to, unless only its length is wanted. */
    private int findLarge(MemTable table, int ref, ReadContext context) {
        int length = table.valueLength(ref);
        context.largeTable = table;
        context.largeRef = ref;
        if (!context.lengthOnly) {
            context.image = context.valueMemory(length);
            context.base = 0;
            large.copy(
                    table.buffer(),
                    table.valuePosition(ref),
                    table.keyLength(ref),
                    context.expiry,
                    0,
                    context.image,
                    0,
                    length);
        }
        return length;
    }

    /** Reads what entries refer to. */
    LargeValues large() {
        return large;
    }

    /** Whether a time is over: for a snapshot when that was taken, else now, which is after the version was taken. */
    private boolean isOver(long expiry, PinnedVersion snapshot) {
        return expiry == Long.MIN_VALUE || expiry <= (snapshot != null ? snapshot.time() : versions.clock.now());
    }

    /**
     * Finds the value of a key of which the newest entry is an operand, which has to be read whatever is wanted of it.
     *
     * @param front entries in front of the version, with numbers above its own; null for none
     */
    private int findMerged(
            byte[] key,
            int keyLength,
            long hash,
            long sequence,
            Version version,
            PinnedVersion snapshot,
            Front front,
            ReadContext context) {
        OperandFold fold = context.fold(merger, large);
        try {
            boolean ended = false;
            for (int i = 0; front != null && i < front.count() && !ended; i++) {
                ended = fold.gather(front.lookUp(i, key, keyLength), key, keyLength, hash, front.through(i));
            }
            MemLog[] logs = version.logs();
            for (int i = 0; i < logs.length && !ended; i++) {
                ended = fold.gather(logs[i].table, key, keyLength, hash, sequence);
            }
            if (fold.isEmpty()) { // a range has removed them
                return ABSENT;
            }
            byte[] copy = Arrays.copyOf(key, keyLength);
            if (ended) {
                fold.fold(copy);
            } else {
                context.lengthOnly = false;
                int length = findInSpace(version, key, keyLength, context);
                byte[] base = length == ABSENT ? null : newValue(length);
                if (base != null) {
                    context.image.get(context.base, base);
                    fold.fold(copy, base, context.expiry, context.mergedThrough);
                } else {
                    fold.fold(copy, null, RecordFormat.NEVER, 0);
                }
            }
            context.expiry = fold.expiry();
            context.image = ByteBuffer.wrap(fold.value());
            context.base = 0;
            boolean isOver = context.expiry != RecordFormat.NEVER && isOver(context.expiry, snapshot);
            return isOver ? ABSENT : fold.value().length;
        } finally {
            fold.clear();
        }
    }

    /**
     * The value of a key with operands, as of a pin and of what is in front of it, or null if it is absent.
     *
     * @param front entries in front of the pin's, with numbers above its own; null for none
     */
    public MergedValue merged(byte[] key, PinnedVersion pin, Front front) {
        int ticket = begin(pin);
        ReadContext context = null;
        try {
            context = contexts.borrow();
            long hash = KeyHash.hash(key, 0, key.length);
            int length = findMerged(key, key.length, hash, pin.sequence(), pin.version(), pin, front, context);
            return length == ABSENT ? null : new MergedValue(context.image.array(), context.expiry, 0);
        } finally {
            end(pin, ticket, context);
        }
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
