package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.Epochs;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The engine of a FlexSpace. One writer at a time changes it; what readers see is up to the owner, who publishes
 * {@link #current()} views and then advances the epochs.
 *
 * <p>After a write method has thrown, the engine is of no use any more but for {@link #close()}: memory and files may
 * differ. The owner sees to that.
 */
public final class SpaceEngine implements AutoCloseable {
    /*
     * The order of a commit (section 4.2 of the paper; the rules of docs/crash-consistency.md):
     *   data is forced, then the log batch that names it is appended and forced (O1), then segments that it emptied
     *   may be used again (O2).
     * The order of a checkpoint: a commit; the state is sealed, and the next version's log exists and is durable. From
     *   then on the writer goes on with that log, and what follows is done beside it: nodes and segment table are forced
     *   (O3); the header is written and forced; the old log is dropped (O4) and old slots become free (O5).
     */
    private static final int EMPTIED_PER_COMMIT = 8;
    private static final int MAX_SWEEPS = 16;
    private static final int FEW_REFILLS = 2; // half of a choice: the next one goes with a commit that is made anyway
    private static final int VERY_FEW_REFILLS = 4;
    private static final int PLACES_OF_A_CHANGE = 2; // in the tree: where a hole ends, and where something is replaced
    /** The longest hole of one log entry: a hole is made of extents, and a few bytes of log shall not make too many. */
    static final long MAX_HOLE_BYTES = (long) FlexTree.MAX_EXTENT_BYTES << 16;

    private final Vfs vfs;
    private final Path directory;
    private final FlexSpaceOptions options;
    private final TreeFile treeFile;
    private final FlexTree tree;
    private final SegmentStore store;
    private final SpaceReader reader;
    private final Epochs epochs;
    private final SpaceRoom room;
    private final EditRoom editRoom;
    private final GarbageCollector collector;
    private final ExtentMover mover;
    private final Scrubber scrubber;
    private final LogBatch batch = new LogBatch();
    private final long openedTreeVersion;
    private final long openedLogGeneration;
    private SpaceRecovery recovered; // until begin
    private LogicalLog log; // from begin on
    private Checkpoint checkpoint; // under way, or done and not looked at; else null
    private long tag;
    private int groupDepth;
    private long logBytesWritten;
    private long checkpointsBegun;
    private long checkpoints;

    private SpaceEngine(Vfs vfs, Path directory, FlexSpaceOptions options, Epochs epochs, SpaceRecovery recovered) {
        this.epochs = epochs;
        this.vfs = vfs;
        this.directory = directory;
        this.options = options;
        this.treeFile = recovered.treeFile;
        this.tree = recovered.tree;
        this.store = recovered.store;
        this.reader = new SpaceReader(store, System::nanoTime);
        this.recovered = recovered;
        this.tag = recovered.tag;
        this.openedTreeVersion = treeFile.header().treeVersion();
        this.openedLogGeneration = recovered.openedLogGeneration;
        this.room = new SpaceRoom(store, options.maxDataBytes());
        this.editRoom = new EditRoom(
                vfs, directory, treeFile, tree, store, batch, options.logBufferBytes(), options.checkpointLogBytes());
        this.collector = new GarbageCollector(this, store, room, editRoom, options.minimumUtilization());
        this.mover = new ExtentMover(tree);
        this.scrubber = new Scrubber(store, epochs, options.scrubBytesPerSecond());
    }

    /** Whether a directory holds a space. */
    public static boolean exists(Vfs vfs, Path directory) {
        return SpaceFiles.exist(vfs, directory);
    }

    /** Checks, before anything is changed, that {@link #create} would find nothing in its way. */
    public static void checkCreatable(Vfs vfs, Path directory, List<String> allowedNames) {
        SpaceFiles.checkCreatable(vfs, directory, allowedNames);
    }

    /** Makes a directory and its missing parents, and their names durable. */
    public static void createDirectory(Vfs vfs, Path directory) {
        SpaceFiles.createDirectory(vfs, directory);
    }

    /** Creates an empty space in a directory with no files but those allowed. */
    public static void create(
            Vfs vfs, Path directory, long storeId, FlexSpaceOptions options, List<String> allowedNames) {
        SpaceRoom.checkCap(options.maxDataBytes(), options.segmentBytes());
        SpaceFiles.create(vfs, directory, storeId, options, allowedNames);
    }

    /** Recovers a space and begins: {@link #recover} and {@link #begin} in one. */
    public static SpaceEngine open(Vfs vfs, Path directory, long storeId, FlexSpaceOptions options, Epochs epochs) {
        SpaceEngine engine = recover(vfs, directory, storeId, options, epochs);
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
    public static SpaceEngine recover(Vfs vfs, Path directory, long storeId, FlexSpaceOptions options, Epochs epochs) {
        boolean capped = options.maxDataBytes() != Long.MAX_VALUE;
        SpaceRecovery recovery = new SpaceRecovery(vfs, directory, storeId, epochs, capped);
        recovery.run();
        try {
            return new SpaceEngine(vfs, directory, options, epochs, recovery);
        } catch (IllegalArgumentException e) {
            recovery.tree.close();
            recovery.treeFile.close();
            recovery.store.close();
            throw e;
        }
    }

    /** Makes a space that was recovered ready for changes. */
    public void begin() {
        log = recovered.beginLog();
        logBytesWritten = log.bytes();
        recovered = null;
        store.refills().sealRecovered(); // what was found is durable in this log, or in the checkpoint
        editRoom.begin(log);
    }

    // ---- changes, by the writer

    /** The longest extent; a shorter record is never cut. */
    public int maxExtentBytes() {
        return store.format().maxExtentBytes;
    }

    /** Begins changes that a crash keeps all or none of. Groups nest. */
    public void beginGroup() {
        groupDepth++;
    }

    /** Ends a group, and commits if many log entries are waiting. */
    public void endGroup() {
        if (--groupDepth == 0) {
            if (batch.bytes() >= options.logBufferBytes()) {
                commit(tag);
            } else {
                checkpointIfLogIsLong();
            }
        }
    }

    /**
     * Inserts bytes as one extent, which shifts what follows.
     *
     * @param length from 1 to {@link #maxExtentBytes()}
     * @param flags of the extent
     */
    public void insert(long logicalOffset, ByteBuffer source, int position, int length, int flags) {
        beginGroup();
        long address = store.append(source, position, length);
        tree.insertRange(logicalOffset, length, address, flags);
        collector.inserted(logicalOffset, length);
        store.addLive(address, length);
        batch.edit(LogBatch.INSERT, logicalOffset, length, address, flags);
        endGroup();
    }

    /** Inserts unmapped bytes, which read as zeros. The cost grows with their number. */
    public void insertHole(long logicalOffset, long length) {
        beginGroup();
        for (long done = 0; done < length; ) {
            long piece = Math.min(length - done, MAX_HOLE_BYTES);
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
            long piece = Math.min(length - done, MAX_HOLE_BYTES);
            tree.remap(logicalOffset + done, piece, FlexTree.HOLE, 0, this::removed);
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
        tree.collapseRange(logicalOffset, length, this::removed);
        collector.collapsed(logicalOffset, length);
        batch.edit(LogBatch.COLLAPSE, logicalOffset, length, 0, 0);
        endGroup();
    }

    /** Puts other bytes, as one extent, in the place of as many. */
    public void overwrite(long logicalOffset, ByteBuffer source, int position, int length, int flags) {
        beginGroup();
        long address = store.append(source, position, length);
        tree.remap(logicalOffset, length, address, flags, this::removed);
        store.addLive(address, length);
        batch.edit(LogBatch.REMAP, logicalOffset, length, address, flags);
        endGroup();
    }

    private void removed(long logicalOffset, long length, long address, int flags) {
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

    /** The writer's state, for readers once it has been published and the epochs have advanced. */
    public FlexTreeView current() {
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
    public void commit(long newTag) {
        if (groupDepth == 0 && wantsRefills(FEW_REFILLS)) {
            store.refills().choose();
        }
        commitAll(newTag);
    }

    private void commitAll(long newTag) {
        if (batch.hasEdits() || newTag != tag || store.refills().areUnlogged()) {
            tag = newTag;
            writeBatch();
        }
        store.releaseEmptied();
        if (!collector.isSweeping()) {
            room.shrink();
        }
        if (groupDepth == 0) {
            checkpointIfLogIsLong();
        }
    }

    private void checkpointIfLogIsLong() {
        if (checkpoint != null && (checkpoint.isDone() || log.bytes() / 2 >= options.checkpointLogBytes())) {
            finishCheckpoint();
        }
        boolean isLong = log.bytes() >= options.checkpointLogBytes();
        if (checkpoint == null && isLong && editRoom.allowsCheckpoint()) {
            startCheckpoint();
            if (checkpoint.isDone()) {
                finishCheckpoint();
            }
        }
    }

    /** Writes the FlexTree to its file and begins a new log. Commits first. */
    public void checkpoint() {
        finishCheckpoint();
        if (log.bytes() > LogFormat.FRAMES_OFFSET || batch.hasEdits()) {
            startCheckpoint();
            finishCheckpoint();
        }
    }

    /** Seals the state of now and lets it be written while the writer goes on, into a new log. */
    private void startCheckpoint() {
        if (batch.hasEdits()) {
            writeBatch();
        }
        FlexTreeView view = tree.current();
        epochs.pin(view.version()); // nobody but this thread could reclaim it before
        epochs.seal();
        ByteBuffer table = SegmentTable.of(store);
        treeFile.beginVersion(tree, table.remaining());
        LogicalLog old = log;
        log = old.createNext(vfs, directory, storeId(), treeVersion() + 1, editRoom.spareBytes());
        editRoom.sealed(log);
        logBytesWritten += log.bytes();
        checkpoint = new Checkpoint(vfs, directory, epochs, treeFile, tree, view, table, tag, old);
        checkpointsBegun++;
        checkpoint.start();
        store.releaseEmptied();
    }

    /** Waits for the checkpoint under way, if there is one. */
    private void finishCheckpoint() {
        Checkpoint ending = checkpoint;
        if (ending != null) {
            checkpoint = null;
            ending.await();
            ending.throwFailure();
            checkpoints++;
            editRoom.restoreReserve(); // what the old log held, before segments take it
        }
    }

    private void writeBatch() {
        store.force();
        store.noteTouched(batch);
        ByteBuffer payload = batch.finish(tag);
        logBytesWritten += LogFormat.frameBytes(payload.remaining());
        log.append(payload);
        log.force();
        batch.clear();
        store.committed();
        editRoom.committed();
    }

    /** The tag of the last commit. */
    public long tag() {
        return tag;
    }

    // ---- room, by the writer

    /**
     * Moves live data out of segments with little of it until nothing more is worth it, and commits, so that segments
     * without any can be used again. Returns the bytes moved. To be called outside of groups.
     */
    public long collectGarbage() {
        long moved = collector.run();
        if (moved > 0 || store.emptiedCount() > 0) {
            commit(tag);
        }
        return moved;
    }

    /**
     * Does a bounded part of that, as large as what was written since the last call asks for. To be called outside of
     * groups.
     *
     * @return whether segments will be free, or dead frames be written again, once the state of now has been published and
     *     earlier readers are gone
     */
    public boolean collectSomeGarbage() {
        if (wantsRefills(VERY_FEW_REFILLS)) {
            refill();
        }
        if (store.refills().takeChosen()) {
            return true;
        }
        long sweeps = collector.sweepsEnded();
        collector.keepPace();
        boolean ended = collector.sweepsEnded() > sweeps && store.emptiedCount() > 0;
        if (ended || store.emptiedCount() >= (room.isShort() ? 1 : EMPTIED_PER_COMMIT)) {
            commit(tag);
            return true;
        }
        return false;
    }

    /**
     * Sees that a change finds room: below the cap, and on the disk. Where there is none, garbage is collected until
     * there is. To be called outside of groups, before each change that appends, by an owner that wants a cap or to
     * outlive a full disk.
     *
     * @param bytes that will be appended
     * @param overwrittenOffset where bytes will be overwritten or removed
     * @param overwrittenBytes how many
     * @param holeBytes bytes of holes that will be inserted
     * @param publish publishes the state of now, and lets readers of earlier ones go if they don't take long
     * @return whether there is room; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean ensureRoom(
            long bytes, long overwrittenOffset, long overwrittenBytes, long holeBytes, Runnable publish) {
        // Each segment may begin with what is left of a piece.
        long extents = 4 + 2 * bytes / maxExtentBytes() + holeBytes / FlexTree.MAX_EXTENT_BYTES;
        return ensureRoom(bytes, extents, PLACES_OF_A_CHANGE, overwrittenOffset, overwrittenBytes, publish);
    }

    /**
     * The same for many changes at once, each at a place of its own.
     *
     * @param edits log entries, and extents added to the tree, at most
     */
    public boolean ensureRoomForBatch(
            long bytes, long edits, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        return ensureRoom(bytes, edits, edits, overwrittenOffset, overwrittenBytes, publish);
    }

    private boolean ensureRoom(
            long bytes, long edits, long places, long overwrittenOffset, long overwrittenBytes, Runnable publish) {
        editRoom.forgetRefusal();
        if (checkpoint != null && checkpoint.isDone()) {
            finishCheckpoint();
        }
        if (room.wouldOverfill(bytes) && room.wouldOverfill(bytes - mappedBytes(overwrittenOffset, overwrittenBytes))) {
            return false;
        }
        if (!room.isThere(bytes, collector.segmentsToFill()) && !collector.isSweeping()) {
            refillFor(bytes, publish);
            if (!room.isThere(bytes, 0)) {
                collector.begin(true); // whose moves take less than there is: the rest is for changes meanwhile
            }
        }
        long slack = Long.MIN_VALUE / 2;
        int sweeps = 0;
        while (!room.isThere(bytes, collector.segmentsToFill())) {
            collector.finishSweep();
            commit(tag);
            finishCheckpoint(); // which pins what it writes, and the segments with it
            publish.run();
            if (room.isThere(bytes, 0)) {
                break;
            }
            long slackNow = room.slack(0);
            if (slackNow <= slack || sweeps++ == MAX_SWEEPS || !collector.begin(true)) {
                return false; // the last sweep has gained nothing, or all of them next to nothing
            }
            slack = slackNow;
        }
        return ensureRoomForEdits(edits, places, bytes, true, publish);
    }

    private boolean wantsRefills(int share) {
        return store.refills().areFew(share) && !collector.isSweeping() && room.isShort();
    }

    /** Chooses segments whose dead frames will be written again, if that is worth a commit. */
    private boolean refill() {
        boolean chosen = store.refills().choose();
        if (chosen) {
            commitAll(tag);
        }
        return chosen;
    }

    /** The same for a change that finds no room; waits for what may hold them back. */
    private void refillFor(long bytes, Runnable publish) {
        boolean mayFit = bytes <= maxExtentBytes();
        if (mayFit && (store.refills().areWaiting() || wantsRefills(FEW_REFILLS) && refill())) {
            finishCheckpoint(); // which pins what it writes
            publish.run();
        }
    }

    /**
     * Sees that edits find room in the logical log and the FlexTree file. To be called outside of groups, before each
     * change that appends nothing, by an owner that wants to outlive a full disk.
     *
     * @param extents that are added to the tree, at most
     * @param growing false for what frees space, which may use what is kept in reserve
     * @param publish as in {@link #ensureRoom}
     * @return whether there is room; if not, the content has not changed, and {@link #refusal} says why
     */
    public boolean ensureRoomForEdits(long extents, boolean growing, Runnable publish) {
        return ensureRoomForEdits(extents, PLACES_OF_A_CHANGE, 0, growing, publish);
    }

    private boolean ensureRoomForEdits(long edits, long places, long bytes, boolean growing, Runnable publish) {
        if (editRoom.isThere(edits, edits, places, growing)) {
            return true;
        }
        finishCheckpoint();
        if (editRoom.isThere(edits, edits, places, growing)) {
            return true;
        }
        room.giveBack(bytes);
        if (allowsCheckpoint()) {
            checkpoint(); // after which the log is empty and the units of the nodes replaced are free
            publish.run();
        }
        return editRoom.isThere(edits, edits, places, growing);
    }

    /** Whether a checkpoint begun now finds its place on the disk; if not, {@link #refusal} says why. */
    public boolean allowsCheckpoint() {
        finishCheckpoint(); // which has the file for the next log
        return editRoom.allowsCheckpoint();
    }

    /** Why there is no room. */
    public StoreFullException refusal() {
        StoreFullException full = editRoom.refusal();
        return full != null ? full : room.refusal();
    }

    /** Extents of which a range has a part, or more. */
    public long extentsIn(long logicalOffset, long length) {
        long[] extents = {0};
        tree.query(logicalOffset, length, (offset, extentLength, address, flags) -> extents[0]++);
        return extents[0];
    }

    private long mappedBytes(long logicalOffset, long length) {
        long[] mapped = {0};
        if (length > 0) {
            tree.query(logicalOffset, length, (offset, extentLength, address, flags) -> {
                mapped[0] += address == FlexTree.HOLE ? 0 : extentLength;
            });
        }
        return mapped[0];
    }

    // ---- reading, by any thread inside an epoch that holds the view

    /** Copies bytes of the address space, each verified. */
    public void read(
            FlexTreeView view, long logicalOffset, ByteBuffer destination, int destinationPosition, int length) {
        reader.read(view, logicalOffset, destination, destinationPosition, length);
    }

    /**
     * Copies bytes of the address space, each verified.
     *
     * @param cursor any, for this call
     */
    public void read(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        reader.read(view, cursor, logicalOffset, destination, destinationPosition, length);
    }

    /** Copies a part of the extent on which a cursor stands, each byte verified. */
    public void readExtent(ExtentCursor cursor, long skip, ByteBuffer destination, int position, int length) {
        reader.readExtent(cursor, skip, destination, position, length);
    }

    // ---- figures

    /** Bytes written to the data file. */
    public long dataBytesWritten() {
        return store.bytesWritten();
    }

    /** Bytes written to logical logs. */
    public long logBytesWritten() {
        return logBytesWritten;
    }

    /** Bytes written to the FlexTree file. */
    public long treeBytesWritten() {
        return treeFile.bytesWritten();
    }

    /** Checkpoints begun since opening: each has ended the writer's epoch. */
    public long checkpointsBegun() {
        return checkpointsBegun;
    }

    /** Checkpoints made since opening. */
    public long checkpoints() {
        return checkpoints;
    }

    /** Bytes moved by garbage collection since opening. */
    public long bytesMoved() {
        return collector.bytesMoved();
    }

    /** Extents that garbage collection has looked at since opening. */
    public long extentsScanned() {
        return collector.extentsScanned();
    }

    /** Dead bytes of the segments that garbage collection has emptied since opening. */
    public long bytesFreed() {
        return collector.bytesFreed();
    }

    /** Segments that garbage collection has emptied since opening. */
    public long segmentsFreed() {
        return collector.segmentsFreed();
    }

    /** How often the dead frames of a segment were written again since opening. */
    public long segmentsRefilled() {
        return store.refills().segmentsRefilled();
    }

    /** Bytes of extents written to dead frames since opening. */
    public long bytesRefilled() {
        return store.refills().bytesRefilled();
    }

    /** Live bytes in segments. */
    public long liveBytes() {
        return store.liveBytes();
    }

    /** Segments in the data file. */
    public int segmentCount() {
        return store.segmentCount();
    }

    /** Segments without live bytes that only pinned views keep from being used again. */
    public int pinnedSegmentCount() {
        return store.pinnedSegmentCount();
    }

    /** Segments that are free. */
    public int freeSegmentCount() {
        return store.freeSegmentCount();
    }

    /** Bytes of a segment. */
    public int segmentBytes() {
        return store.format().segmentBytes;
    }

    /** Extents in the tree, by the writer's state. */
    public long extentCount() {
        return tree.extentCount();
    }

    /** Off-heap bytes of the tree. */
    public long treeMemoryBytes() {
        return tree.memoryBytes();
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
        return log.generation();
    }

    /** The version of the FlexTree that was found at opening. */
    public long openedTreeVersion() {
        return openedTreeVersion;
    }

    /** The generation of the logical log that was found at opening; the one in use is a later one. */
    public long openedLogGeneration() {
        return openedLogGeneration;
    }

    FlexTree tree() {
        return tree;
    }

    SegmentStore store() {
        return store;
    }

    GarbageCollector collector() {
        return collector;
    }

    LogBatch batch() {
        return batch;
    }

    /** Checks that tree, segments and live bytes fit each other; for tests and the checker. */
    public void checkInvariants() {
        tree.checkInvariants();
        long[] live = new long[store.segmentCount()];
        boolean refills = store.refills().isEnabled();
        LiveFrames[] liveFrames = new LiveFrames[live.length];
        Arrays.setAll(liveFrames, number -> refills ? new LiveFrames(store.format()) : null);
        tree.query(0, tree.size(), (logicalOffset, length, address, flags) -> {
            if (address != FlexTree.HOLE) {
                int number = store.format().segmentOf(address);
                live[number] += length;
                if (refills) {
                    liveFrames[number].add(store.format().positionOf(address), (int) length);
                }
            }
        });
        for (int number = 0; number < live.length; number++) {
            Segment segment = store.segment(number);
            if (live[number] != segment.liveBytes || store.isFree(number) && live[number] != 0) {
                throw new AssertionError("live bytes " + live[number] + " in the tree, but " + segment
                        + (store.isFree(number) ? " free" : ""));
            }
            if (segment.liveFrames != null && !segment.liveFrames.equals(liveFrames[number])) {
                throw new AssertionError("live bytes of frames: " + liveFrames[number] + " in the tree, but "
                        + segment.liveFrames + " in " + segment);
            }
        }
    }

    /**
     * Begins a check of everything. By the writer; the check itself runs in any thread, while the writer goes on.
     *
     * @param view {@link #current()}, pinned until the check has ended
     */
    public SpaceChecker beginCheck(FlexTreeView view) {
        List<LogicalLog> logs = checkpoint == null ? List.of(log) : List.of(checkpoint.oldLog(), log);
        return new SpaceChecker(vfs, directory, treeFile, tree, store, view, logs);
    }

    /** What looks for damage beside readers and writer; its owner starts it, {@link #close} ends it. */
    public Scrubber scrubber() {
        return scrubber;
    }

    /** Closes the files after a checkpoint, so that opening again has no log to replay. All that is left is durable. */
    public void closeCleanly() {
        scrubber.close(); // it should not take the disk from the checkpoint
        try {
            if (allowsCheckpoint()) {
                checkpoint();
            } else {
                commit(tag); // opening again has a log to replay
            }
        } finally {
            close();
        }
    }

    /** Closes the files as they are, once a checkpoint under way has ended. */
    @Override
    public void close() {
        scrubber.close();
        if (checkpoint != null) {
            checkpoint.await();
            checkpoint = null;
        }
        tree.close();
        try {
            if (log != null) {
                log.close();
            }
        } finally {
            try {
                treeFile.close();
            } finally {
                store.close();
            }
        }
    }
}
