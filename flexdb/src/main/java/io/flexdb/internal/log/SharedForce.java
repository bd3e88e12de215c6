package io.flexdb.internal.log;

import io.flexdb.base.waiting.Waiter;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Monitor;
import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.storage.StoreFailedException;
import java.util.ArrayDeque;

/**
 * Makes writes durable for all who wait at once: group commit. Thread-safe; an interrupt neither ends a wait nor gets
 * lost. After a failed force nothing is durable any more: everybody waiting, and every later call that would have to
 * force, gets {@link StoreFailedException}.
 */
public final class SharedForce {
    /*
     * The first that waits forces, for itself and for everybody whose write was appended by then; those who come during
     * the force wait, and one of them forces next. A force therefore serves all writers that came during the one
     * before, without a thread of its own and without a delay. When a force ends, its leader wakes those whose writes
     * are durable, and the leader of the next one. Each of them is woken once, however many they are.
     *
     * G1 Files are forced in the order in which they were added, and a number counts as durable only when everything
     *    before it is: an older file first, to its end.
     * G2 A file gets no more frames once a younger one was added; so an older one needs one force, and is then dropped.
     * G3 durableSequence never falls.
     * G4 A leader passes the lead on, when it is done, to the first that waits. Nobody waits while nobody leads.
     * G5 What was forced counts only if the files are this store's still.
     */
    private final Health health;
    private final Runnable forceFirst;
    private final Runnable requireOwnership;
    private final Monitor lock = new Monitor(); // guards the logs and those who wait; held for moments
    private final ArrayDeque<WalWriter> writers = new ArrayDeque<>(); // oldest first
    private volatile long durableSequence;
    private volatile Runnable onForced = () -> {};
    private final StripedPool<Request> requests = new StripedPool<>(Request::new);
    private Request firstWaiting; // in the order in which they came; under the lock, as the next two
    private Request lastWaiting;
    private boolean isLed; // somebody forces, or is about to

    /** A wait for a force. */
    private static final class Request extends Waiter {
        private long sequence;
        private boolean leads; // the next force; else it is durable, or the store has failed
        private Request next;
    }

    /**
     * @param durableSequence the last sequence number that is durable already
     * @param health is told of a failure by the thread that met it, before anybody's call fails; once it has failed,
     *     nothing is forced any more: what is not durable yet never will be
     * @param forceFirst forces all that frames refer to that have been appended so far
     * @param requireOwnership run behind each force, before anything counts as durable; throws if the files are not this
     *     store's any more
     */
    public SharedForce(long durableSequence, Health health, Runnable forceFirst, Runnable requireOwnership) {
        this.forceFirst = forceFirst;
        this.requireOwnership = requireOwnership;
        this.durableSequence = durableSequence;
        this.health = health;
        health.onChange(this::healthChanged);
    }

