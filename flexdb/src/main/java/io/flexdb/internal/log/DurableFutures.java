package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Monitor;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Futures that complete when writes are durable, and block no thread. Thread-safe. */
public final class DurableFutures {
    /*
     * The problem: completing a future runs the code that its user has attached. The thread that has forced must not do
     * that: it may hold locks, and others wait for what it does next.
     *
     * The choice: pending futures are in a list. A thread that has forced, or has made the store fail, wakes a task and
     * goes on. The task takes from the list all that are settled, and completes them without a lock. A force covers all
     * that was visible when it began. The task therefore leaves only later futures in the list, and looks at each about
     * once.
     *
     * The task may run a user's code for long, or code that closes the store. The end of the store therefore does not
     * wait for it. Nothing on its stack refers to the store once that is closed.
     *
     * D1 A future is added, and then its state is looked at; the state changes, and then it is looked whether there are
     *    futures. No future is missed.
     * D2 To wake the task takes no memory. Where it finds none for an exception, it tries again.
     */
    private static final long TRY_AGAIN_NANOS = 10_000_000;

    /** A future in the list. It leaves the list as soon as anybody has completed or cancelled it. */
    private static final class Pending extends CompletableFuture<Void> {
        private final long sequence;
        private DurableFutures list; // null once it has left; written under the lock, as are the next two
        private Pending previous;
        private Pending next;

        Pending(long sequence, DurableFutures list) {
            this.sequence = sequence;
            this.list = list;
        }

        private void leave() {
            DurableFutures in = list;
            if (in != null) {
                in.remove(this);
            }
        }

        @Override
        public boolean complete(Void value) {
            leave();
            return super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            leave();
            return super.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            leave();
            return super.cancel(mayInterrupt);
        }
    }

    private final Scheduler.Work settling = this::settleAll; // made at opening, and not in a heap that may be full
    private final Health health;
    private final Scheduler scheduler;
    private final String name;
    private final Monitor lock = new Monitor();
    private volatile Runnable askForForce; // null once the store is closed; written under the lock, as all below
    private volatile SharedForce force; // likewise
    private volatile long lastDurable; // then
    private volatile Scheduler.Task task; // null before the first one, and once the store is closed
    private volatile Pending first;
    private Pending last;
    private Pending settled; // taken out of the list, linked by next; for the task alone

    /** @param askForForce has all that is visible forced, by a task */
    public DurableFutures(SharedForce force, Health health, Runnable askForForce, Scheduler scheduler, Path directory) {
        this.force = force;
        this.health = health;
        this.askForForce = askForForce;
        this.scheduler = scheduler;
        this.name = "flexdb-durable " + directory;
        force.onForced(this::wake);
        health.onChange(this::wake);
    }

    /** A future of the moment at which every write up to a visible one is durable. */
    public CompletableFuture<Void> add(long sequence) {
        if (durableSequence() >= sequence) {
            return CompletableFuture.completedFuture(null);
        }
        Pending future = new Pending(sequence, this);
        start();
        Runnable ask = askForForce;
        if (ask != null) {
            ask.run(); // before the future is in the list: there may be no memory for it
        }
        append(future);
        if (isSettled(future) && remove(future)) { // D1
            settle(future); // nobody else has it yet
        }
        return future;
    }

    private void start() {
        if (task != null) {
            return;
        }
        lock.lock();
        try {
            if (task == null && force != null) {
                task = scheduler.add(name, settling);
            }
        } finally {
            lock.unlock();
        }
    }

    private void append(Pending future) {
        lock.lock();
        try {
            Pending before = last;
            future.previous = before;
            last = future;
            if (before == null) {
                first = future;
            } else {
                before.next = future;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether it was in the list. */
    private boolean remove(Pending future) {
        lock.lock();
        try {
            boolean found = future.list != null;
            if (found) {
                unlink(future);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private void unlink(Pending future) {
        Pending before = future.previous;
        Pending behind = future.next;
        if (before == null) {
            first = behind;
        } else {
            before.next = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.previous = before;
        }
        future.list = null;
        future.previous = null;
        future.next = null;
    }

    private long durableSequence() {
        SharedForce open = force;
        return open == null ? lastDurable : open.durableSequence();
    }

    /** Whether it is durable, or never will be. */
    private boolean isSettled(Pending future) {
        return durableSequence() >= future.sequence || health.hasFailed() || force == null;
    }

    /** Something was forced, or the store has failed. */
    private void wake() {
        Scheduler.Task running = task;
        if (first != null && running != null) {
            running.wakeFirst();
        }
    }

    /** Completes what is settled. By the task. */
    private long settleAll() {
        takeSettled();
        try {
            while (settled != null) {
                settle(settled);
                Pending done = settled;
                settled = done.next;
                done.next = null;
                Thread.interrupted(); // an interrupt that a user's code has left is nothing to others
            }
            return Long.MAX_VALUE;
        } catch (OutOfMemoryError e) { // D2
            return TRY_AGAIN_NANOS;
        }
    }

    private void takeSettled() {
        lock.lock();
        try {
            Pending end = settled; // what a lack of memory has left
            while (end != null && end.next != null) {
                end = end.next;
            }
            Pending following;
            for (Pending future = first; future != null; future = following) {
                following = future.next;
                if (isSettled(future)) {
                    unlink(future);
                    if (end == null) {
                        settled = future;
                    } else {
                        end.next = future;
                    }
                    end = future;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void settle(Pending future) {
        if (durableSequence() >= future.sequence) {
            future.complete(null);
            return;
        }
        StorageException refusal;
        try {
            health.requireNotFailed();
            refusal = health.refusal();
        } catch (StorageException e) {
            refusal = e;
        }
        future.completeExceptionally(refusal);
    }

    /** The store is closed: what is not durable yet never will be. Does not wait for code of users. */
    public void end() {
        Scheduler.Task ending;
        lock.lock();
        try {
            SharedForce open = force;
            if (open != null) {
                lastDurable = open.durableSequence();
                force = null;
                askForForce = null;
            }
            ending = task;
            task = null;
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            ending.wakeFirst();
            ending.endWhenDone();
        }
    }

    @Override
    public String toString() {
        return "DurableFutures[durable=" + durableSequence() + (first == null ? "]" : ", some are pending]");
    }
}
