package io.flexdb;

import io.flexdb.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads of a test: what one of them throws fails the test. */
final class Workers {
    /** A piece of work that may throw anything. */
    @FunctionalInterface
    interface Work {
        void run() throws Throwable;
    }

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Starts a thread. */
    Thread start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Throwable e) {
                        if (!failure.compareAndSet(null, e)) {
                            failure.get().addSuppressed(e);
                        }
                    }
                },
                "test-" + name);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** Whether a thread has failed, so that the others need not go on. */
    boolean hasFailed() {
        return failure.get() != null;
    }

    /** Waits for all threads. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(Waiting.LONGEST.toMillis());
            if (thread.isAlive()) {
                AssertionError hanging = new AssertionError(thread + " hangs");
                hanging.setStackTrace(thread.getStackTrace());
                throw hanging;
            }
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }
}
