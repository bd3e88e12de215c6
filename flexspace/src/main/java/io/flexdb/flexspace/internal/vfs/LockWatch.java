package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Looks now and then whether a lock is held still. Thread-safe. */
public final class LockWatch {
    /*
     * A lock can be lost although the store is open: its file is deleted, or read on a system whose locks do not outlast
     * that. Newcomers are kept out by the record of the holder, where they can look it up. This is for the others: a
     * store whose files are another process's acknowledges nothing more. The look takes some system calls, a tenth of
     * the time of a force, so it is not made after each of them.
     */
    private static final long INTERVAL_NANOS = 1_000_000_000;

    private final VfsLock lock;
    private final LongSupplier nanoClock;
    private final AtomicLong looked;

    /** @param nanoClock says how long ago the last look was */
    public LockWatch(VfsLock lock, LongSupplier nanoClock) {
        this.lock = lock;
        this.nanoClock = nanoClock;
        this.looked = new AtomicLong(nanoClock.getAsLong());
    }

    /**
     * Looks, unless that was done within the last second.
     *
     * @throws StoreLockedException if another process holds the lock
     */
    public void requireHeldNowAndThen() {
        long last = looked.get();
        long now = nanoClock.getAsLong();
        if (now - last >= INTERVAL_NANOS && looked.compareAndSet(last, now)) {
            requireHeld();
        }
    }

    /**
     * Looks.
     *
     * @throws StoreLockedException if another process holds the lock
     */
    public void requireHeld() {
        try {
            lock.requireHeld();
        } catch (StoreIoException e) {
            // Then nobody can tell, and a store that has its files open needs no path.
        }
    }
}
