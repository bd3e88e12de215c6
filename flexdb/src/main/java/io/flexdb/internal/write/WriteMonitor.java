package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Monitor;

/** The write lock, and the one condition under it that writers, commit thread and log thread wait for. */
final class WriteMonitor {
    /*
     * The state that these threads share is in the classes of this package that say so, and is read and written with
     * this lock held. A thread waits for any change, and then checks its condition again. So a thread that changes
     * something there calls changed() before it gives the lock up. One that changes nothing does not, or waiting
     * threads would wake each other for ever. Reading is no change. State elsewhere (marked *) is reported afterwards,
     * by the thread that has changed it:
     *
     *   waiting thread, in what         for what                           changed and reported by
     *   writer, MemtableRotation        a frozen memtable less *           commit thread: CommitRequests.signalCommitted
     *                                   another memtable to be active      writer: ActiveMemtable.begin
     *                                   the next one ready *, or refused   log thread: LogRequests.tried
     *   writer, SpaceRetries.await      room, or the end of a try          commit thread: signalCommitted, refused
     *   writer, StoreWriter.write       its keys to be held no more        loading thread: RunGate.Hold.letGo
     *   loading thread, RunGate         memtables committed *, a range     commit thread: signalCommitted; letGo
     *                                   that others hold
     *   task that makes logs            a log wanted                       writer: begin, awaitLog; signalCommitted
     *   task that commits               a frozen memtable                  writer: begin
     *                                   the active one to be committed     writer: awaitLog, SpaceRetries.await
     *                                   or that it fills slowly            nobody: it looks each period
     *                                   an interval to be divided *        threads of Refiner: wake
     *                                   a try wanted                       writer: SpaceRetries.await
     *   loading thread, RunGate         that the store is closed *         Store.close: wake
     *   all of them                     the store's health *               Health.onChange, or closing: wake
     */
    final Health health;

    private final Monitor monitor = new Monitor();
    private final Runnable follow;
    private final Runnable wakeTask;

    /**
     * @param follow updates the state that follows from the rest, after each change, under the lock
     * @param wakeTask has the task that commits look, which does not wait here while it has nothing to do
     */
    WriteMonitor(Health health, Runnable follow, Runnable wakeTask) {
        this.health = health;
        this.follow = follow;
        this.wakeTask = wakeTask;
    }

    void lock() {
        monitor.lock();
    }

    void unlock() {
        monitor.unlock();
    }

    /** Waits for a change, with the lock given up meanwhile; there may be none. An interrupt stays pending. */
    void await() {
        monitor.await();
    }

    /**
     * Waits for a change as {@link #await()} does, and throws if the store can't be used.
     *
     * @param goOn throws if the caller is to end
     */
    void await(Runnable goOn) {
        goOn.run(); // the caller's end is told under the lock, afterwards
        await();
        goOn.run();
        health.requireUsable();
    }

    /** Something has changed that others may wait for. Under the lock. */
    void changed() {
        follow.run();
        monitor.signalAll();
        wakeTask.run();
    }

    /** Makes all waiting threads look again at state that is not under the lock. Any thread. */
    void wake() {
        monitor.wake();
        wakeTask.run();
    }
}
