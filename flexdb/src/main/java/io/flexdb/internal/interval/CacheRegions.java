package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.HugePages;
import io.flexdb.base.memory.OffHeap;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory that an {@link IntervalCache} fills: regions of one size, but for the first ones. Changed under the cache's
 * lock; any thread may look into them.
 */
final class CacheRegions {
    /*
     * A region is added, filled by the cache, retired, and taken again when the short reads have ended that may have
     * found something in it. These are waited for by phases of the epochs and not by versions, and inserting threads
     * move the phase on themselves: a store that is only read publishes no versions, and its cache has to work all the
     * same.
     *
     * A large cache begins with small regions, so that a store of few pairs takes little. A small one that is retired
     * loses its memory, and its number gets a whole region's.
     *
     * Memory is taken only where there is some to spare, and let go of when it is asked for. A region's number rests
     * then like a retired one before it gets other memory. Readers who have found something there keep the buffer;
     * others find none. Once there is some to spare again there may be more regions.
     */
    private static final int MIN_BYTES = 128 * 1024;
    private static final int MAX_BYTES = 4 * 1024 * 1024;
    private static final int HUGE_BYTES = 10 * 1024 * 1024; // most of it in huge pages, where there are some
    private static final int MIN_HUGE = 8; // regions
    private static final int[] FIRST_BYTES = {64 << 10, 256 << 10, 1 << 20};
    private static final int LEAST_BEGUN_SMALL = 2 << 20; // bytes of a region

    private final Epochs epochs;
    private final OffHeap memory;
    private final int regionBytes;
    private final ByteBuffer[] buffers; // null where there is no memory
    private long allHeldBytes;
    private final RegionQueue retired;
    private final int[] retiredInPhase;
    private final RegionQueue dropped; // regions without memory that had some
    private int usedCount; // regions that have ever had memory
    private int liveCount; // regions that have memory
    private int limitCount; // regions that would have memory if there was enough of it
    private volatile int allowedCount; // regions that may have memory, as far as known; written under the lock

