package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalReplacement;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.StoreFullException;

/** Links (ingests) staged sorted runs into space and index without a copy. For the thread that commits. */
final class RunLinker {
    /*
     * A part of a run replaces all pairs between two keys. These are cut out as a deleted range is. The part then goes
     * between two pairs, whose interval is divided there: its left pairs, the part's intervals, its right pairs. The
     * space takes the part's pieces as extents; no byte is copied.
     *
     * All parts of a run are one group, and so one batch of the logical log, which a crash keeps or not. In between,
     * space and index do not fit each other, and nothing may be published or reserved. So all that may be refused is
     * reserved before: places in the files and, roughly, memory of the index. A failure in the middle, of a read or for
     * want of memory after all, leaves roots that nobody may see; the store has to be opened again.
     */
    private static final int AT_ONCE = 1024; // intervals that the index is given
    private static final int CUTS_OF_A_PART = 4; // both ends, and the extents cut in two there

    private final Committer committer;
    private final SpaceEngine engine;
    private final SparseIndex index;
    private final Intervals intervals;
    private final Interval interval; // the committer's
    private final IntervalReplacement next = new IntervalReplacement();
    private StoreFullException memoryRefusal;

    // The pairs left and right of the part in its interval.
    private long leftBytes;
    private int leftPairs;
    private long rightBytes;
    private int rightPairs;

    // The interval that grows: of the first one of a part the anchor stays what it is.
    private byte[] anchor;
    private long bytes;
    private int pairs;
    private byte[] replacedKey; // of the interval that the next ones replace
    private byte[] lastAnchor; // of the next ones

    RunLinker(Committer committer) {
        this.committer = committer;
        this.engine = committer.engine;
        this.index = committer.index;
        this.intervals = committer.intervals;
        this.interval = committer.context.interval;
    }

    /**
     * Reserves for a run.
     *
     * @param publish called when earlier versions should go, so that there is room
     * @return false if there is no room, or no memory; {@link #refusal} says why
     */
    boolean reserve(SortedRun run, Runnable publish) {
        memoryRefusal = null;
        committer.reservation.drop();
        long cuts = intervalsCut(run) + (long) CUTS_OF_A_PART * run.parts();
        if (!engine.reservation().reserveForLinks(run.pieces() + cuts, publish)) {
            return false;
        }
        try {
            index.ensure(run.intervals() + run.parts() + 2, run.anchorBytes() + partEndBytes(run));
            return true;
        } catch (OutOfMemoryError e) {
            memoryRefusal = new StoreFullException("no memory for the index of " + run.intervals()
                    + " intervals to be brought in (" + e.getMessage()
                    + "); allow for more by -XX:MaxDirectMemorySize, or give the store a smaller cache");
            return false;
        }
    }

    /** Intervals that the parts of a run have something of. */
    private long intervalsCut(SortedRun run) {
        long count = 0;
        for (int part = 0; part < run.parts(); part++) {
            count += intervals.countBetween(run.partBegin(part), run.partEnd(part));
        }
        return count;
    }

    /** Bytes of the anchors of the intervals behind the parts. */
    private static long partEndBytes(SortedRun run) {
        long bytes = 0;
        for (int part = 0; part < run.parts(); part++) {
            bytes += run.partEnd(part).length;
        }
        return bytes;
    }

    /** The refusal of the last {@link #reserve}. */
    StoreFullException refusal() {
        return memoryRefusal != null ? memoryRefusal : engine.reservation().refusal();
    }

    /** Links a run that was reserved for, in a group that the caller has begun. */
    void link(SortedRun run) {
        for (int part = 0; part < run.parts(); part++) {
            link(run, part);
        }
        committer.shrink();
    }

    private void link(SortedRun run, int part) {
        byte[] from = run.partBegin(part);
        byte[] to = run.partEnd(part);
        if (!committer.cut(from, to, null, null)) {
            throw committer.refusal();
        }
        if (run.partFirstInterval(part) == run.partEndInterval(part)) {
            return; // the part only removes pairs
        }
        divideAt(from, to);
        linkPieces(run, part);
        linkIntervals(run, part, from, to);
    }

