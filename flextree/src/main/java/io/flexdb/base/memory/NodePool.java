package io.flexdb.base.memory;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Fixed-size off-heap nodes, named by a positive {@code int}. Allocation and retirement are the writer's; any thread
 * may read nodes that a published version reaches.
 */
public final class NodePool {
    /*
     * A node lies within one chunk, a direct little-endian buffer, so that a caller resolves the chunk once a node and
     * then uses plain absolute accesses. Nodes begin with a cache line, so that no more lines are
     * touched than there are in a node. Chunks are never given back: the JDK frees direct memory only by garbage
     * collection, so nodes are reused for the pool's life. The table of chunks is replaced when it grows; a reader
     * that got its version through a volatile read sees a table that holds every node of that version, be it the one of
     * then or a later one, which it may meet at any time.
     *
     * Node 0 does not exist, so 0 can mean "none".
     *
     * The first chunks are shorter, so that a pool of few nodes takes little memory. The numbers that they have no room
     * for do not exist either, so that a number leads to its chunk by a shift, whichever that is.
     */
    public static final int NODES_IN_CHUNK = 256; // a constant: the table is consulted for every node of every descent
    private static final int CHUNK_SHIFT = Integer.numberOfTrailingZeros(NODES_IN_CHUNK);
    private static final int CACHE_LINE_BYTES = 64;
    private static final int MAX_NODE_BYTES = 1 << 16;
    private static final int FIRST_NODES = 16; // in the first chunk; twice as many in the next, and so on

    private final int nodeBytes;
    private final ChunkSource source;
    private final RetiredQueue retired;
    private ByteBuffer[] chunks = new ByteBuffer[1];
    private int chunkCount;
    private int neverUsed = 1; // the next node that was never allocated, if its chunk has it
    private long neverUsedCount; // in the chunks that there are
    private int[] freeNodes = new int[256];
    private int freeCount;
    private long liveCount;

    /**
     * @param epochs the readers that decide when a retired node is free
     * @param nodeBytes bytes of a node, a power of two
     * @param memory where it comes from
     * @param use what it is for
     */
    public NodePool(Epochs epochs, int nodeBytes, OffHeap memory, OffHeap.Use use) {
        if (Integer.bitCount(nodeBytes) != 1 || nodeBytes < CACHE_LINE_BYTES || nodeBytes > MAX_NODE_BYTES) {
            throw new IllegalArgumentException("nodeBytes must be a power of two from " + CACHE_LINE_BYTES + " to "
                    + MAX_NODE_BYTES + ": " + nodeBytes);
        }
        this.nodeBytes = nodeBytes;
        this.source = new ChunkSource(NODES_IN_CHUNK * nodeBytes, memory, use);
        this.retired = new RetiredQueue(epochs, node -> {
            push((int) node);
            liveCount--;
        });
    }

    /** A node whose bytes are whatever they were before. */
    public int allocate() {
        if (freeCount > 0) {
            liveCount++;
            return freeNodes[--freeCount];
        }
        int node = neverUsed;
        if (node == Integer.MAX_VALUE) {
            throw new IllegalStateException("the pool holds as many nodes as an int can name");
        }
        int chunk = node >>> CHUNK_SHIFT;
        if ((node & NODES_IN_CHUNK - 1) >= nodesIn(chunk)) {
            chunk++;
            node = chunk << CHUNK_SHIFT;
        }
        if (chunk >= chunkCount) {
            addChunk();
        }
        neverUsed = node + 1;
        neverUsedCount--;
        liveCount++;
        return node;
    }

    private static int nodesIn(int chunk) {
        return chunk < Integer.numberOfTrailingZeros(NODES_IN_CHUNK / FIRST_NODES)
                ? FIRST_NODES << chunk
                : NODES_IN_CHUNK;
    }

    /**
     * Sees that so many nodes can be allocated without more memory.
     *
     * @throws OutOfMemoryError if there is no memory for them; the pool is as it was, or a little larger
     */
    public void ensure(long nodes) {
        while (freeCount + neverUsedCount < nodes) {
            addChunk();
        }
    }

    private void addChunk() {
        int nodes = nodesIn(chunkCount);
        ByteBuffer chunk = nodes < NODES_IN_CHUNK ? source.small(nodes * nodeBytes) : source.next();
        neverUsedCount += chunkCount == 0 ? nodes - 1 : nodes; // node 0
        if (chunkCount == chunks.length) {
            ByteBuffer[] larger = Arrays.copyOf(chunks, chunks.length * 2);
            larger[chunkCount] = chunk;
            // For readers of earlier versions, whom no volatile write tells of the new table.
            VarHandle.releaseFence();
            chunks = larger;
        } else {
            chunks[chunkCount] = chunk;
        }
        chunkCount++;
    }

    /** Gives a node back once no version from {@code birth} to before the one being made can be read. */
    public void retire(int node, long birth) {
        retired.retire(node, birth);
    }

    /** Frees the retired nodes that nobody can see any more and returns how many. */
    public int reclaim() {
        return retired.reclaim();
    }

    private void push(int node) {
        if (freeCount == freeNodes.length) {
            freeNodes = Arrays.copyOf(freeNodes, freeCount * 2);
        }
        freeNodes[freeCount++] = node;
    }

    /** The buffer that holds a node. */
    public ByteBuffer chunk(int node) {
        return chunks[node >>> CHUNK_SHIFT];
    }

    /** The position of a node's first byte in its buffer. */
    public int base(int node) {
        return (node & NODES_IN_CHUNK - 1) * nodeBytes;
    }

    /** Nodes allocated and not freed: those in use and those retired. */
    public long liveCount() {
        return liveCount;
    }

    /** Nodes retired and not yet freed. */
    public int retiredCount() {
        return retired.size();
    }

    /** Off-heap bytes held. */
    public long memoryBytes() {
        return source.memoryBytes();
    }
}
