package io.flexdb.internal.read;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.log.MemLog;
import io.flexdb.storage.SnapshotTooOldException;
import java.lang.invoke.VarHandle;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;

/** The record of a {@link PinnedVersion}, whether that is still there or not. */
final class Holder extends WeakReference<PinnedVersion> {
    /*
     * A pin may be closed by one thread while others read it. Memory that only a pin holds is used again as soon as the
     * pin is gone, even while reads of it are under way. The last of these reads therefore takes the pin back, not the
     * close, nor the thread that ends a pin that holds too much. The state is one number: which opening it is, how many
     * reads are under way, whether the store has ended it, and whether it is closed.
     *
     * E1  Once CLOSED or EXPIRED is set no read begins. The thread that sets the first of them and finds no read under
     *     way, or that ends the last read afterwards, takes the pin back, once.
     * E2  An expired pin is not opened again.
     */
    static final long NONE = -1; // no opening
    static final long NO_TIME = Long.MIN_VALUE;
    private static final long CLOSED = 1;
    private static final long EXPIRED = 2;
    private static final long ENDED = CLOSED | EXPIRED;
    private static final long READ = 4;
    private static final long OPENING = 1L << 32;

    final HolderKind kind;
    final Health health;
    private final Epochs epochs;
    private final AtomicLong state = new AtomicLong(CLOSED);
    private volatile SnapshotTooOldException tooOld; // thrown at reads after the end
    // Of this opening:
    Version version;
    long sequence;
    volatile long time; // NO_TIME for a moment
    String thread;
    long threadId;
    Throwable openedAt; // or null
    Runnable whenLost; // to be run if it is never closed, or null
    boolean warned; // under the lock of Holders, as are the next
    int place;

    Holder(PinnedVersion pin, HolderKind kind, StoreVersions versions, ReferenceQueue<PinnedVersion> lost) {
        super(pin, lost);
        this.kind = kind;
        this.health = versions.health;
        this.epochs = versions.epochs;
    }

    /** Opens it, while it is closed; the version is pinned. */
    void open(Version newVersion, long newSequence, long newTime, boolean traced) {
        assert (state.get() & ENDED) == CLOSED : "a pin that is open is opened";
        version = newVersion;
        sequence = newSequence;
        time = newTime;
        Thread current = Thread.currentThread();
        thread = current.getName();
        threadId = current.getId();
        openedAt = traced ? new Throwable(kind.what() + " was opened here") : null;
        warned = false;
        state.set((state.get() & -OPENING) + OPENING);
    }

    /** The opening of now, for {@link #expire} and {@link #isStill}, or NONE. */
    long opening() {
        long now = state.get();
        return (now & ENDED) == 0 ? now & -OPENING : NONE;
    }

    /** Whether all that was read of it since is of that opening. */
    boolean isStill(long opening) {
        VarHandle.loadLoadFence();
        return opening() == opening;
    }

    /** The opening of now, be it that it has ended, but is read still; else NONE. */
    long openingInUse() {
        long now = state.get();
        boolean isOver = (now & ENDED) != 0 && (now & OPENING - 1 & ~ENDED) == 0;
        return isOver ? NONE : now & -OPENING;
    }

    /** Returns false if it is closed or expired; else {@link #endRead} must follow. */
    boolean beginRead() {
        long now;
        do {
            now = state.get();
            if ((now & ENDED) != 0) {
                return false;
            }
        } while (!state.compareAndSet(now, now + READ));
        return true;
    }

    void endRead() {
        long now = state.addAndGet(-READ);
        if ((now & ENDED) != 0 && (now & OPENING - 1 & ~ENDED) == 0) {
            unpin();
        }
    }

    /** Closes it; false if it was closed before. */
    boolean close() {
        long now;
        do {
            now = state.get();
            if ((now & CLOSED) != 0) {
                return false;
            }
        } while (!state.compareAndSet(now, now | CLOSED));
        if ((now & OPENING - 1) == 0) {
            unpin();
        }
        return true;
    }

    /** Ends it, with what to say; false if that opening has ended. */
    boolean expire(long opening, SnapshotTooOldException why) {
        tooOld = why; // before anybody can find that it is expired
        if (kind == HolderKind.CURSOR) { // which reads memtables without saying so
            keepMemoryFromUse(); // before a read that is under way may take the pin back
        }
        long now;
        do {
            now = state.get();
            if ((now & ENDED) != 0 || (now & -OPENING) != opening) {
                return false;
            }
        } while (!state.compareAndSet(now, now | EXPIRED));
        if ((now & OPENING - 1) == 0) {
            unpin();
        }
        return true;
    }

    /** Has nobody else write to what a thread may be reading: only the garbage collector knows when it is not. */
    void keepMemoryFromUse() {
        Version of = version;
        if (of != null) {
            for (MemLog log : of.logs()) {
                log.keepMemoryFromUse();
            }
        }
    }

    private void unpin() {
        Version of = version;
        version = null;
        openedAt = null;
        if (of != null) { // else the store has ended
            epochs.unpin(of.id());
        }
    }

    /** Keeps nothing of a store that has ended. */
    void storeEnded() {
        version = null;
        whenLost = null;
    }

    boolean isExpired() {
        return (state.get() & EXPIRED) != 0;
    }

    boolean isClosed() {
        return (state.get() & CLOSED) != 0;
    }

    /** To be thrown by whoever uses it though it is expired. */
    SnapshotTooOldException tooOld() {
        SnapshotTooOldException first = tooOld;
        return new SnapshotTooOldException(first.getMessage(), first.getCause()); // with the stack of here
    }

    /** The name of the thread that has opened it. */
    String threadName() {
        String name = thread;
        return name == null || name.isEmpty() ? "thread " + threadId : name;
    }
}
