package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The entries of a memtable in its arena, one a version. An entry is named by its position divided by 8, its ref, so
 * that every entry of the largest arena has a name of 28 bits; 0 names none.
 *
 * <p>The first entry of a key is its anchor: the hash index and the key tree lead to it for good, and it leads to the
 * key's newest version. Versions are linked from newer to older.
 *
 * <pre>
 * OFFSET  SIZE          FIELD
 * 0       8             sequence number
 * 8       4             value length
 * 12      2             key length
 * 14      1             type
 * 15      1             unused
 * 16      8             of an anchor: newest version of the key: number relative to the table's (36 bits) | ref (28 bits)
 * 24      4             next older version
 * 28      4             of an anchor: 1 once it is in the key tree; of others: jump, a version further back
 * 32      key length    key
 *         value length  value
 *         8             of types that have one: time; then up to 7 unused bytes
 * </pre>
 */
final class Nodes {
    static final int NONE = 0;
    static final int REF_BITS = 28;
    static final int HEADER_BYTES = 32;
    static final int FIRST_POSITION = 8;

    private static final int REF_MASK = (1 << REF_BITS) - 1;
    private static final int VALUE_LENGTH = 8;
    private static final int KEY_LENGTH = 12;
    private static final int TYPE = 14;
    private static final int NEWEST = 16;
    private static final int OLDER = 24;
    private static final int JUMP = 28;
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    final ByteBuffer arena;

    /** The least sequence number in the table; set before there are entries. */
    long baseSequence;

    Nodes(ByteBuffer arena) {
        this.arena = arena;
    }

    /** Bytes of an entry with so many behind its key, those of a time included. */
    static long bytes(int keyLength, int tailLength) {
        return (HEADER_BYTES + (long) keyLength + tailLength + 7) & -8L;
    }

    /** The ref in a word of 36 bits of something and a ref. */
    static int refOf(long word) {
        return (int) word & REF_MASK;
    }

    /** The number beside the ref in such a word. */
    static long numberOf(long word) {
        return word >>> REF_BITS;
    }

    static long word(long number, int ref) {
        return number << REF_BITS | ref;
    }

    /** Writes an entry, which nobody can see yet, as the anchor of its key. */
    void write(int ref, long sequence, byte[] source, PayloadReader entry) {
        int keyLength = entry.keyLength();
        int position = ref << 3;
        arena.putLong(position, sequence);
        arena.putInt(position + VALUE_LENGTH, entry.valueLength());
        arena.putInt(position + KEY_LENGTH, keyLength | entry.type() << 16);
        arena.putLong(position + NEWEST, word(sequence - baseSequence, ref));
        arena.putLong(position + OLDER, 0); // and JUMP
        arena.put(position + HEADER_BYTES, source, entry.keyIndex(), keyLength + entry.tailLength());
    }

    long sequence(int ref) {
        return arena.getLong(ref << 3);
    }

    int type(int ref) {
        return arena.get((ref << 3) + TYPE);
    }

    int keyLength(int ref) {
        return arena.getInt((ref << 3) + KEY_LENGTH) & 0xffff;
    }

    int valueLength(int ref) {
        return arena.getInt((ref << 3) + VALUE_LENGTH);
    }

    /** Bytes of a written entry. */
    long bytes(int ref) {
        return bytes(keyLength(ref), valueLength(ref) + WritePayload.timeBytes(type(ref)));
    }

    /** The time of an entry that has one. */
    long time(int ref) {
        return arena.getLong(valuePosition(ref) + valueLength(ref));
    }

    int keyPosition(int ref) {
        return (ref << 3) + HEADER_BYTES;
    }

    int valuePosition(int ref) {
        return (ref << 3) + HEADER_BYTES + keyLength(ref);
    }

    /** The order of an entry's key against a key in an array. */
    int compareKey(int ref, byte[] key, int offset, int length) {
        int position = ref << 3;
        return KeyBytes.compare(
                arena, position + HEADER_BYTES, arena.getInt(position + KEY_LENGTH) & 0xffff, key, offset, length);
    }

    long newest(int anchor) {
        return (long) LONGS.getAcquire(arena, (anchor << 3) + NEWEST);
    }

    boolean replaceNewest(int anchor, long expected, long word) {
        return LONGS.compareAndSet(arena, (anchor << 3) + NEWEST, expected, word);
    }

    int older(int ref) {
        return (int) INTS.getAcquire(arena, (ref << 3) + OLDER);
    }

    boolean replaceOlder(int ref, int expected, int older) {
        return INTS.compareAndSet(arena, (ref << 3) + OLDER, expected, older);
    }

    /** Of an entry that is no anchor. */
    int jump(int ref) {
        return arena.getInt((ref << 3) + JUMP);
    }

    /** Sets both links of an entry that nobody can see yet. */
    void setLinks(int ref, int older, int jump) {
        arena.putInt((ref << 3) + OLDER, older);
        arena.putInt((ref << 3) + JUMP, jump);
    }

    boolean isInTree(int anchor) {
        return (int) INTS.getAcquire(arena, (anchor << 3) + JUMP) != 0;
    }

    void setInTree(int anchor) {
        INTS.setRelease(arena, (anchor << 3) + JUMP, 1);
    }
}
