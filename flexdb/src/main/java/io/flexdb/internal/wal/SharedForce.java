package io.flexdb.internal.wal;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.Monitor;
import io.flexdb.storage.StoreFailedException;
import java.util.ArrayDeque;

/**
 * Makes writes durable for all who wait at once. Thread-safe; an interrupt neither ends a wait nor gets lost. After a
 * failed force nothing is durable any more: everybody waiting, and every later call that would have to force, gets
 * {@link StoreFailedException}.
 */
public final class SharedForce {
    /*
     * Who waits first forces, for itself and for everybody whose write was appended by then; those who come during
     * the force wait, and one of them forces next. So a force serves as many writers as came during the one before,
     * without a thread of its own and without a delay.
     *
     * G1 Files are forced in the order in which they were added, and a number counts as durable only when everything
     *    before it is: an older file first, to its end.
     * G2 A file gets no more frames once a younger one was added; so an older one needs one force, and is then dropped.
     * G3 durableSequence never falls.
     */
    private final Health health;
    private final Runnable forceFirst;
    private final Monitor lock = new Monitor(); // told of each force that has ended
    private final ArrayDeque<WalWriter> writers = new ArrayDeque<>(); // oldest first
    private volatile long durableSequence;
    private boolean forcing;

    /**
     * @param durableSequence the last sequence number that is durable already
     * @param health is told of a failure by the thread that met it, before anybody's call fails; once it has failed,
     *     nothing is forced any more: what is not durable yet never will be
     */
    public SharedForce(long durableSequence, Health health) {
        this(durableSequence, health, () -> {});
    }

    /**
     * The same for logs that refer to something.
     *
     * @param forceFirst forces all that frames refer to that have been appended so far
     */
    public SharedForce(long durableSequence, Health health, Runnable forceFirst) {
        this.forceFirst = forceFirst;
        this.durableSequence = durableSequence;
        this.health = health;
        health.onChange(lock::wake);
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
        lock.lock();
        try {
            while (durableSequence < sequence) {
                health.requireNotFailed();
                if (forcing) {
                    lock.await();
                } else {
                    forceAll();
                    if (durableSequence < sequence && !health.hasFailed()) {
                        throw new IllegalArgumentException("sequence " + sequence + " was never appended");
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forces all writers with the lock given up meanwhile. */
    private void forceAll() {
        WalWriter[] round = writers.toArray(new WalWriter[0]); // before others begin to wait for this: it may fail
        forcing = true;
        lock.unlock();
        int done = 0;
        long reached = 0;
        try {
            for (; done < round.length; done++) {
                round[done].force();
                reached = Math.max(reached, round[done].durableSequence());
            }
        } catch (Throwable e) {
            health.fail(e);
        } finally {
            lock.lock();
            forcing = false;
            if (reached > durableSequence) {
                durableSequence = reached;
            }
            for (int i = 0; i < Math.min(done, round.length - 1); i++) {
                writers.removeFirst(); // a younger one was there, so its last frame was
            }
            lock.signalAll();
        }
    }

    @Override
    public String toString() {
        return "SharedForce[durable=" + durableSequence
                + (health.hasFailed() ? ", failed=" + health.current().cause() + "]" : "]");
    }
}
