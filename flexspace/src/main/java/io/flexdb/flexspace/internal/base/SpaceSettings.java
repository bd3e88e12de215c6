package io.flexdb.flexspace.internal.base;

import io.flexdb.storage.HealthListener;
import java.util.Arrays;
import java.util.List;

/** The settings of a space, which {@code FlexSpaceOptions} tells of. Once it is made nobody changes it. */
public final class SpaceSettings implements Cloneable {
    /** The smallest frame. */
    public static final int MIN_FRAME_BYTES = 512;

    /** The largest segment. */
    public static final int MAX_SEGMENT_BYTES = 64 << 20;

    public int segmentBytes = 4 << 20;
    public int frameBytes = 4096;
    public long checkpointLogBytes = 16L << 20;
    public int logBufferBytes = 4 << 20;
    public double minimumUtilization = 0.6;
    public long maxDataBytes = Long.MAX_VALUE;
    public long scrubBytesPerSecond;
    public long cacheBytes;
    public boolean mappedReads = true; // where they are safe
    public int segmentBuffers = 4;
    public boolean buffersWithFirstChange; // for an owner that reserves before each; else with the opening
    public long frameTableBytes = 16 << 20;
    public HealthListener healthListener; // or null
    public Leases leases; // or null, if nobody else reads
    public long maxLeasedBytes;

    /** Run behind each force of the logical log, also beside the writer; throws if the files are another process's. */
    public Runnable requireOwnership = () -> {};

    /** Another one, to be changed by whoever asks for it. */
    public SpaceSettings copy() {
        try {
            return (SpaceSettings) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Object> values() {
        return Arrays.asList(
                segmentBytes,
                frameBytes,
                checkpointLogBytes,
                logBufferBytes,
                minimumUtilization,
                maxDataBytes,
                scrubBytesPerSecond,
                cacheBytes,
                mappedReads,
                segmentBuffers,
                frameTableBytes,
                healthListener,
                leases,
                maxLeasedBytes,
                requireOwnership,
                buffersWithFirstChange);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SpaceSettings settings && values().equals(settings.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }
}
