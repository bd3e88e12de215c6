package io.flexdb.internal.write;

import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.log.SharedForce;
import io.flexdb.internal.read.StoreVersions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;

/**
 * Forces the write-ahead log now and then, so that a power cut takes no more than an interval's writes; and at once for
 * those who wait for a force without a thread.
 */
public final class SyncThread {
    /*
     * In a store that forces only on request, the thread serves only writes that ask for more, and begins with the
     * first of them. Forces at once are another task, since the first one has its time.
     */
    private static final long TRY_AGAIN_NANOS = 10_000_000;
    private static final LongBinaryOperator LARGER = Math::max;

    private final StoreVersions versions;
    private final SharedForce sharedForce;
    private final long intervalNanos;
    private final Scheduler scheduler;
    private final String directory;
    private final boolean forAll;
    private volatile Scheduler.Task task; // written under this object's lock, as is the next
    private volatile Scheduler.Task atOnce;
    private final AtomicLong askedFor = new AtomicLong(); // the last write that is to be forced, if not all are
    private boolean stopped; // under the lock
    // Made at opening, and not in a heap that may be full.
    private final Scheduler.Work running = this::run;
    private final Scheduler.Work forcingAtOnce = this::runAtOnce;

    public SyncThread(
            StoreSettings settings,
            StoreVersions versions,
            SharedForce sharedForce,
            Scheduler scheduler,
            Path directory) {
        this.versions = versions;
        this.sharedForce = sharedForce;
        this.intervalNanos = settings.syncInterval.toNanos();
        this.scheduler = scheduler;
        this.directory = directory.toString();
        this.forAll = settings.force == Force.PERIODICALLY;
    }

    /** Begins, with the first write. */
    void start() {
        if (forAll) {
            startThread();
        }
    }

    /** A write that asked to be forced periodically, whatever the store's mode is, is visible. */
    void wrote(long sequence) {
        if (forAll || intervalNanos == 0) {
            return;
        }
        askedFor.accumulateAndGet(sequence, LARGER);
        if (task == null) { // or each write would take the lock
            startThread();
        }
    }

    private synchronized void startThread() {
        if (intervalNanos > 0 && task == null && !stopped) {
            Scheduler.Task added = scheduler.add("flexdb-sync " + directory, running); // if it can't, it is tried again
            added.wakeIn(intervalNanos);
            task = added;
        }
    }

    private long run() {
        long sequence = forAll ? versions.visibleSequence() : askedFor.get();
        if (sequence > sharedForce.durableSequence()) {
            try {
                sharedForce.awaitDurable(sequence);
            } catch (Throwable e) {
                versions.health.fail(e);
                return Long.MAX_VALUE;
            }
        }
        return intervalNanos;
    }

    /** Has all that is visible forced at once, by a task. Not once it has been stopped. */
    public void forceAtOnce() {
        Scheduler.Task forcing = atOnce;
        if (forcing == null) {
            forcing = startForcing();
        }
        if (forcing != null) {
            forcing.wakeFirst();
        }
    }

    private synchronized Scheduler.Task startForcing() {
        if (atOnce == null && !stopped) {
            atOnce = scheduler.add("flexdb-force " + directory, forcingAtOnce);
        }
        return atOnce;
    }

    private long runAtOnce() {
        try {
            sharedForce.awaitDurable(versions.visibleSequence());
            return Long.MAX_VALUE;
        } catch (OutOfMemoryError e) { // nothing has been forced, and nothing was spoilt
            return TRY_AGAIN_NANOS;
        } catch (Throwable e) {
            versions.health.fail(e);
            return Long.MAX_VALUE;
        }
    }

    /** Ends, and waits for the end. */
    public void stop() {
        Scheduler.Task periodic;
        Scheduler.Task forcing;
        synchronized (this) {
            stopped = true;
            periodic = task;
            forcing = atOnce;
        }
        if (periodic != null) {
            periodic.end();
        }
        if (forcing != null) {
            forcing.end();
        }
    }
}
