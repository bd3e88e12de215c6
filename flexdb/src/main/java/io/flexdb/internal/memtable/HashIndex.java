package io.flexdb.internal.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** From the hash of a key to its newest entry, by open addressing in off-heap memory. */
final class HashIndex {
    /*
     * A slot is 36 bits of the hash beside a node's 28, 0 when empty. The slot is chosen by the other bits of the hash, so
     * a slot whose bits agree nearly always holds the key. A key has one slot, claimed by compare-and-set, which only ever
     * moves to a higher sequence number: a reader that finds an entry it may see has found the newest one it may see.
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
        return (mask + 1) / 4 * 3;
    }

    void clear() {
        int end = mask + 1 << 3;
        for (int position = 0; position < end; position += ZEROS.length) {
            slots.put(position, ZEROS, 0, Math.min(ZEROS.length, end - position));
        }
    }

    /** The newest entry of a key, or {@link Nodes#NONE}. */
    int find(byte[] key, int offset, int length, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        for (int slot = (int) hash & mask; ; slot = slot + 1 & mask) {
            long word = (long) SLOTS.getAcquire(slots, slot << 3);
            if (word == 0) {
                return Nodes.NONE;
            }
            if (Nodes.linkTag(word) == tag && nodes.compareKey(Nodes.linkRef(word), key, offset, length) == 0) {
                return Nodes.linkRef(word);
            }
        }
    }

    /** Makes an entry findable unless a newer one of its key is; returns whether the key is new to the index. */
    boolean add(int ref, byte[] key, int offset, int length, long sequence, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        long entry = Nodes.link(ref, tag);
        int slot = (int) hash & mask;
        while (true) {
            long word = (long) SLOTS.getAcquire(slots, slot << 3);
            if (word == 0) {
                if (SLOTS.compareAndSet(slots, slot << 3, 0L, entry)) {
                    return true;
                }
                continue; // taken meanwhile, perhaps by the same key
            }
            int other = Nodes.linkRef(word);
            if (Nodes.linkTag(word) != tag || nodes.compareKey(other, key, offset, length) != 0) {
                slot = slot + 1 & mask;
                continue;
            }
            if (nodes.sequence(other) > sequence || SLOTS.compareAndSet(slots, slot << 3, word, entry)) {
                return false;
            }
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
