package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.commit.CommitThread;
import io.flexdb.internal.commit.CommitTurns;
import io.flexdb.internal.commit.CommitWork;
import io.flexdb.internal.memlog.MemLog;
import io.flexdb.internal.memlog.MemLogs;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.wal.SharedForce;
import io.flexdb.internal.wal.WalFormat;
import io.flexdb.storage.StoreFullException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The path of a write into a store. Any thread may call its public methods. */
public final class StoreWriter implements CommitWork {
    /*
     * Payload and checksum are made outside any lock. Under the write lock a write gets its sequence numbers, its room
     * in the active memtable, and its frame in that memtable's log. It is inserted in parallel with others. Then it
     * becomes visible, in the order of sequence numbers: a write waits for those before it, which are past their lock
     * and so only a few memory accesses away. Visible before durable is deliberate; the call returns after both, as its
     * force asks.
     *
     * On a full disk deletes need a place in order to make room. So as long as the next memtable is not ready, nobody
     * else takes the last eighth of the active one; and where none can follow, for want of a log or of room for what is
     * frozen, deletes alone get one more: the one that is ready, or else one with the log that MemLogs keeps in
     * reserve.
     *
     * I1  visibleSequence never falls, and everything up to it is inserted.
     * I2  Whoever has got a number becomes visible or makes the store fail: between the two nothing is called that
     *     could throw but what is caught, for those behind would wait for ever.
     */
    private static final int MAX_FROZEN = 2;
    private static final int SPINS = 64;
    private static final double SPARED = 1.0 / 8; // of a memtable that may be the last, for deletes

    private final StoreVersions versions;
    private final Health health;
    private final StoreSettings settings;
    private final MemLogs memLogs;
    private final SharedForce sharedForce;
    private final CommitThread commits;
    private final SyncThread syncs;
    private final Runnable startOthers;
    private final WritePacer pacer;
    private final CommitTurns turns;

    private final ReentrantLock writeLock = new ReentrantLock();
    private final Condition logsChanged = writeLock.newCondition();
    private volatile long walBytesWritten; // written under the write lock
    private long lastSequence; // under the write lock, and so are all below
    private MemLog active;
    private boolean begun; // there was an active one
    private boolean onReserve; // the active one has its log from the reserve
    private boolean sparing; // the last eighth is for deletes
    private boolean onlyForDeletes; // not the last eighth only
    private StoreFullException spaceFull; // while a memtable can't be committed for want of room
    private boolean awaitingRetry; // the commit thread is
    private boolean retryWanted;
    private long retriesEnded;
    private boolean freedSinceTry; // there were deletes
    private boolean heldByReads; // some of what the last try had needed, so that there may be room once they end
    private boolean commitOfActiveWanted;
    private boolean logWanted;
    private long logTriesBegun;
    private long logTriesEnded;
    private StoreFullException noLog; // of the last try; null if it went well

    /** @param startOthers starts what is only needed once there are writes, each time anew */
    public StoreWriter(
            StoreSettings settings,
            StoreVersions versions,
            MemLogs memLogs,
            SharedForce sharedForce,
            CommitThread commits,
            SyncThread syncs,
            Runnable startOthers) {
        this.settings = settings;
        this.versions = versions;
        this.health = versions.health;
        this.memLogs = memLogs;
        this.sharedForce = sharedForce;
        this.commits = commits;
        this.syncs = syncs;
        this.startOthers = startOthers;
        this.pacer = new WritePacer(this::successorProgress);
        this.turns = commits.turns();
        this.lastSequence = versions.visibleSequence();
    }

    // ---- a write

    /** Whether a write can be made at all, by its size. */
    void requireFits(long payloadBytes, long bodyBytes, int entries) {
        if (payloadBytes > memLogs.maxPayloadBytes()
                || !MemTable.couldHold(settings.memtableBytes, bodyBytes, entries)) {
            throw new IllegalArgumentException("the write has " + payloadBytes + " bytes in " + entries
                    + " entries, which a memtable of " + settings.memtableBytes
                    + " bytes can't hold; split it, or open the store with larger memtables");
        }
    }

