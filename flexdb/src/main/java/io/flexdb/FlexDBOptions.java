package io.flexdb;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.storage.HealthListener;
import java.time.Duration;

/**
 * The settings of a store. Immutable; each {@code with…} method returns a changed copy. All of them may differ from one
 * opening of a store to the next, but for the segments of {@link #withSpace}, which an existing store keeps.
 *
 * <p>Off-heap memory is bounded by {@code cacheBytes} + 4 × 1.125 × {@code memtableBytes} + the indexes (about 16 bytes
 * an extent and 60 bytes plus the key an interval) + a few segments. Open cursors and snapshots add what they pin.
 */
public final class FlexDBOptions {
    /** The smallest memtable. */
    public static final int MIN_MEMTABLE_BYTES = 64 << 10;

    /** The largest memtable. */
    public static final int MAX_MEMTABLE_BYTES = 1 << 30;

    private static final Duration MAX_SYNC_INTERVAL = Duration.ofDays(1);
    private static final FlexDBOptions DEFAULTS = new FlexDBOptions(
            Durability.OS, 256L << 20, 64 << 20, Duration.ofSeconds(1), 1L << 30, FlexSpaceOptions.defaults(), null);

    private final Durability durability;
    private final long cacheBytes;
    private final int memtableBytes;
    private final Duration syncInterval;
    private final long maxPinnedBytes;
    private final FlexSpaceOptions space;
    private final HealthListener healthListener; // or null

    private FlexDBOptions(
            Durability durability,
            long cacheBytes,
            int memtableBytes,
            Duration syncInterval,
            long maxPinnedBytes,
            FlexSpaceOptions space,
            HealthListener healthListener) {
        this.durability = durability;
        this.cacheBytes = cacheBytes;
        this.memtableBytes = memtableBytes;
        this.syncInterval = syncInterval;
        this.maxPinnedBytes = maxPinnedBytes;
        this.space = space;
        this.healthListener = healthListener;
    }

    /** {@link Durability#OS}, a cache of 256 MiB, memtables of 64 MiB. */
    public static FlexDBOptions defaults() {
        return DEFAULTS;
    }

    /** What has happened to a write when its call returns; default {@link Durability#OS}. */
    public FlexDBOptions withDurability(Durability newDurability) {
        Limits.notNull(newDurability, "durability");
        return new FlexDBOptions(
                newDurability, cacheBytes, memtableBytes, syncInterval, maxPinnedBytes, space, healthListener);
    }

    /**
     * The budget of the interval cache. A larger one serves more reads, and more of the reads that commits need, from
     * memory.
     *
     * @param bytes default 256 MiB; 0 for no cache
     */
    public FlexDBOptions withCacheBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("cacheBytes must not be negative: " + bytes);
        }
        return new FlexDBOptions(durability, bytes, memtableBytes, syncInterval, maxPinnedBytes, space, healthListener);
    }

    /**
     * How much a memtable holds, and its log. A larger one makes commits cheaper for each key, and a recovery longer.
     * A batch, and so a value, must fit one.
     *
     * @param bytes default 64 MiB; from {@link #MIN_MEMTABLE_BYTES} to {@link #MAX_MEMTABLE_BYTES}
     */
    public FlexDBOptions withMemtableBytes(int bytes) {
        if (bytes < MIN_MEMTABLE_BYTES || bytes > MAX_MEMTABLE_BYTES) {
            throw new IllegalArgumentException(
                    "memtableBytes must be from " + MIN_MEMTABLE_BYTES + " to " + MAX_MEMTABLE_BYTES + ": " + bytes);
        }
        return new FlexDBOptions(durability, cacheBytes, bytes, syncInterval, maxPinnedBytes, space, healthListener);
    }

    /**
     * With {@link Durability#OS}, how much time of writes a power cut may take at most.
     *
     * @param interval default one second, at most a day; zero to leave forcing to {@link FlexDB#sync()}
     */
    public FlexDBOptions withSyncInterval(Duration interval) {
        if (Limits.notNull(interval, "syncInterval").isNegative() || interval.compareTo(MAX_SYNC_INTERVAL) > 0) {
            throw new IllegalArgumentException("syncInterval must be from 0 to " + MAX_SYNC_INTERVAL + ": " + interval);
        }
        return new FlexDBOptions(
                durability, cacheBytes, memtableBytes, interval, maxPinnedBytes, space, healthListener);
    }

    /**
     * How much memory open snapshots and cursors may hold back before new ones are refused.
     *
     * @param bytes default 1 GiB
     */
    public FlexDBOptions withMaxPinnedBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxPinnedBytes must not be negative: " + bytes);
        }
        return new FlexDBOptions(durability, cacheBytes, memtableBytes, syncInterval, bytes, space, healthListener);
    }

    /** The settings of the FlexSpace underneath, but for its cache and its health listener: a store has its own. */
    public FlexDBOptions withSpace(FlexSpaceOptions newSpace) {
        Limits.notNull(newSpace, "space");
        return new FlexDBOptions(
                durability, cacheBytes, memtableBytes, syncInterval, maxPinnedBytes, newSpace, healthListener);
    }

    /**
     * What to tell when the health of the store changes, as when damage makes it read-only or a failed write stops it: a
     * program can hand over, or call for help, before anybody meets an exception. {@link System.Logger} is told in any
     * case: the logger {@code io.flexdb}, read-only as a warning and failures as errors.
     *
     * @param listener default null: none
     */
    public FlexDBOptions withHealthListener(HealthListener listener) {
        return new FlexDBOptions(durability, cacheBytes, memtableBytes, syncInterval, maxPinnedBytes, space, listener);
    }

    /** What has happened to a write when its call returns. */
    public Durability durability() {
        return durability;
    }

    /** The budget of the interval cache. */
    public long cacheBytes() {
        return cacheBytes;
    }

    /** How much a memtable holds. */
    public int memtableBytes() {
        return memtableBytes;
    }

    /** The time between periodic forces; zero for none. */
    public Duration syncInterval() {
        return syncInterval;
    }

    /** How much memory snapshots and cursors may hold back. */
    public long maxPinnedBytes() {
        return maxPinnedBytes;
    }

    /** The settings of the FlexSpace underneath. */
    public FlexSpaceOptions space() {
        return space;
    }

    /** What is told when the health changes, or null. */
    public HealthListener healthListener() {
        return healthListener;
    }

    @Override
    public String toString() {
        return "FlexDBOptions[durability=" + durability + ", cacheBytes=" + cacheBytes + ", memtableBytes="
                + memtableBytes + ", syncInterval=" + syncInterval + ", maxPinnedBytes=" + maxPinnedBytes + ", space="
                + space + ", healthListener=" + healthListener + "]";
    }
}
