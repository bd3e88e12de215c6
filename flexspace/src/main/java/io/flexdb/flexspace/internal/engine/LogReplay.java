package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogPieces;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.segment.SegmentRestore;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.flextree.internal.tree.TreeWriter;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes what log batches say again in the tree and the segments, and trusts nothing that they say. */
final class LogReplay {
    /** The content of a replayed log, to be known again when it is read once more. */
    record Replayed(long generation, long frames, long digest, long endPosition) {}

    private final FlexTree tree;
    private final SegmentStore store;
    private final SegmentRestore segments;
    private final ExtentMover mover;
    private final List<Replayed> replayed = new ArrayList<>();
    private final long[] nextOffsets = new long[TreeWriter.TOUCHED_AT_ONCE];
    private Path logPath;
    private long tag;

    /** @param tag of the tree, which stays if no batch follows */
    LogReplay(FlexTree tree, SegmentStore store, long tag) {
        this.tree = tree;
        this.store = store;
        this.segments = new SegmentRestore(store);
        this.mover = new ExtentMover(tree);
        this.tag = tag;
    }

    /** The tag of the last batch. */
    long tag() {
        return tag;
    }

    /** All logs so far. */
    List<Replayed> replayed() {
        return replayed;
    }

    /** Replays a log, from its beginning to its end. */
    void replay(Path path, long generation, LogPieces log) {
        logPath = path;
        for (List<ByteBuffer> some = log.next(); !some.isEmpty(); some = log.next()) {
            for (ByteBuffer payload : some) {
                replay(payload.duplicate().order(ByteOrder.LITTLE_ENDIAN));
            }
        }
        replayed.add(new Replayed(generation, log.frames(), log.digest(), log.position()));
    }

    private void replay(ByteBuffer payload) {
        tag = payload.getLong();
        int edits = payload.getInt();
        int notes = payload.getInt();
        if (edits < 0 || notes < 0 || payload.remaining() < (long) edits * LogBatch.EDIT_BYTES) {
            throw badBatch("counts that fit the length", edits + " edits, " + notes + " notes");
        }
        int firstEdit = payload.position();
        payload.position(firstEdit + edits * LogBatch.EDIT_BYTES);
        // The edits name segments that the notes behind them make known.
        for (int i = 0; i < notes; i++) {
            replayNote(payload);
        }
        if (payload.hasRemaining()) {
            throw badBatch("the end of the batch", payload.remaining() + " more bytes");
        }
        for (int first = 0; first < edits; first += nextOffsets.length) {
            int count = Math.min(edits - first, nextOffsets.length);
            replayEdits(payload, firstEdit + first * LogBatch.EDIT_BYTES, count);
        }
    }

    private void replayEdits(ByteBuffer payload, int firstEdit, int count) {
        int insertions = 0;
        for (int i = 0; i < count; i++) {
            long operationAndOffset = payload.getLong(firstEdit + i * LogBatch.EDIT_BYTES);
            nextOffsets[i] = operationAndOffset & LogBatch.OFFSET_MASK;
            insertions += LogBatch.operation(operationAndOffset) == LogBatch.INSERT ? 1 : 0;
        }
        if (insertions <= count / 2) { // else the tree does it
            OwnedTrees.writer(tree).willChange(nextOffsets, count);
        }
        for (int i = 0; i < count; i++) {
            int at = firstEdit + i * LogBatch.EDIT_BYTES;
            replayEdit(payload.getLong(at), payload.getLong(at + 8), payload.getLong(at + 16));
        }
    }

    private void replayNote(ByteBuffer payload) {
        if (payload.remaining() < LogBatch.NOTE_BYTES) {
            throw badBatch("a segment note", "end of the batch");
        }
        int number = payload.getInt();
        int generation = payload.getInt();
        int flagsAndFirst = payload.getInt();
        int frames = payload.getInt();
        int first = flagsAndFirst & LogBatch.FRAME_MASK;
        boolean sealed = first != flagsAndFirst;
        boolean sound = frames <= payload.remaining() / Integer.BYTES
                && segments.isNote(number, generation, sealed, first, frames);
        if (!sound) {
            throw badBatch(
                    "a note that continues one of " + store.segmentCount() + " segments or begins a new one",
                    (sealed ? "sealed" : "open") + " segment " + number + ", generation " + generation
                            + ", frames from " + first + ", " + frames + " of them");
        }
        segments.restoreFrames(number, generation, sealed, first, payload, frames);
    }

    private void replayEdit(long operationAndOffset, long where, long length) {
        long logicalOffset = operationAndOffset & LogBatch.OFFSET_MASK;
        int operation = LogBatch.operation(operationAndOffset);
        if (operation == LogBatch.MOVE) {
            replayMove(logicalOffset, length, where);
            return;
        }
        long address = where >>> 16;
        int flags = (int) where & 0xFFFF;
        long size = tree.size();
        boolean hole = address == FlexTree.HOLE;
        long available = operation == LogBatch.INSERT ? LogBatch.OFFSET_MASK - size : size - logicalOffset;
        if (hole && operation != LogBatch.COLLAPSE) {
            available = Math.min(available, LogFormat.MAX_HOLE_BYTES);
        }
        if (logicalOffset > size || length <= 0 || length > available) {
            throw badBatch(
                    "an edit within the " + size + " bytes of the space",
                    "operation " + operation + " at " + logicalOffset + ", " + length + " bytes");
        }
        if (operation != LogBatch.COLLAPSE && !hole) {
            checkExtent(logPath, address, length);
        }
        switch (operation) {
            case LogBatch.INSERT -> tree.insertRange(logicalOffset, length, address, flags);
            case LogBatch.COLLAPSE -> tree.collapseRange(logicalOffset, length, this::removed);
            default -> tree.remap(logicalOffset, length, address, flags, this::removed);
        }
        if (operation != LogBatch.COLLAPSE && !hole) {
            addLive(logPath, address, length);
        }
    }

    private void replayMove(long logicalOffset, long length, long target) {
        if (!mover.isMove(logicalOffset, length, target) || mover.moveSome(logicalOffset, length, target) < length) {
            throw badBatch(
                    "a move within the " + tree.size() + " bytes of the space, of " + ExtentMover.MAX_EXTENTS
                            + " extents at most",
                    length + " bytes from " + logicalOffset + " to " + target);
        }
    }

    private void removed(long logicalOffset, long length, long address, int flags) {
        if (address != FlexTree.HOLE) {
            store.removeLive(address, length);
        }
    }

    private CorruptionException badBatch(String expected, String found) {
        return new CorruptionException(logPath, 0, expected + " in a log batch", found);
    }

    /** Verifies where an extent lies that comes from a file. */
    void checkExtent(Path file, long address, long length) {
        if (!store.isExtent(address, length)) {
            throw new CorruptionException(
                    file,
                    0,
                    "an extent within a segment that is known",
                    length + " bytes at address " + address + " of " + store.segmentCount() + " segments");
        }
    }

    /** Counts an extent that comes from a file, and is in the tree now. */
    void addLive(Path file, long address, long length) {
        if (!store.addLive(address, length)) {
            Segment segment = store.segment(store.format().segmentOf(address));
            throw new CorruptionException(file, 0, "extents that do not overlap", segment.toString());
        }
    }
}
