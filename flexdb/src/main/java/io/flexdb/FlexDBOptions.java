package io.flexdb;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.internal.base.KeyspaceSettings;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.storage.HealthListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store. Immutable; each {@code with…} method returns a changed copy. All of them may differ from one
 * opening of a store to the next, but for the segments of {@link #withSpace}, which an existing store keeps.
 *
 * <p>Off-heap memory has one budget, {@link #withMemoryBytes}, which cache, memtables and buffers share; what was not
 * set is derived from it when a store is opened, and {@link FlexDB#options} and {@link FlexDB#stats} say what has
 * become of it. The indexes come on top, since they grow with the data: about 16 bytes an extent, and 60 bytes plus the
 * key an interval.
 */
public final class FlexDBOptions {
    /** What {@link #memoryBytes} and others say of a setting that is derived when a store is opened. */
    public static final int DERIVED = StoreSettings.DERIVED;

    /** The largest memory budget that is taken without being asked for. */
    public static final long MAX_DERIVED_MEMORY_BYTES = StoreSettings.MAX_DERIVED_MEMORY_BYTES;

    /** The smallest memtable. */
    public static final int MIN_MEMTABLE_BYTES = StoreSettings.MIN_MEMTABLE_BYTES;

    /** The largest memtable. */
    public static final int MAX_MEMTABLE_BYTES = StoreSettings.MAX_MEMTABLE_BYTES;

    private static final Duration MAX_SYNC_INTERVAL = Duration.ofDays(1);
    private static final FlexDBOptions DEFAULTS = new FlexDBOptions(new StoreSettings());

    private final StoreSettings settings;

    private FlexDBOptions(StoreSettings settings) {
        this.settings = settings;
    }

    /** What settings of the store mean to its user. */
    static FlexDBOptions of(StoreSettings settings) {
        return new FlexDBOptions(settings);
    }

    /** The settings of the store that these options stand for. */
    StoreSettings settings() {
        return settings;
    }

    /** The one place that copies. */
    private FlexDBOptions with(Consumer<StoreSettings> change) {
        StoreSettings changed = settings.copy();
        change.accept(changed);
        return new FlexDBOptions(changed);
    }

    /** {@link Durability#OS}, and at most 512 MiB of off-heap memory beside the indexes. */
    public static FlexDBOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets what properties of a configuration say: those whose names begin with a prefix, each of which goes on with the
     * name of a setting, as its method here is called, without {@code with}. Settings of the space follow {@code space.}.
     *
     * <pre>{@code
     * flexdb.durability=SYNC
     * flexdb.memory-bytes=256m
     * flexdb.sync-interval=PT0.5S
     * flexdb.space.minimum-utilization=0.7
     * }</pre>
     *
     * <p>Case, hyphens and underscores in the names of settings don't matter. Bytes are a number, which {@code k}, {@code
     * m} or {@code g} may follow, for units of 1024; times are as {@link Duration#parse} has them; the others are {@code
     * true} or {@code false}, or the name of a constant. A value may also be of the setting's own type. The health
     * listener, the clock, the merge function and the options of keyspaces are no properties.
     *
     * @param properties any map, such as {@link System#getProperties}; what does not begin with the prefix is ignored
     * @param prefix with the dot at its end, if there is to be one
     * @throws IllegalArgumentException if a property with the prefix is no setting, or its value can't be; it names the
     *     property
     */
    public FlexDBOptions withProperties(Map<?, ?> properties, String prefix) {
        Limits.notNull(properties, "properties");
        return OptionProperties.apply(this, properties, Limits.notNull(prefix, "prefix"));
    }

    /** What has happened to a write when its call returns; default {@link Durability#OS}. */
    public FlexDBOptions withDurability(Durability newDurability) {
        Limits.notNull(newDurability, "durability");
        return with(settings -> settings.force = newDurability.force());
    }

    /**
     * The budget for off-heap memory: for the cache, the memtables, segments being written, reads and commits. The
     * sparse index and the FlexTree come on top. What is set explicitly is taken from it, and what is not set shares
     * the rest: a third goes to the memtables, of which there are four, or half if there is little, and what remains to
     * the cache.
     *
     * <p>The JVM must allow for it, and for the indexes: direct buffers may take as much as
     * {@code -XX:MaxDirectMemorySize} says, or else {@code -Xmx}. Settings that can't fit are refused when a store is
     * opened. Where the indexes, or others, leave too little, the cache becomes smaller.
     *
     * @param bytes default: 5/8 of what direct buffers may take, or half of what the machine or container has beside
     *     the heap if that is less, and at most {@link #MAX_DERIVED_MEMORY_BYTES}; from 1 MiB
     */
    public FlexDBOptions withMemoryBytes(long bytes) {
        if (bytes < 1 << 20) {
            throw new IllegalArgumentException("memoryBytes must be at least " + (1 << 20) + ": " + bytes);
        }
        return with(settings -> settings.memoryBytes = bytes);
    }

    /**
     * The resources that the store shares with others: all of them together have no more memory than these, and no more
     * threads. The other options about memory are limits of this store below that; if nothing is set it may have all.
     *
     * @param resources default null: {@linkplain FlexDBResources#shared those that all stores of the JVM share}
     */
    public FlexDBOptions withResources(@Nullable FlexDBResources resources) {
        boolean isDefault = resources == null || resources.equals(FlexDBResources.shared());
        return with(settings -> settings.resources = isDefault ? null : resources.resources());
    }

    /**
     * The budget of the cache. It holds the directories of intervals, which say where in an interval each pair is:
     * 12 bytes a pair, or up to 20 where changes have scattered them. The pairs themselves are in the operating system's
     * page cache. Where that is too small, pairs of up to 1 KiB are kept here for which a lookup had to wait for the
     * disk: then a larger cache serves more reads. Else more than the directories need serves nothing, unless the data
     * file is not mapped, see {@link Reads}: then a quarter of it is for directories, and the rest for verified frames of
     * the file.
     *
     * @param bytes default: what the budget has left; 0 for no cache
     */
    public FlexDBOptions withCacheBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("cacheBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.cacheBytes = bytes);
    }

    /**
     * How much a memtable holds, and its log. A larger one makes commits cheaper for each key, and a recovery longer.
     * A key with its value must fit one, but for {@linkplain #withLargeValueBytes large values}; a batch or transaction
     * that does not is merged into the store when it is written, at the cost that {@link Transaction} tells.
     *
     * @param bytes default: derived from the budget, 48 MiB if that is 512 MiB; from {@link #MIN_MEMTABLE_BYTES} to
     *     {@link #MAX_MEMTABLE_BYTES}
     */
    public FlexDBOptions withMemtableBytes(int bytes) {
        if (bytes < MIN_MEMTABLE_BYTES || bytes > MAX_MEMTABLE_BYTES) {
            throw new IllegalArgumentException(
                    "memtableBytes must be from " + MIN_MEMTABLE_BYTES + " to " + MAX_MEMTABLE_BYTES + ": " + bytes);
        }
        return with(settings -> settings.memtableBytes = bytes);
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
        return with(settings -> settings.syncInterval = interval);
    }

    /**
     * Sets how much memory of old versions open snapshots, cursors and transactions may keep: memtables, and nodes of the
     * indexes, which stay in memory and are some hundred kilobytes for each commit into a large store. Where they keep more, old
     * versions are moved to a file, see {@link #withMaxPinnedFileBytes}. Where that can't be done, as on a full disk, the
     * store ends the oldest that alone keeps a memtable, or else the oldest that keeps one with others, until they keep
     * less. Using one that was ended throws a {@link io.flexdb.storage.SnapshotTooOldException}. Half as much may be
     * kept besides for transactions to find conflicts in; one for which it would be more can't be committed. The cache
     * is smaller by as much as they keep. {@link FlexDBStats#holders} shows them, and a warning in the log tells once
     * of each that is 10 minutes old, or 10 seconds and keeps more than half of the limit.
     *
     * @param bytes default: as much as the cache has
     */
    public FlexDBOptions withMaxPinnedBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxPinnedBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.maxPinnedBytes = bytes);
    }

    /**
     * Sets how many bytes of old versions may be moved to a file when they are more than {@link #withMaxPinnedBytes} in
     * memory. The file is in the store's directory; it is deleted when the store is closed, or opened. To read what is
     * there costs a read of some 16 KiB where memory would have it.
     *
     * @param bytes default: as many as the disk has room for; 0 for no file
     */
    public FlexDBOptions withMaxPinnedFileBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxPinnedFileBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.maxPinnedFileBytes = bytes);
    }

    /**
     * Whether it is kept where snapshots, cursors, transactions and values were opened, for {@link FlexDBHolder} and
     * exceptions. To find out what is never closed; it makes opening several times as slow.
     *
     * @param traces default: false
     */
    public FlexDBOptions withHolderTraces(boolean traces) {
        return with(settings -> settings.holderTraces = traces);
    }

    /**
     * From how many bytes on a value is large: it is written to the data file at once, and the write-ahead log and the
     * memtable get no more than where it is. So it is written once, where others are written twice; but each write of
     * large values begins a frame of the data file, and with {@link Durability#SYNC} one more file is forced. A large
     * value may be longer than a memtable, and longer than all memory that the JVM has.
     *
     * @param bytes at least 1; default 32 KiB; {@link Integer#MAX_VALUE} for none
     */
    public FlexDBOptions withLargeValueBytes(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("largeValueBytes must be at least 1: " + bytes);
        }
        return with(settings -> settings.largeValueBytes = bytes);
    }

    /**
     * How many bytes of free disk space in the data file the store keeps from use for readers beside it that were
     * overtaken, see {@link FlexDBReader}; for a minute at most. A store with a size cap, or on a full disk, keeps none.
     * For a reader, whether it asks for that at all.
     *
     * @param bytes default 512 MiB; 0 for none, and for a reader that leaves no file in the store's directory
     */
    public FlexDBOptions withMaxLeasedBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxLeasedBytes must not be negative: " + bytes);
        }
        return with(settings -> settings.maxLeasedBytes = bytes);
    }

    /**
     * How the data file is read; {@link FlexDB#stats} says what has become of it.
     *
     * @param reads default {@link Reads#MAPPED}, which maps only where that is safe
     */
    public FlexDBOptions withReads(Reads reads) {
        Limits.notNull(reads, "reads");
        return with(settings -> settings.mappedReads = reads == Reads.MAPPED);
    }

    /**
     * Whether other users may read the store, those in the group of its files: new files and directories get that
     * permission whatever the mask of the process says, and at opening those that are there get it, too. So a
     * {@linkplain FlexDB#openReadOnly reader} of another user can work beside the writer. The group is that of the
     * store's directory if that has its setgid bit, else the writer's own; and the group must be able to search the
     * directories above. For systems with POSIX permissions.
     *
     * @param readable default false: only the owner may read. Files that have the permission keep it
     */
    public FlexDBOptions withReadableByGroup(boolean readable) {
        return with(settings -> settings.readableByGroup = readable);
    }

    /**
     * Online defragmentation: how much of what lies in many pieces is written in one piece again. Changes leave the
     * pairs beside them where they are, so that a store that was filled in no order lies scattered in its data file,
     * and a scan of it takes half as long again. What is read is put in order, what is read most first, by the thread
     * that commits, while it has nothing else to do and for a tenth of the time at most. The rest is put in order once
     * nobody has read or written anything for ten seconds, for a quarter of the time, until somebody does: so it takes
     * less memory, and few reads of the disk when it is wanted again. That begins only when there is enough to do. It
     * waits while snapshots, cursors or transactions are open, while a check, a copy or an export is under way, and for
     * {@linkplain FlexDBReader readers} that have asked for time. The next backup has all that was put in order.
     *
     * @param bytes to be written in a second at most; default 64 MiB, 0 to leave everything where it is
     */
    public FlexDBOptions withDefragmentedBytesPerSecond(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("defragmentedBytesPerSecond must not be negative: " + bytes);
        }
        return with(settings -> settings.defragmentedBytesPerSecond = bytes);
    }

    /**
     * The stitching threshold (the VT-tree's): from how many bytes on unchanged pairs that lie together in the data file
     * stay there when a commit changes their interval. They are stitched to what is new by the tree alone, and nothing of
     * them is copied; shorter runs of pairs are written anew with what has changed beside them. The more is stitched,
     * the less is written, and the more pieces an interval lies in for who scans it, until it is defragmented.
     *
     * @param bytes 0 to leave all that does not change in place, {@link Integer#MAX_VALUE} to write each changed interval
     *     anew; default {@link #DERIVED}: in place, unless half of the pairs change or most lie alone, which has the
     *     interval written anew
     */
    public FlexDBOptions withStitchingThresholdBytes(int bytes) {
        if (bytes < 0 && bytes != DERIVED) {
            throw new IllegalArgumentException(
                    "stitchingThresholdBytes must be at least 0, or " + DERIVED + " for the default: " + bytes);
        }
        return with(settings -> settings.stitchingThresholdBytes = bytes);
    }

    /**
     * Whether the store keeps a range filter in memory, by which absent keys, and cursors with an upper bound that have
     * nothing to show, are known without reading (section 3.5 of the KVRangeDB paper). It pays where much of what is
     * looked for is absent and the data are larger than memory: an absent key is read for once in 25 times. It takes
     * about 10 bits a pair beside the budget, more where pairs are large, and a little of each lookup. A clean close saves
     * it in a file of its own. After a kill it is made from the pairs, by the thread that commits and for a fourth of its
     * time, once somebody asks for what it would know.
     *
     * @param rangeFilter default false
     */
    public FlexDBOptions withRangeFilter(boolean rangeFilter) {
        return with(settings -> settings.rangeFilter = rangeFilter);
    }

    /**
     * The settings of the FlexSpace underneath, but for its cache and its health listener: a store has its own. By
     * default garbage is collected where less than 0.7 of the segments in use is alive, else they are those of a
     * FlexSpace; begin with {@link #space()} to change one of them.
     */
    public FlexDBOptions withSpace(FlexSpaceOptions newSpace) {
        Limits.notNull(newSpace, "space");
        return with(settings -> settings.space = newSpace);
    }

    /**
     * What to tell when the health of the store changes, as when damage makes it read-only or a failed write stops it:
     * a program can hand over, or call for help, before anybody meets an exception. {@link System.Logger} is told in
     * any case: the logger {@code io.flexdb}, read-only as a warning and failures as errors.
     *
     * @param listener default null: none
     */
    public FlexDBOptions withHealthListener(@Nullable HealthListener listener) {
        return with(settings -> settings.healthListener = listener);
    }

    /**
     * Sets the clock for pairs that expire; milliseconds count.
     *
     * <p>While a store is open its time does not go back. If the clock goes back by up to a second, the time stands still
     * until the clock has caught up. If it goes back further, the store stays ahead of it, and its time goes on as the
     * clock does: a pair lives as long as was said, and a thousandth longer at most.
     *
     * <p>The system's clock, which is the default, is held against {@link System#nanoTime}. If it jumps ahead, the store
     * believes it when it has been ahead for as long as it has jumped, or for a minute. So a jump that is taken back
     * within that time changes nothing, and after a suspension of the machine pairs expire up to a minute late. A jump
     * that stays is believed, and pairs that have expired by it are gone for good. Another clock is taken at its word
     * when it goes ahead, and readings behind the year 9999 count as its end.
     *
     * <p>A store with pairs that expire, or operands, keeps a mark of its time with a commit, once a minute at most, and
     * when it is closed. When it is opened the time begins there at the earliest. So if the clock goes back between two
     * openings, pairs that were absent as expired stay absent, but for the time since the last mark. Copies of the store
     * and backups have no mark. A clock that is wrong when the store is opened is believed.
     *
     * <p>If the clock throws, the call that has asked it does, and changes nothing; a commit goes on with the latest
     * time that is known. The clock is asked by the threads that read, write and commit, so it must answer at once, and
     * must not call the store.
     *
     * @param clock default {@link InstantSource#system()}
     */
    public FlexDBOptions withClock(InstantSource clock) {
        Limits.notNull(clock, "clock");
        return with(settings -> settings.clock = clock);
    }

    /**
     * Sets the function that {@link FlexDB#merge} applies to values, of the default keyspace and of all that have none of
     * their own by {@link #withKeyspace}. A store whose write-ahead log has merges is not opened without one for each
     * keyspace that they are of. One that was closed may be opened with any, or with none: then reads of a key whose operands
     * wait, because the function had failed for them, throw a {@link io.flexdb.storage.MergeException}, and so they do
     * where another function can't merge them.
     *
     * @param function default null: none
     */
    public FlexDBOptions withMergeFunction(@Nullable MergeFunction function) {
        return with(settings -> settings.merger = Merging.of(function));
    }

    /**
     * Sets options of a named keyspace, whether it exists already or is made later; in the place of those that were given
     * for the name before.
     *
     * @param name any text that has 1 to 255 bytes in UTF-8
     * @param options what is not set in them is as these options say for the whole store
     * @throws IllegalArgumentException if the name is empty, too long, or has half of a surrogate pair
     */
    public FlexDBOptions withKeyspace(String name, KeyspaceOptions options) {
        KeyspaceDirectory.requireName(name);
        KeyspaceSettings ofKeyspace = Limits.notNull(options, "options").settings();
        return with(settings -> {
            TreeMap<String, KeyspaceSettings> changed = new TreeMap<>(settings.keyspaces);
            changed.put(name, ofKeyspace);
            settings.keyspaces = Collections.unmodifiableMap(changed);
        });
    }

    /** What has happened to a write when its call returns. */
    public Durability durability() {
        return Durability.of(settings.force);
    }

    /** The budget for off-heap memory, or {@link #DERIVED}. */
    public long memoryBytes() {
        return settings.memoryBytes;
    }

    /** The memory and the threads that the store shares with others; never null. */
    public FlexDBResources resources() {
        return settings.resources == null ? FlexDBResources.shared() : FlexDBResources.of(settings.resources);
    }

    /** The budget of the cache, or {@link #DERIVED}. */
    public long cacheBytes() {
        return settings.cacheBytes;
    }

    /** How much a memtable holds, or {@link #DERIVED}. */
    public int memtableBytes() {
        return settings.memtableBytes;
    }

    /** The time between periodic forces; zero for none. */
    public Duration syncInterval() {
        return settings.syncInterval;
    }

    /** How much memory snapshots and cursors may hold back, or {@link #DERIVED}. */
    public long maxPinnedBytes() {
        return settings.maxPinnedBytes;
    }

    /** How many bytes of old versions may be moved to a file. */
    public long maxPinnedFileBytes() {
        return settings.maxPinnedFileBytes;
    }

    /** Whether it is kept where snapshots, cursors, transactions and values were opened. */
    public boolean holderTraces() {
        return settings.holderTraces;
    }

    /** From how many bytes on a value is large. */
    public int largeValueBytes() {
        return settings.largeValueBytes;
    }

    /** How many bytes of free disk space are kept for readers beside the store. */
    public long maxLeasedBytes() {
        return settings.maxLeasedBytes;
    }

    /** How the data file is read, where that is possible. */
    public Reads reads() {
        return settings.mappedReads ? Reads.MAPPED : Reads.POSITIONAL;
    }

    /** Whether the group of the store's files may read them. */
    public boolean readableByGroup() {
        return settings.readableByGroup;
    }

    /** How much online defragmentation writes in a second at most; 0 if there is none. */
    public long defragmentedBytesPerSecond() {
        return settings.defragmentedBytesPerSecond;
    }

    /** From how many bytes on unchanged pairs stay where they are, or {@link #DERIVED}. */
    public int stitchingThresholdBytes() {
        return settings.stitchingThresholdBytes;
    }

    /** Whether the store keeps a range filter. */
    public boolean rangeFilter() {
        return settings.rangeFilter;
    }

    /** The settings of the FlexSpace underneath. */
    public FlexSpaceOptions space() {
        return settings.space;
    }

    /** What becomes of values by {@link FlexDB#merge}, or null. */
    public @Nullable MergeFunction mergeFunction() {
        return Merging.functionOf(settings.merger);
    }

    /** The options of named keyspaces that were set, by name; the map can't be changed. */
    public Map<String, KeyspaceOptions> keyspaces() {
        TreeMap<String, KeyspaceOptions> options = new TreeMap<>();
        settings.keyspaces.forEach((name, ofKeyspace) -> options.put(name, KeyspaceOptions.of(ofKeyspace)));
        return Collections.unmodifiableMap(options);
    }

    /** What tells the time for pairs that expire. */
    public InstantSource clock() {
        return settings.clock;
    }

    /** What is told when the health changes, or null. */
    public @Nullable HealthListener healthListener() {
        return settings.healthListener;
    }

    /** Whether all settings are equal; a listener, a clock and a merge function are equal to what they say they are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof FlexDBOptions options && settings.equals(options.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public String toString() {
        return "FlexDBOptions[durability=" + durability() + ", memoryBytes=" + text(settings.memoryBytes)
                + ", cacheBytes="
                + text(settings.cacheBytes) + ", memtableBytes="
                + text(settings.memtableBytes) + ", syncInterval="
                + settings.syncInterval
                + ", maxPinnedBytes=" + text(settings.maxPinnedBytes) + ", maxPinnedFileBytes="
                + settings.maxPinnedFileBytes + ", maxLeasedBytes="
                + settings.maxLeasedBytes + ", holderTraces=" + settings.holderTraces + ", largeValueBytes="
                + settings.largeValueBytes + ", reads=" + reads()
                + ", readableByGroup=" + settings.readableByGroup
                + ", defragmentedBytesPerSecond=" + settings.defragmentedBytesPerSecond
                + ", stitchingThresholdBytes=" + text(settings.stitchingThresholdBytes)
                + ", rangeFilter=" + settings.rangeFilter + ", space=" + settings.space
                + ", healthListener=" + settings.healthListener + ", clock=" + settings.clock
                + ", mergeFunction=" + mergeFunction()
                + (settings.keyspaces.isEmpty() ? "" : ", keyspaces=" + keyspaces())
                + (settings.resources == null ? "" : ", resources=" + settings.resources)
                + "]";
    }

    private static String text(long bytes) {
        return bytes == DERIVED ? "derived" : Long.toString(bytes);
    }
}
