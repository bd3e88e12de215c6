package io.flexdb.internal.mem;

import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.storage.MergeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Gathers the operands of one key, from the newest back, and merges them into what is below. For one thread; reused. */
public final class OperandFold {
    /*
     * Something below the operands ends them: an entry that sets or removes the key, a range with a higher number that
     * covers it, or what the space has. The space may have some of the operands in its value already, by a commit that
     * was not ended, or is under way while its memtable is listed still. The record therefore tells through which
     * sequence number, and older operands are passed over; else a replay of the log would count them twice.
     *
     * An operand has the time when it was made. If the value below had expired by then, the operand begins anew, and
     * its result does not expire. Otherwise the result expires when the value does, whenever it is folded. Reads and
     * commits need no other times than those of the entries, and the function need not know when the result expires.
     *
     * The function is foreign code, and must not be called in a short read (M1). There are three steps:
     *
     * 1. gather finds which entries count. Memtables must not go meanwhile.
     * 2. take copies the operands, and the value below them. Then memtables and space are needed no more.
     * 3. fold calls the function, outside of everything, perhaps for several parts, and any call may fail. The
     *    arguments are no longer ours (M2), so after a failure the operands are taken again.
     */
    /** The longest value that may come out. */
    public static final int MAX_VALUE_BYTES = RecordFormat.MAX_VALUE_BYTES - (1 << 20);

    private static final int AT_ONCE = 1024;
    private static final int MAX_KEPT = 4096;
    private static final int FIRST = 16;
    private static final MemTable[] NO_TABLES = {};
    private static final int[] NO_REFS = {};
    private static final List<byte[]> NONE = List.of();
    private static final byte[] NOTHING = {};

    private final MergeCalls calls;
    private final LargeValues large;
    // Gathered:
    private MemTable[] tables = NO_TABLES;
    private int[] refs = NO_REFS;
    private int count;
    private MemTable baseTable; // null if a range or nothing was below
    private int baseRef;
    // Taken:
    private int keyspace; // its number
    private byte[] key; // as its user knows it
    private byte[] below;
    private LongBase longBase; // instead of it; or null
    private List<byte[]> operands = NONE; // the oldest first
    private long expiry;
    private long through;

    /**
     * @param calls to the function
     * @param large reads values that entries refer to
     */
    public OperandFold(MergeCalls calls, LargeValues large) {
        this.large = large;
        this.calls = calls;
    }

    /** Forgets what was gathered and taken. Allocates nothing. */
    public void clear() {
        forgetGathered();
        operands = NONE;
        key = null;
        below = null;
        longBase = null;
        through = 0;
    }

    private void forgetGathered() {
        Arrays.fill(tables, 0, count, null);
        if (refs.length > MAX_KEPT) {
            tables = NO_TABLES;
            refs = NO_REFS;
        }
        count = 0;
        baseTable = null;
    }

    // ---- gathering

    /**
     * Adds the operands that a memtable has of a key. Memtables come from the newest to the oldest.
     *
     * @param hash the key's
     * @param maxSequence entries with higher numbers do not count
     * @return whether it has what is below them, so that older ones have nothing to say
     */
    public boolean gather(MemTable table, byte[] stored, int length, long hash, long maxSequence) {
        DeletedRanges ranges = table.ranges();
        long deleted = ranges == null ? 0 : ranges.newestCovering(stored, 0, length, maxSequence);
        int ref = table.find(stored, 0, length, hash, maxSequence);
        while (ref != MemTable.NONE && table.sequence(ref) > deleted) {
            if (table.type(ref) != WritePayload.MERGE) {
                baseTable = table;
                baseRef = ref;
                return true;
            }
            add(table, ref);
            ref = table.older(ref);
        }
        return deleted > 0;
    }

