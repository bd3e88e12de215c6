package io.flexdb.internal.base;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Has callers do the work of a store when they need it. With one caller all happens in the same order each time.
 * Thread-safe.
 */
public final class NoThreads implements Scheduler {
    /** Runs only in callers that wait for it, one at a time. */
    private static final class CallersTask implements Task {
        private final Work work;
        private final AtomicBoolean running = new AtomicBoolean();
        private volatile boolean wanted;
        private volatile boolean ended;

        CallersTask(Work work) {
            this.work = work;
        }

        @Override
        public void wake() {}

        @Override
        public void wakeFirst() {
            wanted = true;
            while (wanted && !ended && running.compareAndSet(false, true)) { // else who runs it runs it once more
                try {
                    wanted = false;
                    work.run();
                } finally {
                    running.set(false);
                }
            }
        }

        @Override
        public void wakeIn(long nanos) {}

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public void endWhenDone() {
            ended = true;
        }
    }

    @Override
    public Task add(String name, Work work) {
        return new CallersTask(work);
    }

    @Override
    public boolean areScarce() {
        return false;
    }

    @Override
    public int helpers(int wanted) {
        return 0;
    }

    @Override
    public void runForeign(String name, Runnable code) {
        code.run();
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public <T> T choose(Supplier<? extends T> ahead, Supplier<? extends T> onDemand) {
        return onDemand.get();
    }

    @Override
    public String toString() {
        return "NoThreads";
    }
}
