package io.flexdb.flextree.internal.tree;

import io.flexdb.base.memory.NodePool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the fields of a node are, and the search in it. Every position is relative to the node's first byte, which
 * begins a cache line; little-endian.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 *      0     1  count of entries
 *      1     1  level, 0 for a leaf
 *      2     6  birth: the writer epoch in which the node was made
 *      8     4  slot of the node's image in the last checkpoint, 0 if it is in none; the highest bit is set once the
 *               node has been retired
 *     12     4  CRC32C of that image
 *
 * leaf
 *     16   336  end, an int for each extent: its exclusive end relative to the start of the leaf; the largest int
 *               beyond the last extent
 *    352   672  word, a long for each extent: flags (16 bits) above the address (48 bits)
 *
 * internal node
 *     16   672  childStart, a long for each child: its start relative to the start of the node; the largest long
 *               beyond the last child
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
    /** Bytes that an extent has at most: with so many, 84 of them have positions of 31 bits in a leaf. */
    public static final int MAX_EXTENT_BYTES = 1 << 24;
    /** The address of a hole, which is the largest. */
    public static final long HOLE = (1L << 48) - 1;
    /** The level no root exceeds: each level more needs at least twice the insertions. */
    public static final int MAX_LEVEL = 47;

    static final int STATE_OFFSET = 0;
    static final int SLOT_OFFSET = STATE_OFFSET + Long.BYTES;
    public static final int CRC_OFFSET = SLOT_OFFSET + Integer.BYTES;
    static final int HEADER_BYTES = CRC_OFFSET + Integer.BYTES;
    public static final int ENDS_OFFSET = HEADER_BYTES;
    public static final int WORDS_OFFSET = ENDS_OFFSET + MAX_CAPACITY * Integer.BYTES;
    static final int STARTS_OFFSET = HEADER_BYTES;
    static final int CHILDREN_OFFSET = STARTS_OFFSET + MAX_CAPACITY * Long.BYTES;

    private static final int CACHE_LINE_BYTES = 64;
    // From here on a word in two cache lines each, of which processors bring both. The search reads the line before.
    private static final int FIRST_WORD_TOUCHED = 6 * CACHE_LINE_BYTES;

    // The thread that saves a node and the writer that retires it may meet at its slot; each must know who came first.
    private static final VarHandle SLOT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int RETIRED = 1 << 31;

    private static final int ADDRESS_BITS = 48;

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

    /** The slot of a node's image, 0 if it has none. */
    public static int slot(ByteBuffer buffer, int base) {
        return buffer.getInt(base + SLOT_OFFSET) & ~RETIRED;
    }

    /** Marks a node as retired, and returns the slot of its image, 0 if it has none. */
    static int retireSlot(ByteBuffer buffer, int base) {
        return (int) SLOT.getAndBitwiseOr(buffer, base + SLOT_OFFSET, RETIRED) & ~RETIRED;
    }

    /** Notes the image of a node that was made from it, and that nobody else knows yet. */
    public static void setImageOfNew(ByteBuffer buffer, int base, int slot, int crc) {
        buffer.putInt(base + SLOT_OFFSET, slot);
        buffer.putInt(base + CRC_OFFSET, crc);
    }

    /**
     * Notes the image of a node that has none.
     *
     * @return false if the node has been retired before, so that nobody else will give the slot back
     */
    public static boolean setImage(ByteBuffer buffer, int base, int slot, int crc) {
        buffer.putInt(base + CRC_OFFSET, crc);
        return (int) SLOT.getAndBitwiseOr(buffer, base + SLOT_OFFSET, slot) != RETIRED;
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

    public static void setChildStart(ByteBuffer node, int base, int i, long start) {
        node.putLong(base + STARTS_OFFSET + i * Long.BYTES, start);
    }

    /** Child i. */
    public static int child(ByteBuffer node, int base, int i) {
        return node.getInt(base + CHILDREN_OFFSET + i * Integer.BYTES);
    }

    public static void setChild(ByteBuffer node, int base, int i, int child) {
        node.putInt(base + CHILDREN_OFFSET + i * Integer.BYTES, child);
    }

    /*
     * The searches make the same steps whatever the node holds, so that no branch is mispredicted: what is beyond the
     * last entry is greater than every offset, and the comparisons compile to conditional moves.
     */

    /**
     * The child that holds the byte at this offset relative to the node, of a node that may be in no cache: it waits
     * for memory once.
     */
    public static int childAt(ByteBuffer node, int base, long relative) {
        // The first step looks at the last start in each cache line: these loads do not wait for each other, where
        // halving would wait for memory several times. The rest stays in that line.
        int starts = base + STARTS_OFFSET;
        int line = notGreater(node.getLong(starts + 5 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 13 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 21 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 29 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 37 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 45 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 53 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 61 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 69 * Long.BYTES), relative)
                + notGreater(node.getLong(starts + 77 * Long.BYTES), relative);
        int low = Math.max(8 * line - 3, 0);
        low = node.getLong(starts + (low + 4) * Long.BYTES) <= relative ? low + 4 : low;
        low = node.getLong(starts + (low + 2) * Long.BYTES) <= relative ? low + 2 : low;
        int next = Math.min(low + 1, MAX_CAPACITY - 1); // the last line is shorter
        return node.getLong(starts + next * Long.BYTES) <= relative ? next : low;
    }

    /** The child that {@link #childAt} finds, by halving, which takes fewer steps: for nodes that are in the caches. */
    static int cachedChildAt(ByteBuffer node, int base, long relative) {
        int starts = base + STARTS_OFFSET;
        int low = node.getLong(starts + 20 * Long.BYTES) <= relative ? 20 : 0; // 64 entries are left
        low = node.getLong(starts + (low + 32) * Long.BYTES) <= relative ? low + 32 : low;
        low = node.getLong(starts + (low + 16) * Long.BYTES) <= relative ? low + 16 : low;
        low = node.getLong(starts + (low + 8) * Long.BYTES) <= relative ? low + 8 : low;
        low = node.getLong(starts + (low + 4) * Long.BYTES) <= relative ? low + 4 : low;
        low = node.getLong(starts + (low + 2) * Long.BYTES) <= relative ? low + 2 : low;
        return node.getLong(starts + (low + 1) * Long.BYTES) <= relative ? low + 1 : low;
    }

    /**
     * The extent that holds the byte at this offset relative to the leaf. It waits for memory once, as {@link
     * #childAt}.
     */
    public static int extentAt(ByteBuffer leaf, int base, int relative) {
        int ends = base + ENDS_OFFSET;
        int line = notGreater(leaf.getInt(ends + 11 * Integer.BYTES), relative)
                + notGreater(leaf.getInt(ends + 27 * Integer.BYTES), relative)
                + notGreater(leaf.getInt(ends + 43 * Integer.BYTES), relative)
                + notGreater(leaf.getInt(ends + 59 * Integer.BYTES), relative)
                + notGreater(leaf.getInt(ends + 75 * Integer.BYTES), relative);
        int low = Math.max(16 * line - 4, 0);
        low = leaf.getInt(ends + (low + 7) * Integer.BYTES) <= relative ? low + 8 : low;
        low = leaf.getInt(ends + (low + 3) * Integer.BYTES) <= relative ? low + 4 : low;
        low = leaf.getInt(ends + (low + 1) * Integer.BYTES) <= relative ? low + 2 : low;
        return leaf.getInt(ends + low * Integer.BYTES) <= relative ? low + 1 : low;
    }

    /**
     * Begins to bring the words of a leaf from memory. For who is going to search for one of them: the search waits for
     * the ends, and then there would be another wait for the word.
     */
    public static void touchWords(ByteBuffer leaf, int base) {
        long read = 0;
        for (int at = base + FIRST_WORD_TOUCHED; at < base + NODE_BYTES; at += 2 * CACHE_LINE_BYTES) {
            read |= leaf.getLong(at);
        }
        if ((read | 1) == 0) {
            throw new AssertionError(); // never: it makes the JIT read, and the processor does not wait for a branch
        }
    }

    /** 1 if a position is not greater than an offset, else 0; neither is negative. */
    private static int notGreater(long position, long relative) {
        return (int) ((position - 1 - relative) >>> 63);
    }

    private static int notGreater(int position, int relative) {
        return (position - 1 - relative) >>> 31;
    }

    /** The position of a node's first byte in its chunk. */
    public static int base(int node) {
        return (node & NodePool.NODES_IN_CHUNK - 1) * NODE_BYTES;
    }

    static long word(long address, int flags) {
        return (long) flags << ADDRESS_BITS | address;
    }

    /** The address in a word. */
    public static long address(long word) {
        return word & HOLE; // which has all bits of an address
    }

    /** The flags in a word. */
    public static int flags(long word) {
        return (int) (word >>> ADDRESS_BITS);
    }

    /** Whether a word stands for a hole. */
    public static boolean isHole(long word) {
        return (word & HOLE) == HOLE;
    }

    /** The address some bytes into an extent; that of a hole stays. */
    public static long addressAt(long word, long bytes) {
        return isHole(word) ? HOLE : address(word) + bytes;
    }

    /** The word of what remains of an extent without its first bytes. */
    static long advance(long word, long bytes) {
        return isHole(word) ? word : word + bytes;
    }
}