    /** Finds the pairs left and right of a part, between which no pair is any more, and has them in one interval. */
    private void divideAt(byte[] from, byte[] to) {
        index.find(index.current(), from, 0, from.length, interval);
        rightBytes = 0;
        rightPairs = 0;
        if (interval.isBelowUpperAnchor(to, 0, to.length)) {
            int ticket = committer.epochs.enter(); // a directory lies in the cache
            try {
                leftPairs = committer.placeInInterval(from);
                rightPairs = committer.editor.old.count() - leftPairs;
                leftBytes = leftPairs == 0 ? 0 : committer.editor.old.start(leftPairs);
                rightBytes = interval.lengthBytes() - leftBytes;
            } finally {
                committer.epochs.exit(ticket);
            }
            return;
        }
        leftBytes = interval.lengthBytes();
        leftPairs = interval.pairCount();
        index.find(index.current(), to, 0, to.length, interval);
        if (interval.isAnchor(to)) {
            index.find(index.current(), from, 0, from.length, interval);
            return;
        }
        rightBytes = interval.lengthBytes();
        rightPairs = interval.pairCount();
        index.ensure(1, 0);
        intervals.joinWithNext(from);
        index.find(index.current(), from, 0, from.length, interval);
        assert interval.isBelowUpperAnchor(to, 0, to.length) : "nothing is left between";
    }

    private void linkPieces(SortedRun run, int part) {
        long at = interval.logicalOffset() + leftBytes;
        for (int piece = run.partFirstPiece(part); piece < run.partEndPiece(part); piece++) {
            engine.insertStaged(at, run.address(piece), run.pieceBytes(piece), run.flags(piece));
            at += run.pieceBytes(piece);
        }
    }

    // ---- the index

    private void linkIntervals(SortedRun run, int part, byte[] from, byte[] to) {
        int at = run.partFirstInterval(part);
        int end = run.partEndInterval(part);
        boolean isOne = end - at == 1;
        next.clear();
        replacedKey = from;
        begin(from, leftBytes, leftPairs);
        if (leftBytes == 0 || isOne && fits(run.intervalBytes(at), run.pairCount(at))) {
            grow(run.intervalBytes(at), run.pairCount(at));
            at++;
        }
        for (; at < end; at++) {
            put();
            begin(run.anchor(at), run.intervalBytes(at), run.pairCount(at));
        }
        if (rightBytes > 0 && isOne && fits(rightBytes, rightPairs)) {
            grow(rightBytes, rightPairs);
        } else if (rightBytes > 0) {
            put();
            begin(to, rightBytes, rightPairs);
        }
        put();
        give();
    }

    private void begin(byte[] newAnchor, long newBytes, int newPairs) {
        anchor = newAnchor;
        bytes = newBytes;
        pairs = newPairs;
    }

    private boolean fits(long moreBytes, int morePairs) {
        return pairs + morePairs <= Interval.MAX_PAIRS && bytes + moreBytes <= Interval.MAX_BYTES;
    }

    private void grow(long moreBytes, int morePairs) {
        bytes += moreBytes;
        pairs += morePairs;
    }

    /** Has the interval that has grown stand behind those before it. */
    private void put() {
        if (next.count() == AT_ONCE) {
            int last = AT_ONCE - 1;
            give();
            replacedKey = lastAnchor;
            long lastBytes = next.bytes(last);
            int lastPairs = next.pairs(last);
            long lastContent = next.content(last);
            next.clear().first(lastBytes, lastPairs, lastContent);
        }
        if (next.count() == 0) {
            next.first(bytes, pairs, intervals.newContent());
        } else {
            next.add(anchor, 0, anchor.length, bytes, pairs, intervals.newContent());
        }
        lastAnchor = anchor;
    }

    private void give() {
        index.ensure(next.count(), next.anchorBytes());
        intervals.replaceByRun(replacedKey, next);
    }
}
