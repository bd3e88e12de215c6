package io.flexdb.internal.write;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.mem.MemTable;
import java.nio.ByteBuffer;

/** Tells which expired pairs a commit may leave out of the space. For the thread that commits. */
final class Reclaiming {
    /*
     * A view of the store that still shows a pair has a version with it (MVCC). A view that is taken when the pair is
     * gone has a later time than the pair's end. Without operands this would suffice. But an operand from before a
     * value's end goes into that value, and expires with it; without the value it would begin another. So a value stays
     * as long as any memtable but that of the value's own entry knows its key. Operands with lower times than the one
     * that counts here are in the memtables listed when that was taken: see CommitThread.
     */
    private long time = Long.MIN_VALUE;
    private MemTable[] tables = Committer.NO_TABLES;
    private boolean begun;
    private byte[] key = new byte[64];

    /**
     * Begins a commit.
     *
     * @param newTime pairs that have expired by then may go
     * @param withOperands all memtables that may have operands that were made before
     */
    void begin(long newTime, MemTable[] withOperands) {
        time = newTime;
        tables = withOperands;
        begun = true;
    }

    /** Pairs that have expired by then may go. */
    long time() {
        return time;
    }

    /** Whether one has begun, and not ended. */
    boolean isBegun() {
        return begun;
    }

    /** Lets the memtables go; nothing goes any more. */
    void end() {
        begin(Long.MIN_VALUE, Committer.NO_TABLES);
        begun = false;
    }

    /**
     * Whether a pair may go.
     *
     * @param own the memtable that has its entry, or null if it is in the space
     */
    boolean takes(long expiry, ByteBuffer from, int keyPosition, int keyLength, MemTable own) {
        return expiry <= time && (tables.length == 0 || !isKnown(from, keyPosition, keyLength, own));
    }

    private boolean isKnown(ByteBuffer from, int keyPosition, int keyLength, MemTable own) {
        if (key.length < keyLength) {
            key = new byte[keyLength];
        }
        from.get(keyPosition, key, 0, keyLength);
        long hash = KeyHash.hash(key, 0, keyLength);
        for (MemTable table : tables) {
            if (table != own && table.find(key, 0, keyLength, hash, Long.MAX_VALUE) != MemTable.NONE) {
                return true;
            }
        }
        return false;
    }
}
