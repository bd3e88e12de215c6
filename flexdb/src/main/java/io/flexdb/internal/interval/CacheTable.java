package io.flexdb.internal.interval;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * From content numbers to where their directories lie. Read by any thread, changed under the cache's lock.
 */
final class CacheTable {
    /*
     * Buckets of eight slots {content number, location}, off-heap. A content number has one bucket; a full bucket gives
     * up one of its entries. A slot is emptied by a content number of 0 and filled location first, so a reader that
     * meets a number reads a location that is this entry's or one of a later entry. The reader tells by the number in
     * the directory, whose memory stays what it is while the reader is inside its short read.
     */
    static final int SLOTS = 8;
    static final int SLOT_BYTES = 2 * Long.BYTES;
    static final int BUCKET_BYTES = SLOTS * SLOT_BYTES;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer slots;
    private final int bucketCount;
    private int hand;

    /** @param memory so many bytes of zeros as {@link #memoryBytes} says */
    CacheTable(int bucketCount, ByteBuffer memory) {
        this.bucketCount = bucketCount;
        this.slots = memory.alignedSlice(BUCKET_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int memoryBytes(int bucketCount) {
        return (bucketCount + 1) * BUCKET_BYTES;
    }

    int bucketCount() {
        return bucketCount;
    }

    /** How many slots there are. */
    int slotCount() {
        return bucketCount * SLOTS;
    }

    /** Off-heap bytes held. */
    int memoryBytes() {
        return memoryBytes(bucketCount);
    }

    /** The slot of a number from 0 on. */
    static int slot(int number) {
        return number * SLOT_BYTES;
    }

    private int bucket(long content) {
        long mixed = content * 0x9E3779B97F4A7C15L;
        return (int) ((mixed >>> 32) * bucketCount >>> 32) * BUCKET_BYTES;
    }

    /** Where the directory of a content number probably lies, or -1. Any thread. */
    long find(long content) {
        int slot = slotOf(content);
        return slot < 0 ? -1 : locationAt(slot);
    }

    /** The slot of a content number, or -1. Any thread, though it may be another's a moment later. */
    int slotOf(long content) {
        int bucket = bucket(content);
        for (int slot = bucket; slot < bucket + BUCKET_BYTES; slot += SLOT_BYTES) {
            if ((long) LONG.getVolatile(slots, slot) == content) {
                return slot;
            }
        }
        return -1;
    }

    long contentAt(int slot) {
        return (long) LONG.getVolatile(slots, slot);
    }

    long locationAt(int slot) {
        return (long) LONG.getVolatile(slots, slot + Long.BYTES);
    }

    /**
     * The slot for a new content number: an empty one, or one whose entry has to go, that of a pair if there is one, and
     * else each in turn. Under the lock.
     */
    int slotFor(long content) {
        int bucket = bucket(content);
        for (int slot = bucket; slot < bucket + BUCKET_BYTES; slot += SLOT_BYTES) {
            if (contentAt(slot) == 0) {
                return slot;
            }
        }
        int next = hand++;
        for (int tries = 0; tries < SLOTS; tries++) {
            int slot = bucket + (next + tries & SLOTS - 1) * SLOT_BYTES;
            if (KeptPair.isNumberOfPair(contentAt(slot))) {
                return slot;
            }
        }
        return bucket + (next & SLOTS - 1) * SLOT_BYTES;
    }

    /** Whether there is a slot for a new pair, for which nothing but a pair would have to go. Under the lock. */
    boolean hasRoomForPair(long number) {
        int bucket = bucket(number);
        for (int slot = bucket; slot < bucket + BUCKET_BYTES; slot += SLOT_BYTES) {
            long content = contentAt(slot);
            if (content == 0 || KeptPair.isNumberOfPair(content)) {
                return true;
            }
        }
        return false;
    }

    /** Fills an empty slot. Under the lock. */
    void fill(int slot, long content, long location) {
        LONG.setVolatile(slots, slot + Long.BYTES, location);
        LONG.setVolatile(slots, slot, content);
    }

    /** Changes where a directory lies. Under the lock. */
    void move(int slot, long location) {
        LONG.setVolatile(slots, slot + Long.BYTES, location);
    }

    /** Empties a slot. Under the lock. */
    void empty(int slot) {
        LONG.setVolatile(slots, slot, 0L);
    }
}
