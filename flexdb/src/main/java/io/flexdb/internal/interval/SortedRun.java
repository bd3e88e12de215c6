package io.flexdb.internal.interval;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.storage.StoreFullException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Staged pairs in key order: the intervals that they make, the pieces of the data file that they lie in, and the parts,
 * each of which is linked in one place. For one thread at a time.
 */
public final class SortedRun {
    /*
     * A run has logical offsets of its own, from 0 on: its intervals follow one another there, and so do its pieces.
     * Neither need end where the others do, but a part begins and ends with a whole interval and a whole piece.
     *
     * A part takes the place of all pairs that the space has from its begin on to before its end. It may have none itself.
     * Parts ascend, and what the space has between two of them stays.
     *
     * It is on the heap: some 40 bytes and an anchor for each interval, about what the interval takes in the sparse index.
     */
    /** The most pieces of a run: their log entries are one batch, which a recovery reads whole. */
    public static final int MAX_PIECES = 1 << 23;

    private final KeyRow anchors = new KeyRow();
    private long[] intervalEnds = new long[64];
    private int[] pairCounts = new int[64];
    private long[] addresses = new long[64];
    private long[] pieceEnds = new long[64];
    private int[] pieceFlags = new int[64];
    private int pieces;
    private final List<byte[]> partBegins = new ArrayList<>();
    private final List<byte[]> partEnds = new ArrayList<>();
    private byte[] openBegin; // of the part that was begun; null if it begins with its first key, or none was
    private int[] partIntervals = new int[4]; // the interval behind each part
    private int[] partPieces = new int[4]; // and the piece
    private long pairs;

    // ---- intervals

    /** How many there are. */
    public int intervals() {
        return anchors.count();
    }

    /** Where one begins. */
    public long intervalStart(int interval) {
        return interval == 0 ? 0 : intervalEnds[interval - 1];
    }

    /** Its bytes. */
    public long intervalBytes(int interval) {
        return intervalEnds[interval] - intervalStart(interval);
    }

    /** Its pairs. */
    public int pairCount(int interval) {
        return pairCounts[interval];
    }

    /**
     * A copy of its anchor: above all keys before it, not above its first one. The anchor of a part's first interval is
     * a key.
     */
    public byte[] anchor(int interval) {
        return anchors.get(interval);
    }

    /** Bytes of all anchors, or some more. */
    public long anchorBytes() {
        return anchors.bytes();
    }

    /** All pairs. */
    public long pairs() {
        return pairs;
    }

    /** Bytes of all pairs as they are stored. */
    public long bytes() {
        int last = intervals();
        return last == 0 ? 0 : intervalEnds[last - 1];
    }

    /** Begins an interval, with an anchor that is copied. */
    public void beginInterval(byte[] anchor, int from, int length) {
        int number = anchors.count();
        anchors.add(anchor, from, length);
        if (number == intervalEnds.length) {
            intervalEnds = Arrays.copyOf(intervalEnds, 2 * number);
            pairCounts = Arrays.copyOf(pairCounts, 2 * number);
        }
        intervalEnds[number] = intervalStart(number);
        pairCounts[number] = 0;
    }

    /** Adds to the last interval. */
    public void growInterval(long bytes, int morePairs) {
        int last = anchors.count() - 1;
        intervalEnds[last] += bytes;
        pairCounts[last] += morePairs;
        pairs += morePairs;
    }

    // ---- pieces

    /** How many there are. */
    public int pieces() {
        return pieces;
    }

    /** Where one begins in the run. */
    public long pieceStart(int piece) {
        return piece == 0 ? 0 : pieceEnds[piece - 1];
    }

    /** Its bytes. */
    public int pieceBytes(int piece) {
        return (int) (pieceEnds[piece] - pieceStart(piece));
    }

    /** Where it is in the data file. */
    public long address(int piece) {
        return addresses[piece];
    }

    /** The flags of the extent that it becomes. */
    public int flags(int piece) {
        return pieceFlags[piece];
    }

