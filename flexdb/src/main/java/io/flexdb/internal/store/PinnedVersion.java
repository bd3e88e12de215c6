package io.flexdb.internal.store;

import io.flexdb.storage.StoreClosedException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A version with the sequence number up to which it is read, kept for a snapshot or a cursor. Any thread. */
public final class PinnedVersion implements AutoCloseable {
    private final Store store;
    private final Version version;
    private final long sequence;
    private final String what;
    private final AtomicBoolean open = new AtomicBoolean(true);

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
            long pinned = store.pinnedBytes();
            if (pinned > store.options().maxPinnedBytes()) {
                throw new IllegalStateException("open snapshots and cursors hold " + pinned
                        + " bytes back, more than maxPinnedBytes "
                        + store.options().maxPinnedBytes()
                        + "; close some of them");
            }
            long sequence;
            Version version;
            do {
                sequence = store.visibleSequence();
                version = store.version();
            } while (version.storeSequence() > sequence);
            store.epochs.pin(version.id());
            return new PinnedVersion(store, version, sequence, what);
        } finally {
            store.epochs.exit(ticket);
        }
    }

    /** Pins what another pin holds, which is open. */
    public PinnedVersion again(String newWhat) {
        int ticket = store.enter();
        try {
            requireOpen();
            store.epochs.pin(version.id());
            if (!open.get()) {
                store.epochs.unpin(version.id());
                requireOpen();
            }
            return new PinnedVersion(store, version, sequence, newWhat);
        } finally {
            store.epochs.exit(ticket);
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
        if (!open.get()) {
            throw new StoreClosedException(what);
        }
        store.requireUsable();
    }

    /** Takes the pin back; again does nothing. */
    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            store.epochs.unpin(version.id());
        }
    }
}