    /** Whether one more delete fits an eighth of a memtable together with others, or there are no others. */
    public boolean hasRoomFor(long bodyBytes, int entries, int keyLength) {
        int bytes = MemTable.arenaBytesFor(bodyBytes + MemTable.bodyBytes(keyLength, 0), entries + 1);
        return entries == 0 || bytes <= settings.memtableBytes / 8;
    }

    /**
     * Writes all entries of a payload, atomically.
     *
     * @param checksum its {@link WritePayload#checksum}
     * @param bodyBytes the sum of {@link MemTable#bodyBytes} over its entries
     * @return the sequence number of the last entry
     */
    public long write(byte[] payload, int length, int checksum, int entries, long bodyBytes, Force force) {
        requireFits(length, bodyBytes, entries);
        pacer.pace(length);
        turns.giveWay();
        MemLog log;
        long first;
        int reserved;
        writeLock.lock();
        try {
            while (true) {
                health.requireUsable();
                log = active;
                if (log != null
                        && log.wal.hasRoom(length)
                        && (!sparing || isSparedFor(log, payload, length, bodyBytes))) {
                    reserved = log.table.reserve(bodyBytes, entries, lastSequence + 1);
                    if (reserved != MemTable.NONE) {
                        break;
                    }
                }
                rotate(payload, length, bodyBytes, entries);
            }
            first = lastSequence + 1;
            append(log, payload, length, checksum, first, entries);
            walBytesWritten += WalFormat.frameBytes(length);
            freedSinceTry |= spaceFull != null && frees(payload, length);
            lastSequence += entries; // I2: from here on to the end of insert
        } finally {
            writeLock.unlock();
        }
        long last = first + entries - 1;
        insert(log, payload, length, first, last, reserved);
        if (force == Force.BEFORE_RETURN) {
            sharedForce.awaitDurable(last);
        } else if (force == Force.PERIODICALLY) {
            syncs.wrote(last);
        }
        return last;
    }

    private void append(MemLog log, byte[] payload, int length, int checksum, long first, int entries) {
        try {
            log.wal.append(payload, 0, length, checksum, first, entries);
        } catch (Throwable e) {
            health.fail(e); // room in the memtable is taken, and the log may end in a part of a frame
            throw e;
        }
    }

    private void insert(MemLog log, byte[] payload, int length, long first, long last, int reserved) {
        try {
            log.table.insertAll(payload, 0, length, first, reserved);
        } catch (Throwable e) {
            health.fail(e); // those behind must not wait for this one
            throw e;
        }
        awaitVisible(first - 1);
        versions.setVisible(last);
    }

