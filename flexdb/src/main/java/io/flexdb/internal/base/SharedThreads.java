package io.flexdb.internal.base;

import io.flexdb.flexspace.internal.base.Monitor;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Threads for the background work of any number of stores. A store has a thread only while it has work. The thread then
 * has the store's directory in its name. Thread-safe.
 */
public final class SharedThreads implements Scheduler {
    /*
     * The problem: two hundred stores, each with a few threads that are idle nearly always.
     *
     * The choice: the work of such a thread is a task. It is run when somebody wakes it, or when the time that it has
     * asked for has come. A dispatcher gives the tasks to workers, in turns. There are as many workers as processors
     * and one more. A task may wait for long, for a disk or for memory, and may even wait for what another task does.
     * The dispatcher therefore adds a worker when all were busy for a tenth of a second and none has ended its task:
     * tasks that wait do not hold up the others. A worker that has been idle for a while ends. The dispatcher ends when
     * there is no task.
     *
     * A task with much to do asks after each piece whether others wait for a worker, and gives way. A task that a
     * caller waits for goes before all others. If all workers are busy, it gets one more at once: there are no more of
     * these than callers.
     *
     * Waking a task takes no memory, since the heap may be full. If there is no memory for another worker, the
     * dispatcher tries again.
     *
     * T1  A task is run by one worker at a time, and by none once end() has returned.
     * T2  A task that was woken is run after that. A waker sets wanted, then reads running. A worker clears running,
     *     then the dispatcher reads wanted.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final long STALL_NANOS = 100_000_000;
    private static final long TRY_AGAIN_NANOS = 10_000_000;
    private static final long KEEP_NANOS = 1_000_000_000;
    private static final long LONG_NANOS = 60 * KEEP_NANOS;
    private static final int LEAST_WORKERS = 4;
    private static final Task[] NONE = {};

    /** A task that workers run. */
    public final class Task implements Scheduler.Task {
        private final String name;
        private Work work; // null once it has ended: it leads to a store, and a worker may have the task on its stack
        private volatile boolean wanted;
        private volatile boolean urgent;
        private volatile boolean running; // written under the monitor, as all below
        private boolean ending; // ends by itself
        private boolean ended;
        private long due = Long.MAX_VALUE;

        private Task(String name, Work work) {
            this.name = name;
            this.work = work;
        }

        @Override
        public void wake() {
            wanted = true;
            if (!running) {
                monitor.wake();
            }
        }

        @Override
        public void wakeFirst() {
            urgent = true;
            wake();
        }

        @Override
        public void wakeIn(long nanos) {
            monitor.lock();
            try {
                due = later(now(), nanos);
                monitor.signalAll();
            } finally {
                monitor.unlock();
            }
        }

        @Override
        public void end() {
            monitor.lock();
            try {
                ended = true;
                while (running) {
                    monitor.await();
                }
                work = null;
                removeEnded();
            } finally {
                monitor.unlock();
            }
        }

        @Override
        public void endWhenDone() {
            monitor.lock();
            try {
                ending = true;
                endIfDone();
            } finally {
                monitor.unlock();
            }
        }

        /** Under the monitor. */
        private void endIfDone() {
            if (ending && !ended && !running && !wanted && due == Long.MAX_VALUE) {
                ended = true;
                work = null;
                removeEnded();
            }
        }
    }

    private final class Worker extends Thread {
        private Worker nextIdle; // under the monitor, as the next
        private Task task;

        Worker(Task first) {
            super("flexdb-idle");
            task = first;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (task != null) {
                setName(task.name);
                long rest = Long.MAX_VALUE;
                try {
                    rest = task.work.run();
                } catch (Throwable e) { // an error of ours: other tasks go on
                    report(e);
                }
                interrupted(); // an interrupt must not reach another store
                setName("flexdb-idle");
                finish(this, rest);
            }
        }

        private void report(Throwable failure) {
            try {
                LOG.log(System.Logger.Level.ERROR, task.name + " has failed", failure);
            } catch (Throwable e) {
                // The logger needs memory, too; and it may be anybody's.
            }
        }
    }

    private final int usualWorkers;
    private final long begun = System.nanoTime();
    private final Monitor monitor = new Monitor();
    // Under the monitor.
    private Task[] tasks = NONE;
    private boolean dispatching;
    private Worker idle; // the first of a list
    private int workers;
    private long progress; // when a worker has begun, or ended a task
    private int turn; // where the dispatcher begins to look
    private volatile boolean scarce; // written under the monitor

