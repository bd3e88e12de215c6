package io.flexdb.internal.merge;

import io.flexdb.internal.base.Merger;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.keys.KeyHeads;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.large.LargeValues;
import io.flexdb.internal.memtable.DeletedRanges;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.storage.MergeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Gathers the operands of one key, from the newest back, and merges them into what is below. For one thread; reused. */
public final class OperandFold {
    /*
     * Below the operands is what ends them: an entry that sets or removes the key, a range with a higher number that
     * covers it, or what the space has. The space may have some of the operands in its value already, by a commit that
     * was not ended, or is under way while its memtable is listed still. So its record says through which number, and
     * older operands are passed over; else a replay of the log would count them twice.
     *
     * An operand has the time when it was made. If the value below was over by then it is none: the operand begins
     * anew, and what it makes does not expire. Otherwise the result expires when the value does, whenever it is folded:
     * no read and no commit needs another time than those of the entries.
     */
    /** The longest value that may come out. */
    public static final int MAX_VALUE_BYTES = RecordFormat.MAX_VALUE_BYTES - (1 << 20);

    private static final int AT_ONCE = 1024;
    private static final int MAX_KEPT = 4096;
    private static final int FIRST = 16;

    private final Merger merger;
    private final LargeValues large;
    private MemTable[] tables = new MemTable[FIRST];
    private int[] refs = new int[FIRST];
    private int count;
    private MemTable baseTable; // null if a range or nothing was below
    private int baseRef;
    private long through;
    private byte[] value;
    private long expiry;

    /**
     * @param merger null if there is none, and then there are no operands
     * @param large reads values that entries refer to
     */
    public OperandFold(Merger merger, LargeValues large) {
        this.large = large;
        this.merger = merger;
    }

    /** Forgets what was gathered, and the result. */
    public void clear() {
        if (refs.length > MAX_KEPT) {
            tables = new MemTable[FIRST];
            refs = new int[FIRST];
        }
        Arrays.fill(tables, 0, Math.min(count, tables.length), null);
        count = 0;
        baseTable = null;
        through = 0;
        value = null;
    }

    /**
     * Adds the operands that a memtable has of a key. Memtables come from the newest to the oldest.
     *
     * @param hash the key's
     * @param maxSequence entries with higher numbers do not count
     * @return whether it has what is below them, so that older ones have nothing to say
     */
    public boolean gather(MemTable table, byte[] key, int length, long hash, long maxSequence) {
        DeletedRanges ranges = table.ranges();
        long deleted = ranges == null ? 0 : ranges.newestCovering(key, 0, length, maxSequence);
        int ref = table.find(key, 0, length, hash, maxSequence);
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
            tables = Arrays.copyOf(tables, 2 * count);
            refs = Arrays.copyOf(refs, 2 * count);
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

    /** The sequence number of the newest operand. */
    public long through() {
        return through;
    }

    /**
     * Merges into what a memtable has below, if {@link #gather} has returned true.
     *
     * @param key as it is stored
     */
    public void fold(byte[] key) {
        byte[] base = null;
        long baseExpiry = RecordFormat.NEVER;
        if (baseTable != null && baseTable.type(baseRef) != WritePayload.DELETE) {
            baseExpiry = baseTable.expiry(baseRef);
            base = baseTable.isLarge(baseRef) ? largeBytes(baseTable, baseRef) : bytes(baseTable, baseRef);
        }
        fold(key, base, baseExpiry, 0);
    }

    /**
     * Merges into another value.
     *
     * @param base null if there is none
     * @param mergedThrough the number of the newest operand that it has in it already
     * @throws MergeException if the function fails
     */
    public void fold(byte[] key, byte[] base, long baseExpiry, long mergedThrough) {
        value = base;
        expiry = baseExpiry;
        through = Math.max(through, mergedThrough);
        List<byte[]> operands = new ArrayList<>();
        for (int i = count - 1; i >= 0; i--) {
            if (tables[i].sequence(refs[i]) <= mergedThrough) {
                continue;
            }
            if (expiry <= tables[i].time(refs[i])) {
                operands.clear(); // which went into a value that is over
                value = null;
                expiry = RecordFormat.NEVER;
            }
            operands.add(bytes(tables[i], refs[i]));
            if (operands.size() == AT_ONCE) {
                merge(key, operands);
            }
        }
        if (!operands.isEmpty()) {
            merge(key, operands);
        }
    }

    private void merge(byte[] key, List<byte[]> operands) {
        byte[] own = KeyHeads.withoutHead(key);
        try {
            value = merger.merge(own.clone(), value, Collections.unmodifiableList(operands));
        } catch (OutOfMemoryError e) {
            throw e; // says nothing of the function
        } catch (Throwable e) {
            throw new MergeException(own, "the merge function failed with " + e, e);
        }
        if (value == null) {
            throw new MergeException(own, "the merge function returned null, which is no value", null);
        }
        if (value.length > MAX_VALUE_BYTES) {
            String what = "the merge function returned " + value.length + " bytes, and a value has at most ";
            throw new MergeException(own, what + MAX_VALUE_BYTES, null);
        }
        operands.clear();
    }

    private byte[] largeBytes(MemTable table, int ref) {
        byte[] bytes = new byte[table.valueLength(ref)];
        int reference = table.valuePosition(ref);
        ByteBuffer to = ByteBuffer.wrap(bytes);
        large.copy(table.buffer(), reference, table.keyLength(ref), table.expiry(ref), 0, to, 0, bytes.length);
        return bytes;
    }

    private static byte[] bytes(MemTable table, int ref) {
        byte[] bytes = new byte[table.valueLength(ref)];
        table.buffer().get(table.valuePosition(ref), bytes);
        return bytes;
    }

    /** What came out; null only if there was nothing at all. */
    public byte[] value() {
        return value;
    }

    /** When that expires, or {@link RecordFormat#NEVER}. */
    public long expiry() {
        return expiry;
    }
}
