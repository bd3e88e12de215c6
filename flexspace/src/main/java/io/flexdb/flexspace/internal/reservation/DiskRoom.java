package io.flexdb.flexspace.internal.reservation;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.storage.StoreFullException;

/** Takes disk space for the files of a space, and knows how much there was not. Writer only. */
public final class DiskRoom {
    /*
     * The problem: a claim that fails costs as much as one that does not, for what there is is taken, or filled with
     * zeros, before it is given back. And whoever finds no room tries less, another file, and the same again after each
     * piece of a sweep. The choice: what there was not is not tried again, nor is more, before there may be more: when a
     * file of the space has become shorter or was dropped, or when the next change looks for room, since others may have
     * freed some.
     */
    private long tooMuch = Long.MAX_VALUE; // bytes that there were not
    private StoreFullException refusal;
    private final WriterPauses pauses;

    public DiskRoom(WriterPauses pauses) {
        this.pauses = pauses;
    }

    /**
     * Takes disk space, unless it is known that there is not as much.
     *
     * @param bytes of it, at least 1
     * @param claim takes it; throws StoreFullException, and leaves all as it was, if it is not there
     * @return false if it is not there; {@link #refusal} says why
     */
    boolean claim(long bytes, Runnable claim) {
        assert bytes > 0 : bytes;
        if (bytes >= tooMuch) {
            return false;
        }
        pauses.begin();
        try {
            claim.run();
            tooMuch -= tooMuch == Long.MAX_VALUE ? 0 : bytes;
            return true;
        } catch (StoreFullException e) {
            tooMuch = bytes;
            refusal = e;
            return false;
        } finally {
            pauses.end();
        }
    }

    /** Follows that there may be more than there was. */
    public void mayHaveGrown() {
        tooMuch = Long.MAX_VALUE;
    }

    /** Why the last claim that failed did. */
    public StoreFullException refusal() {
        return refusal;
    }
}
