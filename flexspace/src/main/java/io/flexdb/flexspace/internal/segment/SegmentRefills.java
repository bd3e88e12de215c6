package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Lets new extents be written into the dead frames of sealed segments, so that little is moved where room is scarce.
 * Writer only.
 */
public final class SegmentRefills {
    /*
     * The problem: when a space is nearly full and overwritten at random, each segment has a few dead bytes, and to
     * gain them by moving what lives beside them costs many times their number.
     * The choice: frames that hold no live byte are written again where they are. What lives stays, and nothing moves.
     * The cost: for each segment its checksums in the log, a footer, and many short writes instead of a long one. So
     * the segments with the most dead frames are taken, if these are in runs as long as what is appended, and several
     * at once, since each choice takes a sync.
     *
     * A segment that is chosen is written to only when a durable log batch says so, and when nobody sees what its dead
     * frames have held. That batch has the checksums of all other frames; later ones add those of the frames written.
     * So after a crash all frames that hold anything can be verified, whatever became of the footer, which is written
     * in place.
     *
     * R1  A frame is written, and then the footer, only if the frame held no live byte in a durable log batch, that
     *     batch says that the segment is refilled, and no version that readers may hold has an extent in the frame (it
     *     is retired by epoch, like a segment).
     * R2  From that batch on until the log says that the segment is sealed, the log, or the segment table of the
     *     checkpoint that it extends, has the checksums of all frames of the segment in which anything lives (I2).
     * R3  The log says that it is sealed only after a force that followed the writing of the footer.
     * R4  Until then the segment is not chosen again.
     * R5  Segment.refillState is odd from the choice until the log says that. Whoever pins a version and then finds it
     *     even may read all of the segment from the file: a later choice waits for his pin.
     */
    private static final int SEGMENTS_BETWEEN_TRIES = 1; // written since a choice that found nothing
    private static final int SEGMENTS_AFTER_CANCEL = 16;

    private final SegmentStore store;
    private final SegmentFormat format;
    private final VfsFile file;
    private final boolean enabled;
    private final RefillChoice choice;
    private final RetiredQueue retired;
    private final Map<Long, Refill> waiting = new HashMap<>();
    private final ArrayDeque<Refill> ready = new ArrayDeque<>();
    private final List<Refill> unsettled = new ArrayList<>(); // all, in the order of their choice
    private long nextHandle;
    private Refill open;
    private int framesLeft; // that may be written still
    private int framesChosen; // that were left after the last choice
    private long nextChoice; // not before so many bytes have been consumed
    private boolean unlogged; // there are some that the log does not know
    private boolean chosen; // since somebody asked
    private long segmentsRefilled;
    private long bytesRefilled;

    /**
     * @param enabled whether any segment may be chosen; those that a recovery finds are sealed again in any case
     */
    SegmentRefills(SegmentStore store, Epochs epochs, boolean enabled) {
        this.store = store;
        this.format = store.format();
        this.file = store.file();
        this.enabled = enabled && format.frameBytes < LiveFrames.FRAME_BYTES_LIMIT;
        this.choice = new RefillChoice(store);
        this.retired = new RetiredQueue(epochs, this::becomeReady);
    }

    public boolean isEnabled() {
        return enabled;
    }

    RefillChoice choice() {
        return choice;
    }

    // ---- the choice

    /**
     * Whether others are to be chosen, if room is scarce.
     *
     * @param share they are few when no more is left than one in so many frames after the last choice
     */
    public boolean areFew(int share) {
        return enabled && framesLeft <= framesChosen / share && store.bytesConsumed() >= nextChoice;
    }

    /** Whether there are frames that may be written, now or when readers are gone. */
    public boolean areThere() {
        return framesLeft > 0;
    }

    /** Whether there are some that only readers, or a checkpoint, hold back. */
    public boolean areWaiting() {
        return !waiting.isEmpty();
    }

