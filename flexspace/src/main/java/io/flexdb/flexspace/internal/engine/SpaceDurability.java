package io.flexdb.flexspace.internal.engine;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.PendingResult;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.checkpoint.Checkpoint;
import io.flexdb.flexspace.internal.checkpoint.SealedState;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.log.BatchWrite;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.reservation.EditReservation;
import io.flexdb.flexspace.internal.reservation.SegmentReservation;
import io.flexdb.flexspace.internal.reservation.SpaceContent;
import io.flexdb.flexspace.internal.reservation.SpaceParts;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentTable;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.SpaceEvents;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Makes changes durable: groups of them, batches of the logical log, and checkpoints. Writer only. */
final class SpaceDurability implements AutoCloseable {
    /*
     * The order of a sync (section 4.2 of the paper; the rules of docs/crash-consistency.md):
     *   data is forced, then the log batch that names it is appended and forced (O1), then segments that it emptied
     *   may be used again (O2).
     * A batch that nobody asked for, written because many log entries wait, is forced beside the writer, who goes on
     *   with the next one. Whatever relies on the log waits for it first.
     * The order of a checkpoint: a sync; the state is sealed, and the next version's log exists and is durable. From
     *   then on the writer goes on with that log, and what follows is done beside it: nodes and segment table are
     *   forced (O3); the header is written and forced; the old log is dropped (O4) and old slots become free (O5).
     *
     * L1  As long as the disk has space for checkpoints, both logs together are not longer than two and a half times
     *     the length at which a checkpoint is due, and what two groups say. For it is begun, or waited for, before the
     *     next batch; a batch is a quarter of that length at most, and what the group says that fills it; and when it
     *     begins there is one batch more than it takes, and one that goes with it.
     */

    private static final long SHORT_LOG_BYTES = 16 << 10;
    private static final long SHORT_LOG_SHARE = 64; // of a log at whose length a checkpoint is due

    private final SpaceContent content;
    private final Epochs epochs;
    private final SpaceSettings settings;
    private final TreeFile treeFile;
    private final FlexTree tree;
    private final SegmentStore store;
    private final LogBatch batch;
    private final WriterPauses pauses;
    private final SegmentReservation segments;
    private final EditReservation edits;
    private final GarbageCollector collector;
    private LogicalLog log; // from begin on
    private PendingResult<Void> batchWritten; // of the batch on its way to the log; null if there is none
    private Checkpoint checkpoint; // under way, or done and not looked at; else null
    private long unchangedBytes; // of the log, if nothing has changed since the opening or a checkpoint
    private Runnable beforeNextWrite; // null if nobody wants to know
    private long tag;
    private long logBytesWritten;
    private long checkpointsBegun;
    private long checkpoints;
    private long checkpointWaits;

    /** @param tag of the last sync */
    SpaceDurability(
            SpaceParts space,
            long tag,
            SegmentReservation segments,
            EditReservation edits,
            GarbageCollector collector) {
        this.content = space.content();
        this.epochs = space.epochs();
        this.settings = space.settings();
        this.treeFile = content.treeFile();
        this.tree = content.tree();
        this.store = content.store();
        this.batch = space.batch();
        this.pauses = space.pauses();
        this.tag = tag;
        this.segments = segments;
        this.edits = edits;
        this.collector = collector;
    }

    /** Begins with the log that a recovery has made. */
    void begin(LogicalLog first) {
        log = first;
        unchangedBytes = isShort(first.bytes()) ? first.bytes() : LogFormat.FRAMES_OFFSET;
        logBytesWritten = first.bytes();
        edits.begin(first);
    }

    /** Takes disk space for removals on a full disk, if it is to be had; returns whether it was. */
    boolean restoreKept(boolean toBegin) {
        segments.retryRefused();
        return toBegin ? edits.restoreKeptToBegin() : edits.restoreKept();
    }

    // ---- groups

    /** Begins changes that a crash keeps all or none of. Groups nest. */
    void beginGroup() {
        pauses.beginGroup();
    }

    /** Ends a group, and writes what waits for the log if that is much. */
    void endGroup() {
        if (pauses.endGroup()) {
            if (batchWritten != null && batchWritten.isDone()) {
                finishBatch();
            }
            checkpointIfLogIsLong(); // first, or a batch would be under way each time that there could be one
            if (isBatchFull()) {
                writeAll(tag, false);
            }
        }
    }

    private boolean isBatchFull() {
        return batch.bytes() >= batchBytes(settings);
    }

    /** How many bytes of log entries wait until they are written without being asked for (L1). */
    static int batchBytes(SpaceSettings settings) {
        return (int) Math.min(settings.logBufferBytes, settings.checkpointLogBytes / 4);
    }

    // ---- batches of the log

    /** Takes what was given back of what was staged: segments are on their way to be free from then on. */
    void takeGivenBack() {
        if (store.takeGivenBack()) {
            edits.batchEnded(); // R2: the next batch says more
        }
    }

    /** Has the next change reserve anew what it needs. */
    void revokeGranted() {
        edits.batchEnded();
    }