    @Override
    public void awaitVisible(long sequence) {
        for (int round = 0; versions.visibleSequence() < sequence; round++) {
            health.requireNotFailed();
            if (round < SPINS) {
                Thread.onSpinWait();
            } else if (round < 2 * SPINS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    // ---- memtables

    /**
     * Freezes the active memtable and begins another, or waits until there may be another. Under the write lock.
     *
     * @throws StoreFullException if there is no space for a log, or no room in the space for what is frozen; nothing
     *     has changed then, and later there may be some
     */
    private void rotate(byte[] payload, int length, long bodyBytes, int entries) {
        if (commits.isInline()) {
            rotateInline(payload, length);
            return;
        }
        int logs = versions.current().logs().length;
        if (logs > MAX_FROZEN) {
            if (spaceFull == null) {
                logsChanged.awaitUninterruptibly();
                return;
            }
            if (logs > MAX_FROZEN + 1 || !frees(payload, length)) {
                requireSpace(spaceFull);
                return;
            }
        }
        long birth = versions.current().id();
        if (!begun) {
            beginOrFail(() -> memLogs.takeFirst(length, bodyBytes, entries, birth));
            startThreads();
        } else if (memLogs.isReady()) {
            beginOrFail(() -> memLogs.take(birth));
        } else {
            MemLog full = active;
            StoreFullException why = awaitLog();
            if (why != null && (active == full || active == null)) {
                beginWithoutLog(why, payload, length, bodyBytes, entries);
            }
        }
    }

    /**
     * Where no further log can be made deletes get the one in reserve, and others a small one if nothing can be
     * committed.
     */
    private void beginWithoutLog(StoreFullException why, byte[] payload, int length, long bodyBytes, int entries) {
        if (memLogs.hasReserve() && frees(payload, length)) {
            beginOnReserve();
        } else if (active == null && versions.oldestFrozen() == null) {
            beginOrFail(() -> memLogs.takeFirst(
                    length, bodyBytes, entries, versions.current().id()));
        } else {
            throw new StoreFullException(why.getMessage());
        }
    }

    private void keepReserveOrFail() {
        try {
            memLogs.keepReserve();
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
    }

    private void beginOnReserve() {
        beginOrFail(() -> memLogs.takeReserve(versions.current().id()));
        onReserve = true;
        spareOrNot();
    }

    /** The same where writers commit themselves. */
    private void rotateInline(byte[] payload, int length) {
        int logs = versions.current().logs().length;
        if (logs > MAX_FROZEN) {
            try {
                commits.commitAll();
                return;
            } catch (StoreFullException e) {
                if (!health.hasFailed() && versions.current().logs().length < logs) {
                    return; // some were committed, which will do
                }
                spaceFull = e;
                spareOrNot();
                if (health.hasFailed() || logs > MAX_FROZEN + 1 || !frees(payload, length)) {
                    throw e;
                }
            }
        }
        long birth = versions.current().id();
        try {
            beginOrFail(() -> memLogs.take(birth));
            if (logs > 0) { // the first write makes one log only
                keepReserveOrFail();
            }
        } catch (StoreFullException e) {
            boolean mayUseReserve = memLogs.hasReserve() && frees(payload, length);
            if (health.hasFailed() || logs == 0 && !mayUseReserve) {
                throw e;
            }
            try {
                if (logs > 0) {
                    commits.commitActive(); // and its log can be used again
                }
                beginOrFail(() -> memLogs.take(versions.current().id()));
            } catch (StoreFullException again) {
                if (health.hasFailed() || !mayUseReserve) {
                    throw again;
                }
                beginOnReserve();
            }
        }
    }

    private void beginOrFail(Supplier<MemLog> next) {
        try {
            begin(next.get());
        } catch (StoreFullException e) {
            throw e;
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        }
    }

    /**
     * Waits until the next memtable and its log are ready. If there is no space for a log (a try counts only if it has
     * begun after the call), one that a commit makes free is used again, and be it that of the active memtable.
     *
     * @return why there is none, if there is no room for that commit either, or none is left to be made; else null:
     *     there is one, or another thread has begun another memtable
     */
    private StoreFullException awaitLog() {
        MemLog full = active;
        long begunBefore = logTriesBegun;
        logWanted = true;
        while (!memLogs.isReady() && (active == full || active == null)) {
            boolean trying = logWanted || logTriesEnded < logTriesBegun;
            if (!trying && logTriesEnded > begunBefore && noLog != null) {
                StoreFullException why = noLog; // which may change while this waits
                if (spaceFull != null) {
                    if (!awaitSpace()) {
                        return why;
                    }
                    continue;
                }
                if (active == null && versions.oldestFrozen() == null) {
                    return why;
                }
                commitOfActiveWanted = versions.oldestFrozen() == null;
            }
            logsChanged.signalAll();
            logsChanged.awaitUninterruptibly();
            health.requireUsable();
        }
        return null;
    }

    /** Refuses what would have to wait for room in the space, unless there is some now. */
    private void requireSpace(StoreFullException refusal) {
        if (!awaitSpace()) {
            throw new StoreFullException(refusal.getMessage());
        }
    }

    /**
     * Has the commit thread look for room in the space again. If something was deleted since it did so the last time, or
     * reads held back segments then, this waits for what comes of it.
     *
     * @return whether there is room
     */
    private boolean awaitSpace() {
        long enough = retriesEnded + (awaitingRetry ? 1 : 2);
        boolean roomMayHaveGrown = freedSinceTry || heldByReads || !awaitingRetry;
        while (spaceFull != null) {
            retryWanted = true;
            commitOfActiveWanted |= active != null && versions.oldestFrozen() == null; // or there is nothing to retry
            logsChanged.signalAll();
            if (!roomMayHaveGrown || retriesEnded >= enough) {
                return false;
            }
            logsChanged.awaitUninterruptibly();
            health.requireUsable();
        }
        return true;
    }

    /** Whether a write has nothing but deletes. */
    private static boolean frees(byte[] payload, int length) {
        PayloadReader reader = new PayloadReader().reset(payload, 0, length);
        while (reader.next()) {
            if (reader.type() != WritePayload.DELETE) {
                return false;
            }
        }
        return true;
    }

    /** Whether a write may take of the room that is spared. */
    private boolean isSparedFor(MemLog log, byte[] payload, int length, long bodyBytes) {
        double ofLog = (double) WalFormat.frameBytes(length) / log.wal.capacity();
        double ofTable = log.table.shareOf(bodyBytes);
        if (!onlyForDeletes && log.fillLevel() + Math.max(ofLog, ofTable) <= 1 - SPARED) {
            return true;
        }
        return log.table.entryCount() == 0 // which could not be committed to make room
                || frees(payload, length);
    }

    /** To be called when one of the things changes that this depends on. Under the write lock. */
    private void spareOrNot() {
        boolean isLast = spaceFull != null && versions.current().logs().length > MAX_FROZEN + 1;
        boolean hasNext = commits.isInline() || memLogs.isReady(); // without threads it is made when it is needed
        onlyForDeletes = isLast || onReserve && !memLogs.hasReserve();
        sparing = onlyForDeletes || !hasNext;
    }

    /**
     * Waits until a log is wanted; false if the store is being closed, or has failed. By the thread that makes them.
     */
    boolean awaitLogWanted() {
        writeLock.lock();
        try {
            while (!logWanted && health.isUsable()) {
                logsChanged.awaitUninterruptibly();
            }
            logWanted = false;
            logTriesBegun++;
            return health.isUsable();
        } finally {
            writeLock.unlock();
        }
    }

    /** Tells writers that the next log is ready, or why it is not. By the thread that makes them. */
    void logTried(StoreFullException full) {
        writeLock.lock();
        try {
            logTriesEnded++;
            noLog = full;
            slowOrNot();
            spareOrNot();
            logsChanged.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    /** How far the successor of the active memtable is on its way: it needs a place, and must be ready. */
    private double successorProgress() {
        double place = versions.current().logs().length > MAX_FROZEN ? commits.progress() : 1;
        // As long as the log is not ready the last eighth is spared, so the pacer's slack has to come before it.
        double log = memLogs.isReady() ? 1 : (1 - 2 * SPARED) / (1 - SPARED) * memLogs.progress();
        return Math.min(place, log);
    }

    private void slowOrNot() {
        boolean hasSuccessor = versions.current().logs().length <= MAX_FROZEN && memLogs.isReady();
        boolean comesNearer = noLog == null && spaceFull == null;
        pacer.slow(hasSuccessor || !comesNearer || commits.isInline() ? null : active);
    }

    @Override
    public boolean awaitRetry(StoreFullException full, boolean readsHold) {
        writeLock.lock();
        try {
            spaceFull = full;
            heldByReads = readsHold;
            retriesEnded++;
            awaitingRetry = true;
            slowOrNot();
            spareOrNot();
            logsChanged.signalAll();
            while (!retryWanted && health.isUsable()) {
                logsChanged.awaitUninterruptibly();
            }
            retryWanted = false;
            awaitingRetry = false;
            freedSinceTry = false;
            return health.isUsable();
        } finally {
            writeLock.unlock();
        }
    }

    private void begin(MemLog next) {
        if (active != null) {
            active.table.setLastSequence(lastSequence);
        }
        next.table.setFirstSequence(lastSequence + 1);
        sharedForce.add(next.wal);
        versions.addNewest(next);
        active = next;
        onReserve = false;
        begun = true;
        logWanted = true;
        slowOrNot();
        spareOrNot();
        logsChanged.signalAll();
    }

    /** Starts what works beside writers once there are any. Under the write lock, or before there can be any. */
    public void startThreads() {
        startOthers.run();
        syncs.start();
    }

    /**
     * A memtable for what an earlier process left, which may be more than memtables hold now: what is full is committed
     * to make room. Where that can't be, memtables get larger and larger, so that there are few all the same.
     */
    private MemLog nextForRecovered(int length, long bodyBytes, int entries, Runnable beforeCommit) {
        boolean usual =
                length <= memLogs.maxPayloadBytes() && MemTable.couldHold(settings.memtableBytes, bodyBytes, entries);
        int logs = versions.current().logs().length;
        int leastBytes = usual ? 0 : MemTable.arenaBytesFor(bodyBytes, entries);
        if (logs > MAX_FROZEN) {
            beforeCommit.run();
            if (!commits.tryCommitAll()) {
                long larger = (long) settings.memtableBytes << Math.min(logs - MAX_FROZEN, 16);
                leastBytes = (int) Math.max(leastBytes, Math.min(StoreSettings.MAX_MEMTABLE_BYTES, larger));
            }
        }
        long birth = versions.current().id();
        return leastBytes == 0 ? memLogs.take(birth) : memLogs.takeLarge(leastBytes, length, birth);
    }

    /**
     * Takes a write from a log that an earlier process left; which is being recovered.
     *
     * @param beforeCommit to be run before anything is committed
     */
    public void writeRecovered(
            byte[] payload, int length, long first, int entries, long bodyBytes, Runnable beforeCommit) {
        writeLock.lock();
        try {
            int reserved = MemTable.NONE;
            if (active != null && active.wal.hasRoom(length)) {
                reserved = active.table.reserve(bodyBytes, entries, first);
            }
            if (reserved == MemTable.NONE) {
                begin(nextForRecovered(length, bodyBytes, entries, beforeCommit));
                reserved = active.table.reserve(bodyBytes, entries, first);
            }
            int checksum = WritePayload.checksum(payload, 0, length);
            active.wal.append(payload, 0, length, checksum, first, entries);
            lastSequence = first + entries - 1;
            active.table.insertAll(payload, 0, length, first, reserved);
            versions.setVisible(lastSequence);
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public MemLog awaitWork() {
        writeLock.lock();
        try {
            while (true) {
                MemLog found = pollWork();
                if (found != null || !health.isUsable() || commits.hasDivided()) {
                    return found;
                }
                logsChanged.awaitUninterruptibly();
            }
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public MemLog pollWork() {
        writeLock.lock();
        try {
            if (health.hasFailed() || health.isReadOnly()) {
                return null;
            }
            MemLog frozen = versions.oldestFrozen();
            if (frozen != null || !commitOfActiveWanted) {
                return frozen;
            }
            commitOfActiveWanted = false;
            return active;
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public boolean awaitDivided() {
        writeLock.lock();
        try {
            while (health.isReadable() && !commits.hasDivided()) {
                logsChanged.awaitUninterruptibly();
            }
            return health.isReadable();
        } finally {
            writeLock.unlock();
        }
    }

    /** Wakes the commit thread if it waits: an interval is to be divided. */
    public void signalDivided() {
        writeLock.lock();
        try {
            logsChanged.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public void signalCommitted() {
        writeLock.lock();
        try {
            spaceFull = null;
            logWanted |= !memLogs.isReady();
            slowOrNot();
            spareOrNot();
            logsChanged.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public boolean freezeActive() {
        writeLock.lock();
        try {
            if (active == null || active.table.entryCount() == 0) {
                return false;
            }
            active.table.setLastSequence(lastSequence);
            active = null;
            pacer.slow(null);
            return true;
        } finally {
            writeLock.unlock();
        }
    }

    // ---- the end

    /** Has the store refuse writes from now on, and returns the last sequence number given. */
    public long refuseMore() {
        writeLock.lock();
        try {
            health.beginClose();
            logsChanged.signalAll();
            return lastSequence;
        } finally {
            writeLock.unlock();
        }
    }

    /** Wakes whoever waits here, to look at the store's health again. */
    public void signalAll() {
        writeLock.lock();
        try {
            logsChanged.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    public long walBytesWritten() {
        return walBytesWritten;
    }
}
