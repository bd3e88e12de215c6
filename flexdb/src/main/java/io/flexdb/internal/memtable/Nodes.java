package io.flexdb.internal.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The nodes of a memtable in its arena. A node is named by its position divided by 8, so that every node of the largest
 * arena has a name of 28 bits; 0 names none.
 *
 * <pre>
 * OFFSET        SIZE        FIELD
 * 0             8           sequence number
 * 8             4           value length
 * 12            2           key length
 * 14            1           type
 * 15            1           height, 1 to 12
 * 16            8 * height  links, lowest level first: tag of the next node (36 bits) | next node (28 bits)
 * 16+8*height   key length  key
 *               value length value, then up to 7 unused bytes
 * </pre>
 */
final class Nodes {
    static final int NONE = 0;
    /** The node before all others; it has the greatest height and no key. */
    static final int HEAD = 1;

    static final int MAX_HEIGHT = 12;
    static final int REF_BITS = 28;
    static final int HEADER_BYTES = 16;
    /** Where the first node after {@link #HEAD} may begin. */
    static final int FIRST_POSITION = 8 + HEADER_BYTES + 8 * MAX_HEIGHT;

    private static final int REF_MASK = (1 << REF_BITS) - 1;
    private static final int VALUE_LENGTH = 8;
    private static final int KEY_LENGTH = 12;
    private static final int TYPE = 14;
    private static final int HEIGHT = 15;
    private static final VarHandle LINKS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final ByteBuffer arena;

    Nodes(ByteBuffer arena) {
        this.arena = arena;
    }

    /** Bytes of a node without its links. */
    static long bodyBytes(int keyLength, int valueLength) {
        return (HEADER_BYTES + (long) keyLength + valueLength + 7) & -8L;
    }

    /** The height of the node with a sequence number: each level holds a quarter of the one below. */
    static int heightOf(long sequence) {
        long bits = sequence * 0x9e3779b97f4a7c15L;
        bits = (bits ^ bits >>> 32) * 0xd6e8feb86659fd93L;
        return 1 + Math.min(MAX_HEIGHT - 1, Long.numberOfLeadingZeros(bits) >>> 1);
    }

    static int linkRef(long link) {
        return (int) link & REF_MASK;
    }

    static long linkTag(long link) {
        return link >>> REF_BITS;
    }

    static long link(int ref, long tag) {
        return tag << REF_BITS | ref;
    }

    void writeHeader(int ref, long sequence, int type, int height, int keyLength, int valueLength) {
        int position = ref << 3;
        arena.putLong(position, sequence);
        arena.putInt(position + VALUE_LENGTH, valueLength);
        arena.putInt(position + KEY_LENGTH, keyLength | type << 16 | height << 24);
    }

    long sequence(int ref) {
        return arena.getLong(ref << 3);
    }

    int type(int ref) {
        return arena.get((ref << 3) + TYPE);
    }

    int height(int ref) {
        return arena.get((ref << 3) + HEIGHT);
    }

    int keyLength(int ref) {
        return arena.getInt((ref << 3) + KEY_LENGTH) & 0xffff;
    }

    int valueLength(int ref) {
        return arena.getInt((ref << 3) + VALUE_LENGTH);
    }

    int keyPosition(int ref) {
        return (ref << 3) + HEADER_BYTES + (height(ref) << 3);
    }

    int valuePosition(int ref) {
        int position = ref << 3;
        int word = arena.getInt(position + KEY_LENGTH);
        return position + HEADER_BYTES + (word >>> 24 << 3) + (word & 0xffff);
    }

    long linkAcquire(int ref, int level) {
        return (long) LINKS.getAcquire(arena, linkPosition(ref, level));
    }

    /** Sets a link of a node that no other thread can see yet at this level. */
    void setLink(int ref, int level, long link) {
        arena.putLong(linkPosition(ref, level), link);
    }

    boolean replaceLink(int ref, int level, long expected, long link) {
        return LINKS.compareAndSet(arena, linkPosition(ref, level), expected, link);
    }

    private static int linkPosition(int ref, int level) {
        return (ref + level << 3) + HEADER_BYTES;
    }

    /** The order of a node's key against a key in an array. */
    int compareKey(int ref, byte[] key, int offset, int length) {
        int position = ref << 3;
        int word = arena.getInt(position + KEY_LENGTH);
        return KeyOrder.compare(
                arena, position + HEADER_BYTES + (word >>> 24 << 3), word & 0xffff, key, offset, length);
    }

    /** The order of two nodes' keys. */
    int compareKeys(int ref, int other) {
        return KeyOrder.compare(arena, keyPosition(ref), keyLength(ref), keyPosition(other), keyLength(other));
    }
}
