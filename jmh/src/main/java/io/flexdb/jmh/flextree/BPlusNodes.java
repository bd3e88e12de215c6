package io.flexdb.jmh.flextree;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * The nodes of a {@link BPlusTree}, off-heap, named by a positive {@code int}. Little-endian; offsets are absolute.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 *      0     4  count of entries
 *      4    12  not used
 *
 * leaf
 *     16   496  end, a long for each extent: its exclusive end; the largest long beyond the last extent
 *    512   496  address, a long for each extent
 *
 * internal node
 *     16   672  childStart, a long for each child: where its first extent begins; the largest long beyond the last child
 *    688   336  child, an int for each child: the node
 * </pre>
 */
final class BPlusNodes {
    /*
     * As in the pool of FlexTree, a node lies within one chunk, a direct buffer, and begins with a cache line. Each
     * chunk is seen through a LongBuffer too: the loop that shifts offsets runs a third faster on one.
     */
    static final int NODE_BYTES = 1024;
    static final int LEAF_CAPACITY = 62;
    static final int INTERNAL_CAPACITY = 84;

    private static final int POSITIONS_OFFSET = 16; // ends of a leaf, childStarts of an internal node
    private static final int ADDRESSES_OFFSET = POSITIONS_OFFSET + LEAF_CAPACITY * Long.BYTES;
    private static final int CHILDREN_OFFSET = POSITIONS_OFFSET + INTERNAL_CAPACITY * Long.BYTES;

    private static final int CHUNK_SHIFT = 8;
    private static final int CHUNK_NODES = 1 << CHUNK_SHIFT;
    private static final int CHUNK_BYTES = CHUNK_NODES * NODE_BYTES;
    private static final int CACHE_LINE_BYTES = 64;

    private ByteBuffer[] chunks = new ByteBuffer[4];
    private LongBuffer[] longs = new LongBuffer[4];
    private int chunkCount;
    private int neverUsed = 1; // the next node that was never allocated; 0 means "none"
    private final IntArrayList freeNodes = new IntArrayList();

    /** A node without entries. */
    int allocate() {
        int node = freeNodes.isEmpty() ? neverUsed++ : freeNodes.popInt();
        if (node >>> CHUNK_SHIFT == chunkCount) {
            addChunk();
        }
        ByteBuffer buffer = chunk(node);
        buffer.putInt(base(node), INTERNAL_CAPACITY);
        setCount(buffer, base(node), 0);
        return node;
    }

