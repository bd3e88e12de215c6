package io.flexdb.flexspace.internal.segment;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** Which sealed segments have their dead frames written again next. Writer only. */
final class RefillChoice {
    private static final int MIN_SHARE_DEAD = 16; // one frame of so many, which pays for the checksums in the log
    private static final int SHARE_CHOSEN = 8; // one segment of so many, at once
    private static final int MIN_CHOSEN = 4;
    private static final int MAX_CHOSEN = 128;
    private static final int MAX_NOTE_BYTES = 1 << 20; // of a choice
    private static final int WEIGHT_OF_MEAN = 32; // the mean is that of so many extents, roughly

    private final SegmentStore store;
    private final SegmentFormat format;
    private int meanLength; // of what is appended

    RefillChoice(SegmentStore store) {
        this.store = store;
        this.format = store.format();
    }

    /** Follows what is appended, wherever. */
    void appended(int length) {
        meanLength += (length - meanLength) / WEIGHT_OF_MEAN;
    }

    /** How many are chosen at once, at most. */
    int most() {
        int inUse = store.segmentCount() - store.freeSegmentCount();
        int most = Math.min(MAX_CHOSEN, MAX_NOTE_BYTES / (format.dataFrames * Integer.BYTES));
        return Math.max(MIN_CHOSEN, Math.min(most, inUse / SHARE_CHOSEN));
    }

    /** Those with the most dead frames, in runs as long as what is appended; none if that is not worth a sync. */
    List<Refill> make() {
        List<Refill> choice = new ArrayList<>();
        int usable = 0;
        for (Segment segment : candidates()) {
            if (choice.size() == most()) {
                break;
            }
            BitSet dead = segment.liveFrames.dead();
            int frames = framesInLongRuns(dead);
            int[] checksums = frames >= leastDead() ? checksums(segment) : null;
            if (checksums != null) {
                choice.add(new Refill(segment, format, dead, checksums, typicalBytes()));
                usable += frames;
            }
        }
        return usable < format.dataFrames / 2 ? List.of() : choice;
    }

    private List<Segment> candidates() {
        List<Segment> candidates = new ArrayList<>();
        for (int number = 0; number < store.segmentCount(); number++) {
            Segment segment = store.segment(number);
            if (isCandidate(segment) && segment.liveFrames.deadCount() >= leastDead()) {
                candidates.add(segment);
            }
        }
        candidates.sort(Comparator.comparingInt(segment -> -segment.liveFrames.deadCount()));
        return candidates;
    }

    private int leastDead() {
        return Math.max(1, format.dataFrames / MIN_SHARE_DEAD);
    }

    /** It holds something: what holds nothing is free soon. */
    private static boolean isCandidate(Segment segment) {
        return segment.isSealed()
                && segment.refill == null
                && segment.liveBytes > 0
                && segment.liveFrames != null
                && !segment.victim
                && segment.takesTurn();
    }

    private int typicalBytes() {
        return Math.max(1, Math.min(format.maxExtentBytes, meanLength));
    }

    private int framesInLongRuns(BitSet dead) {
        int least = typicalBytes() + format.frameBytes - 1 >>> format.frameShift;
        int frames = 0;
        for (int first = dead.nextSetBit(0); first >= 0; ) {
            int end = dead.nextClearBit(first);
            frames += end - first >= least ? end - first : 0;
            first = dead.nextSetBit(end);
        }
        return frames;
    }

    /** They are read now: while the footer is written over, readers must not need it. Null if they can't be read. */
    private int[] checksums(Segment segment) {
        try {
            return store.reader().checksums(segment);
        } catch (CorruptionException | StoreIoException e) {
            segment.leaveAlone(e instanceof CorruptionException);
            return null;
        }
    }
}
