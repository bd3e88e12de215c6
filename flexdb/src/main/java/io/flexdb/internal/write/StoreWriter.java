package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.RecordHead;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.log.WalFormat;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.RecordStager;
import io.flexdb.internal.mem.StagedWrite;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreFullException;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The path of a write into a store. Any thread may call its public methods. */
public final class StoreWriter {
    /*
     * Payload and checksum are made outside any lock. Under the write lock a write gets its sequence numbers, its room
     * in the active memtable, and its frame in that memtable's log. It is inserted in parallel with others. Then it
     * becomes visible, in the order of sequence numbers: an early one is made visible, and its writer woken, by those
     * before it (VisibleSequence). Visible before durable is deliberate; the call returns after both, as its force
     * asks. Writers share one force (group commit, SharedForce).
     *
     * Other classes, which share the write lock, do the rest: MemtableRotation acts when the active memtable is full,
     * SparedRoom keeps its last part for deletes on a full disk, WritePacer limits how fast it is filled (write
     * stalls).
     *
     * I1  visibleSequence never falls, and everything up to it is inserted.
     * I2  A write that has a number becomes visible or makes the store fail: in between every exception is caught, for
     *     writes behind it would wait for ever.
     */
    /** Returned for a write that was not made. */
    public static final long REFUSED = -1;

    /** Returned for a write that was not made since its operands are too old; with a later time it may be. */
    public static final long TOO_OLD = -2;

    private static final int CHECKS_BESIDE_OTHERS = 20;
    private static final int CHECKED_UNDER_LOCK = 256; // entries that have come since the last check
    private static final int LEAST_SEGMENTS_STAGED = 4; // that each memtable may refer to

    final StoreVersions versions;
    private final Health health;
    private final StoreSettings settings;
    private final MemLogs memLogs;
    private final SharedForce sharedForce;
    final CommitThread commits;
    private final SyncThread syncs;
    private final LargeValues large;
    private final long mostStagedBytes; // by each memtable, but for a single write of more
    private final Runnable startOthers;
    private final CommitTurns turns;
    private final WritePacer pacer;
    private final WriteMonitor monitor; // the write lock
    private final ActiveMemtable memtables;
    private final LogRequests logs;
    private final SpaceRetries retries;
    private boolean adopting; // there was no space to copy a log that is being recovered; under the write lock
    private final SparedRoom spared;
    private final MemtableRotation rotation;
    private final CommitRequests requests;
    private final HeldRanges held = new HeldRanges();
    private final RunGate runs;
    private final WriteStalls stalls = new WriteStalls();
    private final StagingRoom stagingRoom;
    private volatile long walBytesWritten; // written under the write lock
    private long runsBehind; // that the logs tell of, under the same

    /** @param startOthers starts tasks that are only needed once there are writes, each time anew */
    public StoreWriter(
            StoreSettings settings,
            StoreVersions versions,
            CommitThread commits,
            SyncThread syncs,
            Runnable startOthers) {
        this.large = commits.large;
        long least = (long) LEAST_SEGMENTS_STAGED * settings.space.segmentBytes();
        this.mostStagedBytes = Math.min(Math.max(least, settings.memtableBytes), settings.space.maxDataBytes() / 8);
        this.settings = settings;
        this.versions = versions;
        this.health = versions.health;
        this.memLogs = commits.memLogs;
        this.sharedForce = commits.sharedForce;
        this.commits = commits;
        this.syncs = syncs;
        this.startOthers = startOthers;
        this.turns = commits.turns();
        this.pacer = new WritePacer(this::successorProgress, this::heldBack, stalls);
        this.monitor = new WriteMonitor(health, this::follow, commits::wake);
        this.logs = new LogRequests(monitor);
        this.memtables = new ActiveMemtable(monitor, versions, memLogs, sharedForce, logs);
        this.retries = new SpaceRetries(monitor, memtables::wantCommit, versions::visibleSequence);
        this.rotation = commits.rotation(memtables, retries, this::startThreads, settings.space.segmentBytes());
        this.spared = new SparedRoom(rotation);
        this.requests = new CommitRequests(memtables, retries, commits, new SlowFilling(System::nanoTime), held);
        this.runs = new RunGate(rotation, held);
        this.stagingRoom = new StagingRoom(large, commits, runs);
    }

