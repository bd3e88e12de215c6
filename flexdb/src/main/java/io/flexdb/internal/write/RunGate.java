package io.flexdb.internal.write;

/** Keeps writers away from the keys of a sorted run while it is brought into the space. Any thread. */
public final class RunGate {
    /*
     * Memtables are committed first while everybody goes on, which may take as long as some commits. Then the range is
     * held, and the few writes that came meanwhile are committed, too. Writes to the range wait for that and for the
     * link, all others for nothing.
     *
     * G1  While the range is held no memtable has, or gets, anything of it.
     */
    private final WriteMonitor monitor;
    private final MemtableRotation rotation;
    private final HeldRanges held;

    RunGate(MemtableRotation rotation, HeldRanges held) {
        this.monitor = rotation.monitor;
        this.rotation = rotation;
        this.held = held;
    }

    /** A range that is held. */
    public final class Hold {
        private final HeldRanges.Range range;

        private Hold(HeldRanges.Range range) {
            this.range = range;
        }

        /** Lets those who want to write to it go on. */
        public void letGo() {
            monitor.lock();
            try {
                held.letGo(range);
                monitor.changed();
            } finally {
                monitor.unlock();
            }
        }
    }

    /**
     * Holds a range of keys. When this returns all writes to it are in the space, durably (G1).
     *
     * @param guard is asked when it is held, and may refuse; null for none
     * @param goOn throws if the caller is to end
     * @throws io.flexdb.storage.StoreFullException if there is no room to commit the memtables
     */
    public Hold hold(byte[] from, byte[] to, WriteGuard guard, Runnable goOn) {
        monitor.lock();
        try {
            commitWritten(goOn);
            while (held.overlap(from, to)) {
                monitor.await(goOn);
            }
            if (guard != null) {
                guard.check();
            }
            Hold hold = new Hold(held.hold(from, to));
            try {
                commitWritten(goOn);
                return hold;
            } catch (Throwable e) {
                hold.letGo();
                throw e;
            }
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Has all earlier writes committed.
     *
     * @throws io.flexdb.storage.StoreFullException if there is no room for it
     */
    public void commitAll() {
        commitAll(() -> {});
    }

    /**
     * Commits all, for a caller who may have to end.
     *
     * @param goOn throws if the caller is to end
     */
    public void commitAll(Runnable goOn) {
        monitor.lock();
        try {
            commitWritten(goOn);
        } finally {
            monitor.unlock();
        }
    }

    private void commitWritten(Runnable goOn) {
        monitor.health.requireUsable();
        rotation.commitWritten(goOn);
    }
}
