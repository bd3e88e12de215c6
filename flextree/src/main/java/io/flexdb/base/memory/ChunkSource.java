package io.flexdb.base.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Off-heap memory in chunks of one size, but for the first, for the life of the process or until nothing refers to them. For one thread.
 */
final class ChunkSource {
    /*
     * Each descent touches other pages, and there are too many of them for the processor to remember where all are.
     * With huge pages there are 512 times fewer: lookups and changes in a tree of 10^6 extents take a tenth less time.
     * So once there is much memory, chunks are cut from regions of huge pages. A region is a quarter of all memory, so
     * that little lies idle, within limits: most of it should be in huge pages, and the writer not wait long for it.
     * Where the JVM has many times as much to spare, a region begins at a page, and all of it is in huge ones. That takes
     * a page more, which counts although nobody touches it: up to a third of what a JVM with little memory allows for.
     */
    private static final int CACHE_LINE_BYTES = 64;
    private static final long FIRST_REGION_AT_BYTES = 4 << 20;
    private static final int MAX_REGION_BYTES = 16 << 20;
    private static final int AMPLE = 8; // times what is taken already

    static {
        // The JIT relies on there being no read-only direct buffer until the first one is made, by whomever. It throws
        // away all code for direct buffers then: in the middle of a load that is half a second of slow changes.
        ByteBuffer.allocateDirect(1).asReadOnlyBuffer();
    }

    private final int chunkBytes;
    private final OffHeap memory;
    private final OffHeap.Use use;
    private ByteBuffer region = ByteBuffer.allocate(0);
    private int regionUsed;
    private long memoryBytes;

    /**
     * @param chunkBytes a power of two
     * @param memory where it comes from
     * @param use what it is for
     */
    ChunkSource(int chunkBytes, OffHeap memory, OffHeap.Use use) {
        this.chunkBytes = chunkBytes;
        this.memory = memory;
        this.use = use;
    }

    /** A chunk of zeros; its first byte begins a cache line. Little-endian. */
    ByteBuffer next() {
        if (regionUsed == region.capacity()) {
            addRegion();
        }
        ByteBuffer chunk = region.slice(regionUsed, chunkBytes).order(ByteOrder.LITTLE_ENDIAN);
        regionUsed += chunkBytes;
        return chunk;
    }

    /** A chunk like that of {@link #next}, of fewer bytes, for an owner that begins small. */
    ByteBuffer small(int bytes) {
        ByteBuffer chunk = oneChunk(bytes);
        memoryBytes += bytes;
        return chunk;
    }

    /** Without memory for it nothing changes. */
    private void addRegion() {
        ByteBuffer added = null;
        if (memoryBytes >= FIRST_REGION_AT_BYTES && HugePages.isAvailable()) {
            int unit = Math.max(HugePages.LEAST_BYTES, chunkBytes);
            int bytes = (int) Math.max(unit, Math.min(MAX_REGION_BYTES, memoryBytes / 4) / unit * unit);
            int alignment = memory.roomBytes() / AMPLE > memoryBytes + bytes ? HugePages.PAGE_BYTES : CACHE_LINE_BYTES;
            ByteBuffer taken = HugePages.tryAllocate(memory, use, bytes + alignment);
            added = taken == null ? null : aligned(taken, alignment, bytes);
        }
        region = added != null ? added : oneChunk(chunkBytes);
        regionUsed = 0;
        memoryBytes += region.capacity();
    }

    private ByteBuffer oneChunk(int bytes) {
        ByteBuffer taken = memory.allocate(use, bytes + CACHE_LINE_BYTES);
        return aligned(taken, CACHE_LINE_BYTES, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer aligned(ByteBuffer taken, int alignment, int bytes) {
        int start = alignment - taken.alignmentOffset(0, alignment) & alignment - 1;
        return taken.slice(start, bytes);
    }

    /** Bytes taken so far, those of chunks to come included. */
    long memoryBytes() {
        return memoryBytes;
    }
}