    /** The gate that keeps writers away from the keys of a sorted run. */
    public RunGate runs() {
        return runs;
    }

    /** Has the commit thread serve writers, and apply divisions. Once, before anything else. */
    public void serve(Refiner divisions) {
        commits.serve(requests, divisions);
    }

    /** The requests to the thread that makes logs. */
    LogRequests logRequests() {
        return logs;
    }

    /** Starts the tasks beside writers once there are any. Under the write lock, or before there can be any. */
    public void startThreads() {
        startOthers.run();
        syncs.start();
    }

    // ---- a write

    /** Whether a memtable and its log can hold a write, by its size. */
    public boolean fits(long payloadBytes, long bodyBytes, int entries) {
        return payloadBytes <= memLogs.maxPayloadBytes()
                && MemTable.couldHold(settings.memtableBytes, bodyBytes, entries);
    }

    /** Whether a memtable and its log can hold a batch, of which large values need not be in them. */
    public boolean fits(BatchPayload payload) {
        if (fits(payload.length(), payload.bodyBytes(), payload.entries())) {
            return true;
        }
        LargeValues.Sizes without = large.sizesWithout(payload);
        return without != null && fits(without.payloadBytes(), without.bodyBytes(), payload.entries());
    }

    /** Throws unless a memtable and its log can hold a write. */
    public void requireFits(long payloadBytes, long bodyBytes, int entries) {
        if (!fits(payloadBytes, bodyBytes, entries)) {
            throw new IllegalArgumentException("the write has " + payloadBytes + " bytes in " + entries
                    + " entries, which a memtable of " + settings.memtableBytes
                    + " bytes can't hold; split it, or open the store with larger memtables");
        }
    }

    /**
     * Writes all entries of a payload, atomically.
     *
     * @return the sequence number of the last entry
     */
    public long write(Payload payload, Force force) {
        return write(payload, force, null, null);
    }

    /**
     * Writes them if a precondition holds of all writes before this one.
     *
     * @param precondition null for none
     * @param guard to be asked whether it may be written, and told its numbers; null for none
     * @return the sequence number of the last entry; {@link #REFUSED} if it does not hold, and nothing was written
     */
    public long write(Payload payload, Force force, Precondition precondition, WriteGuard guard) {
        return write(payload, force, precondition, guard, Long.MAX_VALUE);
    }

    /**
     * Writes them if none of them is too old, either.
     *
     * @param operandTime the time of its operands; {@link Long#MAX_VALUE} if there are none
     * @return the sequence number of the last entry; {@link #REFUSED} if the precondition does not hold, or {@link
     *     #TOO_OLD}, and nothing was written
     */
    public long write(Payload payload, Force force, Precondition precondition, WriteGuard guard, long operandTime) {
        health.requireUsable();
        try (StagedWrite staged = large.mayBeIn(payload.length()) ? stage(payload) : null) {
            if (staged != null) {
                return write(staged.payload, force, precondition, guard, operandTime, staged);
            }
        }
        return write(payload, force, precondition, guard, operandTime, null);
    }

