package io.flexdb.flexspace.internal.engine;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.FirstUse;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Leases;
import io.flexdb.flexspace.internal.base.PauseListener;
import io.flexdb.flexspace.internal.base.SpaceOwner;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.check.RunningChecks;
import io.flexdb.flexspace.internal.check.Scrubber;
import io.flexdb.flexspace.internal.check.SpaceChecker;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.reservation.EditReservation;
import io.flexdb.flexspace.internal.reservation.SegmentReservation;
import io.flexdb.flexspace.internal.reservation.SpaceContent;
import io.flexdb.flexspace.internal.reservation.SpaceParts;
import io.flexdb.flexspace.internal.segment.FrameCache;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The engine of a FlexSpace. One writer at a time changes it; what readers see is up to the owner, who publishes
 * {@link #current()} views and then advances the epochs.
 *
 * <p>After a write method has thrown, the engine is of no use any more but for {@link #close()}: memory and files may
 * differ. The owner sees to that.
 */
public final class SpaceEngine implements ExtentRewriter, AutoCloseable {
    private static final int EMPTIED_PER_SYNC = 8;

    private final Vfs vfs;
    private final Path directory;
    private final SpaceOwner owner;
    private final Health health; // the owner's
    private final SpaceContent content;
    private final TreeFile treeFile;
    private final FlexTree tree;
    private BooleanSupplier isWriter = () -> true; // asked by assertions
    private final SegmentStore store;
    private final SpaceReads reads;
    private final SegmentReservation segments;
    private final GarbageCollector collector;
    private final SpaceDurability durability;
    private final ChangeReservation reservation;
    private final ExtentMover mover;
    private final Scrubber scrubber;
    private final SpaceFigures figures;
    private final Leases leases; // or null
    private final RunningChecks runningChecks = new RunningChecks();
    private final LogBatch batch = new LogBatch();
    private final WriterPauses pauses = new WriterPauses(batch::edits);
    private final ExtentConsumer removed = this::removeLive;
    private final long openedTreeVersion;
    private final long openedLogGeneration;
    private final LogEnd openedLogEnd;
    private final FoundData data;
    private LogRenewal renewal; // until begin
    private boolean keptRestored;

    private SpaceEngine(Vfs vfs, Path directory, SpaceSettings settings, SpaceOwner owner, SpaceRecovery recovered) {
        this.vfs = vfs;
        this.owner = owner;
        this.health = owner.health();
        this.directory = directory;
        this.treeFile = recovered.treeFile;
        this.tree = recovered.tree;
        this.store = recovered.store;
        if (settings.segmentBuffers > 0) { // else nobody will write
            store.buffers().reserve(settings.buffersWithFirstChange ? 0 : 1, settings.segmentBuffers);
        }
        FrameCache cache = FrameCache.of(store.format(), settings.cacheBytes, owner.memory());
        this.reads = new SpaceReads(store, tree, pauses, cache);
        this.data = recovered.data;
        this.renewal = recovered.renewal();
        this.openedTreeVersion = treeFile.header().treeVersion();
        this.openedLogGeneration = recovered.logs.opened();
        this.openedLogEnd = recovered.logEnd();
        store.pauses(pauses);
        this.leases = settings.leases;
        boolean isCapped = settings.maxDataBytes != Long.MAX_VALUE; // then all of it is for changes
        if (leases != null && !isCapped) {
            store.honour(leases, settings.maxLeasedBytes);
        }
        Epochs epochs = owner.epochs();
        this.content = new SpaceContent(vfs, directory, treeFile, tree, store);
        SpaceParts parts = new SpaceParts(content, settings, epochs, batch, pauses);
        this.segments = new SegmentReservation(store, pauses, settings.maxDataBytes);
        EditReservation edits = new EditReservation(parts, segments, SpaceDurability.batchBytes(settings));
        this.collector = new GarbageCollector(parts, reads, this, segments, edits);
        this.durability = new SpaceDurability(parts, recovered.replay.tag(), segments, edits, collector);
        this.reservation = new ChangeReservation(parts, segments, edits, collector, durability);
        this.mover = new ExtentMover(tree);
        this.scrubber = new Scrubber(store, epochs, settings.scrubBytesPerSecond);
        this.figures = new SpaceFigures(tree, treeFile, store, reads, collector, durability);
    }

    /** Gives back memory that is not needed until the next change. By the writer, when all changes are durable. */
    public void giveBackMemory() {
        if (canGiveBackMemory()) {
            durability.revokeGranted(); // which counts on a buffer
            store.giveBackBuffers();
        }
    }

    /** Whether there is some that {@link #giveBackMemory} gives back, at least when all changes are durable. */
    public boolean canGiveBackMemory() {
        return !collector.isSweeping() && store.buffers().memoryBytes() > 0;
    }

    /** Whether a directory holds a space. */
    public static boolean exists(Vfs vfs, Path directory) {
        return SpaceFiles.exist(vfs, directory);
    }

    /** Whether a file of a space may have a name, be it for as long as it is being made. */
    public static boolean isFileName(String name) {
        return SpaceFiles.isFileName(name);
    }

    /** Whether a directory holds a space, or what says of itself that it was one. */
    public static boolean isOne(Vfs vfs, Path directory) {
        return SpaceFiles.isOne(vfs, directory);
    }

    /**
     * Whether a file with the name of a lock file is one by what it has.
     *
     * @throws io.flexdb.storage.StoreLockedException if it is locked
     */
    public static boolean isLockFile(Vfs vfs, Path file) {
        return SpaceFiles.isLockFile(vfs, file);
    }

    /**
     * Checks, before anything is changed, that a directory has a space, or that one can be made there: that it has
     * nothing but what may be there besides, and what a creation has left that was cut short.
     */
    public static void checkCreatable(Vfs vfs, Path directory, List<String> allowedNames) {
        SpaceFiles.checkCreatable(vfs, directory, allowedNames);
    }

    /** Creates an empty space where {@link #checkCreatable} finds that one can be made. */
    public static void createWhereChecked(
            Vfs vfs, Path directory, long storeId, SpaceSettings settings, List<String> allowedNames) {
        SpaceFiles.checkCreatable(vfs, directory, allowedNames);
        SpaceFiles.beginCreation(vfs, directory);
        List<String> allowed = new ArrayList<>(allowedNames);
        allowed.add(SpaceFiles.BEGUN_NAME);
        create(vfs, directory, storeId, settings, allowed);
    }

    /** Deletes the sign of a creation that has ended, if there is one. */
    public static void endCreation(Vfs vfs, Path directory) {
        SpaceFiles.endCreation(vfs, directory);
    }

    /** Makes a directory and its missing parents, and their names durable. */
    public static void createDirectory(Vfs vfs, Path directory) {
        SpaceFiles.createDirectory(vfs, directory);
    }

    /** Does the same, but that the name of the directory itself is not durable before {@link #syncName}. */
    public static void makeDirectory(Vfs vfs, Path directory) {
        SpaceFiles.makeDirectory(vfs, directory);
    }

    /** Makes the name of a directory durable, as far as it can be done. */
    public static void syncName(Vfs vfs, Path directory) {
        SpaceFiles.syncName(vfs, directory);
    }

    /** Whether a directory has a file that no creation leaves, but only a space that was used. */
    public static boolean mayHaveData(Vfs vfs, Path directory) {
        return vfs.isDirectory(directory) && SpaceFiles.mayHaveData(vfs, directory, vfs.list(directory));
    }

    /**
     * Creates an empty space in a directory with no files but those allowed, and what an earlier creation has left
     * there: that is deleted, and must be known to be such.
     */
    public static void create(
            Vfs vfs, Path directory, long storeId, SpaceSettings settings, List<String> allowedNames) {
        SegmentReservation.checkCap(settings.maxDataBytes, settings.segmentBytes);
        SpaceFiles.create(vfs, directory, storeId, settings, allowedNames);
    }

    /**
     * Creates an empty space, durably, in a directory that there is and that has nothing but what an earlier creation
     * has left. Until this returns there may be something that is taken for a space and is none, so it is for an owner
     * who knows, by something else that it makes durable later, that it is to be created anew.
     */
    public static void createPart(Vfs vfs, Path directory, long storeId, SpaceSettings settings) {
        SegmentReservation.checkCap(settings.maxDataBytes, settings.segmentBytes);
        SpaceFiles.createPart(vfs, directory, storeId, settings);
    }

    /** Recovers a space and begins: {@link #recover} and {@link #begin} in one. */
    public static SpaceEngine open(Vfs vfs, Path directory, long storeId, SpaceSettings settings, Epochs epochs) {
        SpaceEngine engine = recover(vfs, directory, storeId, settings, epochs);
        try {
            engine.begin();
            return engine;
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /**
     * Recovers a space without changing a file, so that its owner can find a reason to refuse it. It can be read, and
     * changed after {@link #begin}.
     *
     * @param storeId the id that its files must have, or 0 for any
     */
    public static SpaceEngine recover(Vfs vfs, Path directory, long storeId, SpaceSettings settings, Epochs epochs) {
        Health health = new Health("the space", directory, settings.healthListener);
        return recover(vfs, directory, storeId, settings, new SpaceOwner(epochs, health, new OffHeap()), false);
    }

    /**
     * Recovers the space of something larger, like {@link #recover(Vfs, Path, long, SpaceSettings, Epochs)}.
     *
     * @param owner the larger thing
     * @param isNew whether this opening has {@linkplain #createPart created} it, under its lock: then nobody else has
     *     written to its log, which serves as it is
     */
    public static SpaceEngine recover(
            Vfs vfs, Path directory, long storeId, SpaceSettings settings, SpaceOwner owner, boolean isNew) {
        FirstUse.of(
                "io.flexdb.flexspace.internal.segment.Segment$State",
                "io.flexdb.flexspace.internal.vfs.Zeros",
                "io.flexdb.flextree.internal.tree.NodeFormat",
                "java.util.concurrent.atomic.Striped64$Cell"); // of the counters
        SpaceRecovery recovery = new SpaceRecovery(vfs, directory, storeId, settings, owner, isNew);
        recovery.run();
        try {
            return new SpaceEngine(vfs, directory, settings, owner, recovery);
        } catch (RuntimeException | Error e) {
            recovery.closeAll();
            throw e;
        }
    }

    /**
     * Makes durable what the recovery accepted, in new files: what can be a reason for the opening to fail. Nothing
     * that was there is changed, and if the engine is closed before {@link #begin} the files are deleted again.
     */
    public void prepareToBegin() {
        data.makeOwn(); // before a log names what is written to it
        durability.begin(renewal.make());
        keptRestored = durability.restoreKept(true);
    }

    /**
     * Keeps the bytes that an earlier opening has staged, though the space knows nothing of them: until
     * {@link #letGoKept}. After a recovery, before {@link #prepareToBegin}.
     *
     * @param address of any of them, also one that a damaged file names
     * @return false if there is nothing to keep
     */
    public boolean keep(long address, int length) {
        return store.keep(address) && store.format().positionOf(address) + length <= store.format().dataBytes;
    }

    /** Reads bytes that were kept, unverified: the caller has a checksum. */
    public void readKept(long address, ByteBuffer destination) {
        int segment = store.format().segmentOf(address);
        store.file()
                .readFully(
                        destination,
                        store.format().filePosition(segment, store.format().positionOf(address)));
    }

    /** Lets what was kept be free. By the writer, when nobody reads it any more. */
    public void letGoKept() {
        store.letGoKept();
    }

    /** Makes a space that was recovered ready for changes. If it throws, it should be closed. */
    public void begin() {
        if (!renewal.isMade()) {
            prepareToBegin();
        }
        renewal.dropOthers();
        renewal = null;
        data.dropOthers();
        if (!keptRestored) {
            durability.restoreKept(false); // the other logs have left some space
        }
    }

    /** The larger thing that the space is a part of, or one of its own. */
    public SpaceOwner owner() {
        return owner;
    }

    /** Tells which calls the space still serves; its owner sees that nothing else is asked of it. */
    public Health health() {
        return health;
    }

    // ---- changes, by the writer

    /** The longest extent; a shorter record is never cut. */
    public int maxExtentBytes() {
        return store.format().maxExtentBytes;
    }

    /** Says who wants to know when the writer waits for files. Before the first change. */
    public void pauseListener(PauseListener listener) {
        pauses.listener(listener);
    }

    /** Begins changes that a crash keeps all or none of. Groups nest. */
    public void beginGroup() {
        durability.beginGroup();
    }

    /** Ends a group, and writes what waits for the log if that is much. */
    public void endGroup() {
        durability.endGroup();
    }

    /**
     * Inserts bytes as one extent, which shifts what follows.
     *
     * @param length from 1 to {@link #maxExtentBytes()}
     * @param flags of the extent
     * @return the address of the extent
     */
    public long insert(long logicalOffset, ByteBuffer source, int position, int length, int flags) {
        beginGroup();
        long address = store.append(source, position, length);
        tree.insertRange(logicalOffset, length, address, flags);
        collector.inserted(logicalOffset, length);
        store.addLive(address, length);
        batch.edit(LogBatch.INSERT, logicalOffset, length, address, flags);
        endGroup();
        return address;
    }

    /**
     * Begins to take bytes that are linked later. Any thread, from {@link #begin} to {@link #close}; as long as the
     * result is open, what it takes is neither free nor moved.
     */
    public StagedBytes stage() {
        return store.stage();
    }

    /**
     * Inserts a piece that was staged as one extent, which shifts what follows: nothing is written but a log entry. To
     * be reserved for as two edits, and no bytes.
     *
     * @param address of the piece, in a segment that its owner has ended or filled; a piece is in one place at a time
     * @param length of it
     * @param flags of the extent
     */
    public void insertStaged(long logicalOffset, long address, int length, int flags) {
        beginGroup();
        tree.insertRange(logicalOffset, length, address, flags);
        collector.inserted(logicalOffset, length);
        store.link(address, length);
        batch.edit(LogBatch.INSERT, logicalOffset, length, address, flags);
        endGroup();
    }

    /** Inserts unmapped bytes, which read as zeros. The cost grows with their number. */
    public void insertHole(long logicalOffset, long length) {
        beginGroup();
        for (long done = 0; done < length; ) {
            long piece = Math.min(length - done, LogFormat.MAX_HOLE_BYTES);
            tree.insertHole(logicalOffset + done, piece);
            batch.edit(LogBatch.INSERT, logicalOffset + done, piece, FlexTree.HOLE, 0);
            done += piece;
        }
        collector.inserted(logicalOffset, length);
        endGroup();
    }

    /** Unmaps a range, which then reads as zeros; the size stays. */
    public void punchHole(long logicalOffset, long length) {
        beginGroup();
        for (long done = 0; done < length; ) {
            long piece = Math.min(length - done, LogFormat.MAX_HOLE_BYTES);
            tree.remap(logicalOffset + done, piece, FlexTree.HOLE, 0, removed);
            batch.edit(LogBatch.REMAP, logicalOffset + done, piece, FlexTree.HOLE, 0);
            done += piece;
        }
        endGroup();
    }

    /**
     * Moves a range to another logical offset, at the cost of its extents.
     *
     * @param target where it goes, as an offset before the move, from 0 to {@link #size()}; neither in the range nor at
     *     one of its ends
     */
    public void move(long logicalOffset, long length, long target) {
        assert mover.isMove(logicalOffset, length, target) : length + " from " + logicalOffset + " to " + target;
        beginGroup();
        mover.move(logicalOffset, length, target, batch);
        collector.collapsed(logicalOffset, length);
        collector.inserted(target > logicalOffset ? target - length : target, length);
        endGroup();
    }

    /** Removes bytes and closes the gap. */
    public void collapse(long logicalOffset, long length) {
        beginGroup();
        tree.collapseRange(logicalOffset, length, removed);
        collector.collapsed(logicalOffset, length);
        batch.edit(LogBatch.COLLAPSE, logicalOffset, length, 0, 0);
        endGroup();
    }

    @Override
    public long overwrite(long logicalOffset, ByteBuffer source, int position, int length, int flags) {
        beginGroup();
        long address = store.append(source, position, length);
        tree.remap(logicalOffset, length, address, flags, removed);
        store.addLive(address, length);
        batch.edit(LogBatch.REMAP, logicalOffset, length, address, flags);
        endGroup();
        return address;
    }

    private void removeLive(long logicalOffset, long length, long address, int flags) {
        if (address != FlexTree.HOLE) {
            store.removeLive(address, length);
        }
    }

    /** Bytes that fit the open segment still; an extent cut there wastes none of it. */
    public int roomInOpenSegment() {
        return store.roomInOpenSegment();
    }

    /** Bytes of the address space, by the writer's state. */
    public long size() {
        return tree.size();
    }

    /** Has assertions ask whether the calling thread is the writer. */
    public void setWriter(BooleanSupplier test) {
        isWriter = test;
    }

    /** The writer's state, for readers once it has been published and the epochs have advanced. */
    public FlexTreeView current() {
        assert isWriter.getAsBoolean() : "only the writer asks for what is not published";
        return tree.current();
    }

    /** Reuses what no reader can see any more. To be called after publishing. */
    public void reclaim() {
        tree.reclaim();
        store.reclaim();
    }

    // ---- durability, by the writer

    /**
     * Makes all changes so far durable, together with a tag that is found again after a crash.
     *
     * @param newTag what {@link #tag()} returns after a recovery to this point or a later one
     */
    public void sync(long newTag) {
        durability.sync(newTag);
    }

    /** Writes the FlexTree to its file and begins a new log. Makes all changes durable first. */
    public void checkpoint() {
        durability.checkpoint();
    }

    /** The tag of the last sync. */
    public long tag() {
        return durability.tag();
    }

    // ---- space, by the writer

    /** The reservation to be asked before each change. */
    public ChangeReservation reservation() {
        return reservation;
    }

    /**
     * Moves live data out of segments with little of it until nothing more is worth it, and syncs, so that segments
     * without any can be used again. Returns the bytes moved. To be called outside of groups.
     */
    public long collectGarbage() {
        long before = collector.bytesMoved();
        while (collectSlice(Long.MAX_VALUE)) {
            // goes on
        }
        return collector.bytesMoved() - before;
    }

    /**
     * Does a slice of {@link #collectGarbage}: moves some bytes, and syncs whenever that lets segments go. The content
     * stays as it is. To be called outside of groups, again and again as long as it returns true and the caller has
     * nothing better to do; it may stop at any time and go on later, and what was changed meanwhile does not matter. To
     * publish in between lets go what was moved away.
     *
     * @param mostBytes that this call moves, but for one extent more; never more than 1 MiB, nor more extents than are
     *     looked at in a few milliseconds. A sync waits for the disk
     * @return false if there was nothing to do
     */
    public boolean collectSlice(long mostBytes) {
        durability.takeGivenBack();
        long sweeps = collector.sweepsEnded();
        boolean worked = collector.slice(mostBytes);
        int emptied = store.emptied().unnotedCount();
        boolean done = !worked || collector.sweepsEnded() > sweeps;
        if (emptied > 0 && (done || emptied >= EMPTIED_PER_SYNC)) {
            sync(tag());
            return true;
        }
        return worked;
    }

    /** Whether publishing once more may free segments: those that wait for short reads of earlier versions alone. */
    public boolean awaitsShortReads() {
        return store.emptied().awaitShortReads();
    }

    /**
     * Does a bounded part of that, as large as what was written since the last call asks for. To be called outside of
     * groups.
     *
     * @param moving whether anything may be moved now
     * @return whether segments will be free once the state of now has been published and earlier readers are gone
     */
    public boolean collectSomeGarbage(boolean moving) {
        durability.takeGivenBack();
        long sweeps = collector.sweepsEnded();
        if (moving) {
            collector.keepPace();
        }
        int emptied = store.emptied().unnotedCount();
        if (emptied == 0) {
            return false;
        }
        if (collector.sweepsEnded() > sweeps || emptied >= (segments.isShort() ? 1 : EMPTIED_PER_SYNC)) {
            sync(tag());
            return true;
        }
        return false;
    }

    /**
     * Cuts off the end of the data file what is free, and begins to move what lies behind other free segments, which
     * {@link #collectSlice} goes on with: after that there is more to be cut. To be called outside of groups, after
     * publishing.
     *
     * @param wholly whether to keep no more than changes need at least; else it leaves alone what is soon used again
     * @return whether there is something to be moved
     */
    public boolean shorten(boolean wholly) {
        int spare = segments.cutSpare(wholly);
        return spare > 0 && !collector.isSweeping() && collector.beginAtEnd(spare);
    }

    /** Whether {@link #shorten} may have something to do after publishing, but for little. */
    public boolean mayShorten() {
        return segments.maySpare();
    }

    /** Whether somebody reads the files, in another process perhaps, and has asked for time. */
    public boolean isLeased() {
        return leases != null && leases.oldest() != Leases.NONE;
    }

    /** Extents of which a range has a part, or more. */
    public long extentsIn(long logicalOffset, long length) {
        long[] extents = {0};
        tree.query(logicalOffset, length, (offset, extentLength, address, flags) -> extents[0]++);
        return extents[0];
    }

    /** The ways of reading. Any thread. */
    public SpaceReads reads() {
        return reads;
    }

    // ---- figures

    /** The counts. */
    public SpaceFigures figures() {
        return figures;
    }

    /** Whether one is being written, after which {@link #treeVersion} is another. By the writer. */
    public boolean isCheckpointUnderWay() {
        return durability.isCheckpointUnderWay();
    }

    /** Checkpoints begun since opening: each has ended the writer's epoch. */
    public long checkpointsBegun() {
        return durability.checkpointsBegun();
    }

    /** Segments without live bytes that only pinned views keep from being used again. */
    public int pinnedSegmentCount() {
        return store.emptied().pinnedCount();
    }

    /** Segments that are free. */
    public int freeSegmentCount() {
        return store.freeSegmentCount();
    }

    /** Bytes of a segment. */
    public int segmentBytes() {
        return store.format().segmentBytes;
    }

    /** The id in the space's files. */
    public long storeId() {
        return treeFile.header().storeId();
    }

    /** The version of the FlexTree in its file. */
    public long treeVersion() {
        return treeFile.header().treeVersion();
    }

    /** The generation of the logical log in use. */
    public long logGeneration() {
        return durability.logGeneration();
    }

    /**
     * Says what is run, once, by the writer, before the files get anything that a recovery would find: until then what
     * {@link #treeVersion}, {@link #logGeneration} and {@link #tag} name is the content of now.
     */
    public void beforeNextWrite(Runnable action) {
        durability.beforeNextWrite(action);
    }

    /** The version of the FlexTree that was found at opening. */
    public long openedTreeVersion() {
        return openedTreeVersion;
    }

    /** The generation of the logical log that was found at opening; the one in use is a later one. */
    public long openedLogGeneration() {
        return openedLogGeneration;
    }

    /**
     * Whether somebody else has written to the space since it was recovered: segments that this one names may be used
     * again then. For whoever recovers a space only to read it. Any thread.
     */
    public boolean isOvertaken() {
        return openedLogEnd.isPassed(vfs);
    }

    public SegmentStore store() {
        return store;
    }

    GarbageCollector collector() {
        return collector;
    }

    /** Checks that tree, segments and live bytes fit each other; for tests. */
    public void checkInvariants() {
        tree.checkInvariants();
        long[] live = new long[store.segmentCount()];
        tree.query(0, tree.size(), (logicalOffset, length, address, flags) -> {
            if (address != FlexTree.HOLE) {
                live[store.format().segmentOf(address)] += length;
            }
        });
        for (int number = 0; number < live.length; number++) {
            Segment segment = store.segment(number);
            if (live[number] != segment.liveBytes || store.isFree(number) && live[number] != 0) {
                throw new AssertionError("live bytes " + live[number] + " in the tree, but " + segment
                        + (store.isFree(number) ? " free" : ""));
            }
        }
    }

    /** Waits for segments and log batches that are written beside the writer. */
    public void awaitWritten() {
        durability.finishBatch();
        store.awaitSealing();
    }

    /**
     * Begins a check of everything. By the writer; the check itself runs in any thread, while the writer goes on.
     *
     * @param view {@link #current()}, pinned until the check has ended. {@link #close} ends it
     */
    public SpaceChecker beginCheck(FlexTreeView view) {
        return new SpaceChecker(content, view, durability.logs(), runningChecks);
    }

    /**
     * Begins a copy of the state of the last {@link #sync}, right after it. By the writer; the copy itself is made by
     * any thread, while the writer goes on.
     *
     * @param view {@link #current()}, pinned until the copy has ended, and published before it begins
     */
    public SpaceCopy beginCopy(FlexTreeView view) {
        return new SpaceCopy(vfs, store, tree, view, storeId(), tag());
    }

    /** The scrubber, which looks for damage beside readers and writer; its owner starts it, {@link #close} ends it. */
    public Scrubber scrubber() {
        return scrubber;
    }

    /**
     * Closes the files after a checkpoint, so that opening again has no log to replay, or a short one, and gives back what
     * they have of the disk and do not need. All that is left is durable. When nobody reads any more.
     */
    public void closeCleanly() {
        scrubber.close(); // it should not take the disk from the checkpoint, nor should these
        runningChecks.close();
        try {
            if (durability.syncIfLogIsShort()) {
                giveBackEnds();
            } else if (reservation.reserveForCheckpoint()) {
                if (durability.lastCheckpoint()) {
                    giveBackEnds();
                }
            } else {
                sync(tag()); // opening again has a log to replay
            }
        } finally {
            close();
        }
    }

    private void giveBackEnds() {
        treeFile.cutEnd();
        store.giveBackFree();
    }

    /** Closes the files as they are, once a log batch or checkpoint under way has ended. */
    @Override
    public void close() {
        scrubber.close();
        runningChecks.close();
        durability.await();
        tree.close();
        try {
            durability.close();
            if (renewal != null) {
                renewal.undo();
            }
        } finally {
            try {
                treeFile.close();
            } finally {
                try {
                    store.close();
                } finally {
                    data.undo(); // nothing, once it has begun
                }
            }
        }
    }
}
