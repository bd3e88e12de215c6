package io.flexdb;

import io.flexdb.base.memory.OffHeap.Use;
import io.flexdb.base.memory.SharedMemory;
import io.flexdb.internal.base.StoreResources;

/**
 * Memory and threads in use by the stores that share {@link FlexDBResources}, as of one moment.
 *
 * @param memoryBytes what there is for all of them, their indexes apart
 * @param usedBytes what is in use of that; with a limit all that the JVM counts, garbage included
 * @param cacheBytes of their caches
 * @param memtableBytes of their memtables
 * @param indexBytes of their indexes and range filters, beside the rest
 * @param recycledBytes that stores have given back, for the next one that needs a buffer of the same size
 * @param stores that are open, readers included
 * @param threads that work for them, or have just done so
 */
public record FlexDBResourcesStats(
        long memoryBytes,
        long usedBytes,
        long cacheBytes,
        long memtableBytes,
        long indexBytes,
        long recycledBytes,
        int stores,
        int threads) {
    static FlexDBResourcesStats of(StoreResources resources) {
        SharedMemory memory = resources.memory;
        return new FlexDBResourcesStats(
                memory.budgetBytes(),
                memory.usedBytes(),
                memory.heldBytes(Use.CACHE),
                memory.heldBytes(Use.MEMTABLES),
                memory.heldBytes(Use.INDEX) + memory.heldBytes(Use.TREE) + memory.heldBytes(Use.FILTERS),
                memory.freeBytes(),
                memory.accountCount(),
                resources.threads.workerCount());
    }
}
