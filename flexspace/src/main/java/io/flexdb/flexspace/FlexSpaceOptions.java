package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.base.OptionsInsides;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.storage.HealthListener;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link FlexSpace}. Immutable; each {@code with…} method returns a changed copy.
 *
 * <p>Segment and frame size belong to the data: they are fixed when a space is created, and opening an existing space
 * uses the sizes stored in it. The others may differ from one opening to the next.
 */
public final class FlexSpaceOptions {
    /** The smallest frame. */
    public static final int MIN_FRAME_BYTES = SpaceSettings.MIN_FRAME_BYTES;

    /** The largest segment. */
    public static final int MAX_SEGMENT_BYTES = SpaceSettings.MAX_SEGMENT_BYTES;

    private static final FlexSpaceOptions DEFAULTS = new FlexSpaceOptions(new SpaceSettings());

    static {
        OptionsInsides.install(new OptionsInsides<FlexSpaceOptions>() {
            @Override
            public SpaceSettings settings(FlexSpaceOptions options) {
                return options.settings;
            }
        });
    }

    private final SpaceSettings settings;

    private FlexSpaceOptions(SpaceSettings settings) {
        this.settings = settings;
    }

    /** The one place that copies. */
    private FlexSpaceOptions with(Consumer<SpaceSettings> change) {
        SpaceSettings changed = settings.copy();
        change.accept(changed);
        return new FlexSpaceOptions(changed);
    }

    /** The settings of the engine that these options stand for. */
    SpaceSettings settings() {
        return settings;
    }

    /** Segments of 4 MiB, frames of 4 KiB, a checkpoint every 16 MiB of logical log. */
    public static FlexSpaceOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sizes of a new space's segments and of the frames that each carry a checksum. Small ones suit tests: every
     * boundary is met sooner.
     *
     * @param segmentBytes default 4 MiB; a power of two, at least 32 frames, at most {@link #MAX_SEGMENT_BYTES}
     * @param frameBytes default 4096; a power of two, at least {@link #MIN_FRAME_BYTES}. Below 4096, dead frames of a
     *     space with a {@linkplain #withMaxDataBytes cap} are not written again, since devices write blocks of that
     *     size
     */
    public FlexSpaceOptions withSegments(int segmentBytes, int frameBytes) {
        if (Integer.bitCount(frameBytes) != 1 || frameBytes < MIN_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "frameBytes must be a power of two of at least " + MIN_FRAME_BYTES + ": " + frameBytes);
        }
        if (Integer.bitCount(segmentBytes) != 1 || segmentBytes > MAX_SEGMENT_BYTES || segmentBytes / frameBytes < 32) {
            throw new IllegalArgumentException("segmentBytes must be a power of two, at least 32 frames of "
                    + frameBytes + " bytes and at most " + MAX_SEGMENT_BYTES + ": " + segmentBytes);
        }
        return with(settings -> {
            settings.segmentBytes = segmentBytes;
            settings.frameBytes = frameBytes;
        });
    }

    /**
     * How long the logical log may grow before the FlexTree is written to its file, beside the writer. A longer log
     * means fewer checkpoints and a longer recovery.
     *
     * <p>Opening after a crash replays the log, or two, if a checkpoint was under way. Changes wait rather than let
     * both together become more than two and a half times as long as this; so this is what bounds the time. The log is
     * read in pieces of 4 MiB, and no more of it is in memory at once than two of them. With insertions at
     * random places among 10^7 extents, the worst there is, a MiB has 43,700 of them and takes about 35 ms on one core
     * of 2.5 GHz; loading the FlexTree before takes about 45 ms for each 10^6 extents. The default is meant for less
     * than two seconds then. A checkpoint writes the nodes changed since the one before, in that case nearly all of
     * them: 16 bytes or somewhat more for each extent.
     *
     * @param bytes default 16 MiB; at least 4096
     */
    public FlexSpaceOptions withCheckpointLogBytes(long bytes) {
        if (bytes < 4096) {
            throw new IllegalArgumentException("checkpointLogBytes must be at least 4096: " + bytes);
        }
        return with(settings -> settings.checkpointLogBytes = bytes);
    }

    /**
     * How many bytes of log entries may wait in memory before they are written without being asked for, beside the
     * writer. Twice as much memory is taken, since the next ones wait meanwhile. A quarter of
     * {@link #withCheckpointLogBytes} is the most that counts.
     *
     * @param bytes default 4 MiB; from 1024 to 256 MiB
     */
    public FlexSpaceOptions withLogBufferBytes(int bytes) {
        if (bytes < 1024 || bytes > 256 << 20) {
            throw new IllegalArgumentException("logBufferBytes must be from 1024 to 268435456: " + bytes);
        }
        return with(settings -> settings.logBufferBytes = bytes);
    }

    /**
     * The share of live bytes in the segments used below which garbage is collected. A higher share takes less disk
     * and moves more data.
     *
     * @param share default 0.6; from 0 (never collect) to 0.9
     */
    public FlexSpaceOptions withMinimumUtilization(double share) {
        if (!(share >= 0 && share <= 0.9)) {
            throw new IllegalArgumentException("minimumUtilization must be from 0 to 0.9: " + share);
        }
        return with(settings -> settings.minimumUtilization = share);
    }

    /**
     * How large the data file may become. Up to 30/32 of it may hold live data, not counting the segments kept free for
     * garbage collection: an eighth of the file, at most 64 segments. A change that does not fit is refused with a
     * {@link io.flexdb.storage.StoreFullException} and changes nothing; what frees space goes on. The nearer the cap,
     * the more data is moved for each byte written. Logs and checkpoints are not counted.
     *
     * <p>A {@code FlexDB} counts a change of an interval as all of its bytes, so it is full a little earlier.
     *
     * @param bytes default {@link Long#MAX_VALUE}, no limit but that of addresses, 2^48; otherwise less than that, and
     *     at least 32 segments, which is checked when the space is opened
     */
    public FlexSpaceOptions withMaxDataBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("maxDataBytes must be at least 32 segments: " + bytes);
        }
        return with(settings -> settings.maxDataBytes = bytes);
    }

