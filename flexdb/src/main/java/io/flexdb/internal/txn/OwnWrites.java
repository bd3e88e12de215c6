package io.flexdb.internal.txn;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.Front;
import io.flexdb.internal.read.SpillArea;
import io.flexdb.internal.read.SpilledRun;
import io.flexdb.internal.read.SpilledRuns;
import io.flexdb.storage.StoreMemoryException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A transaction's writes so far: a payload, and a memtable of its own that finds them; and older ones that were spilled
 * because memory had no room. For one thread; used again.
 */
public final class OwnWrites extends Payload {
    /*
     * Entries are numbered from OWN on, above all numbers of the store, so that where both meet the own ones are newer.
     * To take some back, or to have more room, the table is built anew from the payload. Both are rare, and cost as
     * much as to write the entries.
     *
     * Most transactions write little and do not read it again, and there may be many thousands. So a few entries have
     * no table: a search for a key goes through the payload. The table is made when there are more, or when own writes
     * are read.
     *
     * When the table is as large as one may be, all of it is spilled: it goes to the data file, and another one begins.
     * Spilled entries are taken back by their numbers, which no later entry gets again.
     */
    /** {@link #find} returns this for a key of a range that was deleted. */
    public static final int DELETED = -1;

    private static final long OWN = 1L << 62;
    private static final int MOST_ENTRIES_WITHOUT_TABLE = 32;
    private static final int MOST_BYTES_WITHOUT_TABLE = 4096;
    private static final int PAYLOAD_BYTES_KEPT = 64 << 10;
    private static final byte[] NONE = {};

    private final OffHeap memory;
    private final SpilledRuns spilled;
    private long base = OWN; // the number of the first entry in memory
    private MemTable found; // has the entry that was found last
    private Front front; // null if it has changed
    private int spilledRanges; // ranges that spilled entries delete
    private MemTable table; // null before it is needed
    private PayloadReader scan; // null before it is needed

    /** @param areas where to spill, for a transaction */
    public OwnWrites(OffHeap memory, Supplier<SpillArea> areas) {
        this.memory = memory;
        this.spilled = new SpilledRuns(areas);
    }

    @Override
    public void end() {
        front = null;
        if (table != null || entries >= MOST_ENTRIES_WITHOUT_TABLE || begunEnd > MOST_BYTES_WITHOUT_TABLE) {
            int reserved = table == null ? MemTable.NONE : table.reserve(begunBodyBytes, 1, base + entries);
            if (reserved == MemTable.NONE) {
                rebuild(bodyBytes + begunBodyBytes, entries + 1);
                reserved = table.reserve(begunBodyBytes, 1, base + entries);
            }
            table.insertAll(bytes, length, begunEnd - length, base + entries, reserved);
        }
        super.end();
    }

    /** The table, made if there is none yet though something was written. */
    private MemTable table() {
        if (table == null) {
            rebuild(bodyBytes, entries);
        }
        return table;
    }