    /**
     * Chooses segments, if that is worth a sync. To be called when all changes are to be made durable next: what lives
     * nowhere now is dead when that is durable.
     *
     * @return whether there is a choice, which the next log batch has to say
     */
    public boolean choose() {
        if (!enabled) {
            return false;
        }
        List<Refill> next = choice.make();
        if (next.isEmpty()) {
            nextChoice = store.bytesConsumed() + (long) SEGMENTS_BETWEEN_TRIES * format.dataBytes;
            return false;
        }
        next.forEach(this::begin);
        framesChosen = framesLeft;
        unlogged = true;
        chosen = true;
        return true;
    }

    private void begin(Refill refill) {
        store.checksums().keep(refill.segment, refill.checksumsWhenChosen);
        refill.segment.refill = refill;
        refill.segment.refillState++; // R5: before the dead frames are retired. Nobody else writes it
        unsettled.add(refill);
        framesLeft += refill.framesLeft();
    }

    /** Whether segments were chosen since the last time that this was asked: they wait for earlier versions to go. */
    public boolean pollChosen() {
        boolean was = chosen;
        chosen = false;
        return was;
    }

    /** Gives up what is not open: garbage collection has to move what lives there. */
    public void cancel() {
        if (waiting.isEmpty() && ready.isEmpty()) {
            return;
        }
        for (Refill refill : unsettled) {
            if (refill.stage() == Refill.Stage.WAITING || refill.stage() == Refill.Stage.READY) {
                framesLeft -= refill.framesLeft();
                refill.goTo(Refill.Stage.SEALED); // by its old footer, since nothing was written
            }
        }
        waiting.clear();
        ready.clear();
        nextChoice = store.bytesConsumed() + (long) SEGMENTS_AFTER_CANCEL * format.dataBytes;
    }

    // ---- appending

    /**
     * Whether an extent, or several with so many bytes together, find room. What fits is never kept out by what is
     * appended before it, if that is part of these bytes.
     */
    public boolean hasRoomFor(int length) {
        if (framesLeft == 0 && open == null) {
            return false;
        }
        while (true) {
            if (open == null && !openNext()) {
                return false;
            }
            if (open.hasRunFor(length)) {
                return true;
            }
            if (open.hasRunFor(open.typicalBytes)) {
                return false; // others find room
            }
            seal();
        }
    }

    /** Appends an extent for which there {@linkplain #hasRoomFor is room}, and returns its address. */
    long append(ByteBuffer source, int sourcePosition, int length) {
        if (!open.fitsRun(length)) {
            write();
            open.moveToRunFor(length);
        }
        int at = open.append(source, sourcePosition, length);
        bytesRefilled += length;
        return format.address(open.segment.number, at);
    }

    private boolean openNext() {
        if (ready.isEmpty()) {
            retired.reclaim();
        }
        if (ready.isEmpty()) {
            return false;
        }
        ByteBuffer memory = store.takeBuffer(); // or there is none, and nothing has changed
        open = ready.poll();
        open.open(memory);
        segmentsRefilled++;
        return true;
    }

    /** Writes what is not in the file yet. */
    void write() {
        int bytes = open == null ? 0 : open.bytesToWrite();
        if (bytes > 0) {
            store.pauses().begin();
            try {
                open.writeRun(file);
            } finally {
                store.pauses().end();
            }
            framesLeft -= bytes >>> format.frameShift;
            store.wroteData(bytes);
        }
    }

    private void seal() {
        write();
        Refill full = open;
        open = null;
        framesLeft -= full.framesLeft();
        store.pauses().begin();
        try {
            full.seal(file);
        } finally {
            store.pauses().end();
        }
        store.wroteData(format.footerBytes);
        store.retireBuffer(full.memory());
        // Or the disk would have nothing to do until the next force, and everything then.
        file.startWriting(format.filePosition(full.segment.number, 0), format.segmentBytes);
        if (full.segment.liveBytes == 0) {
            forget(full);
            store.becameEmpty(full.segment);
        }
    }

    // ---- the log

