package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.vfs.Uninterruptibly;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** Short work that only the thread that commits may do, since the space is its, asked for by others. Thread-safe. */
final class Errands {
    private final Health health;
    private final Queue<Errand<?>> waiting = new ArrayDeque<>(); // locked by itself
    private volatile boolean any;
    private boolean ended; // locked by the queue

    Errands(Health health) {
        this.health = health;
    }

    private static final class Errand<T> {
        private final Supplier<T> work;
        private final CountDownLatch done = new CountDownLatch(1);
        private T result;
        private Throwable failure;

        Errand(Supplier<T> work) {
            this.work = work;
        }

        void run() {
            try {
                result = work.get();
            } catch (Throwable e) {
                failure = e; // for the caller
            }
            done.countDown();
        }

        void refuse(RuntimeException refusal) {
            failure = refusal;
            done.countDown();
        }
    }

    /**
     * Has work done and returns its result, or throws its exception. Any other thread.
     *
     * @param wake has the thread look for errands
     */
    <T> T run(Supplier<T> work, Runnable wake) {
        Errand<T> errand = new Errand<>(work);
        synchronized (waiting) {
            if (ended) {
                throw health.refusal();
            }
            waiting.add(errand);
            any = true;
        }
        wake.run();
        Uninterruptibly.run(errand.done::await);
        if (errand.failure instanceof RuntimeException e) {
            throw e;
        }
        if (errand.failure instanceof Error e) {
            throw e;
        }
        return errand.result;
    }

    /** Whether some wait. Any thread. */
    boolean any() {
        return any;
    }

    /** Does the waiting errands. By the thread that commits, between two changes. */
    void runAll() {
        while (any) {
            Errand<?> next;
            synchronized (waiting) {
                next = waiting.poll();
                any = !waiting.isEmpty();
            }
            if (next != null) {
                next.run();
            }
        }
    }

    /** Refuses waiting and later errands: the thread has ended. */
    void end() {
        synchronized (waiting) {
            ended = true;
            any = false;
            for (Errand<?> errand = waiting.poll(); errand != null; errand = waiting.poll()) {
                errand.refuse(health.refusal());
            }
        }
    }
}
