package io.flexdb;

import io.flexdb.internal.base.SharedThreads;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.internal.open.JvmResources;

/**
 * Memory and threads that any number of stores share, see {@link FlexDBOptions#withResources}. Memory goes to the stores
 * that use it: one alone may have all of it. Thread-safe. It holds nothing by itself, so there is nothing to close:
 * stores give back what they have when they are closed, and a thread without work ends after a second.
 *
 * <p>The memory is a limit for all off-heap memory of these stores but their indexes, which grow with the data: caches,
 * memtables, segments that are being written, and buffers of reads and commits. All counts that the JVM counts, until
 * garbage is collected. Where a store needs more than is left, caches become smaller, first its own, then the largest
 * one; then memtables do, until each store that writes has its share; then writes wait, and are refused with a
 * {@link io.flexdb.storage.StoreFullException} after ten seconds. Reads and openings without memory throw a
 * {@link io.flexdb.storage.StoreMemoryException}. A store that was refused goes on.
 *
 * <p>Options of a store are limits of its own below that: with {@link FlexDBOptions#withMemoryBytes} it has no more than
 * so much, with {@link FlexDBOptions#withMemtableBytes} its memtables have that size whatever the others need.
 */
public final class FlexDBResources {
    /** The least memory that there must be. */
    public static final long MIN_MEMORY_BYTES = 16 << 20;

    private static final FlexDBResources SHARED = new FlexDBResources(JvmResources.SHARED);

    private final StoreResources resources;

    private FlexDBResources(StoreResources resources) {
        this.resources = resources;
    }

    /**
     * The resources that all stores of this JVM share which are opened without any. They have as much memory as one store alone
     * takes, see {@link FlexDBOptions#withMemoryBytes}, and where that was set for a store, so much more while it is
     * open. It is no limit as long as the JVM has more: caches and memtables grow no further, and nothing is refused.
     */
    public static FlexDBResources shared() {
        return SHARED;
    }

    /**
     * Resources with so much memory, and as many threads as processors and one more, at least four.
     *
     * @param memoryBytes from {@link #MIN_MEMORY_BYTES} to what direct buffers may take, see
     *     {@link FlexDBOptions#withMemoryBytes}
     */
    public static FlexDBResources of(long memoryBytes) {
        return of(memoryBytes, SharedThreads.usualWorkers());
    }

    /**
     * Resources with so much memory and so many threads.
     *
     * @param memoryBytes from {@link #MIN_MEMORY_BYTES} to what direct buffers may take, see
     *     {@link FlexDBOptions#withMemoryBytes}
     * @param threads that commit, make logs and force them, from 1. There are more while all of these wait for
     *     something, or a caller for what they do
     */
    public static FlexDBResources of(long memoryBytes, int threads) {
        long most = JvmMemory.ofThisProcess().directBytes();
        if (memoryBytes < MIN_MEMORY_BYTES || memoryBytes > most) {
            throw new IllegalArgumentException("memoryBytes must be from " + MIN_MEMORY_BYTES + " to " + most
                    + ", which direct buffers may take: " + memoryBytes
                    + "; to have more raise -XX:MaxDirectMemorySize");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1: " + threads);
        }
        return new FlexDBResources(new StoreResources(memoryBytes, true, threads));
    }

    /** The resources that settings have. */
    static FlexDBResources of(StoreResources resources) {
        return new FlexDBResources(resources);
    }

    StoreResources resources() {
        return resources;
    }

    /** Figures of now. */
    public FlexDBResourcesStats stats() {
        return Figures.of(resources);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlexDBResources that && that.resources == resources;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(resources);
    }

    @Override
    public String toString() {
        return "FlexDBResources[" + stats() + "]";
    }
}