    /**
     * How fast a thread in the background looks for damage: it reads all segments that hold data, but for the one that
     * is being filled, and verifies them, beside everybody else. Then it begins again, an hour after it began last at
     * the earliest. Damage that it finds is an error in the log {@code io.flexdb.flexspace} of {@link System.Logger},
     * and counted in {@link FlexSpaceStats}; nothing else changes. A higher rate finds damage earlier and takes more of
     * the disk.
     *
     * @param bytes default 0: it does not
     */
    public FlexSpaceOptions withScrubBytesPerSecond(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("scrubBytesPerSecond must not be negative: " + bytes);
        }
        return with(settings -> settings.scrubBytesPerSecond = bytes);
    }

    /**
     * How much memory keeps frames that were read and verified: to read them again takes neither the file nor a
     * checksum, which is faster than the system's page cache. Frames that are read again stay; those read once go
     * first, so that reading a large range does not displace the rest. Changes, {@link FlexSpace#defragment}, garbage
     * collection, checks and the scrub do without it. Reads of data that is not there take a copy more.
     *
     * <p>The memory is off-heap, taken as the cache fills, 16 MiB at a time, and given back some time after the space
     * was closed. {@code -XX:MaxDirectMemorySize} must allow for it, or the cache stays smaller. Beyond it, the cache
     * takes heap: 16 bytes for each frame that it holds, and 4 for each frame of the segments that are read.
     *
     * <p>A {@code FlexDB} has a cache of its own instead and takes no notice of this.
     *
     * @param bytes default 0: no cache, nor if this is less than a frame
     */
    public FlexSpaceOptions withCacheBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("cacheBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.cacheBytes = bytes);
    }

    /**
     * Whether reads of up to 16 KiB may be copies out of mappings of the data file instead of system calls, which takes
     * between a half and nine tenths of their time. Each is verified as others are; damage, a file that others have
     * cut, and a disk that fails give the same exceptions. The file is mapped where its file system is known to be safe
     * for that (ext4, XFS and tmpfs), and read by system calls elsewhere, and where reads have to wait for a disk.
     *
     * <p>The memory that tools report for the process includes what is mapped; the operating system takes it back when
     * it is needed. A thread that finds in a mapping that it has to wait for a disk after all holds up the garbage
     * collector's pauses for as long.
     *
     * <p>A {@code FlexDB} has a setting of its own and takes no notice of this.
     *
     * @param mapped default true; {@link FlexSpaceStats.Data#mappedBytes} tells what has become of it
     */
    public FlexSpaceOptions withMappedReads(boolean mapped) {
        return with(settings -> settings.mappedReads = mapped);
    }

    /**
     * Sets a listener, which is told when the health of the space changes. {@link System.Logger} is told in any case:
     * the logger {@code io.flexdb} of failures as errors.
     *
     * <p>A {@code FlexDB} has a listener of its own and takes no notice of this.
     *
     * @param listener default null: none
     */
    public FlexSpaceOptions withHealthListener(@Nullable HealthListener listener) {
        return with(settings -> settings.healthListener = listener);
    }

    /**
     * How many segments may be in memory at once, off-heap: the one that is filled, those that are being written, and
     * those that readers still copy from. When there are so many, changes wait until one is written and read. One is
     * taken when the space is opened, or two if there is a {@linkplain #withMaxDataBytes cap}; the others when they are
     * needed, and if there is no memory for them then, the space goes on with those it has. The memory that a snapshot
     * keeps is not of this kind.
     *
     * @param count default 4, which is 16 MiB; from 2 to 1024. Fewer make the writer wait for the disk
     */
    public FlexSpaceOptions withSegmentBuffers(int count) {
        if (count < 2 || count > 1024) {
            throw new IllegalArgumentException("segmentBuffers must be from 2 to 1024: " + count);
        }
        return with(settings -> settings.segmentBuffers = count);
    }

    /**
     * How much heap may keep checksums of frames: 4 bytes for each frame of the segments that were read or written
     * lately. To read a frame of another segment takes one more read, of the 4 KiB or so that hold the checksums of
     * that segment.
     *
     * @param bytes default 16 MiB, enough for 16 GiB of data; not negative
     */
    public FlexSpaceOptions withFrameTableBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("frameTableBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.frameTableBytes = bytes);
    }

    /** Bytes of a segment of a new space. */
    public int segmentBytes() {
        return settings.segmentBytes;
    }

    /** Bytes of a frame, the unit that carries a checksum, of a new space. */
    public int frameBytes() {
        return settings.frameBytes;
    }

    /** The length of the logical log at which a checkpoint is begun. */
    public long checkpointLogBytes() {
        return settings.checkpointLogBytes;
    }

    /** The log entries that may wait in memory. */
    public int logBufferBytes() {
        return settings.logBufferBytes;
    }

    /** The share of live bytes below which garbage is collected. */
    public double minimumUtilization() {
        return settings.minimumUtilization;
    }

    /** The largest data file; {@link Long#MAX_VALUE} if there is no limit. */
    public long maxDataBytes() {
        return settings.maxDataBytes;
    }

    /** How fast damage is looked for in the background; 0 if it is not. */
    public long scrubBytesPerSecond() {
        return settings.scrubBytesPerSecond;
    }

    /** The memory for frames that were read; 0 if there is none. */
    public long cacheBytes() {
        return settings.cacheBytes;
    }

    /** Whether the data file is read through mappings where that is possible. */
    public boolean mappedReads() {
        return settings.mappedReads;
    }

    /** How many segments may be in memory at once. */
    public int segmentBuffers() {
        return settings.segmentBuffers;
    }

    /** The heap for checksums of frames and, again, for the live bytes of frames. */
    public long frameTableBytes() {
        return settings.frameTableBytes;
    }

    /** The listener that is told when the health changes, or null. */
    public @Nullable HealthListener healthListener() {
        return settings.healthListener;
    }

    /** Whether all settings are equal; a listener is equal to itself. */
    @Override
    public boolean equals(Object other) {
        return other instanceof FlexSpaceOptions options && settings.equals(options.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public String toString() {
        return "FlexSpaceOptions[segmentBytes=" + settings.segmentBytes + ", frameBytes=" + settings.frameBytes
                + ", checkpointLogBytes="
                + settings.checkpointLogBytes + ", logBufferBytes=" + settings.logBufferBytes + ", minimumUtilization="
                + settings.minimumUtilization + ", maxDataBytes=" + settings.maxDataBytes + ", scrubBytesPerSecond="
                + settings.scrubBytesPerSecond
                + ", cacheBytes=" + settings.cacheBytes + ", mappedReads=" + settings.mappedReads + ", segmentBuffers="
                + settings.segmentBuffers
                + ", frameTableBytes="
                + settings.frameTableBytes + ", healthListener="
                + settings.healthListener + "]";
    }
}
