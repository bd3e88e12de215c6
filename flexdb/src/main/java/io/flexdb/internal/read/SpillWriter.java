package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.interval.PieceSink;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Writes entries in the order of their keys, as the blocks of a {@link BlockRun}. For one thread, and one run. */
final class SpillWriter {
    /** A block ends with the key that brings it to this many bytes. */
    static final int BLOCK_BYTES = 16 << 10;

    /** More entries of a key than have so many bytes do not come together from several runs. */
    static final int MAX_JOINED_BYTES = 1 << 20;

    private static final int MAX_HEADER_BYTES = Window.NUMBER_BYTES + 1 + 5 + 5;

    private final PieceSink sink;
    private final ByteBuffer piece;
    private final long first;
    private final Marks marks;
    private final KeyFilter filter; // or null
    private final SortedRun blocks = new SortedRun();
    private final CRC32C crc = new CRC32C(); // of the block at hand, but for what comes next
    private int summed; // where that begins in the piece
    private int[] checksums = new int[64]; // of the blocks before it
    private final byte[] header = new byte[MAX_HEADER_BYTES];
    private final byte[] time = new byte[WritePayload.TIME_BYTES];
    private byte[] key = new byte[256]; // at hand
    private int keyLength;
    private byte[] lastKey = new byte[256];
    private int lastKeyLength;
    private long keyBytes; // of all entries of the key at hand
    private int keyEntries;
    private int lastType; // of its last entry
    private long lastNumber;

    /**
     * @param piece a buffer of the largest piece's size
     * @param first the lowest number that an entry may have
     * @param marks where somebody may go back to
     * @param filter gets the keys; or null
     */
    SpillWriter(PieceSink sink, ByteBuffer piece, long first, Marks marks, KeyFilter filter) {
        this.sink = sink;
        this.piece = piece;
        this.first = first;
        this.marks = marks;
        this.filter = filter;
        beginPiece();
    }

    /** Writes all of a memtable through a number. */
    void addAll(MemTable table, long last) {
        MemTableCursor cursor = new MemTableCursor(true);
        cursor.reset(table, last);
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            beginKey(table, cursor.ref());
            addVersions(table, cursor.ref());
            endKey();
        }
        cursor.release();
    }

    /**
     * Ends the run, and returns it with all its bytes in place.
     *
     * @param ranges that were deleted; null for none
     */
    BlockRun.Content end(DeletedRanges ranges) {
        if (blocks.intervals() > 0) {
            endBlock();
        }
        endPiece();
        blocks.trim();
        return new BlockRun.Content(blocks, ranges, first);
    }

    /** After the end: the CRC-32C of each block. */
    int[] checksums() {
        return Arrays.copyOf(checksums, blocks.intervals());
    }

    private void endBlock() {
        sum();
        int block = blocks.intervals() - 1;
        if (block == checksums.length) {
            checksums = Arrays.copyOf(checksums, 2 * block);
        }
        checksums[block] = (int) crc.getValue();
        crc.reset();
    }

    private void sum() {
        crc.update(piece.duplicate().limit(piece.position()).position(summed));
        summed = piece.position();
    }

    /**
     * Adds of an entry and all older ones of its key those that somebody may ask for. They are older than what was added
     * of the key before.
     *
     * @return false if they do not fit what came from other tables
     */
    boolean addVersions(MemTable table, int newest) {
        boolean isFirstTable = keyEntries == 0;
        for (int ref = newest; ref != MemTable.NONE; ref = table.older(ref)) {
            long number = table.sequence(ref);
            if (keyEntries > 0 && lastType != WritePayload.MERGE) { // what is below an operand counts
                if (!marks.hasAny(lastNumber)) {
                    return true;
                }
                if (!marks.divide(number, lastNumber)) {
                    continue;
                }
            }
            keyBytes += put(table, ref);
            keyEntries++;
            lastType = table.type(ref);
            lastNumber = number;
            if (!isFirstTable && keyBytes > MAX_JOINED_BYTES) {
                return false;
            }
        }
        return true;
    }

    void endKey() {
        blocks.growInterval(keyBytes, keyEntries);
    }

    /** Begins a key, that of an entry, which comes behind all before it. */
    void beginKey(MemTable table, int ref) {
        keyBytes = 0;
        keyEntries = 0;
        byte[] free = lastKey;
        lastKey = key;
        lastKeyLength = keyLength;
        keyLength = table.keyLength(ref);
        key = free.length < keyLength ? new byte[WritePayload.MAX_KEY_BYTES] : free;
        table.copyKey(ref, key, 0);
        if (filter != null) {
            filter.add(KeyHash.hash(key, 0, keyLength));
        }
        int block = blocks.intervals() - 1;
        if (block < 0) {
            blocks.beginInterval(key, 0, keyLength);
        } else if (blocks.intervalBytes(block) >= BLOCK_BYTES) {
            endBlock();
            blocks.beginInterval(key, 0, KeyBytes.separatorLength(lastKey, lastKeyLength, key, 0, keyLength));
        }
    }

    private long put(MemTable table, int ref) {
        int type = table.type(ref);
        int keyLength = table.keyLength(ref);
        int valueLength = type == WritePayload.DELETE ? 0 : table.storedLength(ref);
        Window.NUMBERS.set(header, 0, (int) (table.sequence(ref) - first));
        int headerBytes = type == WritePayload.DELETE
                ? WritePayload.encodeDeleteHeader(header, Window.NUMBER_BYTES, keyLength)
                : WritePayload.encodeTimedHeader(header, Window.NUMBER_BYTES, type, keyLength, valueLength);
        int timeBytes = WritePayload.timeBytes(type);
        put(ByteBuffer.wrap(header), 0, headerBytes);
        put(table.buffer(), table.keyPosition(ref), keyLength);
        put(table.buffer(), table.valuePosition(ref), valueLength);
        if (timeBytes > 0) {
            WritePayload.putTime(time, 0, table.time(ref));
            put(ByteBuffer.wrap(time), 0, timeBytes);
        }
        return (long) headerBytes + keyLength + valueLength + timeBytes;
    }

    private void put(ByteBuffer from, int position, int length) {
        for (int done = 0; done < length; ) {
            if (!piece.hasRemaining()) {
                endPiece();
            }
            int part = Math.min(piece.remaining(), length - done);
            piece.put(piece.position(), from, position + done, part);
            piece.position(piece.position() + part);
            done += part;
        }
    }

    private void beginPiece() {
        int room = sink.room();
        piece.clear().limit(room == 0 ? piece.capacity() : Math.min(room, piece.capacity()));
        summed = 0;
    }

    private void endPiece() {
        int bytes = piece.position();
        if (bytes > 0) {
            sum();
            piece.flip();
            blocks.addPiece(sink.append(piece), bytes, 0, piece.capacity());
        }
        beginPiece();
    }
}
