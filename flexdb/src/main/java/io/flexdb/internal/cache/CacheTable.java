package io.flexdb.internal.cache;

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
     *
     * The reference bit is part of the location. Readers set it by compare-and-set, so they cannot bring back a
     * location that has been replaced, and only if it is not set, so that hot entries are not written.
     */
    static final int SLOTS = 8;
    static final int SLOT_BYTES = 2 * Long.BYTES;
    static final int BUCKET_BYTES = SLOTS * SLOT_BYTES;
    private static final long REFERENCED = 1L << 62;
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

    private int bucket(long content) {
        long mixed = content * 0x9E3779B97F4A7C15L;
        return (int) ((mixed >>> 32) * bucketCount >>> 32) * BUCKET_BYTES;
    }

    /** Where the image of a content number probably lies, or -1; marks it as referenced. Any thread. */
    long find(long content) {
        int bucket = bucket(content);
        for (int slot = bucket; slot < bucket + BUCKET_BYTES; slot += SLOT_BYTES) {
            if ((long) LONG.getVolatile(slots, slot) == content) {
                long location = (long) LONG.getVolatile(slots, slot + Long.BYTES);
                if ((location & REFERENCED) == 0) {
                    LONG.compareAndSet(slots, slot + Long.BYTES, location, location | REFERENCED);
                }
                return location & ~REFERENCED;
            }
        }
        return -1;
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
        return (long) LONG.getVolatile(slots, slot + Long.BYTES) & ~REFERENCED;
    }

    boolean isReferencedAt(int slot) {
        return ((long) LONG.getVolatile(slots, slot + Long.BYTES) & REFERENCED) != 0;
    }

    /** The slot for a new content number: an empty one, or one whose entry has to go. Under the lock. */
    int slotFor(long content) {
        int bucket = bucket(content);
        int notReferenced = -1;
        for (int i = 0; i < SLOTS; i++) {
            int slot = bucket + ((i + hand) & (SLOTS - 1)) * SLOT_BYTES;
            if (contentAt(slot) == 0) {
                return slot;
            }
            if (notReferenced < 0 && !isReferencedAt(slot)) {
                notReferenced = slot;
            }
        }
        hand++;
        return notReferenced >= 0 ? notReferenced : bucket + (hand & (SLOTS - 1)) * SLOT_BYTES;
    }

    /** Fills an empty slot. Under the lock. */
    void fill(int slot, long content, long location, boolean referenced) {
        LONG.setVolatile(slots, slot + Long.BYTES, referenced ? location | REFERENCED : location);
        LONG.setVolatile(slots, slot, content);
    }

    /** Changes where an image lies, and takes its reference bit away. Under the lock. */
    void move(int slot, long location) {
        LONG.setVolatile(slots, slot + Long.BYTES, location);
    }

    /** Empties a slot. Under the lock. */
    void empty(int slot) {
        LONG.setVolatile(slots, slot, 0L);
    }

    /** Empties all slots. Under the lock. */
    void clear() {
        for (int slot = 0; slot < bucketCount * BUCKET_BYTES; slot += SLOT_BYTES) {
            empty(slot);
        }
    }
}
