package io.flexdb.internal.spill;

import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.run.SortedRun;
import io.flexdb.storage.StoreMemoryException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A block of a {@link SpilledRun} as a memtable. For one thread at a time. */
final class Window {
    static final int NUMBER_BYTES = Integer.BYTES; // before each entry: how far its number is from the first
    static final long MAX_NUMBER = (1L << 32) - 1;
    static final VarHandle NUMBERS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int MAX_KEPT_BYTES = 1 << 20;

    private final SpillArea area;
    private final PayloadReader reader = new PayloadReader();
    private byte[] bytes = {};
    private MemTable table; // null before the first block
    private SpilledRun run; // null if it has no block
    private int block;

    Window(SpillArea area) {
        this.area = area;
    }

    /** What there is of the block, until another one comes. */
    MemTable table() {
        return table;
    }

    /** Lets the block go. */
    void forget() {
        run = null;
        if (table != null && table.memoryBytes() > MAX_KEPT_BYTES) {
            table = null;
            bytes = new byte[0];
        }
    }

    /** Brings a block, unless it is here; -1 for none, with the run's deleted ranges only. */
    void load(SpilledRun newRun, int newBlock) {
        if (run == newRun && block == newBlock) {
            return;
        }
        forget();
        SortedRun blocks = newRun.blocks();
        int length = newBlock < 0 ? 0 : (int) blocks.intervalBytes(newBlock);
        try {
            if (bytes.length < length) {
                bytes = new byte[Math.max(length, SpillWriter.BLOCK_BYTES)];
            }
            read(blocks, newBlock < 0 ? 0 : blocks.intervalStart(newBlock), length);
            fill(newRun, length);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("writes of a transaction that are in the data file", length, e);
        }
        run = newRun;
        block = newBlock;
    }

    private void read(SortedRun blocks, long start, int length) {
        ByteBuffer scratch = area.scratch().clear();
        int piece = length == 0 ? 0 : blocks.pieceAt(start);
        for (int done = 0; done < length; piece++) {
            int skipped = (int) (start + done - blocks.pieceStart(piece));
            int part = Math.min(blocks.pieceBytes(piece) - skipped, length - done);
            int ticket = area.versions.enter();
            try {
                area.engine.reads().readStaged(blocks.address(piece) + skipped, scratch, 0, part);
            } finally {
                area.versions.exit(ticket);
            }
            scratch.get(0, bytes, done, part);
            done += part;
        }
    }

    private void fill(SpilledRun newRun, int length) {
        long body = 0;
        int entries = 0;
        for (int at = 0; at < length; at = entryEnd()) {
            readEntry(at, length);
            body += MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
            entries++;
        }
        int arenaBytes = Math.max(MemTable.MIN_ARENA_BYTES, MemTable.arenaBytesFor(body, entries));
        if (table == null || table.memoryBytes() < MemTable.tableBytes(arenaBytes)) {
            table = MemTable.allocate(0, arenaBytes, area.memory);
        } else {
            table.reset(0, null);
        }
        table.setRanges(newRun.ranges());
        for (int at = 0; at < length; at = entryEnd()) {
            readEntry(at, length);
            insert(
                    at + NUMBER_BYTES,
                    newRun.first(),
                    newRun.first() + Integer.toUnsignedLong((int) NUMBERS.get(bytes, at)));
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

    private void insert(int at, long first, long number) {
        if (reader.type() == WritePayload.MERGE) {
            WritePayload.putTime(bytes, entryEnd() - WritePayload.TIME_BYTES, area.operandTime());
        }
        long body = MemTable.bodyBytes(reader.keyLength(), reader.tailLength());
        int reserved = table.reserve(body, 1, first);
        assert reserved != MemTable.NONE : "a table that is too small";
        table.insertAll(bytes, at, entryEnd() - at, number, reserved);
    }
}
