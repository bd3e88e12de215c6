package io.flexdb.internal.base;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.DiskReads;
import io.flexdb.storage.HealthListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The settings of a store; {@code FlexDBOptions} describes them. A store never changes its settings. */
public final class StoreSettings implements Cloneable {
    /** Stands for a setting that is derived when a store is opened. */
    public static final int DERIVED = -1;

    /** The largest memory budget that is taken without being asked for. */
    public static final long MAX_DERIVED_MEMORY_BYTES = 512L << 20;

    /** The smallest memtable. */
    public static final int MIN_MEMTABLE_BYTES = 64 << 10;

    /** The largest memtable. */
    public static final int MAX_MEMTABLE_BYTES = 1 << 30;

    public Force force = Force.PERIODICALLY;
    public long memoryBytes = DERIVED;
    public long cacheBytes = DERIVED;
    public int memtableBytes = DERIVED;
    public Duration syncInterval = Duration.ofSeconds(1);
    public long maxPinnedBytes = DERIVED;
    public long maxPinnedFileBytes = Long.MAX_VALUE;
    public boolean holderTraces;
    public int largeValueBytes = 32 << 10;
    public long defragmentedBytesPerSecond = 64L << 20;
    public int stitchingThresholdBytes = DERIVED;
    public long maxLeasedBytes = 512L << 20;
    public boolean rangeFilter;
    public boolean mappedReads = true; // where they are safe
    public boolean readableByGroup;
    public FlexSpaceOptions space = FlexSpaceOptions.defaults().withMinimumUtilization(0.7);
    public HealthListener healthListener; // or null
    public InstantSource clock = InstantSource.system();
    public int longestListBytes = RecordFormat.MAX_VALUE_BYTES; // of operands that wait; tests have a shorter one
    public LongSupplier nanoClock = System::nanoTime; // of what cursors read; tests have another
    public LongSupplier diskReads = DiskReads::count; // by the kernel; tests have another
    public Merger merger; // or null
    public Map<String, KeyspaceSettings> keyspaces = Map.of(); // by name, in the order of names; nobody changes it
    public StoreResources resources; // or null, for those that all stores share

    /** A copy that the caller may change. */
    public StoreSettings copy() {
        try {
            return (StoreSettings) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Object> values() {
        return Arrays.asList(
                force,
                memoryBytes,
                cacheBytes,
                memtableBytes,
                syncInterval,
                maxPinnedBytes,
                maxPinnedFileBytes,
                holderTraces,
                largeValueBytes,
                defragmentedBytesPerSecond,
                stitchingThresholdBytes,
                maxLeasedBytes,
                rangeFilter,
                mappedReads,
                readableByGroup,
                space,
                healthListener,
                clock,
                longestListBytes,
                nanoClock,
                diskReads,
                merger,
                keyspaces,
                resources);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoreSettings settings && values().equals(settings.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }
}
