package io.flexdb.internal.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** From the hash of a key to its anchor, by open addressing in off-heap memory. */
final class HashIndex {
    /*
     * A slot is 36 bits of the hash beside a node's 28, 0 when empty. The slot is chosen by the other bits of the hash, so
     * a slot whose bits agree nearly always holds the key. A key has one slot, claimed by compare-and-set once and for all;
     * who claims it makes the key's anchor. Whatever becomes newer is found from the anchor, so slots do not change.
     */
    private static final int LEAST_SLOTS = 64;
    private static final int MOST_SLOTS = 1 << 27;
    private static final int ARENA_BYTES_PER_SLOT = 96;
    private static final VarHandle SLOTS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] ZEROS = new byte[4096];

    private final Nodes nodes;
    private final ByteBuffer slots;
    private final int mask;

    HashIndex(Nodes nodes, ByteBuffer slots) {
        this.nodes = nodes;
        this.slots = slots;
        this.mask = Integer.highestOneBit(slots.capacity() >> 3) - 1;
    }

    static int bytesFor(long arenaBytes) {
        long wanted = Math.max(LEAST_SLOTS, arenaBytes / ARENA_BYTES_PER_SLOT);
        long count = Long.highestOneBit(wanted);
        return (int) Math.min(MOST_SLOTS, count < wanted ? 2 * count : count) << 3;
    }

    /** Keys that may be added before lookups grow slow. */
    int maxKeys() {
        return maxKeysOfSlots(mask + 1);
    }

    /** The same for the index that belongs to an arena. */
    static int maxKeysOf(long arenaBytes) {
        return maxKeysOfSlots(bytesFor(arenaBytes) >>> 3);
    }

    /** Bytes of an arena whose index takes that many keys. */
    static long arenaBytesFor(int keys) {
        return (keys / 3 + 1) * 4L * ARENA_BYTES_PER_SLOT;
    }

    private static int maxKeysOfSlots(int slots) {
        return slots / 4 * 3;
    }

    void clear() {
        int end = mask + 1 << 3;
        for (int position = 0; position < end; position += ZEROS.length) {
            slots.put(position, ZEROS, 0, Math.min(ZEROS.length, end - position));
        }
    }

    /** The anchor of a key, or {@link Nodes#NONE}. */
    int find(byte[] key, int offset, int length, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        for (int slot = (int) hash & mask; ; slot = slot + 1 & mask) {
            long word = (long) SLOTS.getAcquire(slots, slot << 3);
            if (word == 0) {
                return Nodes.NONE;
            }
            if (Nodes.besides(word) == tag && nodes.compareKey(Nodes.refOf(word), key, offset, length) == 0) {
                return Nodes.refOf(word);
            }
        }
    }

    /** Makes a written entry the anchor of its key unless there is one, and returns the anchor. */
    int claim(int ref, byte[] key, int offset, int length, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        int slot = (int) hash & mask;
        while (true) {
            long word = (long) SLOTS.getAcquire(slots, slot << 3);
            if (word == 0) {
                if (SLOTS.compareAndSet(slots, slot << 3, 0L, Nodes.word(tag, ref))) {
                    return ref;
                }
                continue; // taken meanwhile, perhaps by the same key
            }
            if (Nodes.besides(word) == tag && nodes.compareKey(Nodes.refOf(word), key, offset, length) == 0) {
                return Nodes.refOf(word);
            }
            slot = slot + 1 & mask;
        }
    }

    /** Slots in use, counted. */
    int countKeys() {
        int count = 0;
        for (int slot = 0; slot <= mask; slot++) {
            count += slots.getLong(slot << 3) != 0 ? 1 : 0;
        }
        return count;
    }

    int slotCount() {
        return mask + 1;
    }
}
