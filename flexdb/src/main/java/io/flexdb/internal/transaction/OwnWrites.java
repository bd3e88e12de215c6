package io.flexdb.internal.transaction;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.keys.KeyHash;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.storage.StoreMemoryException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What a transaction has written so far: a payload, and a memtable of its own to find it in. For one thread; used again.
 */
public final class OwnWrites {
    /*
     * Entries are numbered from OWN on, above all numbers of the store, so that where both meet the own ones are newer.
     * To take some back, the table is built anew from the rest of the payload; so it is
     * to have more room. That is rare, and costs as much as to write them.
     */
    /** What {@link #find} returns for a key of a range that was deleted. */
    public static final int DELETED = -1;

    private static final long OWN = 1L << 62;
    private static final int PAYLOAD_BYTES_KEPT = 64 << 10;
    private static final byte[] NONE = {};

    private final OffHeap memory;
    private final CRC32C crc = new CRC32C();
    private byte[] payload = NONE;
    private int length;
    private int entries;
    private int ranges; // that are deleted
    private long bodyBytes;
    private boolean hasOperands; // or had some that were taken back
    private MemTable table; // null before the first write
    private int put; // where the entry begins that is being added

    public OwnWrites(OffHeap memory) {
        this.memory = memory;
    }

    /** Makes room for a put behind the rest, and returns where key and value go; {@link #add} ends it. */
    public int beginPut(int keyLength, int valueLength) {
        int at = room(WritePayload.putBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(payload, at, keyLength, valueLength);
    }

    /** The same for an entry of another type, which has a time behind its value. */
    public int beginTimed(int type, int keyLength, int valueLength) {
        int at = room(WritePayload.putBytes(keyLength, valueLength) + WritePayload.TIME_BYTES);
        hasOperands |= type == WritePayload.MERGE;
        return WritePayload.encodeTimedHeader(payload, at, type, keyLength, valueLength);
    }

    /** The same for a delete. */
    public int beginDelete(int keyLength) {
        int at = room(WritePayload.deleteBytes(keyLength));
        return WritePayload.encodeDeleteHeader(payload, at, keyLength);
    }

    /** The same for the deletion of a range, whose two keys follow each other; {@link #addRange} ends it. */
    public int beginDeleteRange(int fromLength, int toLength) {
        int at = room(WritePayload.putBytes(fromLength, toLength));
        return WritePayload.encodeRangeHeader(payload, at, fromLength, toLength);
    }

    private int room(long bytes) {
        long needed = length + bytes;
        if (needed > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("the transaction would have " + needed + " bytes; split it");
        }
        if (needed > payload.length) {
            long doubled = Math.min(Integer.MAX_VALUE - 8, Math.max(256, 2L * payload.length));
            try {
                payload = Arrays.copyOf(payload, (int) Math.max(needed, doubled));
            } catch (OutOfMemoryError e) {
                throw new StoreMemoryException("the writes of a transaction", needed, e);
            }
        }
        put = length;
        return length;
    }

    /** Adds the entry that was begun, up to this index of the payload. */
    public void add(int end, long entryBodyBytes) {
        int reserved = table == null ? MemTable.NONE : table.reserve(entryBodyBytes, 1, OWN + entries);
        if (reserved == MemTable.NONE) {
            rebuild(bodyBytes + entryBodyBytes, entries + 1);
            reserved = table.reserve(entryBodyBytes, 1, OWN + entries);
        }
        table.insertAll(payload, put, end - put, OWN + entries, reserved);
        length = end;
        entries++;
        bodyBytes += entryBodyBytes;
    }

    /** The same if it deletes a range. */
    public void addRange(int end, long entryBodyBytes) {
        add(end, entryBodyBytes);
        ranges++;
    }

    /** Puts what there is into another table, which has room for that much. */
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
        if (entries > 0) {
            int reserved = table.reserve(bodyBytes, entries, OWN);
            assert reserved != MemTable.NONE : "a table that is too small";
            table.insertAll(payload, 0, length, OWN, reserved);
        }
    }

    /** Goes back to an earlier state. Nobody may read the table meanwhile. */
    public void truncate(int newLength, int newEntries, int newRanges, long newBodyBytes) {
        length = newLength;
        entries = newEntries;
        ranges = newRanges;
        bodyBytes = newBodyBytes;
        if (table != null) {
            table.reset(0, null);
            fill();
        }
    }

    /** Forgets all; keeps a small table. Nobody may read it any more. */
    public void clear() {
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        hasOperands = false;
        if (payload.length > PAYLOAD_BYTES_KEPT) {
            payload = NONE;
        }
        if (table != null && table.memoryBytes() > 4L * MemTable.tableBytes(MemTable.MIN_ARENA_BYTES)) {
            table = null;
        } else if (table != null) {
            table.reset(0, null);
        }
    }

    /** The entry of a key that counts, {@link #DELETED}, or {@link MemTable#NONE} if it was not written. */
    public int find(byte[] key, int keyLength) {
        if (entries == 0) {
            return MemTable.NONE;
        }
        int ref = table.find(key, 0, keyLength, KeyHash.hash(key, 0, keyLength), lastSequence());
        if (ranges > 0) {
            long deleted = table.ranges().newestCovering(key, 0, keyLength, lastSequence());
            if (deleted > (ref == MemTable.NONE ? 0 : table.sequence(ref))) {
                return DELETED;
            }
        }
        return ref;
    }

    /** The number of the last entry. */
    public long lastSequence() {
        return OWN + entries - 1;
    }

    /** Where entries are; null before the first one. It may be another after the next write. */
    public MemTable table() {
        return entries == 0 ? null : table;
    }

    /** Whether something is to be merged, or was. */
    public boolean hasOperands() {
        return hasOperands;
    }

    /** Has all operands be made at a time, before they are written. The table does not learn of it. */
    public void setOperandTimes(long time) {
        PayloadReader reader = new PayloadReader().reset(payload, 0, length);
        while (reader.next()) {
            if (reader.type() == WritePayload.MERGE) {
                WritePayload.putTime(payload, reader.keyIndex() + reader.keyLength() + reader.valueLength(), time);
            }
        }
    }

    public byte[] payload() {
        return payload;
    }

    /** Bytes of the payload. */
    public int length() {
        return length;
    }

    public int entries() {
        return entries;
    }

    /** Of the entries, those that delete ranges. */
    public int ranges() {
        return ranges;
    }

    public long bodyBytes() {
        return bodyBytes;
    }

    public int checksum() {
        return WritePayload.checksum(crc, payload, 0, length);
    }
}
