package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.Interval;

/** Room in the space for a commit's changes, reserved in large parts. For the thread that commits. */
final class CommitReservation {
    /*
     * A reservation costs more than a small change, so one is made for many changes, as long as there is room. If room
     * is scarce each interval reserves only its own need; else garbage would be collected for each, to little avail.
     */
    private static final int ASKED_BYTES = 256 << 10;
    private static final int ASKED_EDITS = 256;
    private static final int EDITS_OF_A_CUT = 2; // the log's entry, and the extent that is cut in two

    private final SpaceEngine engine;
    private long bytesLeft; // that may be appended still without asking
    private long editsLeft;
    private boolean scarce; // there is not as much as would be asked for at once

    CommitReservation(SpaceEngine engine) {
        this.engine = engine;
    }

    /** Lets the rest go: others may use it now, or a smaller part is tried, which has to reserve anew. */
    void drop() {
        bytesLeft = 0;
        editsLeft = 0;
    }

    /**
     * Notes how a commit has ended, for the next one, and lets the rest go: before the next change the space may give
     * back the memory of its segments, which only a new reservation sees to.
     */
    void end(boolean foundNoRoom) {
        scarce = foundNoRoom;
        drop();
    }

    /** Reserves room to write an interval anew with entries; false if there is none. */
    boolean reserve(long intervalOffset, long oldBytes, GatheredEntries entries, Runnable publish) {
        if (entries.pieces() > 0) {
            return reserveInPlace(entries, publish);
        }
        long bytes = oldBytes + entries.recordBytes();
        long edits = 2L * entries.count() + Interval.MAX_PAIRS + 2 * bytes / engine.maxExtentBytes();
        if (bytes > bytesLeft || edits > editsLeft) {
            bytesLeft = bytes + Math.min(ASKED_BYTES, engine.segmentBytes());
            editsLeft = edits + ASKED_EDITS;
            if (scarce || !engine.reservation().reserveForBatch(bytesLeft, editsLeft, 0, 0, publish)) {
                scarce = true;
                bytesLeft = bytes;
                editsLeft = edits;
                if (!engine.reservation().reserveForBatch(bytes, edits, intervalOffset, oldBytes, publish)) {
                    drop();
                    return false;
                }
            }
        }
        bytesLeft -= bytes;
        editsLeft -= edits;
        return true;
    }

    /** Reserves room to change an interval in place; false if there is none. */
    boolean reserveInPlace(GatheredEntries entries, Runnable publish) {
        drop();
        if (entries.areDeletes()) {
            return engine.reservation().reserveForEdits(entries.count(), false, publish); // of the log's reserve, too
        }
        long bytes = entries.recordBytes();
        long edits = 2L * entries.count() + 2 * entries.pieces();
        return bytes == 0
                ? engine.reservation().reserveForLinks(edits, publish)
                : engine.reservation()
                        .reserveForBatch(bytes, edits + 2 * bytes / engine.maxExtentBytes(), 0, 0, publish);
    }

    /** Reserves room to remove bytes in one piece, for which the log's reserve may be used. */
    boolean reserveToCut(Runnable publish) {
        return engine.reservation().reserveForEdits(EDITS_OF_A_CUT, false, publish);
    }
}
