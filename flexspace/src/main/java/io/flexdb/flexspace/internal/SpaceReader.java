package io.flexdb.flexspace.internal;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;

/** Reads ranges of an address space. Any number of threads, each inside an epoch that holds the view. */
final class SpaceReader {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(4096).asReadOnlyBuffer();

    private final SegmentStore store;
    private final StripedPool<ReadScratch> scratches;

    SpaceReader(SegmentStore store) {
        this.store = store;
        this.scratches = new StripedPool<>(store.reader()::newScratch);
    }

    /** Copies bytes, each verified. Extents that lie one behind the other in the data file are read together. */
    void read(
            FlexTreeView view,
            ExtentCursor cursor,
            long logicalOffset,
            ByteBuffer destination,
            int destinationPosition,
            int length) {
        cursor.reset(view);
        ReadScratch scratch = scratches.borrow();
        try {
            int done = 0;
            boolean found = length > 0 && cursor.seek(logicalOffset);
            while (done < length && found) {
                long skip = logicalOffset + done - cursor.logicalOffset();
                int piece = (int) Math.min(length - done, cursor.length() - skip);
                if (cursor.isHole()) {
                    zero(destination, destinationPosition + done, piece);
                    done += piece;
                    found = done < length && cursor.next();
                } else {
                    long address = cursor.address() + skip;
                    found = false;
                    while (done + piece < length && (found = cursor.next()) && cursor.address() == address + piece) {
                        piece += Math.min(length - done - piece, cursor.length());
                    }
                    store.read(address, destination, destinationPosition + done, piece, scratch);
                    done += piece;
                }
            }
            if (done < length) {
                throw new IndexOutOfBoundsException(
                        "logicalOffset " + logicalOffset + " + " + length + " is beyond the size " + view.size());
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    /** Copies a part of the extent on which a cursor stands, each byte verified. */
    void readExtent(ExtentCursor cursor, long skip, ByteBuffer destination, int position, int length) {
        if (cursor.isHole()) {
            zero(destination, position, length);
            return;
        }
        ReadScratch scratch = scratches.borrow();
        try {
            store.read(cursor.address() + skip, destination, position, length, scratch);
        } finally {
            scratches.giveBack(scratch);
        }
    }

    private static void zero(ByteBuffer destination, int position, int length) {
        int done = 0;
        while (done < length) {
            int piece = Math.min(length - done, ZEROS.capacity());
            destination.put(position + done, ZEROS, 0, piece);
            done += piece;
        }
    }
}