    /** @param workers as long as none of them waits for long */
    public SharedThreads(int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("there must be one worker at least: " + workers);
        }
        this.usualWorkers = workers;
    }

    /** The number of workers by default. */
    public static int usualWorkers() {
        return Math.max(LEAST_WORKERS, Runtime.getRuntime().availableProcessors() + 1);
    }

    private long now() {
        return System.nanoTime() - begun;
    }

    private static long later(long now, long nanos) {
        return nanos >= Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    }

    @Override
    public Task add(String name, Work work) {
        Task task = new Task(name, work);
        monitor.lock();
        try {
            Task[] more = Arrays.copyOf(tasks, tasks.length + 1);
            more[tasks.length] = task;
            if (!dispatching) {
                Thread dispatcher = new Thread(this::dispatch, "flexdb-dispatcher");
                dispatcher.setDaemon(true);
                dispatcher.start();
                dispatching = true;
            }
            tasks = more;
            return task;
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Leaves the array as it is if there is no memory for another. An ended task is never run; a later call removes it.
     */
    private void removeEnded() {
        int left = 0;
        for (Task task : tasks) {
            left += task.ended ? 0 : 1;
        }
        Task[] others;
        try {
            others = left == 0 ? NONE : new Task[left];
        } catch (OutOfMemoryError e) {
            return;
        }
        int count = 0;
        for (Task task : tasks) {
            if (!task.ended) {
                others[count++] = task;
            }
        }
        tasks = others;
        monitor.signalAll();
    }

    @Override
    public boolean areScarce() {
        return scarce;
    }

    @Override
    public int helpers(int wanted) {
        return wanted;
    }

    /** Runs it on a thread that ends with it: workers do not wait for foreign code. */
    @Override
    public void runForeign(String name, Runnable code) {
        Thread thread = new Thread(code, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public <T> T choose(Supplier<? extends T> ahead, Supplier<? extends T> onDemand) {
        return ahead.get();
    }

    /** Tasks that there are. */
    public int taskCount() {
        monitor.lock();
        try {
            return tasks.length;
        } finally {
            monitor.unlock();
        }
    }

    /** Threads that run tasks, or have just run one. */
    public int workerCount() {
        monitor.lock();
        try {
            return workers;
        } finally {
            monitor.unlock();
        }
    }

    private void dispatch() {
        monitor.lock();
        try {
            while (tasks.length > 0) {
                long rest = beginDue(now());
                monitor.await(rest);
            }
            dispatching = false;
        } finally {
            monitor.unlock();
        }
    }

    /** Begins what is due, and returns for how long there will be nothing else. */
    private long beginDue(long now) {
        for (Task task : tasks) {
            if (task.urgent && task.wanted && !task.running && !task.ended && !give(task, now)) {
                scarce = true;
                return TRY_AGAIN_NANOS;
            }
        }
        long rest = LONG_NANOS;
        int count = tasks.length;
        for (int i = 0, from = turn; i < count; i++) {
            int at = (from + i) % count;
            Task task = tasks[at];
            if (task.running || task.ended) {
                continue;
            }
            if (!task.wanted && task.due > now) {
                rest = Math.min(rest, task.due - now);
            } else if (give(task, now)) {
                turn = at + 1;
            } else {
                scarce = true;
                return Math.min(rest, TRY_AGAIN_NANOS);
            }
        }
        scarce = false;
        return rest;
    }

    /** Has a worker run a task, unless all are busy. */
    private boolean give(Task task, long now) {
        Worker worker = idle;
        if (worker != null) {
            begin(task);
            idle = worker.nextIdle;
            worker.nextIdle = null;
            worker.task = task;
            monitor.signalAll();
            return true;
        }
        if (workers >= usualWorkers && !task.urgent && now - progress < STALL_NANOS) {
            return false;
        }
        long due = task.due;
        boolean urgent = task.urgent;
        begin(task);
        try {
            new Worker(task).start(); // waits for the monitor when it has run the task
        } catch (OutOfMemoryError e) { // there may be memory later
            task.urgent = urgent;
            task.wanted = true;
            task.due = due;
            task.running = false;
            return false;
        }
        workers++;
        progress = now;
        return true;
    }

    /** Called before the worker gets the task: a wake after this leads to another run (T2). */
    private static void begin(Task task) {
        task.running = true;
        task.urgent = false;
        task.wanted = false;
        task.due = Long.MAX_VALUE;
    }

    /** Ends a run of a task, and waits for another one; the worker has none if it is to end. */
    private void finish(Worker worker, long rest) {
        monitor.lock();
        try {
            Task done = worker.task;
            long now = now();
            done.running = false;
            done.due = Math.min(done.due, later(now, rest));
            done.endIfDone();
            progress = now;
            worker.task = null;
            worker.nextIdle = idle;
            idle = worker;
            monitor.signalAll();
            long end = now + KEEP_NANOS;
            for (long left = KEEP_NANOS; worker.task == null && left > 0; left = end - now()) {
                monitor.await(left);
            }
            if (worker.task == null) {
                unlink(worker);
                workers--;
            }
        } finally {
            monitor.unlock();
        }
    }

    private void unlink(Worker worker) {
        if (idle == worker) {
            idle = worker.nextIdle;
            return;
        }
        Worker before = idle;
        while (before.nextIdle != worker) {
            before = before.nextIdle;
        }
        before.nextIdle = worker.nextIdle;
    }

    @Override
    public String toString() {
        return "SharedThreads[tasks=" + taskCount() + ", workers=" + workerCount() + "]";
    }
}