    /** Whether an entry of the payload is of a key, or deletes a range with it. There are few. */
    private boolean isInPayload(byte[] key, int keyLength) {
        scan = scan == null ? new PayloadReader() : scan;
        scan.reset(bytes, 0, length);
        while (scan.next()) {
            int at = scan.keyIndex();
            int to = at + scan.keyLength();
            int order = Arrays.compareUnsigned(bytes, at, to, key, 0, keyLength);
            if (order == 0) {
                return true;
            }
            if (scan.type() == WritePayload.DELETE_RANGE && order < 0) {
                int end = to + scan.valueLength();
                if (end == to || Arrays.compareUnsigned(key, 0, keyLength, bytes, to, end) < 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Puts all entries into another table, which has room for that much. */
    private void rebuild(long bodyBytesNeeded, int entriesNeeded) {
        int least = MemTable.arenaBytesFor(2 * bodyBytesNeeded, 2 * entriesNeeded);
        try {
            table = MemTable.allocate(0, Math.max(MemTable.MIN_ARENA_BYTES, least), memory);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("the writes of a transaction", least, e);
        }
        fill();
    }

    private void fill() {
        if (ranges < 2) {
            if (entries > 0) {
                table.insertAll(bytes, 0, length, base, reserve(bodyBytes, entries, base));
            }
            return;
        }
        // One by one: of ranges that come together the table knows only which is the last to cover a key.
        PayloadReader reader = new PayloadReader().reset(bytes, 0, length);
        int from = 0;
        for (long number = base; reader.next(); number++) {
            int end = reader.keyIndex() + reader.keyLength() + reader.tailLength();
            long entryBodyBytes = MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
            table.insertAll(bytes, from, end - from, number, reserve(entryBodyBytes, 1, number));
            from = end;
        }
    }

    private int reserve(long more, int count, long first) {
        int reserved = table.reserve(more, count, first);
        assert reserved != MemTable.NONE : "a table that is too small";
        return reserved;
    }

    // ---- writes that memory has no room for

    /**
     * Moves all entries from memory to the data file; reads still find them.
     *
     * @param isRead whether somebody may read the table still
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; nothing has changed
     */
    public void spill(boolean isRead) {
        if (entries == 0) {
            return;
        }
        spilled.spill(table(), base, lastSequence());
        base += entries;
        spilledRanges += ranges;
        if (isRead) {
            table = null; // and the next one is another
        }
        clearMemory();
    }

    /** Whether something is not in memory. */
    public boolean isSpilled() {
        return !spilled.isEmpty();
    }

    /** Runs that are not in memory. */
    public int spilledRuns() {
        return spilled.oldestFirst().size();
    }

    /** Says when operands count as made, as long as they are not written. */
    public void setOperandTime(long time) {
        spilled.setOperandTime(time);
    }

    // ---- earlier states

    /** A state to go back to. */
    public final class State {
        private final long ofBase = base;
        private final long ofNext = base + entries;
        private final int ofLength = length;
        private final int ofEntries = entries;
        private final int ofRanges = ranges;
        private final int ofAllRanges = allRanges();
        private final long ofBodyBytes = bodyBytes;

        private State() {}

        /** Goes back to it. Nobody may read what is there meanwhile. */
        public void restore() {
            front = null;
            found = null;
            spilled.marks().dropAbove(ofNext);
            if (ofBase != base) { // all entries of that state are spilled
                base += entries; // and spilled entries keep their numbers
                spilled.cutBehind(ofNext - 1);
                spilledRanges = ofAllRanges;
                clearMemory();
                return;
            }
            length = ofLength;
            entries = ofEntries;
            ranges = ofRanges;
            bodyBytes = ofBodyBytes;
            if (table != null) {
                table.reset(0, null);
                fill();
            }
        }
    }

    /** The state now. */
    public State state() {
        spilled.marks().add(base + entries);
        return new State();
    }

    private void clearMemory() {
        boolean had = hasOperands;
        super.clear();
        hasOperands = had;
        front = null;
        found = null;
        if (table != null) {
            table.reset(0, null);
        }
    }

    /** Forgets all; keeps a small table. Nobody may read it any more. */
    @Override
    public void clear() {
        boolean isLarge = table != null && table.memoryBytes() > 4L * MemTable.tableBytes(MemTable.MIN_ARENA_BYTES);
        table = isLarge ? null : table;
        clearMemory();
        hasOperands = false;
        base = OWN;
        spilledRanges = 0;
        if (bytes.length > PAYLOAD_BYTES_KEPT) {
            bytes = NONE;
        }
        spilled.clear();
    }

    /** Gives the spilled runs back and leaves the rest, which another thread may use by mistake. Not used again. */
    public void abandon() {
        spilled.clear();
    }

    // ---- reading

    /**
     * The entry of a key that counts, which {@link #found} has, {@link #DELETED}, or {@link MemTable#NONE} if it was
     * not written.
     */
    public int find(byte[] key, int keyLength) {
        if (entries == 0 && spilled.isEmpty()) {
            return MemTable.NONE;
        }
        long hash = KeyHash.hash(key, 0, keyLength);
        boolean mayBeHere = entries > 0 && (table != null || isInPayload(key, keyLength));
        int ref = mayBeHere ? find(table(), key, keyLength, hash, lastSequence()) : MemTable.NONE;
        List<SpilledRun> runs = spilled.oldestFirst();
        for (int i = runs.size() - 1; i >= 0 && ref == MemTable.NONE; i--) {
            MemTable window = runs.get(i).lookUp(key, keyLength);
            ref = find(window, key, keyLength, hash, runs.get(i).through());
        }
        return ref;
    }

    private int find(MemTable in, byte[] key, int keyLength, long hash, long through) {
        found = in;
        int ref = in.find(key, 0, keyLength, hash, through);
        if (in.ranges() != null) {
            long deleted = in.ranges().newestCovering(key, 0, keyLength, through);
            if (deleted > (ref == MemTable.NONE ? 0 : in.sequence(ref))) {
                return DELETED;
            }
        }
        return ref;
    }

    /** Whether an entry in memory writes a key, or deletes a range with it. */
    boolean touches(byte[] key, int keyLength, long hash) {
        if (entries == 0) {
            return false;
        }
        if (table == null) {
            return isInPayload(key, keyLength);
        }
        if (table.find(key, 0, keyLength, hash, lastSequence()) != MemTable.NONE) {
            return true;
        }
        DeletedRanges deleted = table.ranges();
        return deleted != null && deleted.newestCovering(key, 0, keyLength, lastSequence()) > 0;
    }

    /** The table with the entry that was found last; until something is looked up or written. */
    public MemTable found() {
        return found;
    }

    /** Whether something was written. */
    public boolean isEmpty() {
        return entries == 0 && spilled.isEmpty();
    }

    /** All of it, to be read; null before the first write. As it is now, until something is taken back. */
    public Front front() {
        if (front == null && (entries > 0 || !spilled.isEmpty())) {
            front = new Front(entries == 0 ? null : table(), lastSequence(), spilled.oldestFirst());
        }
        return front;
    }

    private long lastSequence() {
        return base + entries - 1;
    }

    /** Has all operands be made at a time, before they are written. The table does not learn of it. */
    public void setOperandTimes(long time) {
        PayloadReader reader = new PayloadReader().reset(bytes, 0, length);
        while (reader.next()) {
            if (reader.type() == WritePayload.MERGE) {
                WritePayload.putTime(bytes, reader.keyIndex() + reader.keyLength() + reader.valueLength(), time);
            }
        }
    }

    /** Of all entries, spilled ones included, those that delete ranges. */
    public int allRanges() {
        return spilledRanges + ranges;
    }
}
