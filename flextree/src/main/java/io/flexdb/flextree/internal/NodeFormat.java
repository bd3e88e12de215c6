package io.flexdb.flextree.internal;

import java.nio.ByteBuffer;

/**
 * Where the fields of a node are. Every position is relative to the node's first byte; little-endian.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 *      0     1  count of entries
 *      1     1  level, 0 for a leaf
 *      2     6  birth: the writer epoch in which the node was made
 *      8     4  slot of the node's image in the last checkpoint, 0 if it is in none
 *     12     4  CRC32C of that image
 *
 * leaf
 *     16   336  end, an int for each extent: its exclusive end relative to the start of the leaf
 *    352   672  word, a long for each extent: flags (16 bits) above the address (48 bits)
 *
 * internal node
 *     16   672  childStart, a long for each child: its start relative to the start of the node
 *    688   336  child, an int for each child: the node
 * </pre>
 */
public final class NodeFormat {
    /** Bytes of a node. */
    public static final int NODE_BYTES = 1024;
    /** Entries a node can hold. */
    public static final int MAX_CAPACITY = 84;
    /** The least capacity with which nodes can be split and merged sensibly. */
    public static final int MIN_CAPACITY = 4;
    /** The level no root exceeds: each level more needs at least twice the insertions. */
    public static final int MAX_LEVEL = 47;

    static final int STATE_OFFSET = 0;
    static final int SLOT_OFFSET = STATE_OFFSET + Long.BYTES;
    static final int CRC_OFFSET = SLOT_OFFSET + Integer.BYTES;
    static final int HEADER_BYTES = CRC_OFFSET + Integer.BYTES;
    static final int ENDS_OFFSET = HEADER_BYTES;
    static final int WORDS_OFFSET = ENDS_OFFSET + MAX_CAPACITY * Integer.BYTES;
    static final int STARTS_OFFSET = HEADER_BYTES;
    static final int CHILDREN_OFFSET = STARTS_OFFSET + MAX_CAPACITY * Long.BYTES;

    private static final int ADDRESS_BITS = 48;
    private static final long ADDRESS_MASK = (1L << ADDRESS_BITS) - 1;

    private NodeFormat() {}

    static long state(long birth, int level, int count) {
        return birth << 16 | level << 8 | count;
    }

    static long birth(long state) {
        return state >>> 16;
    }

    static int level(long state) {
        return (int) state >>> 8 & 0xff;
    }

    /** The entries of the node at this base. */
    public static int count(ByteBuffer buffer, int base) {
        return buffer.get(base) & 0xff;
    }

    static void setCount(ByteBuffer buffer, int base, int count) {
        buffer.put(base, (byte) count);
    }

    /** The exclusive end of extent i, relative to the leaf. */
    public static int end(ByteBuffer leaf, int base, int i) {
        return leaf.getInt(base + ENDS_OFFSET + i * Integer.BYTES);
    }

    static void setEnd(ByteBuffer leaf, int base, int i, int end) {
        leaf.putInt(base + ENDS_OFFSET + i * Integer.BYTES, end);
    }

    /** The start of extent i, relative to the leaf. */
    public static int start(ByteBuffer leaf, int base, int i) {
        return i == 0 ? 0 : end(leaf, base, i - 1);
    }

    /** Address and flags of extent i. */
    public static long word(ByteBuffer leaf, int base, int i) {
        return leaf.getLong(base + WORDS_OFFSET + i * Long.BYTES);
    }

    static void setWord(ByteBuffer leaf, int base, int i, long word) {
        leaf.putLong(base + WORDS_OFFSET + i * Long.BYTES, word);
    }

    /** The start of child i, relative to the node. */
    public static long childStart(ByteBuffer node, int base, int i) {
        return node.getLong(base + STARTS_OFFSET + i * Long.BYTES);
    }

    static void setChildStart(ByteBuffer node, int base, int i, long start) {
        node.putLong(base + STARTS_OFFSET + i * Long.BYTES, start);
    }

    /** Child i. */
    public static int child(ByteBuffer node, int base, int i) {
        return node.getInt(base + CHILDREN_OFFSET + i * Integer.BYTES);
    }

    static void setChild(ByteBuffer node, int base, int i, int child) {
        node.putInt(base + CHILDREN_OFFSET + i * Integer.BYTES, child);
    }

    /** The child that holds the byte at this offset relative to the node. */
    public static int childAt(ByteBuffer node, int base, int count, long relative) {
        // Halving without an early exit compiles to conditional moves: there is no branch to mispredict.
        int low = 0;
        for (int n = count; n > 1; ) {
            int half = n >>> 1;
            low = childStart(node, base, low + half) <= relative ? low + half : low;
            n -= half;
        }
        return low;
    }

    /** The extent that holds the byte at this offset relative to the leaf. */
    public static int extentAt(ByteBuffer leaf, int base, int count, int relative) {
        int low = 0;
        for (int n = count; n > 1; ) {
            int half = n >>> 1;
            low = end(leaf, base, low + half - 1) <= relative ? low + half : low;
            n -= half;
        }
        return low;
    }

    static long word(long address, int flags) {
        return (long) flags << ADDRESS_BITS | address;
    }

    /** The address in a word. */
    public static long address(long word) {
        return word & ADDRESS_MASK;
    }

    /** The flags in a word. */
    public static int flags(long word) {
        return (int) (word >>> ADDRESS_BITS);
    }

    /** Whether a word stands for a hole. */
    public static boolean isHole(long word) {
        return (word & ADDRESS_MASK) == ADDRESS_MASK; // the largest address
    }

    /** The address some bytes into an extent; that of a hole stays. */
    public static long addressAt(long word, long bytes) {
        return isHole(word) ? ADDRESS_MASK : address(word) + bytes;
    }

    /** The word of what remains of an extent without its first bytes. */
    static long advance(long word, long bytes) {
        return isHole(word) ? word : word + bytes;
    }
}