    /** Apart from short writes, which make no garbage. */
    private StagedWrite stage(Payload payload) {
        boolean fitsLog = fits(payload.length(), payload.bodyBytes(), payload.entries());
        return stagingRoom.find(
                new Supplier<StagedWrite>() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public StagedWrite get() {
                        return large.stage(payload, fitsLog);
                    }
                });
    }

    /**
     * Sets the value of a key to the next bytes of a channel, which are staged while they are read: a {@linkplain
     * LargeValues#isStagedWhileRead large value}.
     *
     * @param key as it is stored
     * @return the sequence number
     * @throws IOException as the channel does, or if it ends before the value; nothing is written then
     */
    public long writeFrom(
            byte[] key, long expiry, ReadableByteChannel source, int valueLength, Force force, WriteGuard guard)
            throws IOException {
        health.requireUsable();
        if (guard != null) {
            guard.check();
        }
        RecordHead head = new RecordHead(key.length, valueLength, expiry, 0, false);
        RecordStager record = large.stager(
                key,
                head,
                source,
                new ToLongFunction<>() { // no lambda, as above
                    @Override
                    public long applyAsLong(LongSupplier staging) {
                        return stagingRoom.find(new Supplier<Long>() {
                            @Override
                            public Long get() {
                                return staging.getAsLong();
                            }
                        });
                    }
                });
        requireFits(record.payloadBytes(), record.bodyBytes(), 1); // before anything is read
        boolean written = false;
        try (StagedWrite staged = record.stage()) {
            long last = write(staged.payload, force, null, guard, Long.MAX_VALUE, staged);
            written = true;
            return last;
        } finally {
            if (!written) {
                stagingRoom.giveBackUnused();
            }
        }
    }

    /** Writes a payload whose large values are staged; null if there were none. */
    private long write(
            Payload payload,
            Force force,
            Precondition precondition,
            WriteGuard guard,
            long operandTime,
            StagedWrite staged) {
        int length = payload.length();
        int entries = payload.entries();
        int checksum = payload.checksum();
        requireFits(length, payload.bodyBytes(), entries);
        pacer.pace(length);
        turns.giveWay();
        MemLog log;
        long first;
        int reserved;
        boolean frees;
        long checked = -1; // through this number the precondition holds
        long checkedRuns = -1; // and through this run
        int checks = 0;
        WriteStalls.Stall stall = null; // once it waits for a memtable
        monitor.lock();
        try {
            while (true) {
                health.requireUsable();
                if (operandTime < versions.clock.reclaimed()) {
                    return TOO_OLD;
                }
                if (guard != null) {
                    guard.check();
                }
                if (held.holdBack(payload)) {
                    monitor.await();
                    continue;
                }
                boolean isChecked = checked == memtables.lastSequence() && checkedRuns == held.linkedRuns();
                if (precondition != null && !isChecked) {
                    boolean isLittle = checked >= 0
                            && memtables.lastSequence() - checked <= CHECKED_UNDER_LOCK
                            && checkedRuns == held.linkedRuns();
                    checked = memtables.lastSequence();
                    checkedRuns = held.linkedRuns();
                    if (!holds(precondition, checked, !isLittle && checks++ < CHECKS_BESIDE_OTHERS)) {
                        return REFUSED;
                    }
                    continue;
                }
                log = memtables.get();
                if (log != null && hasRoomFor(log, staged) && log.wal.hasRoom(length) && spared.allows(log, payload)) {
                    frees = retries.isFull() && SparedRoom.isDelete(payload);
                    hold(log, staged);
                    reserved = reserve(log, payload, memtables.lastSequence() + 1);
                    if (reserved != MemTable.NONE) {
                        break;
                    }
                }
                if (stall == null && rotation.mustWait()) {
                    stall = stalls.begin();
                }
                rotation.rotate(payload);
            }
            if (staged != null) {
                log.countStaged(staged.recordBytes);
            }
            first = memtables.lastSequence() + 1;
            append(log, payload, checksum, first);
            walBytesWritten += WalFormat.frameBytes(length);
            memtables.setLastSequence(first + entries - 1); // I2: from here on to the end of insert
            if (guard != null) {
                guard.numbered(first + entries - 1);
            }
            if (frees) {
                retries.freed(first + entries - 1);
            }
        } finally {
            monitor.unlock();
            if (stall != null) {
                stall.end(length);
            }
        }
        long last = first + entries - 1;
        insert(log, payload, first, last, reserved);
        if (force == Force.BEFORE_RETURN) {
            sharedForce.awaitDurable(last);
        } else if (force == Force.PERIODICALLY) {
            syncs.wrote(last);
        }
        return last;
    }

    private void hold(MemLog log, StagedWrite staged) {
        if (staged != null) {
            log.hold(staged.runs, large);
        }
    }

    /** Whether a memtable may refer to more: staged values wait for its commit, and take disk space meanwhile. */
    private boolean hasRoomFor(MemLog log, StagedWrite staged) {
        return staged == null || log.stagedBytes() == 0 || log.stagedBytes() + staged.recordBytes <= mostStagedBytes;
    }

    /** The stager of large values. */
    public LargeValues large() {
        return large;
    }

    /**
     * Checks a precondition, under the write lock. The lock is given up meanwhile if there is much to be checked.
     * Others mostly write little until then; they wait while that is checked. After too many rounds with much to check,
     * they wait for all of it.
     */
    private boolean holds(Precondition precondition, long through, boolean besideOthers) {
        if (besideOthers) {
            monitor.unlock();
        }
        try {
            versions.awaitVisible(through); // those before are past the lock
            return precondition.holds(through);
        } finally {
            if (besideOthers) {
                monitor.lock();
            }
        }
    }

    /** The store's time, in milliseconds since 1970, for something to be written. */
    public long now() {
        return versions.clock.nowToWrite();
    }

    private static int reserve(MemLog log, Payload payload, long first) {
        return log.table().reserve(payload.bodyBytes(), payload.entries(), payload.ranges(), first);
    }

    private void append(MemLog log, Payload payload, int checksum, long first) {
        try {
            long runs = held.linkedRuns();
            log.wal.append(payload, checksum, first, runs != runsBehind);
            runsBehind = runs;
        } catch (Throwable e) {
            health.fail(e); // room in the memtable is taken, and the log may end in a part of a frame
            throw e;
        }
    }

    private void insert(MemLog log, Payload payload, long first, long last, int reserved) {
        try {
            int inserted = log.table().insertAll(payload.bytes(), 0, payload.length(), first, reserved);
            assert inserted == last - first + 1 : "a recovery numbers " + inserted + " entries from " + first;
            versions.advanceVisible(first, last);
        } catch (Throwable e) {
            health.fail(e); // those behind must not wait for this one
            throw e;
        }
    }

    // ---- how fast the active memtable may be filled

    /** Updates the state that follows from all else under the write lock. */
    private void follow() {
        pacer.slow(rotation.isNextOnItsWay() ? memtables.get() : null);
        spared.follow();
    }

    private void heldBack() {
        logs.hurry();
        turns.heldBack();
    }

    /** How far the successor of the active memtable is on its way: it needs a place, and must be ready. */
    private double successorProgress() {
        double place = memtables.mayBeginNext() ? 1 : commits.progress();
        // As long as the log is not ready the last eighth is spared, so the pacer's slack has to come before it.
        double share = (1 - 2 * SparedRoom.SPARED) / (1 - SparedRoom.SPARED);
        return Math.min(place, memLogs.isReady() ? 1 : share * memLogs.progress());
    }

    // ---- recovery

    /**
     * A memtable for writes that an earlier process left. Its log is a new one, until there is no space for one; from
     * then on it is the old log with the write.
     *
     * @param isChanged whether the write is not as the old log has it
     */
    private MemLog nextForRecovered(Payload payload, boolean isChanged, RecoveredLogs logs) {
        if (!adopting) {
            try {
                return nextForCopies(payload, logs);
            } catch (StoreFullException e) {
                if (isChanged || memLogs.lacksMemory() || monitor.health.hasFailed()) {
                    throw e;
                }
                adopting = true;
            }
        }
        if (isChanged) {
            // The old log refers to bytes of the data file, of which nobody knows whether they are durable (P4).
            throw new StoreFullException("no space to copy a write with a large value from a write-ahead log; free "
                    + payload.length() + " bytes and some more, or open the store for reading only, which needs none");
        }
        return memLogs.takeAdopted(logs.adopt(), payload, memtables.birthOfNext());
    }

    /**
     * A memtable with a log of its own for writes that an earlier process left, which may be more than memtables hold
     * now: full ones are committed to make room. If they can't be, memtables get larger and larger, and so stay few.
     */
    private MemLog nextForCopies(Payload payload, RecoveredLogs logs) {
        boolean usual = fits(payload.length(), payload.bodyBytes(), payload.entries());
        int count = memtables.count();
        int leastBytes = usual ? 0 : MemTable.arenaBytesFor(payload.bodyBytes(), payload.entries());
        if (!memtables.mayBeginNext()) {
            logs.beforeCommit();
            if (!commits.tryCommitAll()) {
                long larger = (long) settings.memtableBytes << Math.min(count - ActiveMemtable.MAX_FROZEN, 16);
                leastBytes = (int) Math.max(leastBytes, Math.min(StoreSettings.MAX_MEMTABLE_BYTES, larger));
            }
        }
        long birth = memtables.birthOfNext();
        if (leastBytes > 0) {
            return memLogs.takeLarge(leastBytes, payload.length(), birth);
        }
        try {
            return memLogs.takeFor(payload, birth);
        } catch (StoreFullException e) {
            if (memLogs.lacksMemory()) {
                throw e;
            }
            return memLogs.takeFirst(payload, birth); // a small one, which may hold all there is
        }
    }

    /**
     * Takes a write from a log that an earlier process left; which is being recovered.
     *
     * @param logs where the write comes from
     */
    public void writeRecovered(Payload payload, long first, RecoveredLogs logs) {
        if (!LargeValues.refers(payload)) {
            writeRecovered(payload, first, false, logs, null);
            return;
        }
        long wholeBytes = LargeValues.wholeBytes(payload);
        if (wholeBytes <= settings.memtableBytes / 2) {
            writeWhole(payload, first, logs);
            return;
        }
        logs.beforeCommit(); // staging changes the space's files
        try (StagedWrite staged = large.stageAgain(payload)) {
            writeRecovered(staged.payload, first, true, logs, staged);
        } catch (StoreFullException e) {
            if (large.hasFailed()) {
                throw e;
            }
            writeWhole(payload, first, logs); // V4 of LargeValues
        }
    }

    /** Writes a recovered payload with the large values that it refers to. */
    private void writeWhole(Payload payload, long first, RecoveredLogs logs) {
        writeRecovered(large.wholeOfKept(payload), first, true, logs, null);
    }

    private void writeRecovered(
            Payload payload, long first, boolean isChanged, RecoveredLogs logs, StagedWrite staged) {
        int length = payload.length();
        int entries = payload.entries();
        monitor.lock();
        try {
            int reserved = MemTable.NONE;
            MemLog log = memtables.get();
            if (log != null && hasRoomFor(log, staged) && takesRecovered(log, length, isChanged, logs)) {
                hold(log, staged);
                reserved = reserve(log, payload, first);
            }
            if (reserved == MemTable.NONE) {
                log = nextForRecovered(payload, isChanged, logs);
                memtables.begin(log, false);
                hold(log, staged);
                reserved = reserve(log, payload, first);
            }
            if (staged != null) {
                log.countStaged(staged.recordBytes);
            }
            if (!log.wal.isAdopted()) { // else it has the write
                log.wal.append(payload, payload.checksum(), first, false);
            }
            memtables.setLastSequence(first + entries - 1);
            log.table().insertAll(payload.bytes(), 0, length, first, reserved);
            versions.setVisible(first + entries - 1);
        } finally {
            monitor.unlock();
        }
    }

    /** Ends the recovery: writes go to the last memtable, also if its log is one that serves on. */
    public void endRecovery() {
        monitor.lock();
        try {
            MemLog log = memtables.get();
            if (log != null && log.wal.isAdopted()) {
                log.wal.goOn();
            }
            adopting = false;
        } finally {
            monitor.unlock();
        }
    }

    /** Whether the log of a memtable has room for a recovered write, or has it. */
    private boolean takesRecovered(MemLog log, int length, boolean isChanged, RecoveredLogs logs) {
        return adopting ? !isChanged && log.wal == logs.adopt() : log.wal.hasRoom(length);
    }

    // ---- the end

    /** Has the store refuse writes from now on, and returns the last sequence number given. */
    public long refuseMore() {
        monitor.lock();
        try {
            health.beginClose();
            monitor.wake();
            return memtables.lastSequence();
        } finally {
            monitor.unlock();
        }
    }

    /** Wakes all that wait under the write lock: the store's health has changed, or an interval is to be divided. */
    public void wake() {
        monitor.wake();
    }

    /** The writes that were held back. */
    public WriteStalls stalls() {
        return stalls;
    }

    public long walBytesWritten() {
        return walBytesWritten;
    }
}
