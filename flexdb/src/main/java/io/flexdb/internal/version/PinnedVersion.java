package io.flexdb.internal.version;

import io.flexdb.internal.memlog.RetiredTables;
import io.flexdb.storage.StoreClosedException;
import java.util.concurrent.atomic.AtomicInteger;

/** A version with the sequence number up to which it is read, kept for a snapshot or a cursor. Any thread. */
public final class PinnedVersion implements AutoCloseable {
    /*
     * A snapshot may be closed by one thread while others read it. What only a pin holds is used again as soon as the
     * pin is gone, whatever short reads are under way, so the last of them takes the pin back and not the close. The
     * state has the number of reads under way and, as its lowest bit, whether the pin is closed.
     */
    private static final int CLOSED = 1;
    private static final int READ = 2;

    private final StoreVersions versions;
    private final Version version;
    private final long sequence;
    private final String what;
    private final AtomicInteger state = new AtomicInteger();

    private PinnedVersion(StoreVersions versions, Version version, long sequence, String what) {
        this.versions = versions;
        this.version = version;
        this.sequence = sequence;
        this.what = what;
    }

    /**
     * Pins what is newest.
     *
     * @param retired what pins hold back
     * @param limit how many bytes they may
     * @param what it is for, in messages
     */
    public static PinnedVersion newest(StoreVersions versions, RetiredTables retired, long limit, String what) {
        int ticket = versions.enter();
        try {
            long held = retired.pinnedBytes(limit);
            if (held > limit) {
                throw new IllegalStateException("open snapshots and cursors hold " + held
                        + " bytes back, more than maxPinnedBytes " + limit + "; close some of them");
            }
            long sequence;
            Version version;
            do {
                sequence = versions.visibleSequence();
                version = versions.current();
            } while (version.storeSequence() > sequence);
            PinnedVersion pinned = new PinnedVersion(versions, version, sequence, what);
            versions.epochs.pin(version.id()); // last: whatever fails before it leaves no pin
            return pinned;
        } finally {
            versions.epochs.exit(ticket);
        }
    }

    /**
     * Pins what another pin holds, which is open.
     *
     * @param of the versions of the store that the caller believes it to be of
     */
    public PinnedVersion again(StoreVersions of, String newWhat) {
        if (of != versions) {
            throw new IllegalArgumentException(what + " is not of this store");
        }
        beginRead();
        try {
            PinnedVersion pinned = new PinnedVersion(versions, version, sequence, newWhat);
            versions.epochs.pin(version.id()); // last, as above
            return pinned;
        } finally {
            endRead();
        }
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

    public void requireOpen() {
        if ((state.get() & CLOSED) != 0) {
            throw new StoreClosedException(what);
        }
        versions.health.requireReadable();
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