    private void add(MemTable table, int ref) {
        if (count == refs.length) {
            tables = Arrays.copyOf(tables, Math.max(FIRST, 2 * count));
            refs = Arrays.copyOf(refs, tables.length);
        }
        if (count == 0) {
            through = table.sequence(ref);
        }
        tables[count] = table;
        refs[count++] = ref;
    }

    /** Whether there are no operands. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Bytes that a list has of the operands that were gathered with numbers above one. */
    private long gatheredBytes(long mergedThrough) {
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += tables[i].sequence(refs[i]) <= mergedThrough
                    ? 0
                    : WaitingOperands.bytesOf(tables[i].valueLength(refs[i]));
        }
        return bytes;
    }

    /** Bytes of a list of the operands that were gathered, with what is below them; that is null for nothing. */
    public long listBytes(LongBase base) {
        if (base == null) {
            return 1 + gatheredBytes(0);
        }
        long below = base.waits() ? base.length() : 1 + WaitingOperands.bytesOf(base.length());
        return below + gatheredBytes(base.through());
    }

    /** Those of them that are bytes of operands. */
    public long operandBytes(LongBase base) {
        return base == null ? gatheredBytes(0) : base.operandBytes() + gatheredBytes(base.through());
    }

    // ---- taking

    /**
     * Takes the gathered entries, and the value that a memtable has below, if {@link #gather} has returned true.
     *
     * @param stored the key as it is stored
     */
    public void take(byte[] stored) {
        byte[] base = null;
        long baseExpiry = RecordFormat.NEVER;
        if (baseTable != null && baseTable.type(baseRef) != WritePayload.DELETE) {
            baseExpiry = baseTable.expiry(baseRef);
            base = baseTable.isLarge(baseRef) ? largeBytes(baseTable, baseRef) : bytes(baseTable, baseRef);
        }
        take(stored, base, baseExpiry, 0);
    }

    /**
     * Takes the gathered entries, and the value that the space has below.
     *
     * @param base null for nothing; else an array that nobody else has
     * @throws BadRecordException if operands wait in it, and it is no list of them
     */
    public void take(byte[] stored, MergedValue base) {
        if (base == null) {
            take(stored, null, RecordFormat.NEVER, 0);
        } else if (base.waits()) {
            WaitingOperands waiting = WaitingOperands.of(base.bytes());
            operands = waiting.operands();
            takeOnto(stored, waiting.value(), base.expiry(), base.through());
        } else {
            take(stored, base.bytes(), base.expiry(), base.through());
        }
    }

    private void take(byte[] stored, byte[] base, long baseExpiry, long mergedThrough) {
        operands = new ArrayList<>(count);
        takeOnto(stored, base, baseExpiry, mergedThrough);
    }

    /** Takes what was gathered, but for what is in the base already, behind the operands that are there. */
    private void takeOnto(byte[] stored, byte[] base, long baseExpiry, long mergedThrough) {
        keyspace = KeyHeads.numberOf(stored);
        key = KeyHeads.withoutHead(stored);
        below = base;
        expiry = baseExpiry;
        through = Math.max(through, mergedThrough);
        for (int i = count - 1; i >= 0; i--) {
            if (tables[i].sequence(refs[i]) <= mergedThrough) {
                continue;
            }
            if (expiry <= tables[i].time(refs[i])) {
                operands.clear(); // which went into a value that is over
                below = null;
                longBase = null;
                expiry = RecordFormat.NEVER;
            }
            operands.add(bytes(tables[i], refs[i]));
        }
        forgetGathered();
    }

    /** The value that a memtable has below, if {@link #gather} has returned true, to be read where it is; or null. */
    public LongBase gatheredBase() {
        if (baseTable == null || baseTable.type(baseRef) == WritePayload.DELETE) {
            return null;
        }
        EntryParts parts = new EntryParts(large, baseTable, baseRef);
        return new LongBase(baseTable.valueLength(baseRef), false, baseTable.expiry(baseRef), 0, parts);
    }

    /** The value of a memtable's entry. */
    private record EntryParts(LargeValues large, MemTable table, int ref) implements LongBase.Parts {
        @Override
        public void read(int from, ByteBuffer to) {
            int position = table.valuePosition(ref);
            if (table.isLarge(ref)) {
                large.copy(table.buffer(), position, table.keyLength(ref), table.expiry(ref), from, to);
            } else {
                to.put(to.position(), table.buffer(), position + from, to.remaining());
            }
            to.position(to.limit());
        }
    }

    /**
     * Takes the gathered entries, with a base that stays where it is: only {@link #longList} may follow, if it is not
     * over and {@linkplain #hasLongBase counts}.
     */
    public void take(byte[] stored, LongBase base) {
        operands = new ArrayList<>(count);
        longBase = base;
        takeOnto(stored, null, base.expiry(), base.through());
    }

    /** Whether the operands have a base that stays where it is, and it counts. */
    public boolean hasLongBase() {
        return longBase != null;
    }

    /** Whether operands were taken. */
    public boolean hasOperands() {
        return !operands.isEmpty();
    }

    private byte[] largeBytes(MemTable table, int ref) {
        byte[] bytes = new byte[table.valueLength(ref)];
        int reference = table.valuePosition(ref);
        large.copy(table.buffer(), reference, table.keyLength(ref), table.expiry(ref), 0, ByteBuffer.wrap(bytes));
        return bytes;
    }

    private static byte[] bytes(MemTable table, int ref) {
        byte[] bytes = new byte[table.valueLength(ref)];
        table.buffer().get(table.valuePosition(ref), bytes);
        return bytes;
    }

    /** Whether there was anything to take. */
    public boolean hasTaken() {
        return below != null || !operands.isEmpty();
    }

    /** Bytes that a list has of the operands that were taken. */
    public long operandBytes() {
        return WaitingOperands.bytesOf(operands);
    }

    /** The time when the value that the function makes expires, or {@link RecordFormat#NEVER}. */
    public long expiry() {
        return expiry;
    }

    // ---- folding

    /**
     * The value that was taken, in an array of its own; null only if there was nothing at all. Calls the function, so
     * the caller must be in no short read, and hold no lock. The operands are gone then.
     *
     * @throws MergeException if the function fails
     */
    public MergedValue fold() {
        try {
            byte[] value = below;
            int all = operands.size();
            for (int from = 0; from < all; from += AT_ONCE) {
                value = calls.merge(
                        keyspace, key, value, List.copyOf(operands.subList(from, Math.min(all, from + AT_ONCE))));
            }
            return value == null ? null : new MergedValue(all == 0 ? value : value.clone(), expiry, through, false);
        } finally {
            operands = NONE;
            below = null;
        }
    }

    /**
     * The operands that were taken, for a record in which they wait for a function that does not fail.
     *
     * @param longest bytes that a list may have
     * @throws MergeException with the cause given if this one would have more
     */
    public MergedValue waiting(int longest, Throwable cause) {
        WaitingOperands waiting = new WaitingOperands(below, operands);
        requireFits(waiting.bytes(), longest, cause);
        return new MergedValue(waiting.encoded(), expiry, through, true);
    }

    /**
     * The list of the operands that were taken, with a base that stays where it is.
     *
     * @throws MergeException likewise
     */
    public LongList longList(int longest, Throwable cause) {
        byte[] before = longBase.waits() ? NOTHING : WaitingOperands.beforeValue(longBase.length());
        requireFits(before.length + longBase.length() + operandBytes(), longest, cause);
        return new LongList(before, longBase, WaitingOperands.encoded(operands), expiry, through);
    }

    private void requireFits(long bytes, int longest, Throwable cause) {
        if (bytes > longest) {
            throw new MergeException(
                    key,
                    "operands wait for a merge function that does not fail, and take " + bytes
                            + " bytes with the value below them, more than the " + longest + " that a pair has",
                    cause);
        }
    }
}
