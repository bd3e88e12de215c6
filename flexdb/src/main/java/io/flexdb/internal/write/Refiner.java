package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.Uninterruptibly;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.interval.Division;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.internal.read.Version;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Divides the intervals that an opening found {@linkplain Interval#isCoarse coarse}, above all after a crash:
 * those first that readers meet, and all others in key order.
 */
public final class Refiner {
    /*
     * The problem: after a crash the index is sampled, so that opening is fast, and an interval is as large as an
     * extent. Each read of it costs fifty times what it should, until somebody divides it. Only the commit thread
     * changes the index, and it must not wait for reads of its own.
     * The choice: threads of its own read and parse intervals of the published version and hand over their divisions.
     * The commit thread puts these into the index when it has nothing else to do, or between two intervals of a commit
     * just before it publishes; each takes some microseconds. An interval that was changed in between has another
     * content number, and its change has divided it.
     * The cost: each byte but those of large values is read once after a crash. After some seconds at full speed the
     * threads rest most of the time, so that the disk is the readers' again, and divide at once only intervals that
     * these meet.
     *
     * Nothing of this is in a file before the store is closed, so it does not matter for a crash.
     *
     * R1  Only the commit thread, or in a store without one the writer, takes from `ready` and changes the index.
     * R2  A Division is in `free`, in `ready`, or with one thread.
     * R3  An interval that can't be divided stays as it is, and is not tried again by the walk; a read of it throws.
     *     Every division that leaves a coarse part makes that part smaller, so the walks come to an end.
     */
    public static final int AT_ONCE = 8;

    private static final int DIVISIONS = 16;
    private static final int SEARCHED_AT_ONCE = 4096; // intervals in one short read
    private static final int THREADS = 2;
    private static final long FULL_SPEED_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int REST_FACTOR = 9; // of the time that the work before took
    private static final long REST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final StoreVersions versions;
    private final SpaceEngine engine;
    private final Intervals intervals;
    private final TouchedIntervals touched;
    private final Path dataFile;
    private final Scheduler scheduler;
    private final Thread[] threads;
    private final Runnable onDivided;
    private long began;

    // Guarded by this.
    private final ArrayDeque<Division> free = new ArrayDeque<>();
    private final ArrayDeque<Division> ready = new ArrayDeque<>();
    private boolean leftCoarse; // a division of this walk did
    private boolean ending;
    private boolean reported;
    private volatile int readyCount;

    // The walk, in key order. Guarded by walkLock, but for the flag.
    private final Object walkLock = new Object();
    private byte[] position = new byte[256]; // an anchor
    private int positionLength;
    private volatile boolean walked;

    // Of a store without threads.
    private IntervalDivider divider;
    private IntervalCursor cursor;

    /**
     * @param touched those that readers have met
     * @param onDivided tells the commit thread that there is something to apply
     */
    public Refiner(
            StoreVersions versions,
            SpaceEngine engine,
            Intervals intervals,
            TouchedIntervals touched,
            Scheduler scheduler,
            Runnable onDivided) {
        this.versions = versions;
        this.engine = engine;
        this.intervals = intervals;
        this.touched = touched;
        this.dataFile = engine.store().file().path();
        this.onDivided = onDivided;
        this.scheduler = scheduler;
        this.threads = new Thread[scheduler.helpers(THREADS)];
    }

    private IntervalDivider newDivider() {
        return new IntervalDivider(engine.reads(), dataFile, engine.owner().memory(), intervals::newContent);
    }

    /** Begins, if there is anything to do. Once. */
    public void start() {
        if (intervals.coarseCount() == 0) {
            end();
            return;
        }
        for (int i = 0; i < DIVISIONS; i++) {
            free.add(new Division());
        }
        began = scheduler.nanoTime();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(this::run, "flexdb-refine " + dataFile.getParent());
            threads[i].setDaemon(true);
            threads[i].setPriority(Thread.MIN_PRIORITY);
            threads[i].start();
        }
    }

    /** Has the threads end, and does not wait for them. Again does nothing. */
    public synchronized void end() {
        touched.end();
        ending = true;
        notifyAll();
    }

    /** Ends the threads, and waits for them. An interrupt of the caller stays pending. */
    public void stop() {
        end();
        for (Thread thread : threads) {
            if (thread != null) {
                Uninterruptibly.run(thread::join);
            }
        }
    }

    // ---- reading, by threads of its own

    private void run() {
        try {
            IntervalDivider ofThread = newDivider();
            IntervalCursor at = intervals.index.cursor();
            for (Division division = takeFree(); division != null; division = takeFree()) {
                long start = scheduler.nanoTime();
                boolean divided = false;
                try {
                    divided = findAndDivide(division, ofThread, at);
                } finally {
                    if (!divided) {
                        giveBack(division);
                    }
                }
                if (divided) {
                    handOver(division);
                }
                rest(start);
            }
        } catch (StoreClosedException | StoreFailedException e) {
            // The store tells everybody.
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "Some intervals of " + dataFile + " stay coarse until reopening", e);
        }
    }

    /** A division to fill, or null if all is done. */
    private synchronized Division takeFree() {
        while (!ending) {
            boolean allApplied = free.size() == DIVISIONS;
            if (walked && allApplied && !walkAgain()) {
                end();
            } else if (!free.isEmpty() && !walked) {
                return free.remove();
            } else {
                try {
                    wait();
                } catch (InterruptedException e) {
                    // nobody has this thread, so this can be no wish of anybody's
                }
            }
        }
        return null;
    }

    /** Begins another walk if the last one has left something; when all that it found has been applied. */
    private boolean walkAgain() {
        if (!leftCoarse) {
            return false;
        }
        leftCoarse = false;
        positionLength = 0; // nobody walks now
        walked = false;
        return true;
    }

    private synchronized void giveBack(Division division) {
        free.add(division);
        notifyAll();
    }

    private void handOver(Division division) {
        synchronized (this) {
            ready.add(division);
            readyCount = ready.size();
            if (readyCount > 1) {
                return; // it has been told, and not come yet
            }
        }
        onDivided.run();
    }

    /** Reads one coarse interval; false if it found none just now, or none that is sound. */
    private boolean findAndDivide(Division division, IntervalDivider with, IntervalCursor at) {
        int ticket = versions.enter();
        try {
            Version version = versions.current();
            if (!findTouched(version.index(), at) && !findNext(version.index(), at)) {
                return false;
            }
            with.divide(version.space(), at, division);
            return true;
        } catch (CorruptionException | StoreIoException | StoreMemoryException e) {
            report(e);
            return false;
        } finally {
            at.reset();
            versions.exit(ticket);
        }
    }

    private boolean findTouched(IndexView index, IntervalCursor at) {
        for (long offset = touched.poll(); offset >= 0; offset = touched.poll()) {
            if (offset < index.totalBytes()) {
                at.seekOffset(index, offset);
                if (at.isCoarse()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Goes on with the walk, up to the next coarse interval. */
    private boolean findNext(IndexView index, IntervalCursor at) {
        synchronized (walkLock) {
            if (walked) {
                return false;
            }
            at.seek(index, position, 0, positionLength);
            for (int i = 0; i < SEARCHED_AT_ONCE; i++) {
                if (at.isCoarse()) {
                    goTo(at, at.upperAnchorLength());
                    return true;
                }
                if (!at.next()) {
                    walked = true;
                    return false;
                }
            }
            position = roomFor(at.anchorLength());
            positionLength = at.anchor(position);
            return false;
        }
    }

    private void goTo(IntervalCursor at, int upperAnchorLength) {
        if (upperAnchorLength < 0) {
            walked = true;
            return;
        }
        position = roomFor(upperAnchorLength);
        positionLength = at.upperAnchor(position);
    }

    private byte[] roomFor(int bytes) {
        return bytes <= position.length ? position : new byte[Math.max(bytes, 2 * position.length)];
    }

    private synchronized void report(RuntimeException e) {
        if (!reported) {
            reported = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "An interval of " + dataFile + " can't be read, and stays coarse; who reads it gets an exception",
                    e);
        }
    }

    private void rest(long start) {
        long now = scheduler.nanoTime();
        if (now - began < FULL_SPEED_NANOS) {
            return;
        }
        long until = now + REST_FACTOR * (now - start);
        synchronized (this) {
            // Readers don't tell when they add something, which would be a lock for them.
            for (long left = until - now; left > 0 && !ending && touched.isEmpty(); ) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(100_000, Math.min(left, REST_STEP_NANOS)));
                } catch (InterruptedException e) {
                    // as above
                }
                left = until - scheduler.nanoTime();
            }
        }
    }

    // ---- changing the index, by the commit thread

    /** Whether {@link #applySome} has something to do. Any thread. */
    public boolean hasReady() {
        return readyCount > 0;
    }

    /** Divides some intervals that have been read, for the next version; returns how many. */
    public int applySome() {
        int applied = 0;
        while (applied < AT_ONCE && readyCount > 0) {
            Division division;
            synchronized (this) {
                division = ready.remove();
                readyCount = ready.size();
            }
            apply(division);
            giveBack(division);
            applied++;
        }
        return applied;
    }

    private void apply(Division division) {
        if (intervals.divide(division) && !division.isComplete()) {
            synchronized (this) {
                leftCoarse = true;
            }
        }
    }

    // ---- all of it by the caller, in a store without threads

    /**
     * Reads and divides so many intervals at most. By the writer of a store without threads.
     *
     * @param publish publishes each division
     */
    public void refineHere(int atMost, Runnable publish) {
        if (divider == null && !ending) {
            divider = newDivider();
            cursor = intervals.index.cursor();
        }
        int divided = 0;
        while (divided < atMost && !isDone()) {
            Division division = free.element();
            if (findAndDivide(division, divider, cursor)) {
                apply(division);
                divided++;
                publish.run();
            }
        }
    }

    private synchronized boolean isDone() {
        if (walked && !walkAgain()) {
            end();
        }
        return ending;
    }

    @Override
    public String toString() {
        return "Refiner[coarse=" + intervals.coarseCount() + ", ready=" + readyCount + (walked ? ", walked]" : "]");
    }
}
