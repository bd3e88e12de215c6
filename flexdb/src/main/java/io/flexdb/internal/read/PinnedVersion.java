package io.flexdb.internal.read;

import io.flexdb.internal.log.ReadGuard;
import io.flexdb.storage.SnapshotTooOldException;
import io.flexdb.storage.StoreClosedException;

/**
 * A version with the sequence number up to which it is read, kept for a snapshot or a cursor. Any thread; but one that
 * is made closed, to be opened again and again, is for the one cursor that it belongs to.
 */
public final class PinnedVersion implements AutoCloseable, ReadGuard {
    /*
     * All that is known of it is in its Holder, which the store has, too: so the store knows what is open, and may end
     * it. The store's way from there to here is weak. A pin that nobody has any more is therefore found out.
     *
     * Users may have closed ones, or ones that have ended with the store, for as long as they like. These keep nothing
     * of the store.
     */
    private StoreVersions versions; // null once it is closed for good, or the store has ended, at any moment
    final Holder holder;
    private Runnable letGo; // or null, as is the next
    private Runnable whenStoreEnds;

    /**
     * A pin that is closed and holds nothing.
     *
     * @param kind what it is for
     */
    public PinnedVersion(StoreVersions versions, HolderKind kind) {
        this.versions = versions;
        this.holder = versions.holders.add(this, kind);
    }

    /** A pin of what is newest. */
    public static PinnedVersion ofNewest(StoreVersions versions, HolderKind kind) {
        PinnedVersion pin = new PinnedVersion(versions, kind);
        try {
            pin.openNewest();
        } catch (Throwable e) { // it is known to the store since it was made
            pin.discard();
            throw e;
        }
        return pin;
    }

    /** Has this run when the store ends the pin, by whichever thread does: to let go of memory that only it kept. */
    public void whenExpired(Runnable newLetGo) {
        letGo = newLetGo;
    }

    /** Has this run when the store ends, by whoever closes it: to keep nothing of it. */
    public void whenStoreEnds(Runnable newWhenStoreEnds) {
        whenStoreEnds = newWhenStoreEnds;
    }

    /** @param of its own, which it may not know yet: it is entered by its constructor */
    void storeEnded(Holder of) {
        versions = null;
        of.storeEnded();
        if (whenStoreEnds != null) {
            whenStoreEnds.run();
        }
    }

    void letGo() {
        Runnable run = letGo;
        if (run != null) {
            run.run();
        }
    }

    /** Has this run if the pin is never closed, and nobody has it any more. It must not lead to the pin. */
    public void whenLost(Runnable cleanup) {
        holder.whenLost = cleanup;
    }

    /** Opens it, while it is closed: pins what is newest. If it throws, it stays closed. */
    public void openNewest() {
        StoreVersions of = ofOpenStore();
        int ticket = of.enter();
        try {
            long newSequence;
            Version newest;
            do {
                newSequence = of.visibleSequence();
                newest = of.current();
            } while (newest.storeSequence() > newSequence);
            open(of, newest, newSequence, Holder.NO_TIME);
        } finally {
            of.epochs.exit(ticket);
        }
        try { // outside the short read, as the clock is the user's; behind all that has been reclaimed in this version
            holder.time = of.clock.now();
        } catch (Throwable e) {
            holder.close();
            throw e;
        }
    }

    /** Opens it, while it is closed: pins what another pin of this store holds, which is open. */
    public void openAgain(PinnedVersion other) {
        StoreVersions ofOther = other.versions;
        if (ofOther == null) {
            other.beginRead(); // which throws
        }
        StoreVersions of = ofOpenStore();
        if (ofOther != of) {
            throw new IllegalArgumentException(other.holder.kind.what() + " is not of this store");
        }
        other.beginRead();
        try {
            open(of, other.holder.version, other.holder.sequence, other.holder.time);
            of.holders.countAgain(); // before the other one may go
        } finally {
            other.endRead();
        }
    }

    private StoreVersions ofOpenStore() {
        StoreVersions of = versions;
        if (of == null) {
            throw holder.health.refusal();
        }
        return of;
    }

    private void open(StoreVersions of, Version newVersion, long newSequence, long newTime) {
        of.epochs.pin(newVersion.id()); // a failure before it, or in it, leaves no pin
        try {
            holder.open(newVersion, newSequence, newTime, of.holders.areTraced());
        } catch (Throwable e) { // there is no room for a trace
            of.epochs.unpin(newVersion.id());
            throw e;
        }
    }

    /**
     * Keeps the pin from going until {@link #endRead}.
     *
     * @throws StoreClosedException if it is closed
     * @throws SnapshotTooOldException if the store has ended it
     */
    @Override
    public void beginRead() {
        if (!holder.beginRead()) {
            requireNotExpired();
            throw new StoreClosedException(holder.kind.what());
        }
        if (!holder.health.isReadable()) {
            endRead();
            throw holder.health.refusal();
        }
    }

    @Override
    public void endRead() {
        holder.endRead();
    }

    /** Throws if the store has ended it, and it was not closed. */
    public void requireNotExpired() {
        if (holder.isExpired()) {
            if (!holder.health.isReadable()) {
                throw holder.health.refusal();
            }
            if (!holder.isClosed()) {
                throw holder.tooOld();
            }
        }
    }

    /** Whether the store has ended it. Then it can't be opened again. */
    public boolean isExpired() {
        return holder.isExpired();
    }

    /** The version; null once it is closed or expired, unless a read keeps it. */
    public Version version() {
        return holder.version;
    }

    /** No entry with a higher number is seen. */
    public long sequence() {
        return holder.sequence;
    }

    /** The time of this version: pairs that expire by it are not seen. */
    public long time() {
        return holder.time;
    }

    /** Takes the pin of a cursor back, which may be opened again if this returns true. */
    public boolean closeToReopen() {
        return holder.close() && !holder.isExpired();
    }

    /** Lets go of the store; for a pin that is closed and not opened any more. */
    public void discard() {
        StoreVersions of = versions;
        versions = null;
        holder.whenLost = null;
        if (of != null) {
            of.holders.remove(holder);
        }
    }

    /** Takes the pin back for good; again does nothing. */
    @Override
    public void close() {
        if (holder.close()) {
            discard();
        }
    }
}
