package io.flexdb.internal.open;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.MemTable;

/**
 * The parts of a store's off-heap memory, the indexes apart.
 *
 * @param totalBytes all of it
 * @param cacheBytes of the cache: directories of intervals, or these and frames
 * @param memtables their number and size
 * @param buffers what files are read and written by
 */
public record MemoryBudget(long totalBytes, long cacheBytes, Memtables memtables, Buffers buffers) {
    /*
     * Four memtables: one takes writes, two wait or are being committed, and one is free, so that a writer who has
     * filled the first need not wait for the last readers of another. Two are enough, and are used where there is
     * little memory and the size is asked for. Memtables and cache get half each of what they share. At 48 MiB a random
     * load is 1.02 to 1.05 times as fast as at 32, and YCSB A 1.06 to 1.09 times; 64 MiB gives the load as much again,
     * but took up to 240 ms for a write.
     */
    private static final int MAX_MEMTABLES = 4;
    private static final int MIN_MEMTABLES = 2;
    private static final int MIN_SEGMENT_BUFFERS = 2;
    private static final int MAX_DERIVED_MEMTABLE_BYTES = 48 << 20;
    /*
     * A cache that was asked for may leave next to nothing of what a store takes by itself. Memtables of 128 KiB make
     * commits so small that forcing them is all they do: 8 KiB values were put at 7 MB/s, and at 32 with memtables of
     * 1 MiB or more. So they get this much from the memory that direct buffers may have beyond, if there is any.
     */
    private static final long LEAST_BESIDE_CACHE_BYTES = MemTable.tableBytes(4 << 20);
    private static final long MAX_READ_BYTES = 8 << 20;
    private static final long MAX_COMMIT_BYTES = 4 << 20;

    /**
     * The memtables.
     *
     * @param count how many there are, but for what snapshots and cursors hold back
     * @param bytes of each, its hash index apart
     * @param maxPinnedBytes of those that snapshots and cursors hold back
     */
    public record Memtables(int count, int bytes, long maxPinnedBytes) {}

    /**
     * The buffers of a store.
     *
     * @param segments how many segments there are in memory
     * @param segmentBytes of all these
     * @param readBytes of buffers kept for reads, and as much again of those that read the file
     * @param commitBytes of buffers of the commit thread, of logs and checkpoints
     */
    public record Buffers(int segments, long segmentBytes, long readBytes, long commitBytes) {}

    /**
     * Divides the memory.
     *
     * @throws IllegalArgumentException if the options ask for more than direct buffers may take; the message is the sum
     */
    public static MemoryBudget of(StoreSettings settings, JvmMemory jvm) {
        long most = settings.resources == null
                ? Long.MAX_VALUE
                : settings.resources.memory.budgetBytes(); // which is a limit
        boolean derived = settings.memoryBytes == StoreSettings.DERIVED && most == Long.MAX_VALUE;
        long total = derived
                ? derivedTotal(jvm)
                : settings.memoryBytes == StoreSettings.DERIVED ? most : settings.memoryBytes;
        FlexSpaceOptions space = settings.space;
        int buffers = segmentBuffers(space, total);
        long segments = (long) buffers * space.segmentBytes();
        long reads = Math.min(MAX_READ_BYTES, total / 16);
        long commits = Math.min(MAX_COMMIT_BYTES, total / 16);
        long rest = total - segments - reads - commits;

        int tables = MAX_MEMTABLES;
        int memtable = settings.memtableBytes;
        if (memtable == StoreSettings.DERIVED) {
            long share = rest / 2;
            if (settings.cacheBytes != StoreSettings.DERIVED) {
                // A cache that was asked for does not make memtables small, as long as there is memory for both.
                long beside = derived ? allowed(jvm) - (total - rest) : rest;
                share = Math.max(rest - settings.cacheBytes, Math.min(share, beside - settings.cacheBytes));
                long free = Math.min(most, jvm.directBytes() / 8 * 7) - (total - rest) - settings.cacheBytes;
                share = Math.max(share, Math.min(derived ? free : 0, tables * LEAST_BESIDE_CACHE_BYTES));
            }
            memtable = memtableOf(share / tables);
        } else {
            while (tables > MIN_MEMTABLES && tables * MemTable.tableBytes(memtable) > rest) {
                tables--;
            }
        }
        long memtables = tables * MemTable.tableBytes(memtable);
        long cache = settings.cacheBytes;
        if (cache == StoreSettings.DERIVED) {
            cache = Math.max(0, rest - memtables);
        }
        long sum = sum(cache, memtables + segments + reads + commits);
        boolean tooMuch = sum > jvm.directBytes() || !derived && sum > total || total > most;
        if (tooMuch) {
            throw new IllegalArgumentException("the store's memory does not fit: cacheBytes " + cache + " + " + tables
                    + " memtables of " + MemTable.tableBytes(memtable) + " + segments " + segments + " + reads " + reads
                    + " + commits " + commits + " = " + sum + " bytes, but "
                    + (sum > jvm.directBytes()
                            ? "direct buffers may take " + jvm.directBytes() + "; raise -XX:MaxDirectMemorySize"
                            : sum > most || total > most
                                    ? "the resources that it shares have " + most + "; give these more"
                                    : "memoryBytes is " + total + "; raise it")
                    + ", or set withCacheBytes or withMemtableBytes lower");
        }
        long pinned = settings.maxPinnedBytes;
        if (pinned == StoreSettings.DERIVED) {
            pinned = Math.max(memtables, rest - memtables); // the cache's memory, and unused memory
        }
        return new MemoryBudget(
                Math.max(sum, total),
                cache,
                new Memtables(tables, memtable, pinned),
                new Buffers(buffers, segments, reads, commits));
    }