    /** Hands over what the next log batch must say. Call after a force. */
    void note(LogBatch batch) {
        for (Refill refill : unsettled) {
            refill.note(batch);
        }
        unlogged = false;
    }

    /** Whether a log batch has to be written for what was chosen. */
    public boolean areUnlogged() {
        return unlogged;
    }

    /** Goes on with what waited for that batch. Call when it is durable. */
    void batchDurable() {
        for (Iterator<Refill> all = unsettled.iterator(); all.hasNext(); ) {
            Refill refill = all.next();
            if (refill.stage() == Refill.Stage.CHOSEN) {
                retire(refill);
            } else if (refill.stage() == Refill.Stage.SEALED) {
                all.remove();
                settle(refill); // R4
                store.checksums().sealed(refill.segment);
            }
        }
    }

    private void retire(Refill refill) {
        refill.goTo(Refill.Stage.WAITING);
        waiting.put(nextHandle, refill);
        retired.retire(nextHandle++, refill.segment.birth);
    }

    private void becomeReady(long handle) {
        Refill refill = waiting.remove(handle);
        if (refill != null) { // else it was given up
            refill.goTo(Refill.Stage.READY);
            ready.add(refill);
        }
    }

    private static void settle(Refill refill) {
        refill.segment.refill = null;
        refill.segment.refillState++; // R5
    }

    /** Reuses what no reader can see any more. */
    void reclaim() {
        retired.reclaim();
    }

    /**
     * Follows that nothing lives in a sealed segment any more.
     *
     * @return whether it can be released; if not, {@link SegmentStore#becameEmpty} will be called
     */
    boolean release(Segment segment) {
        Refill refill = segment.refill;
        if (refill == null) {
            return true;
        }
        if (refill.stage() == Refill.Stage.OPEN) {
            return false;
        }
        framesLeft -= refill.takesExtents() ? refill.framesLeft() : 0;
        waiting.values().remove(refill);
        ready.remove(refill);
        forget(refill);
        return true;
    }

    /** The segment is free soon. Its state stays odd: what is in the file may change at any time, and not be noted. */
    private void forget(Refill refill) {
        unsettled.remove(refill);
        refill.segment.refill = null;
    }

    int unsettledCount() {
        return unsettled.size();
    }

    /** Those whose checksums a checkpoint must have. */
    public List<Refill> unsettled() {
        return unsettled;
    }

    /** Bytes that the notes of the next log batch take at most. */
    long noteBytes() {
        return mostUnsettled() * (LogBatch.NOTE_BYTES + (long) format.dataFrames * Integer.BYTES);
    }

    /** How many there may be when the next checkpoint begins. */
    int mostUnsettled() {
        return unsettled.size() + (enabled ? choice.most() : 0);
    }

    // ---- recovery

    /** Takes what a log or a checkpoint says of frames of a segment that is refilled. */
    void restore(Segment segment, int firstFrame, ByteBuffer sums, int frames) {
        if (segment.refill == null) {
            segment.checksums = new int[format.dataFrames];
            segment.refill = Refill.recovered(segment, format);
            segment.refillState++;
            unsettled.add(segment.refill);
        }
        for (int i = 0; i < frames; i++) {
            segment.checksums[firstFrame + i] = sums.getInt();
        }
    }

    /** Takes that a segment is sealed again. */
    void restoreSealed(Segment segment) {
        if (segment.refill != null) {
            unsettled.remove(segment.refill);
            settle(segment.refill);
        }
    }

    /** Ends a recovery: those that are free or used again are forgotten. */
    void recovered() {
        unsettled.removeIf(refill ->
                store.segment(refill.segment.number) != refill.segment || store.isFree(refill.segment.number));
    }

    /** Writes the footers of those that a recovery has found. When what it found is durable. */
    public void sealRecovered() {
        for (Refill refill : unsettled) {
            refill.seal(file);
            store.wroteData(format.footerBytes);
        }
    }

    public long segmentsRefilled() {
        return segmentsRefilled;
    }

    public long bytesRefilled() {
        return bytesRefilled;
    }
}
