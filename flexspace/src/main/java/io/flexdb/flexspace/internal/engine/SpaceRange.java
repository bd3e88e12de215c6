package io.flexdb.flexspace.internal.engine;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;

/**
 * Bytes of an address space that are to be read, and the walk over what they consist of. Reused without garbage; for
 * one thread at a time, which is inside an epoch that holds the view whenever it reads.
 */
public final class SpaceRange {
    /*
     * A walk goes from piece to piece: extents that lie one behind the other in the data file, which are read together.
     * Holes are not read; the walk itself puts their zeros into the destination on its way.
     */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(4096).asReadOnlyBuffer();

    private final ExtentCursor extents = new ExtentCursor();
    private FlexTreeView view;
    private long logicalOffset;
    private int length;
    private boolean isLast;

    // The piece of a walk:
    private int done; // bytes before it
    private long pieceAddress;
    private int pieceBytes;
    private int pieces; // so far

    /** Makes it a range of a view. */
    public SpaceRange set(FlexTreeView newView, long newLogicalOffset, int newLength) {
        view = newView;
        extents.reset(newView);
        logicalOffset = newLogicalOffset;
        length = newLength;
        isLast = false;
        return this;
    }

    /** Says whether what follows the range is hardly going to be read, so that it is not worth a look ahead. */
    public SpaceRange last(boolean last) {
        isLast = last;
        return this;
    }

    /** Whether no more is read behind it, as far as known. */
    boolean isLast() {
        return isLast;
    }

    /**
     * Makes it another range of the same view. If that begins where the last one, which was read, has ended, reading it
     * needs no search in the tree.
     */
    public SpaceRange goOn(long newLogicalOffset, int newLength) {
        logicalOffset = newLogicalOffset;
        length = newLength;
        return this;
    }

    /** Whether it is a range of a view. */
    boolean isOf(FlexTreeView other) {
        return view == other;
    }

    /** Where in the data file the range begins, if it lies within one extent; else {@link FlexTree#HOLE}. */
    public long address() {
        begin();
        if (!extents.isPositioned() || extents.isHole()) {
            return FlexTree.HOLE;
        }
        long skip = logicalOffset - extents.logicalOffset();
        return skip + length <= extents.length() ? extents.address() + skip : FlexTree.HOLE;
    }

    /** Pieces of the data file that the range consists of, once it was read. */
    public int pieces() {
        return pieces;
    }

    long logicalOffset() {
        return logicalOffset;
    }

    int length() {
        return length;
    }

    // ---- the walk

    /** Begins a walk, before its first piece. */
    void begin() {
        done = 0;
        pieceBytes = 0;
        pieces = 0;
        if (length > 0 && !standsAtBeginning()) {
            extents.seek(logicalOffset);
        }
    }

    private boolean standsAtBeginning() {
        if (!extents.isPositioned()) {
            return false;
        }
        long skip = logicalOffset - extents.logicalOffset();
        return skip == extents.length() ? extents.next() : skip >= 0 && skip < extents.length();
    }

    /**
     * Goes to the next piece.
     *
     * @param destination gets the zeros of holes before it
     * @param position there of the range's first byte
     * @return false if there is none, since the walk has come to the end of the range
     * @throws IndexOutOfBoundsException if the space ends before it
     */
    boolean next(ByteBuffer destination, int position) {
        done += pieceBytes;
        pieceBytes = 0;
        while (done < length && extents.isPositioned()) {
            long skip = logicalOffset + done - extents.logicalOffset();
            int bytes = (int) Math.min(length - done, extents.length() - skip);
            if (!extents.isHole()) {
                pieceAddress = extents.address() + skip;
                pieceBytes = withNeighbours(bytes);
                pieces++;
                return true;
            }
            zero(destination, position + done, bytes);
            done += bytes;
            if (done < length) {
                extents.next();
            }
        }
        if (done < length) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset " + logicalOffset + " + " + length + " is beyond the size " + view.size());
        }
        return false;
    }

    /** Makes a piece longer by the extents that follow it in the data file, too, and goes behind them. */
    private int withNeighbours(int bytes) {
        int together = bytes;
        int wanted = length - done;
        while (together < wanted && extents.next() && extents.address() == pieceAddress + together) {
            together += Math.min(wanted - together, extents.length());
        }
        return together;
    }

    /** Where in the data file the piece lies. */
    long pieceAddress() {
        return pieceAddress;
    }

    /** Bytes of the piece. */
    int pieceBytes() {
        return pieceBytes;
    }

    /** Bytes of the range before the piece. */
    int done() {
        return done;
    }

    /** The logical offset behind the piece. */
    long pieceEnd() {
        return logicalOffset + done + pieceBytes;
    }

    /** The cursor of the walk, in its view; {@link #comeBack} after it was moved, if the walk is to go on. */
    ExtentCursor extents() {
        return extents;
    }

    /** Goes on behind the piece, wherever the cursor is. */
    void comeBack() {
        if (done + pieceBytes < length) {
            extents.seek(pieceEnd());
        }
    }

    static void zero(ByteBuffer destination, int position, int bytes) {
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(bytes - done, ZEROS.capacity());
            destination.put(position + done, ZEROS, 0, piece);
            done += piece;
        }
    }
}
