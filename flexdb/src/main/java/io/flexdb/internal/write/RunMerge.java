package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.interval.SortedRun;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Makes a run of another one that can be linked: the space's pairs between its own are in it, or between its parts. */
final class RunMerge {
    /*
     * A run is linked in the place of all pairs that the space has between two keys. So pairs that are to stay have to
     * be in the run, or it is linked in several parts, between which they stay where they are. For a few pairs between
     * two of the run a copy is cheaper, else another part is.
     *
     * Intervals of the run between whose pairs the space has none that stay, are taken as they are. Of the others the
     * pairs are written once more, with those that the space has between them. So a load of new keys alone, or of all
     * keys, writes no byte twice.
     */
    static final int MAX_COPIED_BYTES = 8 << 10; // between two pairs of the run

    private final SortedRun run;
    private final SpacePairs space;
    private final SpaceReads reads;
    private final RunWriter out;
    private final ByteBuffer interval =
            ByteBuffer.allocateDirect(Interval.MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer gap = ByteBuffer.allocateDirect(MAX_COPIED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer head = ByteBuffer.allocateDirect(
                    RecordFormat.MAX_HEADER_BYTES + RecordFormat.MAX_KEY_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN); // of an interval
    private byte[] firstKey; // in the gap

    /** @param run which can be read where it is staged */
    RunMerge(SortedRun run, SpacePairs space, SpaceReads reads, RunWriter out) {
        this.run = run;
        this.space = space;
        this.reads = reads;
        this.out = out;
    }

    /**
     * Merges.
     *
     * @param end the key where it ends; nothing of the run is there or behind it
     * @param goOn called now and then; may throw
     */
    SortedRun merge(byte[] end, Runnable goOn) {
        space.seek(run.anchor(0)); // its first key
        for (int number = 0; number < run.intervals(); number++) {
            goOn.run();
            boolean isLast = number + 1 == run.intervals();
            byte[] behind = isLast ? end : run.anchor(number + 1);
            if (hasNoneBefore(behind) && out.hasAddedIntervalBefore(number)) {
                out.addInterval(run, number, null);
                continue;
            }
            byte[] first = firstKey(number);
            copyGap(first);
            if (hasNoneBefore(behind)) {
                out.addInterval(run, number, first);
            } else if (run.pairCount(number) == 1) {
                out.addInterval(run, number, first);
                skip(first);
            } else {
                mergeInterval(number, first);
            }
        }
        out.endPart(end);
        return out.run();
    }

    /** Whether the space has nothing more before a key. */
    private boolean hasNoneBefore(byte[] key) {
        return !space.isValid() || space.compare(key) >= 0;
    }

    /** Passes over the space's pair with this key, if there is one. */
    private void skip(byte[] key) {
        if (space.isValid() && space.compare(key) == 0) {
            space.next();
        }
    }

    /**
     * Copies the space's pairs before a key of the run, and goes to those from there on. If they are many a part ends,
     * and none is copied.
     */
    private void copyGap(byte[] before) {
        gap.clear();
        while (space.isValid() && space.compare(before) < 0) {
            if (gap.position() == 0) {
                firstKey = Arrays.copyOf(space.key(), space.keyLength());
            }
            if (space.bytes() > gap.remaining()) {
                out.endPart(firstKey);
                gap.clear();
                space.seek(before);
                return;
            }
            int to = gap.position();
            gap.put(to, space.buffer(), space.position(), space.bytes());
            gap.position(to + space.bytes());
            space.next();
        }
        copyPairs(gap, 0, gap.position(), out);
    }

    /** Writes pairs once more. */
    static void copyPairs(ByteBuffer from, int begin, int end, RunWriter to) {
        for (int at = begin; at < end; ) {
            long header = RecordFormat.readWhole(from, at, end);
            assert header >= 0 : "it was written a moment ago, or verified";
            byte[] key = new byte[RecordFormat.keyLength(header)];
            from.get(at + RecordFormat.headerBytes(header), key);
            int bytes = RecordFormat.recordBytes(header);
            to.add(from, at, bytes, key, 0, key.length);
            at += bytes;
        }
    }

    /** Merges the pairs of an interval with those that the space has from the first of them on. */
    private void mergeInterval(int number, byte[] first) {
        int bytes = (int) run.intervalBytes(number);
        read(run.intervalStart(number), interval, bytes);
        int copied = 0; // bytes of the interval that were written once more
        boolean isMixed = false;
        for (int at = 0; at < bytes; ) {
            long header = RecordFormat.readWhole(interval, at, bytes);
            assert header >= 0 : "it was written a moment ago";
            byte[] key = new byte[RecordFormat.keyLength(header)];
            interval.get(at + RecordFormat.headerBytes(header), key);
            if (space.isValid() && space.compare(key) < 0) {
                isMixed = true;
                copyPairs(interval, copied, at, out); // first: a part may end behind it
                copied = at;
                copyGap(key);
            }
            skip(key);
            at += RecordFormat.recordBytes(header);
        }
        if (isMixed) {
            copyPairs(interval, copied, bytes, out);
        } else {
            out.addInterval(run, number, first);
        }
    }

    /** The first key of an interval, from where it is staged. */
    private byte[] firstKey(int number) {
        long start = run.intervalStart(number);
        int headerBytes = (int) Math.min(RecordFormat.MAX_HEADER_BYTES, run.intervalBytes(number));
        read(start, head, headerBytes);
        long header = RecordFormat.readHeader(head, 0, headerBytes);
        assert header >= 0 : "it was written a moment ago";
        byte[] key = new byte[RecordFormat.keyLength(header)];
        int from = RecordFormat.headerBytes(header);
        read(start, head, from + key.length);
        head.get(from, key);
        return key;
    }

    private void read(long start, ByteBuffer into, int bytes) {
        int piece = run.pieceAt(start);
        for (int done = 0; done < bytes; piece++) {
            int skipped = (int) (start + done - run.pieceStart(piece));
            int length = Math.min(run.pieceBytes(piece) - skipped, bytes - done);
            reads.readStaged(run.address(piece) + skipped, into, done, length);
            done += length;
        }
    }
}
