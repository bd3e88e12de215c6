package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;

/** The memtable that takes writes: it begins, and is frozen. All fields are under the write lock. */
final class ActiveMemtable {
    /*
     * A1  The active one is the newest of the current version and not frozen; there is none before the first write, and
     *     between a freezing for a commit's sake and the next beginning.
     * A2  uncommitted counts memtables from their freezing until their logs can be used again, which is a little longer
     *     than versions list them: while it is not 0 there is a log to come.
     * A3  commitWanted only if there is an active one and uncommitted is 0. It holds until that one is frozen, however
     *     often the commit thread has looked, or tried in vain, meanwhile.
     */
    static final int MAX_FROZEN = 2;

    // Where the log of the next one comes from.
    static final int MADE = 0; // for it
    static final int READY = 1; // and there must be one
    static final int FIRST = 2; // made, when none is ready or on its way
    static final int RESERVE = 3; // and there must be one

    final WriteMonitor monitor;
    final StoreVersions versions;
    final MemLogs memLogs;
    final LogRequests logs;
    private final SharedForce sharedForce;
    private MemLog active;
    private boolean begun; // there was one
    private boolean onReserve; // it has its log from the reserve
    private int uncommitted; // A2
    private boolean commitWanted; // A3
    private long lastSequence; // given to a write

    ActiveMemtable(
            WriteMonitor monitor, StoreVersions versions, MemLogs memLogs, SharedForce sharedForce, LogRequests logs) {
        this.monitor = monitor;
        this.versions = versions;
        this.memLogs = memLogs;
        this.sharedForce = sharedForce;
        this.logs = logs;
        this.lastSequence = versions.visibleSequence();
    }

    /** The one that takes writes, or null. */
    MemLog get() {
        return active;
    }

    /** The last sequence number given. */
    long lastSequence() {
        return lastSequence;
    }

    /** Gives the numbers up to this one. */
    void setLastSequence(long sequence) {
        lastSequence = sequence;
    }

    /** Whether there was one at all. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether it has the log that was kept in reserve. */
    boolean isOnReserve() {
        return onReserve;
    }

    /** Memtables that readers look at, this one included. */
    int count() {
        return versions.current().logs().length;
    }

    /** Disk space that is enough to commit all of them, and for the log of one more. */
    long bytesForAll() {
        long bytes = memLogs.usualLogBytes();
        for (MemLog log : versions.current().logs()) {
            bytes += 2 * log.wal.capacity(); // as data and, where pairs are small, as much in log and tree
        }
        return bytes;
    }

    /** Whether there may be one more, as far as it depends on how many are frozen. */
    boolean mayBeginNext() {
        return count() <= MAX_FROZEN;
    }

    /** The id of the first version that will list the next one. */
    long birthOfNext() {
        return versions.current().id();
    }

    /** Whether no commit could set a log free. */
    boolean nothingToCommit() {
        return active == null && uncommitted == 0;
    }

    /**
     * Freezes it, and begins the next one with room for a payload, but for a log that is {@link #MADE} or the {@link
     * #RESERVE}. Unless there is no space for it, a failure fails the store.
     */
    void beginOn(int log, Payload payload) {
        try {
            long birth = birthOfNext();
            MemLog next = switch (log) {
                case MADE -> memLogs.take(birth);
                case READY -> memLogs.takeFor(payload, birth);
                case FIRST -> memLogs.takeFirst(payload, birth);
                default -> memLogs.takeReserve(birth);
            };
            begin(next, log == RESERVE);
        } catch (StoreFullException e) {
            throw e;
        } catch (Throwable e) {
            monitor.health.fail(e);
            throw e;
        }
    }

    /** Freezes it, and begins the next one. */
    void begin(MemLog next, boolean fromReserve) {
        if (active != null) {
            active.table().setLastSequence(lastSequence);
            uncommitted++;
            next.table().expectKeysLike(active.table());
        }
        next.table().setFirstSequence(lastSequence + 1);
        sharedForce.add(next.wal);
        versions.addNewest(next);
        active = next;
        onReserve = fromReserve;
        commitWanted = false;
        if (begun || !memLogs.isSmall()) {
            logs.want();
        } else {
            logs.wantSoon();
        }
        begun = true;
        monitor.changed();
    }

    // ---- commits

    /** Has it committed, for its log or for its deletes, unless one that is frozen comes first. */
    void wantCommit() {
        if (!commitWanted && active != null && uncommitted == 0) {
            commitWanted = true;
            monitor.changed();
        }
    }

    /** The next memtable to commit: the oldest that is frozen, or this one if it is wanted; null for none. */
    MemLog nextToCommit() {
        MemLog frozen = versions.oldestFrozen();
        return frozen != null || !commitWanted ? frozen : active;
    }

    /** Freezes a memtable without beginning another, if it is the active one still and has entries. */
    boolean freeze(MemLog log) {
        if (active != log || log.table().entryCount() == 0) {
            return false;
        }
        log.table().setLastSequence(lastSequence);
        uncommitted++;
        active = null;
        commitWanted = false;
        monitor.changed();
        return true;
    }

    /** The logs of so many of the oldest can be used again. The caller tells it. */
    void committed(int count) {
        uncommitted -= count;
        assert uncommitted >= 0;
    }
}