    /** The sum of two that are not negative, or the largest number if it is above that. */
    private static long sum(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }

    /** How many segment buffers: those of the settings, but by default at most a quarter of the budget. */
    private static int segmentBuffers(FlexSpaceOptions space, long total) {
        int wanted = space.segmentBuffers();
        if (wanted != FlexSpaceOptions.defaults().segmentBuffers()) {
            return wanted;
        }
        return (int) Math.max(MIN_SEGMENT_BUFFERS, Math.min(wanted, total / 4 / space.segmentBytes()));
    }

    /** The bytes that a store takes without being told how much. */
    static long derivedTotal(JvmMemory jvm) {
        return Math.min(StoreSettings.MAX_DERIVED_MEMORY_BYTES, allowed(jvm));
    }

    /** The bytes that a store may take without being told how much: the rest is for its indexes, and for others. */
    private static long allowed(JvmMemory jvm) {
        long beside = jvm.machineBytes() - jvm.heapBytes();
        return Math.min(jvm.directBytes() / 8 * 5, beside > 0 ? beside / 2 : jvm.machineBytes() / 8);
    }

    /** The bytes that a store may take beyond those of a store that is not told how much. */
    public long ownBytes(StoreSettings asked, JvmMemory jvm) {
        return asked.memoryBytes == StoreSettings.DERIVED ? Math.max(0, totalBytes - derivedTotal(jvm)) : totalBytes;
    }

    /**
     * The largest size, a power of two or one and a half, whose memtable takes no more than so many bytes, within
     * limits.
     */
    private static int memtableOf(long bytes) {
        int memtable = StoreSettings.MIN_MEMTABLE_BYTES;
        for (int power = memtable; power <= MAX_DERIVED_MEMTABLE_BYTES; power *= 2) {
            for (int size = power; size <= power / 2 * 3; size += power / 2) {
                if (size <= MAX_DERIVED_MEMTABLE_BYTES && MemTable.tableBytes(size) <= bytes) {
                    memtable = size;
                }
            }
        }
        return memtable;
    }

    /**
     * The bytes of the cache that directories get.
     *
     * @param mapped whether the data file is read through mappings, and no frame of it is kept
     */
    public long directoryBytes(boolean mapped) {
        return mapped ? cacheBytes : cacheBytes / 4;
    }

    /** The bytes of the cache that frames get. */
    public long frameBytes(boolean mapped) {
        return mapped ? 0 : cacheBytes - directoryBytes(false);
    }

    /** The settings with all that was derived. */
    public StoreSettings applyTo(StoreSettings settings) {
        StoreSettings derived = settings.copy();
        derived.memoryBytes = Math.max(1 << 20, totalBytes);
        derived.cacheBytes = cacheBytes;
        derived.memtableBytes = memtables.bytes;
        derived.maxPinnedBytes = memtables.maxPinnedBytes;
        derived.space = settings.space.withSegmentBuffers(buffers.segments);
        return derived;
    }

    @Override
    public String toString() {
        return "memory " + totalBytes + " bytes: cache " + cacheBytes + ", " + memtables.count + " memtables of "
                + memtables.bytes + ", segments " + buffers.segmentBytes + ", reads " + buffers.readBytes
                + ", commits " + buffers.commitBytes;
    }
}
