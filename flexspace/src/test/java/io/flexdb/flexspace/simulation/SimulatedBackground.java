package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What is done beside the caller: at a moment that is the same in every run, on the thread that happens to be there.
 */
final class SimulatedBackground {
    private static final class Task implements BackgroundTask {
        private final AtomicReference<Runnable> work;
        private final CountDownLatch done = new CountDownLatch(1);

        Task(Runnable work) {
            this.work = new AtomicReference<>(work);
        }

        /** Does the work unless somebody does it, or has done it. */
        void run() {
            Runnable todo = work.getAndSet(null);
            if (todo != null) {
                try {
                    todo.run();
                } finally {
                    done.countDown();
                }
            }
        }

        @Override
        public boolean isDone() {
            return done.getCount() == 0;
        }

        @Override
        public void await() {
            run();
            boolean interrupted = false;
            while (!isDone()) {
                try {
                    done.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // Tasks are run without a lock of ours: they use files, and whoever uses files comes here.
    private final ArrayDeque<Task> waiting = new ArrayDeque<>();
    private int delay;
    private int left;

    synchronized void delay(int operations) {
        delay = operations;
    }

    BackgroundTask start(Runnable work) {
        Task task = new Task(work);
        if (isPutOff(task)) {
            return task;
        }
        task.run();
        return task;
    }

    private synchronized boolean isPutOff(Task task) {
        if (delay > 0) {
            waiting.add(task);
            left = delay;
        }
        return delay > 0;
    }

    /** Counts an operation that is about to be done. */
    void operation() {
        Task due = due();
        if (due != null) {
            due.run();
        }
    }

    private synchronized Task due() {
        return waiting.isEmpty() || left-- > 0 ? null : waiting.poll();
    }

    BackgroundWorker worker() {
        return new BackgroundWorker() {
            private final List<BackgroundTask> started = new ArrayList<>();

            @Override
            public BackgroundTask start(Runnable work) {
                started.removeIf(BackgroundTask::isDone);
                BackgroundTask task = SimulatedBackground.this.start(work);
                started.add(task);
                return task;
            }

            @Override
            public void close() {
                started.forEach(BackgroundTask::await);
            }
        };
    }
}
