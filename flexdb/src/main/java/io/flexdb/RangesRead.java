package io.flexdb;

import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.txn.Footprint;
import io.flexdb.storage.StorageException;

/** The ranges that a cursor of a transaction has shown, so that nobody else may have written there. For one thread. */
final class RangesRead {
    /*
     * A walk in one direction is one range. It begins with what was sought, or at the pair where the walk turned, and
     * ends with the pair where the cursor stands when the walk ends, or at the bound if it stands nowhere then. All keys
     * are as they are stored.
     */
    private final TransactionState owner; // which is not lost as long as the cursor is used
    private final Footprint footprint;
    private final Scan scan;
    private boolean walking;
    private boolean backward;
    private byte[] begin; // null for the end of all keys that the walk comes from

    /** Of a cursor that shows this. */
    RangesRead(TransactionState owner, Footprint footprint, Scan scan) {
        this.owner = owner;
        this.footprint = footprint;
        this.scan = scan;
    }

    /** A walk begins at a key, which is not copied, or at the first one that is shown. */
    void beginForward(MergeCursor cursor, byte[] from) {
        begin(cursor, from == null ? scan.lowerBound() : scan.heads().stored(from), false);
    }

    /** A walk begins at a key, which is not copied, or at the last one that is shown. */
    void beginBackward(MergeCursor cursor, byte[] from) {
        begin(cursor, from == null ? scan.upperBound() : scan.heads().stored(from), true);
    }

    private void begin(MergeCursor cursor, byte[] from, boolean isBackward) {
        end(cursor);
        begin = from;
        backward = isBackward;
        walking = true;
    }

    /** The next step goes forward. */
    void goForward(MergeCursor cursor) {
        if (backward && cursor.isValid()) {
            begin(cursor, cursor.storedKey(), false);
        }
    }

    /** The next step goes backward. */
    void goBackward(MergeCursor cursor) {
        if (!backward && cursor.isValid()) {
            begin(cursor, cursor.storedKey(), true);
        }
    }

    /** The key where a cursor stands, or null. */
    private static byte[] place(MergeCursor cursor) {
        try {
            return cursor.isValid() ? cursor.storedKey() : null;
        } catch (StorageException e) {
            return null; // of a store that can't be read any more, in which nothing will be committed
        }
    }

    /** Notes the walk under way, if there is one. */
    void end(MergeCursor cursor) {
        if (!walking) {
            return;
        }
        walking = false;
        byte[] here = place(cursor);
        if (backward) {
            footprint.addRange(here == null ? scan.lowerBound() : here, begin);
        } else {
            footprint.addRange(begin, here == null ? scan.upperBound() : here);
        }
    }
}