    /**
     * Says what is run, once, by the writer, before the files get anything that a recovery would find. If it throws,
     * they get nothing.
     */
    void beforeNextWrite(Runnable action) {
        beforeNextWrite = action;
    }

    private void announceWrite() {
        Runnable action = beforeNextWrite;
        if (action != null) {
            action.run();
            beforeNextWrite = null;
        }
    }

    /** Makes all changes so far durable, together with a tag that is found again after a crash. */
    void sync(long newTag) {
        takeGivenBack();
        writeAll(newTag, true);
    }

    /** @param wait until it is durable; else what is to follow then is done when the batch is waited for */
    private void writeAll(long newTag, boolean wait) {
        finishBatch();
        if (batch.hasEdits() || newTag != tag || store.hasNotes()) {
            tag = newTag;
            writeBatch(wait);
        }
        if (wait) {
            store.releaseEmptied();
            shrinkFile();
            if (!pauses.isInGroup()) {
                checkpointIfLogIsLong();
            }
        }
    }

    private void writeBatch(boolean wait) {
        BatchWrite write = beginBatch();
        pauses.begin();
        try {
            if (wait) {
                write.get();
            } else {
                batchWritten = new PendingResult<>(content.vfs(), "flexdb-log", write);
            }
        } finally {
            pauses.end();
        }
    }

    /** Ends the batch, and returns what is left to do for it. */
    private BatchWrite beginBatch() {
        announceWrite();
        boolean mustForceData = store.writeAppended();
        store.noteTouched(batch);
        ByteBuffer payload = batch.finish(tag);
        logBytesWritten += LogFormat.frameBytes(payload.remaining());
        log.willAppend(payload.remaining());
        edits.batchEnded();
        return new BatchWrite(mustForceData ? store.file() : null, log, payload, settings.requireOwnership);
    }

    /**
     * Waits for the batch that is on its way to the log, if there is one, and throws what made that fail, if it did.
     */
    void finishBatch() {
        PendingResult<Void> written = batchWritten;
        if (written != null) {
            batchWritten = null;
            pauses.begin();
            try {
                written.get();
            } finally {
                pauses.end();
            }
            store.releaseEmptiedBefore();
            shrinkFile();
        }
    }

    private void shrinkFile() {
        if (!collector.isSweeping()) {
            segments.shrink();
        }
    }

    /** The tag of the last sync. */
    long tag() {
        return tag;
    }

    // ---- checkpoints

    private void checkpointIfLogIsLong() {
        finishCheckpointIfDone();
        if (checkpoint != null && (checkpoint.oldLog().bytes() + log.bytes()) / 2 >= settings.checkpointLogBytes) {
            checkpointWaits++; // or a recovery would take too long
            finishCheckpoint();
        }
        boolean isLong = log.bytes() >= settings.checkpointLogBytes;
        // It waits for a batch under way, but not before the next batch would wait for that, too.
        boolean mayWait = batchWritten == null || isBatchFull();
        if (isLong && checkpoint == null && mayWait && edits.reserveCheckpoint()) {
            startCheckpoint();
            if (checkpoint.isDone()) {
                finishCheckpoint();
            }
        }
    }

    /** Writes the FlexTree to its file and begins a new log. Makes all changes durable first. */
    void checkpoint() {
        finishCheckpoint();
        if (hasChanges()) {
            startCheckpoint();
            finishCheckpoint();
        }
    }

    /**
     * Makes all changes durable before closing, when nothing changes any more, if the log has so few that replaying them
     * takes less time than a checkpoint, which forces two files three times. Returns whether there were some; else
     * nothing has been done.
     */
    boolean syncIfLogIsShort() {
        finishCheckpoint();
        finishBatch();
        if (!hasChanges() || !isShort(log.bytes() + batch.bytes())) {
            return false;
        }
        sync(tag);
        log.forceMark();
        return true;
    }

    /**
     * Makes a checkpoint before closing, when nothing changes any more. In the FlexTree file the version before the last one,
     * which that can't overwrite, takes as much as the last one itself. So if it is worth it, a new file takes the place
     * of that one, which has the last version alone.
     *
     * @return whether anything has changed since opening
     */
    boolean lastCheckpoint() {
        finishCheckpoint();
        if (hasChanges()
                && content.vfs().replacesOpenFiles() // a reader in another process may have it open
                && treeFile.isWorthCopying(tree)
                && checkpointToCopy()) {
            return true;
        }
        checkpoint();
        return checkpoints > 0;
    }

