package io.flexdb.internal.read;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.StoreMemoryException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A block of a {@link BlockRun} as a memtable. For one thread at a time. */
final class Window {
    static final int NUMBER_BYTES = Integer.BYTES; // before each entry: how far its number is from the first
    static final long MAX_NUMBER = (1L << 32) - 1;
    static final VarHandle NUMBERS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int MAX_KEPT_BYTES = 1 << 20;
    private static final byte[] NO_BYTES = {};
    private static final int[] NO_ENTRIES = {};

    private final OffHeap memory;
    private final PayloadReader reader = new PayloadReader();
    private byte[] bytes = {};
    private int[] entries = new int[64]; // where they begin
    private MemTable table; // null before the first block
    private BlockRun run; // null if it has no block
    private int block;

    Window(OffHeap memory) {
        this.memory = memory;
    }

    /** The entries of the block, until another one comes. */
    MemTable table() {
        return table;
    }

    /** Lets the block go. */
    void forget() {
        run = null;
        shrink();
    }

    /** Lets the block go if it takes much memory. */
    void shrink() {
        if (table != null && table.memoryBytes() > MAX_KEPT_BYTES || bytes.length > MAX_KEPT_BYTES) {
            run = null;
            table = null;
            bytes = NO_BYTES;
            entries = NO_ENTRIES;
        }
    }

    /** Brings a block, unless it is here; -1 for none, with the run's deleted ranges only. */
    void load(BlockRun newRun, int newBlock) {
        if (run == newRun && block == newBlock) {
            return;
        }
        forget();
        int length = newBlock < 0 ? 0 : (int) newRun.blocks().intervalBytes(newBlock);
        try {
            if (bytes.length < length) {
                bytes = new byte[Math.max(length, SpillWriter.BLOCK_BYTES)];
            }
            if (length > 0) {
                newRun.read(newBlock, bytes, length);
            }
            fill(newRun, length);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException(newRun.what(), length, e);
        }
        run = newRun;
        block = newBlock;
    }

    private void fill(BlockRun newRun, int length) {
        long body = 0;
        int count = 0;
        for (int at = 0; at < length; at = entryEnd()) {
            readEntry(at, length);
            body += MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
            if (count == entries.length) {
                entries = Arrays.copyOf(entries, Math.max(64, 2 * count));
            }
            entries[count++] = at;
        }
        int arenaBytes = Math.max(MemTable.MIN_ARENA_BYTES, MemTable.arenaBytesFor(body, count));
        if (table == null || table.memoryBytes() < MemTable.tableBytes(arenaBytes)) {
            table = MemTable.allocate(0, arenaBytes, memory);
        } else {
            table.reset(0, null);
        }
        table.setRanges(newRun.ranges());
        // The last one first: a key's entries come from the newest on, and each is to be newer than those before it.
        for (int i = count - 1; i >= 0; i--) {
            readEntry(entries[i], length);
            insert(newRun, entries[i]);
        }
    }

    private void readEntry(int at, int length) {
        reader.reset(bytes, at + NUMBER_BYTES, length - at - NUMBER_BYTES);
        boolean found = reader.next();
        assert found : "it was written a moment ago";
    }

    private int entryEnd() {
        return reader.keyIndex() + reader.keyLength() + reader.tailLength();
    }

    private void insert(BlockRun newRun, int at) {
        long number = newRun.first() + Integer.toUnsignedLong((int) NUMBERS.get(bytes, at));
        long operandTime = newRun.operandTime();
        if (reader.type() == WritePayload.MERGE && operandTime != BlockRun.OWN_TIMES) {
            WritePayload.putTime(bytes, entryEnd() - WritePayload.TIME_BYTES, operandTime);
        }
        long body = MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
        int reserved = table.reserve(body, 1, newRun.first());
        assert reserved != MemTable.NONE : "a table that is too small";
        table.insertAll(bytes, at + NUMBER_BYTES, entryEnd() - at - NUMBER_BYTES, number, reserved);
    }
}
