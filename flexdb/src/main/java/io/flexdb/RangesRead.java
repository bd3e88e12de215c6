package io.flexdb;

import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.transaction.Footprint;
import io.flexdb.storage.StorageException;

/** The ranges that a cursor of a transaction has shown, so that nobody else may have written there. For one thread. */
final class RangesRead {
    /*
     * A walk in one direction is one range. It begins with what was sought, or at the pair where the walk turned, and
     * ends with the pair where the cursor stands when the walk ends, or without an end if it stands nowhere then.
     */
    private final Footprint footprint;
    private boolean walking;
    private boolean backward;
    private byte[] begin; // null for the end of all keys that the walk comes from

    RangesRead(Footprint footprint) {
        this.footprint = footprint;
    }

    /** A walk begins at a key, which is not copied, or at the first one of all. */
    void beginForward(MergeCursor cursor, byte[] from) {
        begin(cursor, from, false);
    }

    /** A walk begins at a key, which is not copied, or at the last one of all. */
    void beginBackward(MergeCursor cursor, byte[] from) {
        begin(cursor, from, true);
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
            begin(cursor, cursor.key(), false);
        }
    }

    /** The next step goes backward. */
    void goBackward(MergeCursor cursor) {
        if (!backward && cursor.isValid()) {
            begin(cursor, cursor.key(), true);
        }
    }

    /** The key where a cursor stands, or null. */
    private static byte[] place(MergeCursor cursor) {
        try {
            return cursor.isValid() ? cursor.key() : null;
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
            footprint.addRange(here, begin);
        } else {
            footprint.addRange(begin, here);
        }
    }
}
