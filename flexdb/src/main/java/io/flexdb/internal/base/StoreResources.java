package io.flexdb.internal.base;

import io.flexdb.base.memory.SharedMemory;

/** The memory and threads that any number of stores share. Thread-safe. */
public final class StoreResources {
    private static final long MOST_RECYCLED_BYTES = 64 << 20;
    private static final int RECYCLED_SHARE = 8; // of the budget

    /** The memory for memtables, caches and buffers. */
    public final SharedMemory memory;

    /** The threads that commit, make logs and force them. */
    public final SharedThreads threads;

    /** Whether somebody asked for this budget, and nobody gets more. */
    public final boolean isLimited;

    /**
     * @param memoryBytes the budget
     * @param limited whether nobody gets more
     * @param workers threads, as long as none of them waits for long
     */
    public StoreResources(long memoryBytes, boolean limited, int workers) {
        long recycled = Math.min(MOST_RECYCLED_BYTES, memoryBytes / RECYCLED_SHARE);
        this.memory = new SharedMemory(limited ? memoryBytes / 2 : recycled, memoryBytes, limited); // it counts there
        this.threads = new SharedThreads(workers);
        this.isLimited = limited;
    }

    @Override
    public String toString() {
        return "StoreResources[" + memory.budgetBytes() + " bytes, " + threads + "]";
    }
}