    /** The piece that has a byte of the run. */
    public int pieceAt(long offset) {
        int found = Arrays.binarySearch(pieceEnds, 0, pieces, offset);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /**
     * Adds a piece, or makes the last one longer if that goes on in the data file.
     *
     * @param mostBytes of one piece
     */
    public void addPiece(long address, int bytes, int flags, int mostBytes) {
        int last = pieces - 1;
        int firstOfPart = partEnds.isEmpty() ? 0 : partPieces[partEnds.size() - 1];
        boolean goesOn = last >= firstOfPart
                && (pieceFlags[last] | flags) == 0
                && addresses[last] + pieceBytes(last) == address
                && pieceBytes(last) + bytes <= mostBytes;
        if (goesOn) {
            pieceEnds[last] += bytes;
            return;
        }
        if (pieces == MAX_PIECES) {
            throw new StoreFullException(
                    "no more than " + MAX_PIECES + " extents can be brought in at once; make several writes of it");
        }
        if (pieces == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * pieces);
            pieceEnds = Arrays.copyOf(pieceEnds, 2 * pieces);
            pieceFlags = Arrays.copyOf(pieceFlags, 2 * pieces);
        }
        addresses[pieces] = address;
        pieceEnds[pieces] = pieceStart(pieces) + bytes;
        pieceFlags[pieces++] = flags;
        assert flags == 0 || flags == RecordFormat.CONTINUATION : flags;
    }

    /** Lets go of room for more intervals and pieces; none comes any more. */
    public void trim() {
        anchors.trim();
        intervalEnds = Arrays.copyOf(intervalEnds, intervals());
        pairCounts = Arrays.copyOf(pairCounts, intervals());
        addresses = Arrays.copyOf(addresses, pieces);
        pieceEnds = Arrays.copyOf(pieceEnds, pieces);
        pieceFlags = Arrays.copyOf(pieceFlags, pieces);
    }

    // ---- parts

    /** How many there are. */
    public int parts() {
        return partEnds.size();
    }

    /** The first interval of one. */
    public int partFirstInterval(int part) {
        return part == 0 ? 0 : partIntervals[part - 1];
    }

    /** The interval behind it. */
    public int partEndInterval(int part) {
        return partIntervals[part];
    }

    /** Its first piece. */
    public int partFirstPiece(int part) {
        return part == 0 ? 0 : partPieces[part - 1];
    }

    /** The piece behind it. */
    public int partEndPiece(int part) {
        return partPieces[part];
    }

    /** The key from which on it takes the place of what there is; not above its first one. Nobody may change it. */
    public byte[] partBegin(int part) {
        return partBegins.get(part);
    }

    /** The key before which it ends. Nobody may change it. */
    public byte[] partEnd(int part) {
        return partEnds.get(part);
    }

    /** Whether something is in no part yet. */
    boolean hasOpenPart() {
        return openBegin != null || intervals() > (partEnds.isEmpty() ? 0 : partIntervals[partEnds.size() - 1]);
    }

    void beginPart(byte[] begin) {
        assert !hasOpenPart() : "a part in a part";
        openBegin = begin;
    }

    void endPart(byte[] end) {
        int part = partEnds.size();
        partBegins.add(openBegin != null ? openBegin : anchor(partFirstInterval(part)));
        openBegin = null;
        if (part == partIntervals.length) {
            partIntervals = Arrays.copyOf(partIntervals, 2 * part);
            partPieces = Arrays.copyOf(partPieces, 2 * part);
        }
        partIntervals[part] = intervals();
        partPieces[part] = pieces;
        partEnds.add(end);
        assert pieceStart(pieces) == bytes() : "a part ends with a whole piece";
    }

    @Override
    public String toString() {
        return "SortedRun[pairs=" + pairs + ", bytes=" + bytes() + ", intervals=" + intervals() + ", pieces=" + pieces
                + ", parts=" + parts() + "]";
    }
}