    /**
     * @param epochs the readers
     * @param memory where it comes from
     * @param budgetBytes the most memory to take
     */
    CacheRegions(Epochs epochs, OffHeap memory, long budgetBytes) {
        this.epochs = epochs;
        this.memory = memory;
        this.regionBytes = regionBytes(budgetBytes);
        int count = regionBytes == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE - 8, budgetBytes / regionBytes);
        this.buffers = new ByteBuffer[count];
        this.retiredInPhase = new int[count];
        this.retired = new RegionQueue(count);
        this.dropped = new RegionQueue(count);
        this.limitCount = count;
        this.allowedCount = count;
    }

    /** A 64th of the memory in steps of 64 KiB, within limits; a quarter of it if there is little; 0 if too little. */
    private static int regionBytes(long budgetBytes) {
        if (budgetBytes >= (long) MIN_HUGE * HUGE_BYTES) {
            return HUGE_BYTES;
        }
        long aim = (budgetBytes / 64 + 0xFFFF) & ~0xFFFFL;
        aim = Math.max(MIN_BYTES, Math.min(MAX_BYTES, aim));
        if (budgetBytes < 4 * aim) {
            aim = budgetBytes / 4 & ~0xFFFL;
        }
        return (int) Math.max(0, aim);
    }

    /** Bytes of a whole region; 0 if there is too little memory for any. */
    int regionBytes() {
        return regionBytes;
    }

    /** The most regions that there can be. */
    int count() {
        return buffers.length;
    }

    /** Regions that have memory. */
    int liveCount() {
        return liveCount;
    }

    /** Off-heap bytes held. */
    long heldBytes() {
        return allHeldBytes;
    }

    /** The little-endian buffer of a region; null if its memory has been let go of. Any thread. */
    ByteBuffer buffer(int region) {
        return buffers[region];
    }

    /** The bytes of a region, which has memory. */
    int capacity(int region) {
        return buffers[region].capacity();
    }

    /** Whether there may be any regions. Any thread, for which it may have been so a moment ago. */
    boolean areAllowed() {
        return allowedCount > 0;
    }

    // ---- more of them

    /** Whether one more region may have memory. Memory that was not there before may have been freed since. */
    boolean mayGrow() {
        if (liveCount >= allowedCount && liveCount < limitCount && memory.isThere(regionBytes)) {
            allowedCount = liveCount + 1;
        }
        return liveCount < allowedCount;
    }

    /** Gives memory to a region that has none, and returns its number, or -1. */
    int add() {
        if (!mayGrow()) {
            return -1;
        }
        boolean again = usedCount == buffers.length;
        if (again) {
            epochs.tryNextPhase();
            if (dropped.isEmpty() || !hasRested(dropped)) {
                return -1;
            }
        }
        boolean small = !again && usedCount < FIRST_BYTES.length && regionBytes >= LEAST_BEGUN_SMALL;
        int size = small ? FIRST_BYTES[usedCount] : regionBytes;
        ByteBuffer bytes = size < HugePages.LEAST_BYTES // and whoever stays small does without that class
                ? memory.tryAllocate(OffHeap.Use.CACHE, size)
                : HugePages.tryAllocate(memory, OffHeap.Use.CACHE, size);
        if (bytes == null) {
            allowedCount = liveCount;
            return -1;
        }
        int region = again ? dropped.remove() : usedCount++;
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        VarHandle.releaseFence(); // for who comes by an old hint, whom nothing else tells of the new memory
        buffers[region] = bytes;
        allHeldBytes += size;
        liveCount++;
        return region;
    }

    // ---- the same ones again

    /** Has a region rest in which nothing is found any more, before its memory is used again. */
    void retire(int region) {
        retiredInPhase[region] = epochs.phase(); // read after the last slot was emptied, both volatile
        if (capacity(region) < regionBytes) {
            letGo(region);
        } else {
            retired.add(region);
        }
    }

    /** Whether some region rests. */
    boolean areRetired() {
        return !retired.isEmpty();
    }

    /** Takes the one retired longest ago, or returns -1 if some reader may still be in it. */
    int takeRetired() {
        epochs.tryNextPhase();
        return hasRested(retired) ? retired.remove() : -1;
    }

    /** Helps the epochs on if a retired region waits for them. */
    void helpRetired() {
        if (!retired.isEmpty() && !hasRested(retired)) {
            epochs.tryNextPhase();
        }
    }

    private boolean hasRested(RegionQueue regions) {
        return epochs.shortReadsEndedSince(retiredInPhase[regions.first()]);
    }

    // ---- fewer of them

    /**
     * Says how much memory there may be now.
     *
     * @param bytes the limit
     */
    void limit(long bytes) {
        long count = regionBytes == 0 ? 0 : bytes / regionBytes;
        limitCount = (int) Math.max(0, Math.min(buffers.length, count));
        allowedCount = limitCount;
    }

    /** How many regions more there are than there may be; not above 0 if there are none too many. */
    int excess() {
        return liveCount - allowedCount;
    }

    /** Has no more regions have memory than have it now, until there is some to spare. */
    void stay() {
        allowedCount = Math.min(allowedCount, liveCount);
    }

    /** Lets go of the memory of the region retired longest ago. */
    void letGoRetired() {
        letGo(retired.remove());
    }

    /** Lets go of the memory of a region in which nothing is found any more. */
    void letGoEmptied(int region) {
        retiredInPhase[region] = epochs.phase();
        letGo(region);
    }

    private void letGo(int region) {
        int bytes = capacity(region);
        memory.letGo(OffHeap.Use.CACHE, bytes);
        buffers[region] = null;
        allHeldBytes -= bytes;
        dropped.add(region);
        liveCount--;
    }

    @Override
    public String toString() {
        return liveCount + " of " + buffers.length + " of " + regionBytes;
    }
}