    /** A checkpoint to a new file; false if there is no space or memory for that, and then nothing has changed. */
    private boolean checkpointToCopy() {
        announceWrite();
        finishBatch();
        if (batch.hasEdits() || store.hasNotes()) {
            writeBatch(true);
        }
        Path unfinished = content.directory().resolve(TreeFileFormat.NAME_WHILE_MADE);
        TreeHeader next;
        EventSpan event = SpaceEvents.checkpoint(content.directory());
        long bytes;
        content.vfs().deleteIfExists(unfinished);
        try (VfsFile copy = content.vfs().open(unfinished, OpenMode.CREATE)) {
            next = treeFile.writeCopy(copy, tree.current(), SegmentTable.of(store), tag);
            bytes = copy.size();
        } catch (StoreFullException | OutOfMemoryError e) {
            content.vfs().deleteIfExists(unfinished);
            return false;
        }
        LogicalLog old = log;
        log = old.createNext(
                content.vfs(), content.directory(), next.storeId(), next.treeVersion(), edits.spareBytes()); // O4
        old.close();
        unchangedBytes = LogFormat.FRAMES_OFFSET;
        edits.checkpointBegun(log);
        treeFile.close();
        content.vfs().rename(unfinished, content.directory().resolve(TreeFileFormat.FILE_NAME));
        content.vfs().syncDirectory(content.directory());
        treeFile.replaced(next);
        content.vfs().delete(content.directory().resolve(LogFormat.fileName(old.generation())));
        checkpoints++;
        event.finish(1, bytes);
        return true;
    }

    /** Whether a log of that length is one that a close leaves, see {@link #syncIfLogIsShort}. */
    private boolean isShort(long logBytes) {
        long most = Math.min(SHORT_LOG_BYTES, settings.checkpointLogBytes / SHORT_LOG_SHARE);
        return logBytes - LogFormat.FRAMES_OFFSET <= most;
    }

    /** Whether anything is neither in the last checkpoint nor in the short log that was found, notes of segments included. */
    private boolean hasChanges() {
        return log.bytes() > unchangedBytes || batch.hasEdits() || store.hasNotes();
    }

    /**
     * Reserves for a checkpoint that begins now, unless that has nothing to write. If that returns false,
     * {@link SegmentReservation#diskRefusal} says why.
     */
    boolean reserveCheckpoint() {
        finishCheckpoint(); // which has the file for the next log
        return !hasChanges() || edits.reserveCheckpoint();
    }

    /** Seals the state of now and lets it be written while the writer goes on, into a new log. */
    private void startCheckpoint() {
        announceWrite();
        finishBatch();
        if (batch.hasEdits() || store.hasNotes()) {
            writeBatch(true);
        }
        FlexTreeView view = tree.current();
        epochs.pin(view.version()); // nobody but this thread could reclaim it before
        epochs.seal();
        ByteBuffer table = SegmentTable.of(store);
        treeFile.beginVersion(tree, table.remaining());
        TreeHeader header = treeFile.header();
        LogicalLog old = log;
        long spareBytes = edits.spareBytes();
        pauses.begin();
        try {
            log = old.createNext(
                    content.vfs(), content.directory(), header.storeId(), header.treeVersion() + 1, spareBytes);
        } finally {
            pauses.end();
        }
        unchangedBytes = LogFormat.FRAMES_OFFSET;
        edits.checkpointBegun(log);
        logBytesWritten += log.bytes();
        Checkpoint next = new Checkpoint(
                content.vfs(), content.directory(), epochs, treeFile, new SealedState(tree, view, table, tag), old);
        pauses.begin();
        try {
            next.start();
        } finally {
            pauses.end();
        }
        checkpoint = next;
        checkpointsBegun++;
        store.releaseEmptied();
    }

    /** Whether there is one, once that is ended which is done. */
    boolean isCheckpointUnderWay() {
        finishCheckpointIfDone();
        return checkpoint != null;
    }

    /** Ends the checkpoint under way, if there is one that is done: what it has freed can be used from then on. */
    void finishCheckpointIfDone() {
        if (checkpoint != null && checkpoint.isDone()) {
            finishCheckpoint();
        }
    }

    /** Waits for the checkpoint under way, if there is one. */
    void finishCheckpoint() {
        Checkpoint ending = checkpoint;
        if (ending != null) {
            checkpoint = null;
            pauses.begin();
            try {
                ending.finish();
            } finally {
                pauses.end();
            }
            checkpoints++;
            segments.retryRefused();
            edits.restoreKept(); // what the old log held, before segments take it
        }
    }

    /** The logs that a recovery would need now, the one in use last, without a batch on its way. */
    List<LogicalLog> logs() {
        finishBatch();
        return checkpoint == null ? List.of(log) : List.of(checkpoint.oldLog(), log);
    }

    // ---- figures

    /** The generation of the log in use. */
    long logGeneration() {
        return log.generation();
    }

    /** Length of the logs that a recovery would need now, with what is on its way to them. */
    long logBytes() {
        return log.bytes() + (checkpoint == null ? 0 : checkpoint.oldLog().bytes());
    }

    long logBytesWritten() {
        return logBytesWritten;
    }

    long checkpointsBegun() {
        return checkpointsBegun;
    }

    long checkpoints() {
        return checkpoints;
    }

    /** How often a change waited for a checkpoint because of the length of the logs. */
    long checkpointWaits() {
        return checkpointWaits;
    }

    /** Waits for what is done beside the writer, however it ends. */
    void await() {
        if (batchWritten != null) {
            batchWritten.await();
            batchWritten = null;
        }
        if (checkpoint != null) {
            checkpoint.await();
            checkpoint = null;
        }
    }

    /** Closes the log as it is. After {@link #await}. */
    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
