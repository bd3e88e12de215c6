package io.flexdb.internal.version;

import io.flexdb.storage.StoreClosedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

/**
 * A version with the sequence number up to which it is read, kept for a snapshot or a cursor. Any thread; but one that
 * is made closed, to be opened again and again, is for the one cursor that it belongs to.
 */
public final class PinnedVersion implements AutoCloseable {
    /*
     * A snapshot may be closed by one thread while others read it. What only a pin holds is used again as soon as the
     * pin is gone, whatever short reads are under way, so the last of them takes the pin back and not the close. The
     * state has the number of reads under way and, as its lowest bit, whether the pin is closed.
     */
    private static final int CLOSED = 1;
    private static final int READ = 2;

    private final StoreVersions versions;
    private final String what;
    private final AtomicInteger state = new AtomicInteger(CLOSED);
    private Version version;
    private long sequence;
    private long time;

    /**
     * A pin that is closed and holds nothing.
     *
     * @param what it is for, in messages
     */
    public PinnedVersion(StoreVersions versions, String what) {
        this.versions = versions;
        this.what = what;
    }

    /**
     * Opens it, while it is closed: pins what is newest. If it throws, it stays closed.
     *
     * @param pinnedBytes how many bytes pins hold back; gets the limit, to which the figure need not be up to date
     * @param limit how many bytes they may
     */
    public void openNewest(LongUnaryOperator pinnedBytes, long limit) {
        int ticket = versions.enter();
        try {
            long held = pinnedBytes.applyAsLong(limit);
            if (held > limit) {
                throw new IllegalStateException("open snapshots and cursors hold " + held
                        + " bytes back, more than maxPinnedBytes " + limit + "; close some of them");
            }
            long newSequence;
            Version newest;
            do {
                newSequence = versions.visibleSequence();
                newest = versions.current();
            } while (newest.storeSequence() > newSequence);
            open(newest, newSequence);
        } finally {
            versions.epochs.exit(ticket);
        }
        try { // outside the short read, as the clock is the user's; behind all that has been reclaimed in this version
            time = versions.clock.now();
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** Opens it, while it is closed: pins what another pin of this store holds, which is open. */
    public void openAgain(PinnedVersion other) {
        if (other.versions != versions) {
            throw new IllegalArgumentException(other.what + " is not of this store");
        }
        other.beginRead();
        try {
            open(other.version, other.sequence);
            time = other.time;
        } finally {
            other.endRead();
        }
    }

    private void open(Version newVersion, long newSequence) {
        assert state.get() == CLOSED : "a pin that is open is opened";
        versions.epochs.pin(
                newVersion.id()); // whatever fails before it, or in it, leaves no pin; nothing behind it does
        version = newVersion;
        sequence = newSequence;
        state.set(0);
    }

    /** Keeps the pin from going until {@link #endRead}; throws if it is closed. */
    public void beginRead() {
        int now;
        do {
            now = state.get();
            if ((now & CLOSED) != 0) {
                throw new StoreClosedException(what);
            }
        } while (!state.compareAndSet(now, now + READ));
        if (!versions.health.isReadable()) {
            endRead();
            throw versions.health.refusal();
        }
    }

    public void endRead() {
        if (state.addAndGet(-READ) == CLOSED) {
            versions.epochs.unpin(version.id());
        }
    }

    public Version version() {
        return version;
    }

    /** No entry with a higher number is seen. */
    public long sequence() {
        return sequence;
    }

    /** What expires by this time is not seen. */
    public long time() {
        return time;
    }

    /** Takes the pin of a cursor back, which alone uses it, and keeps nothing. */
    public void closeAndForget() {
        close();
        version = null;
    }

    /** Takes the pin back; again does nothing. */
    @Override
    public void close() {
        int now;
        do {
            now = state.get();
            if ((now & CLOSED) != 0) {
                return;
            }
        } while (!state.compareAndSet(now, now | CLOSED));
        if (now == 0) {
            versions.epochs.unpin(version.id());
        }
    }
}