    /** Makes a writer the youngest. Under the write lock, before anything is appended to it. */
    public void add(WalWriter writer) {
        writer.forceFirst(forceFirst);
        lock.lock();
        try {
            writers.addLast(writer);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has this run after each force, without a lock, by the thread that has forced. It must not wait, throw, or need
     * memory.
     */
    void onForced(Runnable told) {
        onForced = told;
    }

    /** Every write up to this number is durable. Never falls. */
    public long durableSequence() {
        return durableSequence;
    }

    /** Forces what has been appended so far. */
    public void sync() {
        long sequence = 0;
        lock.lock();
        try {
            for (WalWriter writer : writers) {
                sequence = Math.max(sequence, writer.lastSequence());
            }
        } finally {
            lock.unlock();
        }
        awaitDurable(sequence);
    }

    /**
     * Returns once every write up to a number is durable. The write with that number must have been appended.
     *
     * @throws StoreFailedException if a force has failed before it was
     */
    public void awaitDurable(long sequence) {
        if (durableSequence >= sequence) {
            return;
        }
        Request request = requests.borrowPatiently();
        boolean leads = await(request, sequence);
        requests.giveBack(request);
        if (leads) {
            try {
                forceAll();
            } finally {
                passOn();
            }
        }
        if (durableSequence < sequence) {
            health.requireNotFailed();
            throw new IllegalArgumentException("sequence " + sequence + " was never appended");
        }
    }

    /** Returns whether the caller is to lead the next force; else it is durable, or the store has failed. */
    private boolean await(Request request, long sequence) {
        lock.lock();
        try {
            if (durableSequence >= sequence || health.hasFailed()) {
                return false;
            }
            if (!isLed) {
                isLed = true;
                return true;
            }
            request.sequence = sequence;
            request.leads = false;
            request.begin();
            add(request);
        } finally {
            lock.unlock();
        }
        request.await();
        return request.leads;
    }

    private void add(Request request) {
        if (firstWaiting == null) {
            firstWaiting = request;
        } else {
            lastWaiting.next = request;
        }
        lastWaiting = request;
    }

    /** Forces all writers. By who leads, without the lock. */
    private void forceAll() {
        if (health.hasFailed()) {
            return;
        }
        WalWriter[] round;
        lock.lock();
        try {
            round = writers.toArray(new WalWriter[0]);
        } finally {
            lock.unlock();
        }
        int done = 0;
        long forced = 0;
        long reached = 0;
        Throwable failure = null;
        try {
            for (; done < round.length; done++) {
                round[done].force();
                forced = Math.max(forced, round[done].durableSequence());
            }
        } catch (Throwable e) {
            failure = e;
        }
        try {
            requireOwnership.run(); // G5
            reached = forced;
        } catch (Throwable e) {
            failure = failure == null ? e : withSuppressed(failure, e);
        }
        if (failure != null) {
            health.fail(failure);
        }
        lock.lock();
        try {
            if (reached > durableSequence) {
                durableSequence = reached;
            }
            for (int i = 0; i < Math.min(done, round.length - 1); i++) {
                writers.removeFirst(); // a younger one was there, so its last frame was
            }
        } finally {
            lock.unlock();
        }
        onForced.run();
    }

    /** The first of two failures, which knows of the other if there is memory for that. */
    private static Throwable withSuppressed(Throwable first, Throwable second) {
        try {
            if (second != first) { // the JVM throws one error again and again when it has no memory for others
                first.addSuppressed(second);
            }
        } catch (OutOfMemoryError e) {
            // The first one says enough.
        }
        return first;
    }

    /** Wakes those whose writes are durable now, and the next leader (G4). */
    private void passOn() {
        Request durable = null;
        Request leader = null;
        lock.lock();
        try {
            Request waiting = firstWaiting;
            firstWaiting = null;
            lastWaiting = null;
            Request lastDurable = null;
            while (waiting != null) {
                Request request = waiting;
                waiting = request.next;
                request.next = null;
                if (request.sequence <= durableSequence) {
                    if (durable == null) {
                        durable = request;
                    } else {
                        lastDurable.next = request;
                    }
                    lastDurable = request;
                } else if (leader == null) {
                    leader = request;
                } else {
                    add(request);
                }
            }
            isLed = leader != null;
            if (isLed) {
                leader.leads = true;
            }
        } finally {
            lock.unlock();
        }
        if (leader != null) {
            leader.wake(); // first: its force may begin
        }
        wake(durable);
    }

    /** Wakes all who wait: the store has failed. */
    private void healthChanged() {
        if (!health.hasFailed()) {
            return;
        }
        lock.lock();
        Request waiting = firstWaiting;
        firstWaiting = null;
        lastWaiting = null;
        lock.unlock();
        wake(waiting);
    }

    private static void wake(Request first) {
        Request request = first;
        while (request != null) {
            Request next = request.next; // it may wait again as soon as it is woken
            request.next = null;
            request.wake();
            request = next;
        }
    }

    @Override
    public String toString() {
        return "SharedForce[durable=" + durableSequence
                + (health.hasFailed() ? ", failed=" + health.current().cause() + "]" : "]");
    }
}