    private void addChunk() {
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
            longs = Arrays.copyOf(longs, 2 * chunkCount);
        }
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES + CACHE_LINE_BYTES)
                .alignedSlice(CACHE_LINE_BYTES)
                .slice(0, CHUNK_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        chunks[chunkCount] = chunk;
        longs[chunkCount++] = chunk.asLongBuffer();
    }

    void free(int node) {
        freeNodes.pushInt(node);
    }

    /** Nodes allocated and not freed. */
    long liveCount() {
        return neverUsed - 1L - freeNodes.size();
    }

    long memoryBytes() {
        return (long) chunkCount * CHUNK_BYTES;
    }

    /** The buffer that holds a node. */
    ByteBuffer chunk(int node) {
        return chunks[node >>> CHUNK_SHIFT];
    }

    /** The position of a node's first byte in its buffer. */
    static int base(int node) {
        return (node & CHUNK_NODES - 1) * NODE_BYTES;
    }

    /** Adds to the positions of the entries [from, to) of a node of either kind. */
    void shift(int node, int from, int to, long bytes) {
        LongBuffer positions = longs[node >>> CHUNK_SHIFT];
        int first = (base(node) + POSITIONS_OFFSET) / Long.BYTES;
        for (int at = first + from, stop = first + to; at < stop; at++) {
            positions.put(at, positions.get(at) + bytes);
        }
    }

    /** Moves entries from one index, of one node, to another index, of the same node or of another one. */
    void copyEntries(int source, int from, int target, int to, int level, int entries) {
        ByteBuffer sourceBuffer = chunk(source);
        ByteBuffer targetBuffer = chunk(target);
        int sourceBase = base(source);
        int base = base(target);
        int second = level == 0 ? ADDRESSES_OFFSET : CHILDREN_OFFSET;
        int secondBytes = level == 0 ? Long.BYTES : Integer.BYTES;
        targetBuffer.put(
                base + POSITIONS_OFFSET + to * Long.BYTES,
                sourceBuffer,
                sourceBase + POSITIONS_OFFSET + from * Long.BYTES,
                entries * Long.BYTES);
        targetBuffer.put(
                base + second + to * secondBytes,
                sourceBuffer,
                sourceBase + second + from * secondBytes,
                entries * secondBytes);
    }

    int count(int node) {
        return count(chunk(node), base(node));
    }

    static int count(ByteBuffer buffer, int base) {
        return buffer.getInt(base);
    }

    /** Sets the count, and leaves no positions beyond it, so that searches need not know it. */
    static void setCount(ByteBuffer buffer, int base, int count) {
        for (int i = count, before = count(buffer, base); i < before; i++) {
            setPosition(buffer, base, i, Long.MAX_VALUE);
        }
        buffer.putInt(base, count);
    }

    /** The end of extent i of a leaf, or the start of child i of an internal node. */
    static long position(ByteBuffer buffer, int base, int i) {
        return buffer.getLong(base + POSITIONS_OFFSET + i * Long.BYTES);
    }

    static void setPosition(ByteBuffer buffer, int base, int i, long position) {
        buffer.putLong(base + POSITIONS_OFFSET + i * Long.BYTES, position);
    }

    static long address(ByteBuffer leaf, int base, int i) {
        return leaf.getLong(base + ADDRESSES_OFFSET + i * Long.BYTES);
    }

    static void setExtent(ByteBuffer leaf, int base, int i, long end, long address) {
        setPosition(leaf, base, i, end);
        leaf.putLong(base + ADDRESSES_OFFSET + i * Long.BYTES, address);
    }

    static int child(ByteBuffer node, int base, int i) {
        return node.getInt(base + CHILDREN_OFFSET + i * Integer.BYTES);
    }

    static void setChild(ByteBuffer node, int base, int i, long start, int child) {
        setPosition(node, base, i, start);
        node.putInt(base + CHILDREN_OFFSET + i * Integer.BYTES, child);
    }

    /** The child that holds the byte at an offset: the last one that starts no later. */
    static int childAt(ByteBuffer node, int base, long logicalOffset) {
        int line = notGreater(position(node, base, 5), logicalOffset)
                + notGreater(position(node, base, 13), logicalOffset)
                + notGreater(position(node, base, 21), logicalOffset)
                + notGreater(position(node, base, 29), logicalOffset)
                + notGreater(position(node, base, 37), logicalOffset)
                + notGreater(position(node, base, 45), logicalOffset)
                + notGreater(position(node, base, 53), logicalOffset)
                + notGreater(position(node, base, 61), logicalOffset)
                + notGreater(position(node, base, 69), logicalOffset)
                + notGreater(position(node, base, 77), logicalOffset);
        int low = Math.max(8 * line - 3, 0); // as in FlexTree, the last start in each cache line first
        low = position(node, base, low + 4) <= logicalOffset ? low + 4 : low;
        low = position(node, base, low + 2) <= logicalOffset ? low + 2 : low;
        int next = Math.min(low + 1, INTERNAL_CAPACITY - 1);
        return position(node, base, next) <= logicalOffset ? next : low;
    }

    private static int notGreater(long position, long logicalOffset) {
        return (int) (position - 1 - logicalOffset >>> 63);
    }

    /** Begins to bring the addresses of a leaf from memory while the ends are searched, as FlexTree does. */
    static void touchAddresses(ByteBuffer leaf, int base) {
        long read = 0;
        for (int at = base + ADDRESSES_OFFSET; at < base + NODE_BYTES; at += 2 * CACHE_LINE_BYTES) {
            read |= leaf.getLong(at);
        }
        if ((read | 1) == 0) {
            throw new AssertionError(); // never
        }
    }

    /** The extent that holds the byte at an offset, which is not beyond the last one: the first that ends after it. */
    static int extentAt(ByteBuffer leaf, int base, long logicalOffset) {
        int line = 0; // as in FlexTree, the last end in each cache line first
        for (int i = 5; i < LEAF_CAPACITY; i += 8) {
            line += notGreater(position(leaf, base, i), logicalOffset);
        }
        int low = Math.max(8 * line - 2, 0);
        low = position(leaf, base, low + 3) <= logicalOffset ? low + 4 : low;
        low = position(leaf, base, low + 1) <= logicalOffset ? low + 2 : low;
        return position(leaf, base, low) <= logicalOffset ? low + 1 : low;
    }
}
