package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.log.LogBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The notes about segments for the next log batch. Writer only. */
final class SegmentNotes {
    /*
     * N1  The log makes numbers known in ascending order, or a short log could make a recovery take much memory. So
     *     before a number that is new, those below it are noted, whoever is filling them: nothing lives in them yet.
     * N2  One segment is open for a log: the one before it is noted as sealed first.
     */
    private static final Comparator<Segment> BY_NUMBER = Comparator.comparingInt(segment -> segment.number);

    private static final int SPARE_NOTES = 32; // for those that are staged meanwhile

    private final SegmentPlaces places;
    private final List<Segment> touched = new ArrayList<>();
    private int touchedLimit; // no number of those touched is as large
    private int known; // to the log: all numbers below
    private boolean due;

    SegmentNotes(SegmentPlaces places) {
        this.places = places;
    }

    /** Follows that the log must speak of a segment. */
    void touch(Segment segment) {
        touched.add(segment);
        touchedLimit = Math.max(touchedLimit, segment.number + 1);
    }

    /** Follows that it must do so even if nothing was changed. */
    void isDue() {
        due = true;
    }

    /** Whether it must. */
    boolean areDue() {
        return due;
    }

    /** Ends a recovery, after which the log knows all segments, and only the open one is written to. */
    void recovered(Segment open) {
        touched.clear();
        due = false;
        known = places.segmentCount();
        touchedLimit = known;
        if (open != null) {
            touched.add(open);
        }
    }

    /** Bytes of the notes at most, if so many extents are appended until then. */
    long bytes(long extents) {
        int unknown = Math.max(0, touchedLimit - known);
        return (touched.size() + unknown + SPARE_NOTES + extents / 16 + 2) * LogBatch.NOTE_BYTES;
    }

    /**
     * Hands the notes over, and forgets them.
     *
     * @param open the open segment, or null
     * @param firstFrame of it that the log does not know
     * @param frames of it that are in the file
     */
    void hand(LogBatch batch, Segment open, int firstFrame, int frames) {
        List<Segment> sealed = new ArrayList<>(touched);
        sealed.remove(open);
        sealed.sort(BY_NUMBER);
        int before = 0;
        while (before < sealed.size() && !isBehindNew(sealed.get(before), open)) {
            before++;
        }
        noteSealed(batch, sealed.subList(0, before));
        if (open != null) {
            noteBelow(batch, open.number);
            batch.segmentNote(open.number, open.generation, 0, firstFrame, open.checksums, frames);
            known = Math.max(known, open.number + 1);
        }
        noteSealed(batch, sealed.subList(before, sealed.size()));
        touched.clear();
        due = false;
        if (open != null) {
            touched.add(open);
        }
    }

    private boolean isBehindNew(Segment segment, Segment open) {
        return open != null && open.number >= known && segment.number > open.number;
    }

    private void noteSealed(LogBatch batch, List<Segment> segments) {
        for (Segment segment : segments) {
            noteBelow(batch, segment.number);
            noteSealed(batch, segment);
            known = Math.max(known, segment.number + 1);
        }
    }

    private void noteBelow(LogBatch batch, int number) {
        while (known < number) {
            noteSealed(batch, places.segment(known++));
        }
    }

    private static void noteSealed(LogBatch batch, Segment segment) {
        batch.segmentNote(segment.number, segment.generation, LogBatch.SEALED, 0, null, 0);
    }
}
