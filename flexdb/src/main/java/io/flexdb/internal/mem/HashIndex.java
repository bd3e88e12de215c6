package io.flexdb.internal.mem;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Leads from the hash of a key to its anchor, by open addressing in off-heap memory. */
final class HashIndex {
    /*
     * A slot is 36 bits of the hash beside a node's 28, 0 when empty. The slot is chosen by the other bits of the hash,
     * so a slot whose bits agree nearly always holds the key. A key has one slot, claimed by compare-and-set once and
     * for all; the thread that claims it makes the key's anchor. The anchor leads to newer entries, so slots do not
     * change.
     *
     * A key that collides with too many others has no slot, so collisions, by chance or by choice, cost no more than a
     * search of the key tree. As slots do not change, every search for such a key gives up at the same slot.
     */
    /** Instead of an anchor: only the key tree knows. */
    static final int CROWDED = -1;

    /** Slots read before giving up, 4 KiB of them. Runs as long as this do not come about by chance. */
    static final int MAX_SLOTS_READ = 512;

    /** Other keys compared before giving up; one is rare, two mean hashes that agree. */
    static final int MAX_OTHERS = 8;

    private static final int MIN_SLOTS = 64;
    private static final int MAX_SLOTS = 1 << 27;
    private static final int ARENA_BYTES_PER_SLOT = 96;
    private static final VarHandle SLOTS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] ZEROS = new byte[4096];

    private final Nodes nodes;
    final ByteBuffer slots;
    final int mask;

    HashIndex(Nodes nodes, ByteBuffer slots) {
        this.nodes = nodes;
        this.slots = slots;
        this.mask = Integer.highestOneBit(slots.capacity() >> 3) - 1;
    }

    static int bytesFor(long arenaBytes) {
        long wanted = Math.max(MIN_SLOTS, arenaBytes / ARENA_BYTES_PER_SLOT);
        long count = Long.highestOneBit(wanted);
        return (int) Math.min(MAX_SLOTS, count < wanted ? 2 * count : count) << 3;
    }

    /** Keys that may be added before lookups grow slow. */
    int maxKeys() {
        return maxKeysOfSlots(mask + 1);
    }

    /** Keys that may be added to the index of an arena of so many bytes before lookups grow slow. */
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

    /** The anchor of a key, {@link Nodes#NONE} or {@link #CROWDED}. */
    int find(byte[] key, int offset, int length, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        int slot = (int) hash & mask;
        int others = 0;
        for (int end = slot + MAX_SLOTS_READ; slot < end; slot++) {
            long word = (long) SLOTS.getAcquire(slots, (slot & mask) << 3);
            if (word == 0) {
                return Nodes.NONE;
            }
            if (Nodes.numberOf(word) == tag) {
                if (nodes.compareKey(Nodes.refOf(word), key, offset, length) == 0) {
                    return Nodes.refOf(word);
                }
                if (++others == MAX_OTHERS) {
                    return CROWDED;
                }
            }
        }
        return CROWDED;
    }

    /**
     * Makes a written entry the anchor of its key unless there is one, and returns the anchor, or {@link #CROWDED} if
     * the key can have no slot.
     */
    int claim(int ref, byte[] key, int offset, int length, long hash) {
        long tag = hash >>> Nodes.REF_BITS;
        int slot = (int) hash & mask;
        int end = slot + MAX_SLOTS_READ;
        int others = 0;
        while (slot < end) {
            int position = (slot & mask) << 3;
            long word = (long) SLOTS.getAcquire(slots, position);
            if (word == 0) {
                if (SLOTS.compareAndSet(slots, position, 0L, Nodes.word(tag, ref))) {
                    return ref;
                }
                continue; // taken meanwhile, perhaps by the same key
            }
            if (Nodes.numberOf(word) == tag) {
                if (nodes.compareKey(Nodes.refOf(word), key, offset, length) == 0) {
                    return Nodes.refOf(word);
                }
                if (++others == MAX_OTHERS) {
                    return CROWDED;
                }
            }
            slot++;
        }
        return CROWDED;
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
