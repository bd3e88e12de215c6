package io.flexdb.internal.store;

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

    private final Store store;
    private final Version version;
    private final long sequence;
    private final String what;
    private final AtomicInteger state = new AtomicInteger();

    private PinnedVersion(Store store, Version version, long sequence, String what) {
        this.store = store;
        this.version = version;
        this.sequence = sequence;
        this.what = what;
    }

    /**
     * Pins what is newest.
     *
     * @param what it is for, in messages
     */
    public static PinnedVersion newest(Store store, String what) {
        int ticket = store.enter();
        try {
            long limit = store.settings().maxPinnedBytes;
            long held = store.pinnedBytes(limit);
            if (held > limit) {
                throw new IllegalStateException("open snapshots and cursors hold " + held
                        + " bytes back, more than maxPinnedBytes " + limit + "; close some of them");
            }
            long sequence;
            Version version;
            do {
                sequence = store.visibleSequence();
                version = store.version();
            } while (version.storeSequence() > sequence);
            PinnedVersion pinned = new PinnedVersion(store, version, sequence, what);
            store.epochs.pin(version.id()); // last: whatever fails before it leaves no pin
            return pinned;
        } finally {
            store.epochs.exit(ticket);
        }
    }

    /**
     * Pins what another pin holds, which is open.
     *
     * @param of the store that the caller believes it to be of
     */
    public PinnedVersion again(Store of, String newWhat) {
        if (of != store) {
            throw new IllegalArgumentException(what + " is not of this store");
        }
        beginRead();
        try {
            PinnedVersion pinned = new PinnedVersion(store, version, sequence, newWhat);
            store.epochs.pin(version.id()); // last, as above
            return pinned;
        } finally {
            endRead();
        }
    }

    /** Keeps the pin from going until {@link #endRead}; throws if it is closed. */
    void beginRead() {
        int now;
        do {
            now = state.get();
            if ((now & CLOSED) != 0) {
                throw new StoreClosedException(what);
            }
        } while (!state.compareAndSet(now, now + READ));
        if (!store.health.isReadable()) {
            endRead();
            throw store.health.refusal();
        }
    }

    void endRead() {
        if (state.addAndGet(-READ) == CLOSED) {
            store.epochs.unpin(version.id());
        }
    }

    Version version() {
        return version;
    }

    /** No entry with a higher number is seen. */
    public long sequence() {
        return sequence;
    }

    void requireOpen() {
        if ((state.get() & CLOSED) != 0) {
            throw new StoreClosedException(what);
        }
        store.health.requireReadable();
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
            store.epochs.unpin(version.id());
        }
    }
}
