package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.log.LogBatch;
import java.nio.ByteBuffer;

/** Takes what a checkpoint and log batches say of segments, for a recovery, and tells what they can't say. */
public final class SegmentRestore {
    private final SegmentStore store;
    private final SegmentFormat format;

    public SegmentRestore(SegmentStore store) {
        this.store = store;
        this.format = store.format();
    }

    /** Takes a segment's generation from a checkpoint. */
    public void restore(int number, int generation) {
        Segment segment = Segment.found(number, generation);
        segment.usedBytes = format.dataBytes;
        store.put(segment);
    }

    /** Whether a note of a segment can follow what is known of it; to be asked of every note that comes from a file. */
    public boolean isNote(int number, int generation, boolean sealed, int firstFrame, int frames) {
        if (number < 0 || number > store.segmentCount() || frames < 0 || firstFrame > format.dataFrames - frames) {
            return false;
        }
        Segment open = store.openSegment();
        Segment known = number < store.segmentCount() ? store.segment(number) : null;
        if (!sealed && open != null && open != known) {
            return false; // one is open at a time, or a short log could ask for the checksums of many
        }
        int framesKnown = known == null ? 0 : known.usedBytes >>> format.frameShift;
        boolean hasAll = firstFrame == 0 && frames >= framesKnown; // as the first note after an opening (I6)
        if (known == null || known.generation != generation) {
            boolean goesOn = known != null && known == open && (sealed || hasAll);
            return firstFrame == 0 && (known == null || known.liveBytes == 0 || goesOn);
        }
        return sealed ? firstFrame == 0 && frames == 0 : !known.isSealed() && (firstFrame == framesKnown || hasAll);
    }

    /** Takes what a checkpoint or a log batch says of the frames of a segment; see {@link LogBatch}. */
    public void restoreFrames(int number, int generation, boolean sealed, int firstFrame, ByteBuffer sums, int frames) {
        Segment open = store.openSegment();
        Segment segment = number < store.segmentCount() ? store.segment(number) : null;
        if (segment != null && segment == open) {
            segment.generation = generation; // the same one or, after an opening, the next (I6)
        } else if (segment == null || segment.generation != generation) {
            restore(number, generation);
            segment = store.segment(number);
            segment.checksums = new int[format.dataFrames];
        }
        if (sealed) {
            segment.foundSealed(true);
            segment.usedBytes = format.dataBytes;
            segment.checksums = null;
            store.foundOpen(open == segment ? null : open);
            return;
        }
        segment.foundSealed(false);
        if (segment.checksums == null) {
            segment.checksums = new int[format.dataFrames];
        }
        for (int i = 0; i < frames; i++) {
            segment.checksums[firstFrame + i] = sums.getInt();
        }
        segment.usedBytes = (firstFrame + frames) << format.frameShift;
        store.foundOpen(segment);
    }
}
