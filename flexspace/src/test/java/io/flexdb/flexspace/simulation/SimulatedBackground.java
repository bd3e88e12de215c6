package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import java.util.ArrayDeque;

/** What is done beside the caller: at a moment that is the same in every run, on the thread that happens to be there. */
final class SimulatedBackground {
    private final class Task implements BackgroundTask {
        private Runnable work;

        Task(Runnable work) {
            this.work = work;
        }

        void run() {
            Runnable todo = work;
            if (todo != null) {
                work = null; // it asks for operations itself
                waiting.remove(this);
                todo.run();
                done = true;
            }
        }

        private volatile boolean done;

        @Override
        public boolean isDone() {
            return done;
        }

        @Override
        public void await() {
            synchronized (SimulatedBackground.this) {
                run();
            }
        }
    }

    private final ArrayDeque<Task> waiting = new ArrayDeque<>();
    private int delay;
    private int left;

    synchronized void delay(int operations) {
        delay = operations;
    }

    synchronized BackgroundTask start(Runnable work) {
        Task task = new Task(work);
        waiting.add(task);
        left = delay;
        if (delay == 0) {
            task.run();
        }
        return task;
    }

    /** Counts an operation that is about to be done. */
    synchronized void operation() {
        if (!waiting.isEmpty() && left-- <= 0) {
            waiting.peek().run();
        }
    }
}
